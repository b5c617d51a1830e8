// HTTP requests for control work, through libcurl: readiness, smoke requests, metrics pages,
// statistics and model configurations. Measuring uses src/bench/wire instead.
#pragma once

#include "core/base/result.hpp"
#include "os/system/clock.hpp"
#include "os/system/diagnostics.hpp"

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace orch::system {

// The largest answer that is accepted, head and body together: control answers are small.
inline constexpr std::size_t k_most_answer_bytes = 1 << 20;

struct HttpRequest {
  std::string url;
  std::string body = {};                    // "": GET; otherwise POST of JSON
  double timeout_s = 5;                     // of the whole exchange
  const std::atomic<bool>* stop = nullptr;  // once true, the request is abandoned within a second
  // Numeric addresses of the URL's host, tried in this order; empty: libcurl resolves the name.
  std::vector<std::string> addresses = {};
  // Value of the Authorization header; "" for none. Never in errors, unless the server repeats it.
  std::string authorization = {};
  std::vector<std::string> headers = {};  // additional ones, "NAME: VALUE"
  std::string ca_file = {};               // trusted certificates; "": the system's
  bool verify = true;                     // TLS: check the certificate's issuer, dates and host
};

struct HttpResponse {
  // 0: the answer has no HTTP/1 head, and BODY is all of it. The server speaks another protocol.
  int status = 0;
  std::string body;
};

class Http {
 public:
  virtual ~Http() = default;
  // An answer with any status is a value. Errors: ErrorKind::unavailable without an answer or if it
  // exceeds k_most_answer_bytes; ErrorKind::timeout after timeout_s; ErrorKind::interrupted by
  // stop; ErrorKind::io if this process cannot open a socket. Blocks. Thread-safe; REQUEST is
  // borrowed for the call. Follows no redirects and uses no proxy.
  virtual Result<HttpResponse> send(const HttpRequest& request) = 0;
};

class CurlHttp final : public Http {
 public:
  Result<HttpResponse> send(const HttpRequest& request) override;
};

// Explains why a TLS certificate was refused.

// VERDICT is an X509_V_ERR_... code of OpenSSL; HOST is the name that the certificate must have.
std::string certificate_refusal(long verdict, const std::string& host);

// Logs control requests and their outcomes to the diagnostics.

// Sends through HTTP. Logs each request at debug level; a request whose outcome differs from the
// last one for the same URL is logged at info level, so that polling writes one line per change.
// Borrows the constructor's arguments. Thread-safe.
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
