// HTTP requests for control work: readiness, smoke requests, downloads. Never for measuring: that
// is src/load.
#pragma once

#include "base/result.hpp"

#include <atomic>
#include <string>

namespace orch::system {

struct HttpRequest {
  std::string url;
  std::string body;  // empty: GET, else POST of JSON
  double timeout_s = 5;
  const std::atomic<bool>* stop =
      nullptr;  // when it becomes true the request is given up within a second
};

struct HttpResponse {
  int status = 0;
  std::string body;
};

class Http {
 public:
  virtual ~Http() = default;
  // Any answer, whatever its status, is a value. No answer is ErrorKind::unavailable or ::timeout.
  // Blocks; any thread.
  virtual Result<HttpResponse> send(const HttpRequest& request) = 0;
};

class CurlHttp final : public Http {
 public:
  Result<HttpResponse> send(const HttpRequest& request) override;
};

}  // namespace orch::system
