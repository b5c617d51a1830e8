// The sign of life of an orchestrator: agents of servers give their allocation back where it stops
// for longer than the grace period.
#pragma once

#include "run/slurm/job_files.hpp"
#include "os/system/clock.hpp"

#include <thread>

namespace orch::slurm {

// Beats from a thread of its own, until it is destroyed.
class Heart {
 public:
  Heart(JobFiles files, system::Clock& clock);
  ~Heart();
  Heart(const Heart&) = delete;
  Heart& operator=(const Heart&) = delete;

 private:
  void beat(const std::stop_token& stop);

  JobFiles files_;
  system::Clock& clock_;
  const system::Descriptor wake_;
  std::jthread thread_;
};

}  // namespace orch::slurm
