// One unary gRPC call, for control requests between measurements. Does not decode messages.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "bench/wire/access.hpp"
#include "bench/wire/endpoint.hpp"

namespace orch::wire {

// Calls METHOD ("/package.Service/Method") of the server at URL; blocks for at most TIMEOUT_MS.
// Errors: no connection; no answer in time; a status other than OK, with the server's text, of kind
// not_found for an unknown method and invalid for a rejected argument or missing permission. The
// token of ACCESS is redacted in errors and in the answer.
Result<std::string> grpc_call(const Url& url, const std::string& method, std::string_view message,
                              int timeout_ms, const Access& access = {});

}  // namespace orch::wire
