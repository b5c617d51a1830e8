// From the end of a process to the end of its attempts: outputs published or failure recorded, then
// the next state of each stage. One commit carries both.
#pragma once

#include "schedule/measurements.hpp"
#include "schedule/publisher.hpp"
#include "schedule/retries.hpp"
#include "schedule/run_state.hpp"
#include "schedule/services.hpp"

#include <optional>
#include <string>

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
  // Publishes what the process of TOKEN made, and concludes its attempts. All by value, here and
  // below: a caller may pass parts of the process, which is removed here.
  void publish(std::string token, execute::Ended ended);
  // Concludes the attempts of TOKEN's process; there are no outputs to publish.
  void conclude(std::string token, execute::Ended ended, std::optional<AttemptFailure> failure);

 private:
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

}  // namespace orch::schedule
