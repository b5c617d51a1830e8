// The executor of a Slurm cluster. A task or a server is a job, or an element of an array of those
// that start together; a measurement runs in the job of its server. Submissions are known by a
// name of ours, never by an id alone: a controller that dies forgets the last ones and gives
// their ids again.
#pragma once

#include "run/slurm/accounting.hpp"
#include "run/slurm/job_files.hpp"
#include "run/slurm/slurm.hpp"
#include "run/slurm/submitter.hpp"
#include "run/execute/executor.hpp"
#include "os/system/diagnostics.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace orch::slurm {

struct SlurmOptions {
  std::string store;  // absolute, and the same on every node
  SubmitOptions submit = {};
  std::string gres = "gpu";  // the name of GPUs in --gres
  system::LogLevel log_level = system::LogLevel::off;
  // Of what only a person can mend: a job that is held.
  std::function<void(const std::string&)> tell = [](const std::string&) {};
  // About jobs that the controller has forgotten; empty: nobody is asked.
  AskAccounting accounted = {};
  double look_s = 0.1;  // between two looks for ended launches
  double states_s = 5;  // between two questions to the controller, at first
  double hangs_s = 60;  // from a request to kill to `scancel`
};

class SlurmExecutor final : public execute::Executor {
 public:
  // FILES, CLOCK and SLURM must outlive this.
  SlurmExecutor(system::Files& files, system::Clock& clock, std::unique_ptr<Slurm> slurm,
                SlurmOptions options);
  ~SlurmExecutor() override;
  // Queues LAUNCH; the next poll() submits what is queued, so that what starts together is an
  // array.
  Result<execute::Handle> start(const execute::Launch& launch) override;
  std::vector<execute::Ended> poll(double wait_s) override;
  void wake() override;
  void terminate(const std::string& token) override;
  void kill(const std::string& token) override;
  bool waits(const std::string& token) override;
  void leave() override;
  void hold(const execute::Launch& launch, const std::optional<execute::Handle>& known) override;
  execute::Placement placement() const override { return k_jobs; }
  execute::Recovered recover(const execute::Launch& launch,
                             const std::optional<execute::Handle>& known) override;
  std::string whereabouts(const std::string& token) const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace orch::slurm
