// Replaces a service by a running server: how to query it, and how the arguments of its
// measurements address it. Opens no connection.
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
// error says which port has no URL, or which argument cannot address it.
Result<std::string> with_addresses(const std::string& text, const std::string& stage,
                                   const RunningService& service);

// The ports that MATRIX pins.
PinnedPorts pinned_ports(const matrix::Matrix& matrix);
// Appends to ERRORS: pinned names that no server of the runners has, and servers of PLAN with more
// ports of a name than are pinned.
void check_pinned_ports(const Plan& plan, std::span<const Inputs> all, Errors& errors);

}  // namespace orch::plan
