// One GET for control pages, against servers that do not stop sending.
#include "bench/wire/http_get.hpp"

#include "bench/protocol/triton_answers.hpp"

#include <gtest/gtest.h>

namespace orch::wire {
namespace http_get_test {

TEST(HttpGet, EndsInTimeWhenAServerNeverPauses) {
  std::string heads;
  while (heads.size() < (1 << 20)) heads += "HTTP/1.1 100 Continue\r\n\r\n";
  truth::Answer answer{.pieces = std::vector<truth::Piece>(300, {.bytes = heads, .tokens = 1})};
  answer.pieces.push_back(truth::body(200, "x").pieces.front());
  truth::Server server(truth::always(answer));
  EXPECT_FALSE(http_get(*parse_url(server.url() + "/"), 20).ok());
  // A client that checked the clock only in pauses would read far more before it gave up.
  EXPECT_LT(server.log().empty() ? 0 : server.log().front().token_ns.size(), 64u);
}

}  // namespace http_get_test
}  // namespace orch::wire
