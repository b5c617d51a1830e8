#include "app/cli/planning/plan_text.hpp"

#include "app/cli/real_world.hpp"
#include "app/session/host/host_inventory.hpp"
#include "core/base/text.hpp"
#include "results/store/layout.hpp"
#include "run/script/script.hpp"
#include "run/script/slurm_script.hpp"
#include "spec/ranks/mpi_ranks.hpp"

#include <array>

namespace orch::cli {

namespace {

constexpr std::array k_statuses = {plan::Status::run, plan::Status::reuse, plan::Status::reject,
                                   plan::Status::undecided, plan::Status::failed};
constexpr double k_hour_s = 3600, k_minute_s = 60;

constexpr std::string_view k_model_fact = "model_";
constexpr std::size_t k_facts_shown = 5;
constexpr std::uint64_t k_many_bytes = 1 << 30;

// The facts of its model for which POINT waits, without their prefix; empty if it is not undecided.
std::set<std::string> model_facts_of(const plan::PlannedPoint& point) {
  std::set<std::string> facts;
  if (point.status != plan::Status::undecided) return facts;
  for (const auto& waiting : point.point.waiting)
    if (waiting.fact.starts_with(k_model_fact))
      facts.insert(waiting.fact.substr(k_model_fact.size()));
  return facts;
}

// The points, without those that wait for facts of their model.
std::string points_text(const plan::Plan& plan) {
  TextTable table({"point", "status", "why"});
  for (const plan::PlannedPoint& point : plan.points)
    if (model_facts_of(point).empty())
      table.add({point.point.name, std::string(to_string(point.status)), point.why});
  return table.empty() && !plan.points.empty() ? "" : table.text();
}

// A line for each model, with the number of points that wait for its facts.
std::string waiting_text(const plan::Plan& plan) {
  struct Waiting {
    std::size_t points = 0;
    std::set<std::string> facts;
  };
  std::map<std::string, Waiting> by_model;
  for (const plan::PlannedPoint& point : plan.points) {
    auto facts = model_facts_of(point);
    if (facts.empty()) continue;
    Waiting& waiting = by_model[point.point.model];
    ++waiting.points;
    waiting.facts.merge(facts);
  }
  std::string text;
  for (const auto& [model, waiting] : by_model)
    text += fmt::format(
        "undecided: {} of {} until the facts of this model are known: {}. `run` reads them "
        "after the download. To plan before it, give the model a local folder with its "
        "config.json, or state them under its `facts:`, as `orchestrate facts CONFIG.json` prints "
        "them\n",
        plural(waiting.points, "point"), model, some_names(waiting.facts));
  return text;
}

// The table of stages. It has two columns for times if some are ranges, and one for bytes if stages
// of several kinds write many.
std::string stages_text(const plan::Plan& plan) {
  const auto counts = forecast::count_stages(plan);
  const auto some = [&](const auto& has) { return std::ranges::any_of(counts, has); };
  const bool any_failed = some([](const auto&row) { return row.failed > 0; }),
             any_range = some([](const auto&row) { return row.run_cost.seconds.is_range(); }),
             shows_bytes = std::ranges::count_if(counts, [](const auto&row) {
                             return row.run_cost.bytes >= k_many_bytes;
                           }) > 1;
  std::vector<std::string> header = {"stage", "stages", "run",      "reuse",
                                     "idle",  "reject", "undecided"};
  if (any_failed) header.emplace_back("failed");
  header.emplace_back("in a loop");
  if (any_range) header.insert(header.end(), {"at least", "expected"});
  if (shows_bytes) header.emplace_back("disk");
  TextTable table(header);
  for (const forecast::StageCount& row : counts) {
    std::vector<std::string> cells = {row.stage};
    for (const std::size_t count :
         {row.all, row.run, row.reuse, row.idle, row.reject, row.undecided})
      cells.push_back(std::to_string(count));
    if (any_failed) cells.push_back(std::to_string(row.failed));
    cells.push_back(std::to_string(row.in_a_loop));
    const forecast::Expected& seconds = row.run_cost.seconds;
    if (any_range) cells.push_back(seconds.least > 0 ? human_duration(seconds.least) : "");
    if (any_range) cells.push_back(seconds.to > 0 ? range_text(seconds) : "");
    if (shows_bytes) cells.push_back(row.run_cost.bytes ? human_bytes(row.run_cost.bytes) : "");
    table.add(cells);
  }
  return table.text();
}

std::string unknown_text(std::size_t unknown, std::string_view quantity) {
  return unknown ? fmt::format("; {} without {} from earlier attempts", plural(unknown, "stage"),
                               quantity)
                 : "";
}

std::string side_by_side(const simulate::Timeline* timeline) {
  return timeline ? fmt::format("{} side by side (--schedule shows it), ",
                                human_duration(timeline->seconds))
                  : "";
}

std::string time_text(const forecast::Cost& run, const forecast::Cost& loop,
                      const simulate::Timeline* timeline) {
  if (run.without_seconds == run.stages) return "Time:  unknown before the first run\n";
  const forecast::Expected& seconds = run.seconds;
  if (seconds.is_range())
    return fmt::format("Time:  {}at least {}, expected {} one stage after the other{}\n",
                       timeline ? "about " + side_by_side(timeline) : "",
                       human_duration(seconds.least), range_text(seconds),
                       run.without_seconds ? fmt::format("; {} of {} stages have no estimate",
                                                         run.without_seconds, run.stages)
                                           : "");
  if (run.without_seconds)
    return fmt::format("Time:  at least {}; {} of {} stages have no time from earlier attempts\n",
                       human_duration(seconds.usual), run.without_seconds, run.stages);
  return fmt::format(
      "Time:  about {}{} one stage after the other; a loop over the points: about {}\n",
      side_by_side(timeline), human_duration(seconds.usual) + (timeline ? "" : ","),
      human_duration(loop.seconds.usual));
}

std::string disk_text(const plan::Plan& plan, const forecast::Cost& run,
                      const PlanSurroundings& around) {
  const std::string free =
      around.free_bytes
          ? fmt::format(", {} free at {}", human_bytes(*around.free_bytes), around.store)
          : "";
  if (run.bytes == 0 && run.without_bytes)
    return around.free_bytes ? fmt::format("Disk:  unknown before the first run{}\n", free) : "";
  const forecast::Disk disk = forecast::disk_of_run(plan);
  const std::string going = plan.keep == matrix::Keep::all
                                ? ""
                                : fmt::format("; {} of it remain (keep: {}), {} are needed at once",
                                              human_bytes(disk.remaining), to_string(plan.keep),
                                              human_bytes(disk.at_once));
  const bool lacks_space = around.free_bytes && disk.at_once > *around.free_bytes;
  return fmt::format("Disk:  {} to be written{}{}{}{}\n", human_bytes(run.bytes), going, free,
                     unknown_text(run.without_bytes, "a size"),
                     lacks_space
                         ? "\nwarning: there is not enough free space; free some, name "
                           "another folder with --store, or write a smaller `keep` into the "
                           "matrix"
                         : "");
}

// VALUE with two decimals, or with two significant digits if it is below 1.
std::string amount(double value) {
  return value >= 1 || value == 0 ? fmt::format("{:.2f}", value) : fmt::format("{:.2g}", value);
}

std::string amounts(const forecast::Expected& one) {
  if (!one.is_range()) return amount(one.usual);
  return fmt::format("{} to {}", amount(one.from), amount(one.to));
}

std::string money_text(const forecast::Cost& run, const session::Prices& prices,
                       const simulate::Timeline* timeline, int nodes) {
  const std::string hint =
      run.without_seconds ? fmt::format(", without {} stage{} no estimate", run.without_seconds,
                                        run.without_seconds == 1 ? " that has" : "s that have")
                          : "";
  forecast::Expected gpu_hours = run.gpu_hours, machine_hours;
  machine_hours.add(run.seconds, nodes / k_hour_s);
  if (timeline) {
    gpu_hours = {.usual = timeline->gpu_hours};
    machine_hours = {.usual = timeline->seconds / k_hour_s * nodes};
  }
  // A range follows from a range of the expected time; for concurrent stages there is one figure
  // within it.
  const std::string_view what = gpu_hours.is_range()     ? "expected "
                                : run.seconds.is_range() ? "about "
                                : run.without_seconds    ? "at least "
                                                         : "";
  std::string text = gpu_hours.usual > 0
                         ? fmt::format("GPUs:  {}{} GPU-hours{}\n", what, amounts(gpu_hours), hint)
                         : "";
  if (!prices.gpu_hour && !prices.machine_hour) return text;
  forecast::Expected cost;
  cost.add(gpu_hours, prices.gpu_hour.value_or(0));
  cost.add(machine_hours, prices.machine_hour.value_or(0));
  std::vector<std::string> parts;
  if (prices.gpu_hour) parts.push_back(fmt::format("{} a GPU-hour", *prices.gpu_hour));
  if (prices.machine_hour) parts.push_back(fmt::format("{} a machine-hour", *prices.machine_hour));
  return text + fmt::format("Cost:  {}{}{} at {}{}\n", what, amounts(cost),
                            prices.currency.empty() ? "" : " " + prices.currency, join(parts, ", "),
                            hint);
}

// The parameters that differ between the runners.
std::string comparison_text(const plan::Plan& plan, const plan::Comparison& comparison,
                            bool in_full) {
  if (plan.runners.size() < 2) return "";
  const std::string by = join(comparison.by, ", ");
  if (comparison.groups == 0)
    return fmt::format("\nNo point of one runner has a counterpart of another{}\n",
                       by.empty() ? "" : " with the same " + by);
  std::string text = fmt::format("\nBetween the runners, at equal {}:\n", by.empty() ? "load" : by);
  std::vector<std::string> header = {"not equal"};
  header.insert(header.end(), plan.runners.begin(), plan.runners.end());
  header.emplace_back("comparisons");
  TextTable table(header);
  std::vector<std::string> others;
  for (const plan::Difference& one : comparison.differences) {
    if (!in_full && !one.is_compared) {
      others.push_back(one.parameter);
      continue;
    }
    std::vector<std::string> cells = {one.parameter};
    for (std::vector<std::string> values : one.values) {
      std::replace(values.begin(), values.end(), std::string(), std::string("none"));
      cells.push_back(values.empty() ? "-" : join(values, ", "));
    }
    cells.push_back(fmt::format("{} of {}", one.groups, comparison.groups));
    table.add(cells);
  }
  if (!table.empty()) text += table.text();
  if (!comparison.equal.empty()) text += fmt::format("equal: {}\n", join(comparison.equal, ", "));
  if (!comparison.unknown.empty())
    text += fmt::format("unknown: {}\n", join(comparison.unknown, ", "));
  if (!others.empty())
    text += fmt::format("{} of both differ{} (--points lists {}): {}\n",
                        plural(others.size(), "other parameter"), others.size() == 1 ? "s" : "",
                        others.size() == 1 ? "it" : "them", join(others, ", "));
  return text;
}

// Whether a run can decide undecided points, because they wait for facts of a model or for a
// resolution. Facts of the machine must be stated by the user.
bool can_run_decide(const plan::Plan& plan) {
  const auto is_resolvable = [](const std::string& missing) {
    return !missing.starts_with("host_") && !missing.starts_with("executable:");
  };
  const auto waits = [&](const plan::PlannedPoint& point) {
    return point.status == plan::Status::undecided &&
           std::ranges::any_of(point.point.waiting,
                               [&](const auto& waiting) { return is_resolvable(waiting.fact); });
  };
  const auto lacks = [&](const plan::Stage& stage) {
    return stage.status == plan::Status::undecided &&
           std::ranges::any_of(stage.unknown, is_resolvable);
  };
  return std::ranges::any_of(plan.points, waits) || std::ranges::any_of(plan.stages, lacks);
}

// A note about stages that count as `run` only because no run has looked up their identities yet;
// "" if there are none.
std::string unidentified_text(const plan::Plan& plan) {
  const auto count = std::ranges::count_if(plan.stages, [](const plan::Stage& stage) {
    return stage.status == plan::Status::run && !stage.unknown.empty();
  });
  if (count == 0) return "";
  return fmt::format(
      "note: {0} wait{1} for identities that only `run` looks up and count{1} as run; "
      "`run` reuses those that the store has\n",
      plural(static_cast<std::uint64_t>(count), "stage"), count == 1 ? "s" : "");
}

std::vector<script::ScriptResolver> resolvers_of(const session::Experiment& experiment) {
  std::vector<script::ScriptResolver> resolvers;
  for (const session::UsedRunner& runner : experiment.runners)
    for (const runner::Resolver& one : runner.manifest.resolvers)
      resolvers.push_back({.command = one, .runner = runner.manifest.name});
  return resolvers;
}

script::ScriptOptions script_options(const session::Planning& planning,
                                     const std::string& file = "plan.sh") {
  const session::Experiment& experiment = planning.experiment();
  return {.matrix_file = experiment.options.matrix_file,
          .file = file,
          .resolvers = resolvers_of(experiment),
          .ports = experiment.site.ports,
          .gpus = session::names_of_gpus(experiment),
          .hides_gpus = session::has_gpus(experiment),
          .containers = session::containers_here(experiment, real_environment()),
          .nvidia_smi = experiment.site.nvidia_smi};
}

// The error that no point would run. WHAT is "script" or "jobs".
Error nothing_in(std::string_view what, const plan::Plan& plan) {
  const auto undecided = std::ranges::count_if(plan.points, [](const plan::PlannedPoint& point) {
    return point.status == plan::Status::undecided;
  });
  if (undecided == 0) return invalid(fmt::format("no {}: {}", what, count_points(plan)));
  return invalid(
      fmt::format("no {}: {} of {} points are undecided; `orchestrate plan` shows what they "
                  "wait for",
                  what, undecided, plan.points.size()));
}

script::JobOptions job_options(const session::Site& site) {
  script::JobOptions options{.words = site.slurm.words,
                             .lines = site.slurm.lines,
                             .gres = site.slurm.gres,
                             .place = session::place_options(site)};
  if (options.place.mpi == ranks::k_by_mpirun) options.place.mpi = "pmix";
  return options;
}

}  // namespace

std::string some_names(const std::set<std::string>& names) {
  std::vector<std::string> shown(names.begin(), names.end());
  const std::size_t more = shown.size() - std::min(shown.size(), k_facts_shown);
  shown.resize(shown.size() - more);
  return join(shown, ", ") + (more ? fmt::format(" and {} more", more) : "");
}

std::string script_text(const session::Planning& planning, const std::string& file) {
  return script::to_script(planning.current(), planning.layout(), script_options(planning, file));
}

Result<std::string> whole_script(const session::Planning& planning) {
  if (script::leaves_out_all_points(planning.current()))
    return nothing_in("script", planning.current());
  const session::Experiment& experiment = planning.experiment();
  if (!experiment.options.placement.has_queue) return script_text(planning);
  return script::to_slurm_script(planning.current(), planning.layout(), script_options(planning),
                                 job_options(experiment.site));
}

Status write_slurm_files(system::Files& files, const session::Planning& planning,
                         const std::string& folder) {
  const session::Experiment& experiment = planning.experiment();
  const auto scripts =
      script::to_slurm_files(planning.current(), planning.layout(), script_options(planning),
                             job_options(experiment.site));
  const bool has_jobs = std::ranges::any_of(
      scripts, [](const auto& script) { return script.name.ends_with(".sub"); });
  if (!has_jobs || script::leaves_out_all_points(planning.current()))
    return nothing_in("jobs", planning.current());
  ORCH_TRY(store::check_output(folder));
  return script::write_scripts(files, folder, scripts);
}

double server_seconds(const session::Site& site) { return site.slurm.server_minutes * k_minute_s; }

std::string count_points(const plan::Plan& plan) {
  std::vector<std::string> parts;
  for (const plan::Status status : k_statuses) {
    const auto count = std::ranges::count_if(
        plan.points, [&](const auto& point) { return point.status == status; });
    if (count) parts.push_back(fmt::format("{} {}", count, to_string(status)));
  }
  return fmt::format("{}: {}", plural(plan.points.size(), "point"),
                     parts.empty() ? "nothing to do" : join(parts, ", "));
}

std::vector<std::pair<std::string, std::size_t>> reasons_of(const plan::Plan& plan,
                                                            plan::Status status) {
  std::map<std::string, std::size_t> counted;
  for (const plan::PlannedPoint& point : plan.points)
    if (point.status == plan::Status::reject && point.point.is_rejected()) {
      if (status != plan::Status::reject) continue;
      for (const matrix::Point::Broken& broken : point.point.rejections)
        ++counted[broken.rule + ": " + broken.why];
    } else if (point.status == status) {
      ++counted[point.why];
    }
  std::vector<std::pair<std::string, std::size_t>> reasons(counted.begin(), counted.end());
  std::ranges::stable_sort(reasons,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  return reasons;
}

std::string plan_text(const plan::Plan& plan, const PlanSurroundings& around) {
  const forecast::Cost run = forecast::cost_of_run(plan), loop = forecast::cost_of_loop(plan);
  const bool lists_points = around.in_full || plan.points.size() <= k_points_listed;
  std::string text =
      fmt::format("{}{}\n{}\n{}", lists_points ? points_text(plan) : grouped_points_text(plan),
                  waiting_text(plan), stages_text(plan), count_points(plan));
  if (plan.excluded) text += fmt::format("; {} excluded by the matrix", plan.excluded);
  if (around.expansion.left_out)
    text += fmt::format("; {} left out by --where", around.expansion.left_out);
  text += fmt::format("\n{} to run; a loop over the points would run {}\n",
                      plural(run.stages, "stage"), loop.stages);
  if (can_run_decide(plan))
    text += "Undecided: `orchestrate run` determines the missing facts first\n";
  text += unidentified_text(plan);
  text += around.jobs + comparison_text(plan, around.comparison, around.in_full);
  for (const std::string& note : around.notes) text += fmt::format("note: {}\n", printable(note));
  if (run.stages == 0) return text;
  text += time_text(run, loop, around.timeline);
  if (around.has_queue && run.without_seconds < run.stages) text += cluster_note(plan);
  return text + disk_text(plan, run, around) +
         money_text(run, around.prices, around.timeline, plan.nodes.count) +
         notable_text(plan, around.manifests, around.server_s);
}

std::string cluster_note(const plan::Plan& plan) {
  return fmt::format(
      "note: this is the time on {}; Slurm decides how many stages run at once, and how long they "
      "are queued\n",
      plan.nodes.count > 1 ? fmt::format("one machine with the GPUs of {} nodes", plan.nodes.count)
                           : "one node");
}

}  // namespace orch::cli
