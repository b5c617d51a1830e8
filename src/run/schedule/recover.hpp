// Recovery, before the run starts anything: decides which attempts that a dead run left without an
// end are taken over by this run, and ends the others.
#pragma once

#include "os/system/clock.hpp"
#include "plan/graph/plan.hpp"
#include "run/attempt/workspace.hpp"
#include "run/execute/executor.hpp"
#include "run/schedule/journal.hpp"

#include <string>
#include <vector>

namespace orch::schedule {

struct RecoverTools {
  Journal& journal;
  execute::Executor& executor;
  attempt::Workspace& workspace;
  system::Clock& clock;
  std::string host;  // this host
};

// Keeps guardians from ending the live processes of UNFINISHED while the plan is made, which may
// take longer than the grace period.
void hold(const std::vector<Unfinished>& unfinished, execute::Executor& executor,
          const attempt::Workspace& workspace, const std::string& host);

// If the store's disk is nearly full, removes outputs of UNFINISHED attempts that will not be
// published, because the attempts failed or their ends are unknown: recovery itself needs room for
// its commits. Ends the processes of attempts with an unknown end. Records nothing.
void make_room(const std::vector<Unfinished>& unfinished, execute::Executor& executor,
               attempt::Workspace& workspace, const std::string& host);

// Returns the attempts of UNFINISHED that continue in this run. The others have been ended and
// recorded as lost when this returns. The rules:
// - a task or server continues if its process is alive and its needs are unchanged;
// - a task that ended with an exit record is published or fails by that record;
// - a measurement that ended with exit status 0 is published, any other is repeated;
// - a running measurement is never taken over, because its requests may have been disturbed;
// - every other attempt, such as one that PLAN does not need, is ended and discarded.
// Fails if the process of an attempt belongs to a live run, or does not end.
Result<std::vector<Adopted>> recover(const plan::Plan& plan, std::vector<Unfinished> unfinished,
                                     RecoverTools tools);

// If PLAN needs GPUs, ends the processes in ADOPTED that hold GPUs and whose stages PLAN does not
// run: PLAN would wait forever for GPUs that only a later plan uses.
Status make_way(std::vector<Adopted>& adopted, const plan::Plan& plan, RecoverTools tools);

// Ends the processes in ADOPTED and records their attempts as lost because of WHY.
Status let_go(std::vector<Adopted> adopted, RecoverTools tools, const std::string& why);

}  // namespace orch::schedule
