#include "app/cli/planning/jobs_text.hpp"

#include "core/base/text.hpp"
#include "run/slurm/slurm.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace orch::cli {

namespace {

using plan::Stage;
using runner::Kind;

// The smallest and the largest value of a request among the jobs of a stage.
struct Range {
  double least = 0, most = 0;
  bool is_set = false;
  void add(double value) {
    least = is_set ? std::min(least, value) : value;
    most = std::max(most, value);
    is_set = true;
  }
  // 0 is what nothing asks for.
  std::string text(const std::string& nothing) const {
    if (most == 0) return nothing;
    const std::string last = fmt::format("{:.0f}", std::ceil(most));
    if (least == most) return last;
    return fmt::format("{} to {}", least == 0 ? nothing : fmt::format("{:.0f}", std::ceil(least)),
                       last);
  }
};

struct Row {
  std::size_t jobs = 0;
  Range gpus, cpus, memory_gib, minutes;
};

bool is_run(const Stage& stage) { return stage.status == plan::Status::run; }

// The jobs of one stage that their time limit ends too early. Of servers the summary of the plan
// tells it, by the time of their measurements.
struct TooShort {
  std::size_t jobs = 0;
  double most_s = 0, limit_s = 0;
  const Stage* longest = nullptr;
};

std::string too_short_text(const TooShort& one) {
  return fmt::format(
      "warning: {}{} takes about {}, and its job ends after {}; raise timeout_s of the stage\n",
      one.longest->id, one.jobs > 1 ? fmt::format(" (and {} more like it)", one.jobs - 1) : "",
      human_duration(one.most_s), human_duration(one.limit_s));
}

}  // namespace

std::string jobs_text(const plan::Plan& plan, const attempt::PlaceOptions& options) {
  std::vector<std::string> names;  // in the order of the plan
  std::map<std::string, Row> rows;
  std::map<std::string, TooShort> too_short;
  for (const Stage& stage : plan.stages) {
    const bool has_process = !stage.spec.argv.empty() || stage.spec.server;
    if (!is_run(stage) || stage.spec.kind == Kind::measure || !has_process) continue;
    const execute::Place place = attempt::place_of(plan, stage, options);
    const int minutes = slurm::time_limit_of(place).minutes;
    Row& row = rows[stage.spec.name];
    if (row.jobs++ == 0) names.push_back(stage.spec.name);
    row.gpus.add(place.gpus);
    row.cpus.add(place.cores);
    row.memory_gib.add(place.memory_gib);
    row.minutes.add(minutes);
    // The limit has time for stopping a task on top of that of the task.
    const double limit_s = place.is_server ? 0 : place.seconds;
    const double seconds = stage.estimate.seconds.value_or(stage.estimate.least_seconds);
    if (limit_s <= 0 || seconds <= limit_s) continue;
    TooShort& worst = too_short[stage.spec.name];
    ++worst.jobs;
    if (seconds > worst.most_s) worst = {worst.jobs, seconds, limit_s, &stage};
  }
  if (rows.empty()) return "";
  TextTable table({"jobs of", "jobs", "GPUs", "CPUs", "GiB of memory", "minutes"});
  for (const std::string& name : names) {
    const Row& row = rows.at(name);
    const bool is_alone = std::ranges::any_of(plan.stages, [&](const Stage& one) {
      return one.spec.name == name && one.spec.kind == Kind::service &&
             plan.isolation == matrix::Isolation::strict;
    });
    const std::string nothing = is_alone ? "the node's" : "default";
    table.add({name, std::to_string(row.jobs), row.gpus.text("0"), row.cpus.text(nothing),
               row.memory_gib.text(nothing), row.minutes.text("default")});
  }
  std::string text = "\n" + table.text();
  for (const auto& [name, one] : too_short) text += too_short_text(one);
  return text;
}

}  // namespace orch::cli
