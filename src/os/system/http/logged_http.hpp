// Control requests with their outcomes in the diagnostics.
#pragma once

#include "os/system/clock.hpp"
#include "os/system/diagnostics.hpp"
#include "os/system/http/http.hpp"

#include <map>
#include <mutex>

namespace orch::system {

// Sends through HTTP. Each request is a line of level debug; one whose outcome differs from that of
// the last request to the same URL is a line of level info, so that polling writes one line per
// change. Borrows all three. Safe from any thread.
class LoggedHttp final : public Http {
 public:
  LoggedHttp(Http& http, Clock& clock, Diagnostics& diagnostics)
      : http_(http), clock_(clock), diagnostics_(diagnostics) {}
  Result<HttpResponse> send(const HttpRequest& request) override;

 private:
  Http& http_;
  Clock& clock_;
  Diagnostics& diagnostics_;
  std::mutex mutex_;
  std::map<std::string, std::string> last_;  // "GET URL" -> outcome
};

}  // namespace orch::system
