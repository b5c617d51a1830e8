// HTTP requests for control work, through libcurl: readiness, smoke requests, pages of metrics,
// statistics and model configurations. Not for measuring: src/bench/wire does that.
#pragma once

#include "core/base/result.hpp"
#include "os/system/clock.hpp"
#include "os/system/diagnostics.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace orch::system {

// What is kept of an answer, head and body together: control answers are small.
inline constexpr std::size_t k_most_answer_bytes = 1 << 20;

struct HttpRequest {
  std::string url;
  std::string body = {};                    // empty: GET, else POST of JSON
  double timeout_s = 5;                     // of the whole exchange
  const std::atomic<bool>* stop = nullptr;  // true: the request is given up within a second
  // Numeric addresses of the URL's host, tried in this order; empty: libcurl looks the name up.
  std::vector<std::string> addresses = {};
  // Value of the Authorization header; "" for none. Not in errors, unless the server repeats it.
  std::string authorization = {};
  std::vector<std::string> headers = {};  // further ones, "NAME: VALUE"
  std::string ca_file = {};               // trusted certificates; "" for those of the system
  bool verify = true;                     // TLS: check the certificate's issuer, dates and host
};

struct HttpResponse {
  // 0: the answer has no HTTP/1 head, and BODY is all of it. A server of another protocol.
  int status = 0;
  std::string body;
};

class Http {
 public:
  virtual ~Http() = default;
  // Any answer is a value, whatever its status. Without an answer, and for one of more than
  // k_most_answer_bytes, the error is ErrorKind::unavailable; it is ErrorKind::timeout after
  // timeout_s, ErrorKind::interrupted by stop, and ErrorKind::io when this process cannot open a
  // socket.
  // Blocks. Safe from any thread; REQUEST is borrowed for the call. Redirections are not followed,
  // proxies not used.
  virtual Result<HttpResponse> send(const HttpRequest& request) = 0;
};

class CurlHttp final : public Http {
 public:
  Result<HttpResponse> send(const HttpRequest& request) override;
};

// Why a TLS certificate was refused, in words. Does not verify.

// VERDICT is an X509_V_ERR_... of OpenSSL; HOST the name that the certificate must have.
std::string certificate_refusal(long verdict, const std::string& host);

// Control requests with their outcomes in the diagnostics.

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
