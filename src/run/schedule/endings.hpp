// From the end of a process to the end of its attempts: outputs published or failure recorded, then
// the next state of each stage. One commit carries both.
#pragma once

#include "run/schedule/journal.hpp"
#include "run/schedule/outputs/publisher.hpp"
#include "run/schedule/retries.hpp"
#include "run/schedule/run_state.hpp"
#include "run/schedule/services.hpp"

#include <functional>
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

  // No process of the tree is left. A token that is not in the run's processes is ignored.
  void on_ended(const execute::Ended& ended);
  // Publishes what the process of TOKEN made. Once that is done, concludes its attempts.
  void publish(const std::string& token, const execute::Ended& ended);
  // Concludes the attempts of TOKEN's process; there are no outputs to publish. By value: a caller
  // may pass a part of the process.
  void conclude(const std::string& token, const execute::Ended& ended,
                std::optional<AttemptFailure> failure);

 private:
  using Failures = std::vector<std::optional<AttemptFailure>>;  // of each member of a process

  // Removes the outputs of the members that failed, by another thread, then takes TOKEN's process
  // out of the run's processes and passes it to NEXT. This comes before the commit of their ends,
  // which a disk that the outputs have filled would refuse.
  void clear(const std::string& token, const Failures& failures,
             std::function<void(const ActiveProcess&)> next);
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

// Takes over the processes that a dead run left (recover.hpp found them): from then on they are
// processes of this run. Ends nothing.

class Adoption {
 public:
  // ADOPTED must outlive this. Processes that this run's plan does not run stay in it, for a later
  // plan.
  Adoption(RunState& run, Endings& endings, std::vector<Adopted>& adopted)
      : run_(run), endings_(endings), adopted_(adopted) {}

  // Takes over everything in ADOPTED that the plan runs, and removes it from there.
  void take_over_all();
  // Keeps ENDED for a later plan, when it ends a process that stayed in ADOPTED.
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
