// Checks what every point of a plan lacks on the machine or cluster that is to run it, and how to
// fix it. Starts only short programs and containers with a time limit, and leaves nothing behind.
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

// The inputs of look(). Borrows everything.
struct Looking {
  session::World& world;
  const session::Experiment& experiment;
  const attempt::Layout& layout;
  const plan::Plan& plan;
};

// Examines the machine or cluster; returns a section about the points, and one for each kind of
// need that the plan has.
std::vector<doctor::Section> look(const Looking& at);

// The findings that keep points from running.
std::vector<doctor::Finding> lacks_of(const std::vector<doctor::Section>& sections);

// Whether a stage of PLAN that a run would start holds a GPU.
bool needs_gpus(const plan::Plan& plan);

// Examines whether an image is here or can be pulled, and, in a short-lived container, whether it
// has what stages refer to inside it. Nothing is inferred from the image's name.

// A line of a search in an image: "orchestrate: KIND<tab>WORD<tab>WHAT<tab>REMEDY".
struct Sight {
  enum class Kind { has, lacks, later, version };
  Kind kind = Kind::has;
  std::string word;    // a program or path that was searched for, or a package
  std::string what;    // why it is missing, or a version; may be ""
  std::string remedy;  // may be ""
};
// The sights among the lines of TEXT; an image's entry point may print other lines.
std::vector<Sight> sights_in(std::string_view text);
void judge_sights(Findings& findings, const ImageNeed& need, const std::vector<Sight>& sights);

// The remedy if the engine could not start a container and printed SAID.
std::string remedy_of_start(container::Engine engine, std::string_view said);

// Adds to FINDINGS what the image lacks, and to DRIVERS whether its CUDA suits the driver.
void look_at_image(Findings& findings, Findings& drivers, const Place& place,
                   const ImageNeed& need);

// Adds findings on whether the engines of stages with GPUs can pass GPUs to containers.
void look_at_gpu_support(Findings& findings, const Place& place, const Needs& needs);

// Examines whether a Slurm cluster accepts the jobs of a plan, by the limits of the partition, and
// by what sbatch reports for each kind of job without submitting it.

// Limits of a partition; 0: none.
struct Partition {
  std::string name;
  bool is_up = true;
  double minutes = 0;
  int nodes = 0;
  double memory_mib = 0;  // of each node
};

// The partition NAME ("": the default) in TEXT, the output of `scontrol show partition --oneliner`;
// nullopt if there is none.
std::optional<Partition> parse_partition(std::string_view text, const std::string& name);

// Compares the requests of jobs at PLACE with the partition's limits. WHAT names the jobs.
void judge_partition(Findings& findings, const Points& points, const std::string& what,
                     const execute::Place& place, const Partition& partition);

// Compares the expected durations of stages with their time limits; SERVER_S is the limit of a
// server.
void judge_time_limits(Findings& findings, const plan::Plan& plan, double server_s);

// The remedy if sbatch rejects a job and prints SAID.
std::string remedy_of_refusal(std::string_view said, const std::string& gres);

void look_at_slurm(Findings& findings, const Place& place);

}  // namespace orch::preflight
