// Asks servers that run already what they are, and keeps the answers in the store. Like the
// resolving of revisions, only `run` takes this step; unlike it, every run takes it anew.
#pragma once

#include "app/session/identities/resolve.hpp"
#include "plan/graph/plan.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace orch::session {

using RunningServices = std::vector<std::shared_ptr<const plan::RunningService>>;

// The running servers of points of PLAN that are not rejected, each question once.
RunningServices services_to_ask(const plan::Plan& plan);

struct AskedServers {
  std::set<std::string> silent;  // questions without an answer: their points wait
  Errors failures;               // one for each of them
};

AskedServers ask_servers(const Resolving& with, const RunningServices& services,
                         const plan::Plan& plan);

}  // namespace orch::session
