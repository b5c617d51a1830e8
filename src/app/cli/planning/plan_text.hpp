// A plan as text for people: points, stages, cost.
#pragma once

#include "app/session/planning.hpp"
#include "app/session/site.hpp"
#include "plan/forecast/cost.hpp"
#include "plan/graph/comparison.hpp"
#include "plan/graph/plan.hpp"
#include "run/attempt/container_host.hpp"
#include "run/simulate/simulate.hpp"
#include "spec/matrix/expand.hpp"
#include "spec/runner/manifest.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orch::cli {

struct PlanSurroundings {
  const matrix::Expansion& expansion;
  const session::Prices& prices;
  std::string store;                        // folder
  std::optional<std::uint64_t> free_bytes;  // on the file system of the store
  std::vector<std::string> notes = {};
  plan::Comparison comparison = {};                     // of the plan's runners
  std::vector<const runner::Manifest*> manifests = {};  // of the plan's runners
  bool in_full = false;  // print each point, and each parameter that differs between runners
  std::optional<double> server_s = {};  // the time limit of servers as jobs of a cluster
  // Set if stages run side by side and all their times are known, unless the plan is too large to
  // simulate; else null.
  const simulate::Timeline* timeline = nullptr;
  bool has_queue = false;  // a cluster decides when the stages run
  std::string jobs = {};   // the requests of its jobs: see jobs_text()
};

// If a plan has more points, they are grouped by status and reason, unless all are requested.
inline constexpr std::size_t k_points_listed = 40;

// The first few of NAMES, "a, b and 3 more".
std::string some_names(const std::set<std::string>& names);

// A line per point or group of points, counts per stage, differences between runners, the cost
// (time, disk, GPU-hours, money), and notable_text().
std::string plan_text(const plan::Plan& plan, const PlanSurroundings& around);

// The line below the time of PLAN if a cluster runs it.
std::string cluster_note(const plan::Plan& plan);

// The plan as a bash script, called FILE in its usage.
std::string script_text(const session::Planning& planning, const std::string& file = "plan.sh");
// The plan as one script for the machine or cluster that will run it; for Slurm,
// write_slurm_files() writes it as files into FOLDER. An error if no point would run.
Result<std::string> whole_script(const session::Planning& planning);
Status write_slurm_files(system::Files& files, const session::Planning& planning,
                         const std::string& folder);

// The time limit, in seconds, of a job with a server and its measurements at SITE.
double server_seconds(const session::Site& site);

// "16 points: 12 run, 3 reuse, 1 reject".
std::string count_points(const plan::Plan& plan);

// The reasons for STATUS with the numbers of points, the most frequent first.
std::vector<std::pair<std::string, std::size_t>> reasons_of(const plan::Plan& plan,
                                                            plan::Status status);

// A plan of many points on one screen: its points by status and reason, and what is notable.

// "1 h 10 min to 1 h 30 min", or "about 1 h 10 min" if the ends are equal.
std::string range_text(const forecast::Expected& seconds);

// A line per status and reason, with the number of points. Rejections by the same rules are one
// reason, with the text of the first point.
std::string grouped_points_text(const plan::Plan& plan);

// Lines below a plan: stages that could be merged, the longest measurement, and time limits that
// stages are expected to reach. SERVER_S is the time limit of servers as jobs of a cluster;
// nullopt: they have none.
std::string notable_text(const plan::Plan& plan, std::span<const runner::Manifest* const> manifests,
                         std::optional<double> server_s);

// The requests of a plan's jobs to a cluster, as text for people.

// A line per stage of the manifest that becomes jobs: the number of jobs, and the GPUs, CPUs,
// memory and time of each. Then the jobs whose stages are expected to take longer than their time
// limit. "" if PLAN has no jobs.
std::string jobs_text(const plan::Plan& plan, const attempt::PlaceOptions& options);

}  // namespace orch::cli
