#include "bench/record/measurement.hpp"

#include <gtest/gtest.h>

namespace orch::record {
namespace load_spec_test {

TEST(LoadSpec, HasATextForEachKind) {
  EXPECT_EQ((Load{.concurrency = 8}).text(), "concurrency 8");
  EXPECT_EQ((Load{.kind = Load::Kind::open, .request_rate = 10}).text(), "10 requests/s (poisson)");
  EXPECT_EQ((Load{.kind = Load::Kind::max, .concurrency = 512}).text(),
            "as fast as possible (512 open)");
}

TEST(LoadSpec, ParsesTheNamesOfArrivalsAndListsThem) {
  for (const Arrival arrival :
       {Arrival::constant, Arrival::poisson, Arrival::gamma, Arrival::trace})
    EXPECT_EQ(*parse_arrival(name_of(arrival)), arrival);
  const auto unknown = parse_arrival("weibull");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().text().find("poisson"), std::string::npos);
}

TEST(LoadSpec, OnlyAnOpenLoadCanBeATrace) {
  EXPECT_TRUE((Load{.kind = Load::Kind::open, .arrival = Arrival::trace}).is_trace());
  EXPECT_FALSE((Load{.kind = Load::Kind::closed, .arrival = Arrival::trace}).is_trace());
}

}  // namespace load_spec_test
}  // namespace orch::record
