// From the end of a process to the end of its attempts: outputs published or failure recorded, then
// the next state of each stage. One commit carries both.
#pragma once

#include "run/schedule/journal.hpp"
#include "run/schedule/outputs/publisher.hpp"
#include "run/schedule/retries.hpp"
#include "run/schedule/run_state.hpp"
#include "run/schedule/services.hpp"

#include <memory>
#include <optional>
#include <string>
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
  // Concludes the attempts of PROCESS without publishing. By value: a caller may pass a part of
  // PROCESS.
  void conclude(ActiveProcess& process, const execute::Ended& ended,
                std::optional<AttemptFailure> failure);

 private:
  // One process whose end is being handled. File work resumes its steps: publish() or conclude(),
  // then discard_failed(), then finish().
  struct Ending {
    ActiveProcess& process;  // one of the run's processes until finish()
    execute::Ended ended;
    bool is_published;                  // members without a failure have outputs
    std::vector<Publisher::Made> made;  // one for each member
  };
  // Shared by the functions that resume it, which must be copyable.
  using SharedEnding = std::shared_ptr<Ending>;

  // Removes the outputs of failed members on another thread. Comes before the commit of their ends,
  // which would fail on a disk that these outputs have filled.
  void discard_failed(const SharedEnding& ending);
  // Takes the process out of the run's processes and finishes its attempts.
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

// Takes over the processes that a dead run left (found by recover.hpp), which then belong to this
// run. Ends nothing.

class Adoption {
 public:
  // ADOPTED must outlive this. Processes that this run's plan does not run stay in it for a later
  // plan.
  Adoption(RunState& run, Endings& endings, std::vector<Adopted>& adopted)
      : run_(run), endings_(endings), adopted_(adopted) {}

  // Takes over everything in ADOPTED that the plan runs, and removes it from there.
  void take_over_all();
  // Keeps ENDED for a later plan if it is the end of a process that stayed in ADOPTED.
  void keep_end(const execute::Ended& ended);

 private:
  bool is_wanted(const Adopted& one) const;
  void take_over(const Adopted& one);
  // Fills in the members, and moves their stages to `starting` or `running`.
  void hold(ActiveProcess& process, const Unfinished& first);
  void add_members(ActiveProcess& process, const Adopted& one);
  void resume_service(ActiveProcess& process, const Unfinished& server);

  RunState& run_;
  Endings& endings_;
  std::vector<Adopted>& adopted_;
};

}  // namespace orch::schedule
