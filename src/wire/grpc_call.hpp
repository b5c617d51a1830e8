// One gRPC call with one answer, for control between the timed loops. It does not look into
// messages.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "wire/access.hpp"
#include "wire/endpoint.hpp"

namespace orch::wire {

// Calls METHOD ("/package.Service/Method") of the server at URL, blocking, for at most TIMEOUT_MS.
// Errors: no connection, no answer in time, a status other than OK in the server's words: of kind
// not_found when it has no such method, invalid when it refuses what is asked or who asks. Neither
// they nor the answer repeat the token of ACCESS.
Result<std::string> grpc_call(const Url& url, const std::string& method, std::string_view message,
                              int timeout_ms, const Access& access = {});

}  // namespace orch::wire
