#include "bench/wire/exchange.hpp"

#include <gtest/gtest.h>

namespace orch::wire {
namespace exchange_test {

std::vector<std::string> take(Exchange& exchange) {
  std::vector<std::string> out;
  exchange.take_events([&](std::string_view data, const Exchange::Event& event) {
    out.push_back(std::string(data) + (event.coalesced ? " coalesced" : "") +
                  (event.unended ? " unended" : ""));
  });
  return out;
}

TEST(Exchange, StampsEventsWithTheReadThatCompletedThem) {
  Exchange exchange;
  exchange.begin_read(5);
  exchange.on_data("a");
  exchange.begin_read(8);
  exchange.on_data("b");
  exchange.on_event();
  exchange.on_data("c");
  exchange.on_event();
  std::vector<std::int64_t> stamps;
  exchange.take_events(
      [&](std::string_view, const Exchange::Event& event) { stamps.push_back(event.ns); });
  EXPECT_EQ(stamps, (std::vector<std::int64_t>{8, 8}));
}

TEST(Exchange, MarksEventsOfTheSameReadAndEventsThatDidNotEnd) {
  Exchange exchange;
  exchange.begin_read(5);
  exchange.on_data("a");
  exchange.on_event();
  exchange.on_data("b");
  exchange.on_event();
  exchange.begin_read(6);
  exchange.on_data("c");
  exchange.on_unended_event();
  EXPECT_EQ(take(exchange), (std::vector<std::string>{"a", "b coalesced", "c unended"}));
}

TEST(Exchange, KeepsTheDataOfAnOpenEventWhenEventsAreTaken) {
  Exchange exchange;
  exchange.begin_read(5);
  exchange.on_data("a");
  exchange.on_event();
  exchange.on_data("open");
  EXPECT_EQ(take(exchange), std::vector<std::string>{"a"});
  EXPECT_EQ(exchange.open_bytes(), 4u);
  exchange.begin_read(6);
  exchange.on_data("ed");
  exchange.on_event();
  EXPECT_EQ(take(exchange), std::vector<std::string>{"opened"});
}

TEST(Exchange, ReportsOnceThatItHoldsMuch) {
  Exchange exchange;
  exchange.begin_read(1);
  exchange.on_data(std::string(Exchange::k_many_bytes, 'x'));
  EXPECT_FALSE(exchange.has_many()) << "no event is complete";
  exchange.on_event();
  EXPECT_TRUE(exchange.has_many());
  EXPECT_FALSE(exchange.has_many());
  exchange.clear();
  EXPECT_EQ(exchange.bytes(), 0u);
}

}  // namespace exchange_test
}  // namespace orch::wire
