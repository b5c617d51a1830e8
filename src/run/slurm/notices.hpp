// What a run tells its user of a cluster while it waits for it: jobs that are held, and a
// controller that does not answer. Each is told once, and again when it ended in between.
#pragma once

#include "run/slurm/job_state.hpp"

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace orch::slurm {

class Notices {
 public:
  using Tell = std::function<void(const std::string&)>;
  explicit Notices(Tell tell) : tell_(std::move(tell)) {}

  // WAITING: jobs of launches that have not begun.
  void look(const std::vector<JobState>& waiting);
  // Whether the controller answered a question at NOW_S.
  void answered(bool is_answer, double now_s);

 private:
  Tell tell_;
  std::map<std::string, std::string> held_;  // id -> why
  double silent_since_s_ = std::numeric_limits<double>::infinity();
  bool told_silent_ = false;
};

}  // namespace orch::slurm
