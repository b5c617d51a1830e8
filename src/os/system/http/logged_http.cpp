#include "os/system/http/logged_http.hpp"

namespace orch::system {

namespace {

std::string outcome_of(const Result<HttpResponse>& response) {
  if (!response) return response.error().message;
  return response->status == 0 ? "an answer without an HTTP head"
                               : fmt::format("HTTP {}", response->status);
}

}  // namespace

Result<HttpResponse> LoggedHttp::send(const HttpRequest& request) {
  if (!diagnostics_.shows(LogLevel::info)) return http_.send(request);
  const double from_s = clock_.now_s();
  Result<HttpResponse> response = http_.send(request);
  const std::string what = fmt::format("{} {}", request.body.empty() ? "GET" : "POST", request.url);
  const std::string outcome = outcome_of(response);
  bool changed = false;
  {
    const std::lock_guard lock(mutex_);
    std::string& last = last_[what];
    changed = last != outcome;
    last = outcome;
  }
  diagnostics_.log(changed ? LogLevel::info : LogLevel::debug, "{}: {} after {:.0f} ms", what,
                   outcome, 1000 * (clock_.now_s() - from_s));
  return response;
}

}  // namespace orch::system
