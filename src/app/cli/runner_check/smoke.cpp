#include "app/cli/runner_check/smoke.hpp"

#include "core/base/text.hpp"
#include "app/cli/command_line.hpp"
#include "app/cli/interrupts.hpp"
#include "app/cli/progress/console.hpp"
#include "app/session/matrix_run.hpp"
#include "core/sql/database.hpp"

#include <algorithm>
#include <csignal>

namespace orch::cli {

namespace {

constexpr const char* k_ends =
    "SELECT name, state, wall_s, class, why FROM stages WHERE run = ? ORDER BY state = 'failed'";

StageCheck::End end_of(const std::string& state) {
  if (state == "failed") return StageCheck::End::failed;
  return state == "done" || state == "reused" ? StageCheck::End::ok : StageCheck::End::skipped;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Why a point has no stage of KIND.
std::string why_left_out(const runner::Manifest& manifest, const runner::StageKind& kind) {
  if (!kind.when) return "the point does not need it";
  return "only where " + printable_line(manifest.questions.at(*kind.when).sql);
}

// Of several stages of one name, a failed one counts.
Status read_ends(store::Store& store, std::int64_t run, std::vector<StageCheck>& stages) {
  ORCH_ASSIGN(auto rows, store.database().prepare(k_ends));
  ORCH_TRY(rows.bind_all(run));
  for (;;) {
    ORCH_ASSIGN(const bool more, rows.step());
    if (!more) return {};
    const auto stage = std::ranges::find_if(
        stages, [&](const StageCheck& one) { return one.name == rows.column_text(0); });
    if (stage == stages.end()) continue;
    stage->end = end_of(rows.column_text(1));
    stage->seconds = rows.column_real(2);
    const std::string klass = rows.column_text(3), why = first_line(rows.column_text(4));
    stage->why = stage->end == StageCheck::End::ok ? ""
                 : klass.empty() || klass == why   ? why
                 : why.starts_with(klass)          ? why
                                                   : klass + ": " + why;
  }
}

}  // namespace

bool Smoke::failed() const {
  return std::ranges::any_of(
      stages, [](const StageCheck& stage) { return stage.end == StageCheck::End::failed; });
}

Smoke skipped_smoke(const runner::Manifest& manifest, const std::string& why) {
  Smoke smoke;
  for (const runner::StageKind& stage : manifest.stages)
    smoke.stages.push_back({.name = stage.name, .kind = stage.kind, .why = why});
  return smoke;
}

std::string why_no_smoke(const session::Planning& planning) {
  const plan::Plan& plan = planning.current();
  if (plan.points.empty()) return "the defaults of the runner give no point";
  const plan::PlannedPoint& point = plan.points.front();
  if (point.point.is_rejected())
    return "rejected by a rule of the runner: " + matrix::rejections_text(point.point);
  const auto& gpus = planning.experiment().machine.gpus;
  const int there = gpus ? gpus->count : 0;
  for (const plan::Stage& stage : plan.stages)
    if (stage.gpus > there)
      return fmt::format("stage '{}' needs {:.0f} GPUs, and {}", stage.spec.name, stage.gpus,
                         there ? fmt::format("there are {}", there) : "none was detected");
  return "";
}

Smoke run_smoke(session::World& world, session::Planning& planning, const std::string& store) {
  std::signal(SIGPIPE, SIG_IGN);
  const runner::Manifest& manifest = planning.experiment().runners.front().manifest;
  Smoke smoke;
  for (const runner::StageKind& stage : manifest.stages)
    smoke.stages.push_back(
        {.name = stage.name, .kind = stage.kind, .why = why_left_out(manifest, stage)});
  session::RunOptions options;
  options.experiment = planning.experiment().options;
  options.store = store;
  options.command = own_command_line();
  options.folder = own_folder();
  Console console(world.files, planning.layout());
  session::check_before_run(planning, options, smoke.errors);
  if (!smoke.errors.empty()) return smoke;
  SignalInterrupts interrupts;
  session::MatrixRun run({.world = world,
                          .reporter = console,
                          .interrupts = interrupts,
                          .planning = planning,
                          .options = options});
  const bool ended = run.open() && run.plan() && run.drive();
  smoke.errors = run.errors();
  if (!ended) return smoke;
  smoke.interrupted = run.outcome().interrupted;
  if (const Status read = read_ends(run.store(), run.id(), smoke.stages); !read)
    smoke.errors.push_back(read.error());
  return smoke;
}

}  // namespace orch::cli
