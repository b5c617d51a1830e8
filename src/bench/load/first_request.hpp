// The request that goes to each server alone, before the warm-up of the first load: a wrong URL,
// protocol, model or token is one error instead of a load of failed requests. No figure contains
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "bench/record/measurement.hpp"

namespace orch::load {

struct RunContext;

struct FirstRequests {
  std::vector<record::FirstRequest> sent;  // one per server, in the order of the URLs
  std::vector<std::string> warnings;       // about failures that a later request may not have

  std::int64_t succeeded() const;
};

// Sends them one after another, each with the time limit of a request. Fails when a server refuses
// or loses one, with the remedy, or as interrupted. Overload, errors inside the server and a
// timeout are warnings: a load may go better, and its record shows if it does not.
Result<FirstRequests> send_first_requests(const RunContext& context);

}  // namespace orch::load
