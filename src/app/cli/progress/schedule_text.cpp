#include "app/cli/progress/progress.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/preflight/preflight.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "os/system/topology/cpus.hpp"
#include "plan/forecast/cost.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace orch::cli {

namespace {

using simulate::Span;
using Json = nlohmann::json;

constexpr std::size_t k_width = 72;  // characters of a lane

std::string clock_time(double seconds) {
  const auto s = static_cast<long long>(std::llround(seconds));
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

// The lanes of GPUs. A server holds its GPUs while it is measured; the lane distinguishes measuring
// from the rest.
class Lanes {
 public:
  Lanes(const plan::Plan& plan, const simulate::Timeline& timeline)
      : plan_(plan), timeline_(timeline) {}

  std::string text(const resources::Inventory& inventory) {
    std::string text;
    for (const resources::Gpu& gpu : inventory.gpus) {
      std::string lane(k_width, '.');
      for (const Span& span : timeline_.spans)
        if (std::ranges::find(span.gpus, gpu.index) != span.gpus.end()) draw(lane, span);
      text += fmt::format("GPU {:>3} {}\n", gpu.index, lane);
    }
    return text.empty() ? text
                        : text + fmt::format(
                                     "        {} in all; s: a server starts or waits, #: it "
                                     "is measured, other letters: tasks\n\n",
                                     clock_time(timeline_.seconds));
  }

 private:
  std::size_t column(double seconds) const {
    const double share = timeline_.seconds > 0 ? seconds / timeline_.seconds : 0;
    return std::min(k_width, static_cast<std::size_t>(share * static_cast<double>(k_width)));
  }
  void fill(std::string& lane, const Span& span, char letter) const {
    for (std::size_t c = column(span.from_s);
         c < std::max(column(span.from_s) + 1, column(span.to_s)); ++c)
      if (c < lane.size()) lane[c] = letter;
  }
  void draw(std::string& lane, const Span& span) const {
    const plan::Spec& spec = plan_.stages[span.stage].spec;
    fill(lane, span, spec.kind == runner::Kind::service ? 's' : spec.name.front());
    if (spec.kind != runner::Kind::service) return;
    for (const Span& other : timeline_.spans)
      if (plan_.stages[other.stage].spec.kind == runner::Kind::measure &&
          &timeline_.spans[other.server] == &span)
        fill(lane, other, '#');
  }

  const plan::Plan& plan_;
  const simulate::Timeline& timeline_;
};

std::string points_of(const plan::Plan& plan, const plan::Stage& stage) {
  if (stage.points.empty()) return "";
  const std::string& first = plan.points[stage.points.front()].point.name;
  return stage.points.size() == 1 ? first
                                  : fmt::format("{} and {} more", first, stage.points.size() - 1);
}

// A console that does not print failed resolutions, which are among the findings.
class FindingsConsole final : public Console {
 public:
  using Console::Console;
  void report(session::Severity severity, const std::string& text) override {
    if (severity != session::Severity::error) Console::report(severity, text);
  }
};

std::vector<doctor::Section> look(session::World& world, const session::Planning& planning) {
  return preflight::look({.world = world,
                          .experiment = planning.experiment(),
                          .layout = planning.layout(),
                          .plan = planning.current()});
}

}  // namespace

std::string schedule_text(const plan::Plan& plan, const simulate::Conditions& conditions,
                          const simulate::Timeline& timeline) {
  if (timeline.spans.empty()) return "Nothing is left to run\n";
  std::string text = Lanes(plan, timeline).text(conditions.inventory);
  TextTable table({"start", "end", "GPUs", "stage", "for"});
  for (const Span& span : timeline.spans) {
    const plan::Stage& stage = plan.stages[span.stage];
    table.add({clock_time(span.from_s), clock_time(span.to_s),
               system::cpu_list({span.gpus.begin(), span.gpus.end()}),
               span.attempt > 1 ? fmt::format("{} (server {})", stage.id, span.attempt) : stage.id,
               points_of(plan, stage)});
  }
  text += table.text();
  const simulate::Bound bound = simulate::lower_bound(plan, conditions);
  // 0 if the number is unknown.
  const std::size_t cores = conditions.inventory.cores.size();
  text +=
      fmt::format("\nIsolation {} on {}{}, {} at a time\n", to_string(plan.isolation),
                  plural(conditions.inventory.gpus.size(), "GPU"),
                  cores ? " and " + plural(cores, "core") : "", plural(conditions.jobs, "task"));
  text += fmt::format("Time:  {}; no order takes less than {} (area {}, longest chain {})\n",
                      clock_time(timeline.seconds), clock_time(bound.seconds()),
                      clock_time(bound.area_s), clock_time(bound.path_s));
  if (timeline.unknown == 0)
    text += fmt::format("       a loop over the points, one stage after the other: {}\n",
                        clock_time(forecast::cost_of_loop(plan).seconds.usual));
  if (timeline.gpu_hours > 0) text += fmt::format("GPUs:  {:.2f} GPU-hours\n", timeline.gpu_hours);
  if (timeline.unknown)
    text += fmt::format(
        "note: {} of unknown duration, each counted as {:.0f} s; --times FILE states the times\n",
        plural(timeline.unknown, "stage"), conditions.unknown_s);
  return text;
}

std::string schedule_json(const plan::Plan& plan, const simulate::Conditions& conditions,
                          const simulate::Timeline& timeline) {
  Json attempts = Json::array();
  for (const Span& span : timeline.spans)
    attempts.push_back({{"stage", plan.stages[span.stage].id},
                        {"attempt", span.attempt},
                        {"start_s", span.from_s},
                        {"end_s", span.to_s},
                        {"gpus", span.gpus},
                        {"cpus", span.cpus}});
  const simulate::Bound bound = simulate::lower_bound(plan, conditions);
  return dump(Json{{"isolation", to_string(plan.isolation)},
                   {"seconds", timeline.seconds},
                   {"bound_s", bound.seconds()},
                   {"area_s", bound.area_s},
                   {"path_s", bound.path_s},
                   {"gpu_hours", timeline.gpu_hours},
                   {"unknown", timeline.unknown},
                   {"attempts", std::move(attempts)}},
              2) +
         "\n";
}

Exit examine_matrix(session::RunOptions options, bool json) {
  static RealWorld world;  // static, because a thread that is stuck in a driver may still use it
  options.looks_only = true;
  options.plan.only_shown = true;
  Errors errors;
  const auto loaded = session::load_experiment(*world, options.experiment, errors);
  session::Planning planning(world->files, loaded, options.store, options.plan);
  FindingsConsole console(world->files, planning.layout());
  session::check_before_run(planning, options, errors);
  print_warnings(planning.new_warnings());
  if (!errors.empty()) return fail_run(errors);
  SignalInterrupts interrupts;
  const session::Context context{.world = *world,
                                 .reporter = console,
                                 .interrupts = interrupts,
                                 .planning = planning,
                                 .options = options};
  auto open = session::open_store(context);
  if (!open) return fail_run({open.error()});
  if (!session::plan_run(context, *open, errors)) return fail_run(errors);
  const auto sections = look(*world, planning);
  if (interrupts.count() > 0) return Exit::interrupted;
  if (!print_out(json ? doctor::json_of(sections) : doctor::text_of(sections))) return Exit::failed;
  return doctor::lacks_what_was_asked_for(sections) ? Exit::failed : Exit::done;
}

bool passes_preflight(session::World& world, const session::Planning& planning) {
  const auto lacks = preflight::lacks_of(look(world, planning));
  if (lacks.empty()) return true;
  std::set<std::string> points;
  for (const doctor::Finding& lack : lacks) points.insert(lack.points.begin(), lack.points.end());
  say(stderr, "Preflight: {} of {} points cannot run here\n", points.size(),
      planning.current().points.size());
  for (const doctor::Finding& lack : lacks) say(stderr, "{}", doctor::text_of(lack));
  say(stderr,
      "Nothing was started. Fix this, leave these points out with --where, or start anyway "
      "with --no-preflight.\n");
  return false;
}

}  // namespace orch::cli
