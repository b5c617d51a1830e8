// Whether a Slurm cluster takes the jobs of a plan: limits of the partition, and what sbatch itself
// says of each kind of job without submitting it.
#pragma once

#include "run/execute/executor.hpp"
#include "app/preflight/point_findings.hpp"
#include "app/preflight/place.hpp"

namespace orch::preflight {

// Limits of a partition; 0: none.
struct Partition {
  std::string name;
  bool is_up = true;
  double minutes = 0;
  int nodes = 0;
  double memory_mib = 0;  // of each node
};

// TEXT: of `scontrol show partition --oneliner`. The partition NAME, "" for the default one; empty:
// there is none.
std::optional<Partition> parse_partition(std::string_view text, const std::string& name);

// What jobs at a place ask of the partition. WHAT names them.
void judge_partition(Findings& findings, const Points& points, const std::string& what,
                     const execute::Place& place, const Partition& partition);

// How long STAGES are expected to take, beside their time limits.
void judge_time_limits(Findings& findings, const plan::Plan& plan, double server_s);

// What fixes that sbatch refuses a job with the words SAID.
std::string remedy_of_refusal(std::string_view said, const std::string& gres);

void look_at_slurm(Findings& findings, const Place& place);

}  // namespace orch::preflight
