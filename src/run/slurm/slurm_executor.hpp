// The executor of a Slurm cluster. A task or server is a job, or an element of a job array if
// several start together; a measurement runs in the job of its server. Submissions are identified
// by names that we choose, never by an id alone: a controller that dies forgets the last
// submissions and reuses their ids.
#pragma once

#include "run/execute/executor.hpp"
#include "run/slurm/launch_watcher.hpp"

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orch::slurm {

class SlurmExecutor final : public execute::Executor {
 public:
  // FILES and CLOCK must outlive this.
  SlurmExecutor(system::Files& files, system::Clock& clock, std::unique_ptr<Slurm> slurm,
                SlurmOptions options);
  execute::Placement placement() const override { return k_jobs; }
  // Queues LAUNCH; a later poll() submits the queue, so that launches that start together form an
  // array. A measurement is passed to the agent of its server instead.
  Result<execute::Handle> start(const execute::Launch& launch) override;
  std::vector<execute::Ended> poll(double wait_s) override;
  void wake() override;
  void terminate(const std::string& token) override;
  void kill(const std::string& token) override;
  bool waits(const std::string& token) override;
  void leave() override;
  void hold(const execute::Launch& launch, const std::optional<execute::Handle>& known) override;
  execute::Recovered recover(const execute::Launch& launch,
                             const std::optional<execute::Handle>& known) override;
  std::string whereabouts(const std::string& token) const override;

 private:
  void forgive_gap();
  void clean_nodes();

  system::Clock& clock_;
  std::unique_ptr<Slurm> slurm_;
  SlurmOptions options_;
  OrchestratorFiles files_;
  OwnJobs jobs_;
  Leftovers leftovers_;
  Submitter submitter_;
  LaunchWatcher watcher_;
  // Places of earlier runs' launches, by token.
  std::optional<std::multimap<std::string, JobPlace>> placed_;
  double last_poll_s_ = std::numeric_limits<double>::infinity();
  const system::Descriptor wake_;
  std::optional<Heart> heart_;  // created once its folder exists
};

}  // namespace orch::slurm
