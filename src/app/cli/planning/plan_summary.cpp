#include "app/cli/planning/plan_text.hpp"
#include "core/base/text.hpp"
#include "plan/forecast/cost.hpp"
#include "run/slurm/slurm.hpp"

#include <cmath>

namespace orch::cli {

namespace {

using plan::Stage;
using runner::Kind;

constexpr std::size_t k_groups = 20;  // more do not fit on a screen
constexpr double k_notable_s = 60;    // seconds; a shorter measurement is not mentioned
constexpr double k_one_minute_s = 60;

struct Group {
  plan::Status status = plan::Status::run;
  std::string why;  // of its first point
  std::size_t points = 0;
};

// The key by which the reason for the status of POINT is grouped, without numbers for a rejection,
// and the reason in full.
std::pair<std::string, std::string> reason_of(const plan::PlannedPoint& point) {
  if (point.status == plan::Status::reject && point.point.is_rejected()) {
    std::vector<std::string> rules;
    for (const matrix::Point::Broken& broken : point.point.rejections) rules.push_back(broken.rule);
    return {join(rules, ", "), point.why};
  }
  // Not point.why, which has the number of stages left to do: that is in the table of the stages.
  const std::string& why = point.status == plan::Status::run ? point.waits : point.why;
  return {why, why};
}

std::string set_text(const forecast::Widening& way) {
  std::vector<std::string> words;
  for (const auto& [name, value] : way.set) words.push_back(name + " " + value);
  return join(words, ", ");
}

std::string wider_text(const forecast::WiderStages& wider) {
  std::string text = fmt::format(
      "note: {} stages '{}' differ only in limits that a larger value "
      "covers. Set for all points, these values leave fewer",
      wider.stages, wider.stage);
  for (const forecast::Widening& way : wider.ways)
    text += fmt::format("\n  {} with {}{}", way.stages, set_text(way),
                        way.bytes ? fmt::format(" ({} less)", human_bytes(way.bytes)) : "");
  return text + "\n";
}

std::string of_points(const plan::Plan& plan, const plan::Stage& stage) {
  return plan.points[stage.points.front()].point.name;
}

std::string longest_text(const plan::Plan& plan) {
  const plan::Stage* longest = nullptr;
  for (const plan::Stage& stage : plan.stages)
    if (stage.status == plan::Status::run && stage.spec.kind == runner::Kind::measure &&
        (!longest || forecast::seconds_of(stage).usual > forecast::seconds_of(*longest).usual))
      longest = &stage;
  if (!longest) return "";
  const forecast::Expected seconds = forecast::seconds_of(*longest);
  if (!seconds.is_range() || seconds.usual < k_notable_s) return "";
  return fmt::format("note: the longest measurement is {} of {}: at least {}, expected {}\n",
                     longest->id, of_points(plan, *longest), human_duration(seconds.least),
                     range_text(seconds));
}

std::string overruns_text(const plan::Plan& plan) {
  std::map<std::string, std::vector<forecast::Overrun>> by_name;
  for (const forecast::Overrun& one : forecast::overruns(plan))
    by_name[one.stage->spec.name].push_back(one);
  std::string text;
  for (const auto& [name, all] : by_name) {
    const forecast::Overrun& most = all.front();
    text += fmt::format(
        "warning: {} of the stages '{}' may time out: their limit is {}, but {} of {} "
        "is expected to take {}; give '{}' a longer timeout_s in the runner\n",
        all.size(), name, human_duration(most.limit_s), most.stage->id,
        of_points(plan, *most.stage), range_text(most.seconds), name);
  }
  return text;
}

std::string servers_text(const plan::Plan& plan, double limit_s) {
  const auto late = forecast::server_overruns(plan, limit_s);
  if (late.empty()) return "";
  const forecast::Overrun& most = late.front();
  return fmt::format(
      "warning: {} may reach the time limit of {} job{}, {:.0f} minutes, before all "
      "measurements are done: {} of {} and its measurements take at least {}, expected {}. Set "
      "slurm: server_minutes of the site file to {:.0f} or more\n",
      plural(late.size(), "server"), late.size() == 1 ? "its" : "their",
      late.size() == 1 ? "" : "s", limit_s / k_one_minute_s, most.stage->id,
      of_points(plan, *most.stage), human_duration(most.seconds.least), range_text(most.seconds),
      std::ceil(most.seconds.to / k_one_minute_s));
}

// The smallest and the largest value of a request among the jobs of a stage.
struct Range {
  double least = 0, most = 0;
  bool is_set = false;
  void add(double value) {
    least = is_set ? std::min(least, value) : value;
    most = std::max(most, value);
    is_set = true;
  }
  // The range as text; NOTHING if nothing is requested.
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

// The jobs of one stage whose time limit is too short. For servers, the summary of the plan reports
// that, with the time of their measurements.
struct TooShort {
  std::size_t jobs = 0;
  double most_s = 0, limit_s = 0;
  const Stage* longest = nullptr;
};

std::string too_short_text(const TooShort& one) {
  return fmt::format(
      "warning: {}{} takes about {}, but its job ends after {}; raise timeout_s of the stage\n",
      one.longest->id, one.jobs > 1 ? fmt::format(" (and {} more like it)", one.jobs - 1) : "",
      human_duration(one.most_s), human_duration(one.limit_s));
}

}  // namespace

std::string range_text(const forecast::Expected& seconds) {
  if (!seconds.is_range()) return "about " + human_duration(seconds.usual);
  return fmt::format("{} to {}", human_duration(seconds.from), human_duration(seconds.to));
}

std::string grouped_points_text(const plan::Plan& plan) {
  std::vector<Group> groups;
  std::map<std::pair<plan::Status, std::string>, std::size_t> known;
  for (const plan::PlannedPoint& point : plan.points) {
    auto [key, why] = reason_of(point);
    const auto [at, is_new] = known.try_emplace({point.status, std::move(key)}, groups.size());
    if (is_new) groups.push_back({.status = point.status, .why = std::move(why)});
    ++groups[at->second].points;
  }
  std::ranges::stable_sort(groups, std::greater(), &Group::points);
  TextTable table({"points", "status", "why"});
  std::size_t more = 0;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (i < k_groups)
      table.add({std::to_string(groups[i].points), std::string(to_string(groups[i].status)),
                 groups[i].why});
    else more += groups[i].points;
  return table.text() +
         (more ? fmt::format("{} for other reasons\n", plural(more, "point")) : std::string()) +
         "--points lists each point\n";
}

std::string notable_text(const plan::Plan& plan, std::span<const runner::Manifest* const> manifests,
                         std::optional<double> server_s) {
  std::string text = longest_text(plan);
  for (const forecast::WiderStages& wider : forecast::wider_stages(plan, manifests))
    text += wider_text(wider);
  return text + overruns_text(plan) + (server_s ? servers_text(plan, *server_s) : "");
}

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
    // The task's own part of the limit, which also includes time to stop the task.
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
