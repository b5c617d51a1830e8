// A server that runs already takes the place of a service: what is asked of it, and how the words
// of its measurements name it. Opens no connection.
#pragma once

#include "plan/graph/plan.hpp"

#include <memory>
#include <span>
#include <string>

namespace orch::plan {

// SERVER in place of the service KIND, whose readiness is READY.
std::shared_ptr<const RunningService> running_service(const runner::StageKind& kind,
                                                      const runner::Ready& ready,
                                                      const matrix::RunningServer& server);

// TEXT, of a measurement, with the addresses of the service STAGE replaced by those of SERVICE. The
// error says which port has no URL, or which word cannot name it.
Result<std::string> with_addresses(const std::string& text, const std::string& stage,
                                   const RunningService& service);

// The ports that a matrix pins, compared with those that its servers have.

PinnedPorts pinned_ports(const matrix::Matrix& matrix);
// Appends to ERRORS: names that no server of its runners has, and servers of PLAN with more ports
// of a name than are pinned.
void check_pinned_ports(const Plan& plan, std::span<const Inputs> all, Errors& errors);

}  // namespace orch::plan
