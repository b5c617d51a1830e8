#include "bench/observe/model_statistics.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "fakes/truth_server.hpp"

#include <gtest/gtest.h>

namespace orch::observe {
namespace triton_statistics_test {

Result<StatisticsPage> read(int status, std::string page) {
  truth::Server server(truth::always(truth::body(status, std::move(page), truth::After::close)));
  return read_statistics_http(*wire::parse_url(server.url()));
}

TEST(TritonStatistics, AreReadFromThePageOfAllModels) {
  const auto page = read(200, R"({"model_stats":[{"name":"m","version":"1"}]})");
  ASSERT_TRUE(page.ok()) << page.error().text();
}

TEST(TritonStatistics, DistinguishAMissingPageFromADifferentOne) {
  EXPECT_EQ(read(404, "").error().kind, ErrorKind::not_found);
  EXPECT_EQ(read(200, "hello").error().kind, ErrorKind::invalid);
}

TEST(TritonStatistics, AreUnavailableWithoutAServer) {
  for (const char* url : {"http://127.0.0.1:1", "grpc://127.0.0.1:1"}) {
    const wire::Url server = *wire::parse_url(url);
    const auto page = url[0] == 'g' ? read_statistics_grpc(server) : read_statistics_http(server);
    ASSERT_FALSE(page.ok());
    EXPECT_EQ(page.error().kind, ErrorKind::unavailable) << url;
  }
}

}  // namespace triton_statistics_test
}  // namespace orch::observe
