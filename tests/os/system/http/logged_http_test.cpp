// What the diagnostics tell about control requests.
#include "fakes/fake_world.hpp"
#include "fakes/kept_diagnostics.hpp"
#include "os/system/http/http.hpp"

#include <gmock/gmock.h>

namespace orch::system {
namespace logged_http_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ScriptedHttp final : public Http {
 public:
  Result<HttpResponse> send(const HttpRequest&) override { return next; }
  Result<HttpResponse> next = HttpResponse{.status = 503, .body = {}};
};

class LoggedHttpTest : public ::testing::Test {
 protected:
  std::vector<std::string> lines_of_a_start(LogLevel level) {
    fakes::KeptDiagnostics diagnostics(level);
    LoggedHttp http(server, clock, diagnostics);
    server.next = Error{ErrorKind::unavailable, "refused", {}};
    for (int i = 0; i < 2; ++i) (void)http.send({.url = "http://s/ready"});
    server.next = HttpResponse{.status = 200, .body = {}};
    (void)http.send({.url = "http://s/ready"});
    (void)http.send({.url = "http://s/ready", .body = "{}"});
    return diagnostics.lines;
  }

  ScriptedHttp server;
  fakes::FakeClock clock;
};

TEST_F(LoggedHttpTest, PollingIsOneLinePerChange) {
  EXPECT_THAT(lines_of_a_start(LogLevel::info),
              ElementsAre("info GET http://s/ready: refused after 0 ms",
                          "info GET http://s/ready: HTTP 200 after 0 ms",
                          "info POST http://s/ready: HTTP 200 after 0 ms"));
}

TEST_F(LoggedHttpTest, EveryRequestIsALineOfLevelDebug) {
  EXPECT_EQ(lines_of_a_start(LogLevel::debug).size(), 4u);
  EXPECT_THAT(lines_of_a_start(LogLevel::warning), IsEmpty());
}

TEST_F(LoggedHttpTest, PassesAnswersOn) {
  fakes::KeptDiagnostics diagnostics(LogLevel::info);
  const auto answer = LoggedHttp(server, clock, diagnostics).send({.url = "http://s"});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503);
}

}  // namespace logged_http_test
}  // namespace orch::system
