// A plan as text for people: points, stages, cost.
#pragma once

#include "experiment/planning.hpp"
#include "experiment/site.hpp"
#include "matrix/expand.hpp"
#include "plan/comparison.hpp"
#include "simulate/simulate.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace orch::cli {

struct PlanSurroundings {
  const matrix::Expansion& expansion;
  const experiment::Prices& prices;
  std::string store;                        // folder
  std::optional<std::uint64_t> free_bytes;  // where the store is
  std::vector<std::string> notes = {};
  plan::Comparison comparison = {};  // of the plan's runners
  // Where stages work side by side and all their times are known; else null.
  const simulate::Timeline* timeline = nullptr;
  bool on_cluster = false;  // its stages are to be jobs of a cluster
};

// A line per point, counts per stage, what is not equal between runners, then the cost: time, disk,
// GPU-hours, money.
std::string plan_text(const plan::Plan& plan, const PlanSurroundings& around);

// A line below the time of PLAN where a cluster is to run it.
std::string cluster_note(const plan::Plan& plan);

// The plan as a bash script, whose usage names it FILE.
std::string script_text(const experiment::Planning& planning, const std::string& file = "plan.sh");
// The same for Slurm, as one script, and as the files of FOLDER.
std::string slurm_script_text(const experiment::Planning& planning);
Status write_slurm_files(system::Files& files, const experiment::Planning& planning,
                         const std::string& folder);

// "16 points: 12 run, 3 reuse, 1 reject".
std::string count_points(const plan::Plan& plan);

// The reasons of points with STATUS and their counts, the most frequent first.
std::vector<std::pair<std::string, std::size_t>> reasons_of(const plan::Plan& plan,
                                                            plan::Status status);

}  // namespace orch::cli
