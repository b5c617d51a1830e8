#include "app/cli/progress/look_before.hpp"

#include "app/cli/interrupts.hpp"
#include "app/cli/progress/console.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/cli/summary.hpp"
#include "app/preflight/preflight.hpp"

#include <algorithm>
#include <set>

namespace orch::cli {

namespace {

// What cannot be resolved is a finding, and no line of its own.
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

int examine_matrix(session::RunOptions options, bool json) {
  static RealWorld world;  // a thread that a driver holds up may still use it
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
  session::MatrixRun run({.world = *world,
                          .reporter = console,
                          .interrupts = interrupts,
                          .planning = planning,
                          .options = options});
  if (!run.open() || !run.plan()) return fail_run(run.errors());
  const auto sections = look(*world, planning);
  if (interrupts.count() > 0) return 130;
  if (!print_out(json ? doctor::json_of(sections) : doctor::text_of(sections))) return 1;
  return doctor::lacks_what_was_asked_for(sections) ? 1 : 0;
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
      "Nothing was started. Mend this, leave these points out with --where, or start all the same "
      "with --no-preflight.\n");
  return false;
}

}  // namespace orch::cli
