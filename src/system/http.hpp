// HTTP requests for control work: readiness and smoke requests. Not for measuring: src/wire does
// that.
#pragma once

#include "base/result.hpp"

#include <atomic>
#include <string>

namespace orch::system {

struct HttpRequest {
  std::string url;
  std::string body;  // empty: GET, else POST of JSON
  double timeout_s = 5;
  const std::atomic<bool>* stop = nullptr;  // true: the request is given up within a second
};

struct HttpResponse {
  int status = 0;
  std::string body;
};

class Http {
 public:
  virtual ~Http() = default;
  // Any answer is a value, whatever its status. Without an answer the error is
  // ErrorKind::unavailable, or ErrorKind::timeout after timeout_s. Blocks. Safe from any thread;
  // REQUEST is borrowed for the call.
  virtual Result<HttpResponse> send(const HttpRequest& request) = 0;
};

class CurlHttp final : public Http {
 public:
  Result<HttpResponse> send(const HttpRequest& request) override;
};

}  // namespace orch::system
