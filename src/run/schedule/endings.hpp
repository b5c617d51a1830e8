// Handles the end of a process: publishes the outputs of its attempts or records their failure,
// then decides the next state of each stage. One commit carries both.
#pragma once

#include "run/schedule/journal.hpp"
#include "run/schedule/outputs/publisher.hpp"
#include "run/schedule/retries.hpp"
#include "run/schedule/run_state.hpp"
#include "run/schedule/services.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace orch::schedule {

class Endings {
 public:
  Endings(RunState& run, Services& services, Retries& retries)
      : run_(run),
        services_(services),
        retries_(retries),
        publisher_(run),
        measurements_(run, retries) {}

  // Call once no process of the tree is left. Ignores a token that is not in the run's processes.
  void on_ended(const execute::Ended& ended);
  // Publishes the outputs of PROCESS, then concludes its attempts.
  void publish(ActiveProcess& process, const execute::Ended& ended);
  // Concludes the attempts of PROCESS without publishing. FAILURE is passed by value because it may
  // be a part of PROCESS.
  void conclude(ActiveProcess& process, const execute::Ended& ended,
                std::optional<AttemptFailure> failure);

 private:
  // One process whose end is being handled. Its steps are publish() or conclude(), then
  // discard_failed(), then finish(); each continues when file work is done.
  struct Ending {
    ActiveProcess& process;  // one of the run's processes until finish()
    execute::Ended ended;
    bool is_published;                  // members without a failure have outputs
    std::vector<Publisher::Made> made;  // one for each member
  };
  // Shared, because the continuations that hold it must be copyable.
  using SharedEnding = std::shared_ptr<Ending>;

  // Removes the outputs of failed members on another thread. Done before their ends are committed:
  // the commit would fail on a disk that these outputs have filled.
  void discard_failed(const SharedEnding& ending);
  // Removes the process from the run's processes and finishes its attempts.
  void finish(const Ending& ending);
  // Records the end of one attempt and moves its stage on.
  void finish(const ActiveProcess& process, const ActiveProcess::Member& member,
              const execute::Ended& ended, std::optional<AttemptFailure> failure);
  AttemptEnded event_of(const ActiveProcess& process, const ActiveProcess::Member& member,
                        const execute::Ended& ended, const std::optional<AttemptFailure>& failure);
  void succeeded(const ActiveProcess& process, const ActiveProcess::Member& member, double wall_s);

  RunState& run_;
  Services& services_;
  Retries& retries_;
  Publisher publisher_;
  Measurements measurements_;
};

// Takes over the processes of a dead run that recovery has found (recover.hpp): they then belong to
// this run. Ends no processes.

class Adoption {
 public:
  // ADOPTED must outlive this. Processes of stages that this run's plan does not run stay in
  // ADOPTED for a later plan.
  Adoption(RunState& run, Endings& endings, std::vector<Adopted>& adopted)
      : run_(run), endings_(endings), adopted_(adopted) {}

  // Takes over the processes in ADOPTED whose stages the plan runs, and removes them from ADOPTED.
  void take_over_all();
  // If ENDED is the end of a process that stayed in ADOPTED, records it there for a later plan.
  void keep_end(const execute::Ended& ended);

 private:
  bool is_wanted(const Adopted& one) const;
  void take_over(const Adopted& one);
  // Notes the resources that PROCESS already uses.
  void hold(ActiveProcess& process, const Unfinished& first);
  // Fills in the members, and moves their stages to `starting` or `running`.
  void add_members(ActiveProcess& process, const Adopted& one);
  void resume_service(ActiveProcess& process, const Unfinished& server);

  RunState& run_;
  Endings& endings_;
  std::vector<Adopted>& adopted_;
};

}  // namespace orch::schedule
