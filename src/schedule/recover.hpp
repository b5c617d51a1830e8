// Reconciles before anything is started: of every attempt that a dead run left without an end it
// says whether this run takes it over, and ends the rest. Starts nothing.
#pragma once

#include "execute/executor.hpp"
#include "attempt/workspace.hpp"
#include "plan/plan.hpp"
#include "schedule/adopted.hpp"
#include "schedule/journal.hpp"
#include "system/clock.hpp"

#include <string>
#include <vector>

namespace orch::schedule {

struct RecoverTools {
  Journal& journal;
  execute::Executor& executor;
  attempt::Workspace& workspace;
  system::Clock& clock;
  std::string host;  // ours
};

// Takes hold of what of UNFINISHED still runs, before it is known who wants it: to plan may take
// longer than the grace period.
void hold(const std::vector<Unfinished>& unfinished, execute::Executor& executor,
          const attempt::Workspace& workspace, const std::string& host);

// What PLAN still wants of UNFINISHED. Nothing of the others is left when this returns, and the
// journal knows:
// - a task or a server whose process lives, and whose needs are there as they were, goes on;
// - a task or a measurement that ended, with its exit record, is published or fails for what it
// was;
// - a measurement under way is never taken over: who knows what it missed;
// - what nobody wants, or nobody can tell the end of, is ended and forgotten.
Result<std::vector<Adopted>> recover(const plan::Plan& plan, std::vector<Unfinished> unfinished,
                                     RecoverTools tools);

// Ends those of ADOPTED that have GPUs and that PLAN does not run, where PLAN wants GPUs: it would
// wait for ever for what only a later plan has a use for.
Status make_way(std::vector<Adopted>& adopted, const plan::Plan& plan, RecoverTools tools);

// Ends what was taken over and found no use.
Status let_go(std::vector<Adopted> adopted, RecoverTools tools, const std::string& why);

}  // namespace orch::schedule
