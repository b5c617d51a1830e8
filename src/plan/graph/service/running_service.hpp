// A server that runs already takes the place of a service: what is asked of it, and how the words
// of its measurements name it. Opens no connection.
#pragma once

#include "plan/graph/plan.hpp"

namespace orch::plan {

// SERVER in place of the service KIND, whose readiness is READY.
std::shared_ptr<const RunningService> running_service(const runner::StageKind& kind,
                                                      const runner::Ready& ready,
                                                      const matrix::RunningServer& server);

// TEXT, of a measurement, with the addresses of the service STAGE replaced by those of SERVICE. The
// error says which port has no URL, or which word cannot name it.
Result<std::string> with_addresses(const std::string& text, const std::string& stage,
                                   const RunningService& service);

}  // namespace orch::plan
