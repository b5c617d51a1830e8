// One HTTP GET, through libcurl, for small control pages between measurements. Does not interpret
// the page.
#pragma once

#include "bench/wire/endpoint.hpp"
#include "core/base/result.hpp"

#include <string>
#include <string_view>

namespace orch::wire {

struct Page {
  int status = 0;
  std::string body;
};

// GET URL; blocks for at most TIMEOUT_MS. Errors: no connection, no complete answer in time, an
// answer larger than system::k_most_answer_bytes. The secrets of ACCESS are redacted in errors and
// in the page.
Result<Page> http_page(const Url& url, int timeout_ms, const Access& access = {});

// The body of http_page(); a status other than 200 is also an error.
Result<std::string> http_get(const Url& url, int timeout_ms, const Access& access = {});

// One unary gRPC call, for control requests between measurements. Does not decode messages.

// Calls METHOD ("/package.Service/Method") of the server at URL; blocks for at most TIMEOUT_MS.
// Errors: no connection; no answer in time; an answer that is too large or not one message; a
// status other than OK, with the server's text, of kind not_found for an unknown method and invalid
// for a rejected argument, an unknown entity or missing permission. The secrets of ACCESS are
// redacted in errors and in the answer.
Result<std::string> grpc_call(const Url& url, const std::string& method, std::string_view message,
                              int timeout_ms, const Access& access = {});

}  // namespace orch::wire
