// Checks every point of a plan against a place: what is lacking, and how to fix it. Starts only
// short programs and containers with a time limit, and leaves nothing behind.
#pragma once

#include "app/doctor/finding.hpp"
#include "app/preflight/needs.hpp"
#include "app/session/experiment.hpp"
#include "app/session/world.hpp"
#include "plan/graph/plan.hpp"
#include "run/execute/executor.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::preflight {

// What is examined. Borrows everything.
struct Looking {
  session::World& world;
  const session::Experiment& experiment;
  const attempt::Layout& layout;
  const plan::Plan& plan;
};

// One section for each kind of need that the plan has.
std::vector<doctor::Section> look(const Looking& at);

// The findings that keep points from running.
std::vector<doctor::Finding> lacks_of(const std::vector<doctor::Section>& sections);

// Whether a stage of PLAN that a run would start holds a GPU.
bool needs_gpus(const plan::Plan& plan);

// Whether an image is here or can be pulled, and whether it has what stages refer to in it:
// examined in a short-lived container; nothing is inferred from its name.

// A line of a search in an image: "orchestrate: KIND<tab>WORD<tab>WHAT<tab>REMEDY".
struct Sight {
  enum class Kind { has, lacks, later, version };
  Kind kind = Kind::has;
  std::string word;    // a requested program or path, or the name of a package
  std::string what;    // why it is lacking, or a version; may be ""
  std::string remedy;  // may be ""
};
// The lines of TEXT that are sights; an image's entry point may print others.
std::vector<Sight> sights_in(std::string_view text);
void judge_sights(Findings& findings, const ImageNeed& need, const std::vector<Sight>& sights);

// The remedy if the engine could not start a container and printed SAID.
std::string remedy_of_start(container::Engine engine, std::string_view said);

// Appends what an image lacks to FINDINGS, and to DRIVERS whether its CUDA suits the driver.
void look_at_image(Findings& findings, Findings& drivers, const Place& place,
                   const ImageNeed& need);

// Whether the engine of stages with GPUs can pass them to containers.
void look_at_gpu_support(Findings& findings, const Place& place, const Needs& needs);

// Whether a Slurm cluster accepts the jobs of a plan: limits of the partition, and what sbatch
// itself reports for each kind of job without submitting it.

// Limits of a partition; 0: none.
struct Partition {
  std::string name;
  bool is_up = true;
  double minutes = 0;
  int nodes = 0;
  double memory_mib = 0;  // of each node
};

// TEXT: of `scontrol show partition --oneliner`. The partition NAME, "" for the default one;
// nullopt if there is none.
std::optional<Partition> parse_partition(std::string_view text, const std::string& name);

// What jobs at a place request of the partition. WHAT names them.
void judge_partition(Findings& findings, const Points& points, const std::string& what,
                     const execute::Place& place, const Partition& partition);

// How long stages are expected to take, compared with their time limits.
void judge_time_limits(Findings& findings, const plan::Plan& plan, double server_s);

// The remedy if sbatch refuses a job and prints SAID.
std::string remedy_of_refusal(std::string_view said, const std::string& gres);

void look_at_slurm(Findings& findings, const Place& place);

}  // namespace orch::preflight
