#include "app/cli/runner_check/check_runner.hpp"

#include "app/cli/progress/progress.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/init/new_runner.hpp"
#include "app/session/matrix_run.hpp"
#include "app/session/project.hpp"
#include "app/session/stage_files.hpp"
#include "core/base/text.hpp"
#include "core/sql/database.hpp"
#include "spec/runner/list_manifest.hpp"

#include <csignal>

#include <nlohmann/json.hpp>

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

// Reads how STAGES ended. Of several stages with the same name, a failed one counts.
Status read_ends(store::Store& store, std::int64_t run, std::vector<StageCheck>& stages) {
  ORCH_ASSIGN(auto rows, store.database().prepare(k_ends));
  ORCH_TRY(rows.bind_all(run));
  for (;;) {
    ORCH_ASSIGN(const bool more, rows.step());
    if (!more) return {};
    const auto stage = std::ranges::find(stages, rows.column_text(0), &StageCheck::name);
    if (stage == stages.end()) continue;
    stage->end = end_of(rows.column_text(1));
    stage->seconds = rows.column_real(2);
    const std::string failure_class = rows.column_text(3), why = first_line(rows.column_text(4));
    stage->why = stage->end == StageCheck::End::ok               ? ""
                 : failure_class.empty() || failure_class == why ? why
                 : why.starts_with(failure_class)                ? why
                                                                 : failure_class + ": " + why;
  }
}

namespace fs = std::filesystem;

constexpr std::size_t k_most_checked = 10'000;  // points; larger plans take long

// A private folder, removed at the end unless keep() was called.
class PassingFolder {
 public:
  explicit PassingFolder(system::Files& files) : files_(files) {
    const auto above = system::temporary_folder();
    if (!above) return;
    std::string name = *above + "/orchestrate-check-XXXXXX";
    if (::mkdtemp(name.data())) path_ = name;
  }
  ~PassingFolder() {
    if (!path_.empty() && !kept_) static_cast<void>(files_.remove_tree(path_));
  }
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;

  const std::string& path() const { return path_; }  // "": it could not be created
  void keep() { kept_ = true; }

 private:
  system::Files& files_;
  std::string path_;
  bool kept_ = false;
};

struct CheckedPreset {
  std::string name;
  std::size_t points = 0;
};

struct PlannedMatrix {
  PlannedMatrix(session::World& world, const session::ExperimentOptions& options,
                const std::string& store, Errors& errors)
      : experiment(session::load_experiment(world, options, errors)),
        planning(world.files, experiment, store, {}) {}

  session::Experiment experiment;
  session::Planning planning;
};

class Check {
 public:
  explicit Check(const RunnerCheck& options)
      : options_(options), folder_(world_->files), near_(own_folder()) {}

  Exit run() {
    if (folder_.path().empty())
      return fail_command(Error{ErrorKind::io, "no temporary folder could be made; set TMPDIR"},
                          Exit::failed);
    if (find() && read()) plan_all();
    if (errors_.empty()) smoke();
    print();
    if (smoke_.interrupted) return Exit::interrupted;
    if (!errors_.empty()) return Exit::refused;
    return smoke_.failed() || !smoke_.errors.empty() ? Exit::failed : Exit::done;
  }

 private:
  bool find() {
    const auto site = session::read_site(world_->files, options_.options.site_file, errors_);
    const auto all = session::runners_near(
        world_->files, {.chosen = options_.options.runners, .near = near_, .site = site.runners});
    std::vector<std::string> names;
    for (const session::RunnerFile& one : all) {
      names.push_back(one.name);
      if (one.name == options_.name) found_ = one;
    }
    if (!found_.name.empty()) return true;
    const std::string near = did_you_mean(options_.name, names);
    errors_.push_back(not_found(
        fmt::format("no runner {}{}", quoted(options_.name),
                    !near.empty()   ? near
                    : names.empty() ? "; run from the project's folder, or give --runners DIR"
                                    : "; the runners are: " + join(names, ", "))));
    return false;
  }

  bool read() {
    auto manifest = session::read_manifest(world_->files, found_, errors_);
    if (!manifest) return false;
    manifest_ = std::move(*manifest);
    session::check_stage_files(world_->files, found_, manifest_, errors_);
    if (!errors_.empty()) return false;
    scripts_ = session::check_scripts(*world_, found_, manifest_, errors_);
    return true;
  }

  // Plans the presets and then the smallest point, whose plan is kept for the smoke run.
  void plan_all() {
    if (const auto text = session::toy_matrix(manifest_)) smallest_ = plan("smallest.yaml", *text);
    else why_skipped_ = text.error().message;
    for (const session::Preset& preset : session::presets_of(world_->files, found_)) {
      const auto planned =
          plan("preset.yaml", fmt::format("base: preset:{0}/{1}\nname: check\nrunner: {0}\n",
                                          found_.name, preset.name));
      presets_.push_back({preset.name, planned->planning.expansion().points.size()});
    }
    sort_by_place(errors_);
  }

  std::unique_ptr<PlannedMatrix> plan(const std::string& file, const std::string& text) {
    session::ExperimentOptions options = options_.options;
    options.matrix_file = folder_.path() + "/" + file;
    options.near = near_;
    Errors errors;
    if (const Status written = world_->files.write(options.matrix_file, text); !written)
      errors.push_back(written.error());
    auto planned = std::make_unique<PlannedMatrix>(*world_, options, store(), errors);
    const matrix::Expansion& expansion = planned->planning.expand(errors);
    if (errors.empty() && expansion.points.size() <= k_most_checked) planned->planning.plan(errors);
    std::move(errors.begin(), errors.end(), std::back_inserter(errors_));
    return planned;
  }

  void smoke() {
    if (options_.no_smoke) why_skipped_ = "--no-smoke";
    if (why_skipped_.empty()) why_skipped_ = why_no_smoke(smallest_->planning);
    if (!why_skipped_.empty()) {
      smoke_ = skipped_smoke(manifest_, why_skipped_);
      return;
    }
    smoke_ = run_smoke(*world_, smallest_->planning, store());
    if (smoke_.failed()) folder_.keep();
  }

  void print() const {
    if (options_.json) print_out(json());
    else if (errors_.empty()) print_out(text());
    print_errors(errors_);
    print_errors(smoke_.errors);
    for (const std::string& note : scripts_.notes) say(stderr, "note: {}\n", note);
    if (smoke_.failed())
      say(stderr, "The logs are kept: orchestrate logs STAGE --store {}\n", shell_quote(store()));
  }

  std::string text() const {
    std::string text =
        fmt::format("{}\nmanifest: {}\nscripts: {} of Python and {} of a shell were parsed\n",
                    found_.file, runner::counts_of(manifest_), scripts_.python, scripts_.shell);
    for (const CheckedPreset& preset : presets_)
      text += fmt::format("preset {}: {}\n", preset.name, plural(preset.points, "point"));
    TextTable table({"stage", "kind", "result", "seconds", "why"});
    for (const StageCheck& stage : smoke_.stages)
      table.add({stage.name, std::string(to_string(stage.kind)), std::string(to_string(stage.end)),
                 stage.end == StageCheck::End::skipped ? "" : fmt::format("{:.1f}", stage.seconds),
                 stage.why});
    return text + "\n" + table.text();
  }

  std::string json() const {
    nlohmann::ordered_json json{
        {"runner", options_.name},
        {"file", found_.file},
        {"scripts", {{"python", scripts_.python}, {"shell", scripts_.shell}}},
        {"presets", nlohmann::json::array()},
        {"stages", nlohmann::json::array()},
        {"errors", nlohmann::json::array()}};
    for (const CheckedPreset& preset : presets_)
      json["presets"].push_back({{"name", preset.name}, {"points", preset.points}});
    for (const StageCheck& stage : smoke_.stages)
      json["stages"].push_back({{"name", stage.name},
                                {"kind", to_string(stage.kind)},
                                {"result", to_string(stage.end)},
                                {"seconds", stage.seconds},
                                {"why", printable_line(stage.why)}});
    for (const Errors* errors : {&errors_, &smoke_.errors})
      for (const Error& error : *errors) json["errors"].push_back(printable(error.text()));
    return json.dump(2) + "\n";
  }

  std::string store() const { return folder_.path() + "/results"; }

  const RunnerCheck& options_;
  RealWorld world_;
  PassingFolder folder_;
  const std::string near_;  // the working folder
  Errors errors_;
  session::RunnerFile found_{};
  runner::Manifest manifest_;
  session::ScriptsRead scripts_;
  std::unique_ptr<PlannedMatrix> smallest_;  // null if the runner has no smallest point
  std::vector<CheckedPreset> presets_;
  std::string why_skipped_;
  Smoke smoke_;
};

// Runs the plan of CONTEXT. Errors of the plan are added to SMOKE.
Status smoke_run(const session::Context& context, Smoke& smoke) {
  ORCH_ASSIGN(session::OpenStore open, session::open_store(context));
  auto planned = session::plan_run(context, open, smoke.errors);
  if (!planned) return {};
  ORCH_ASSIGN(const session::FinishedRun run, session::drive(context, *planned));
  smoke.interrupted = run.outcome.interrupted;
  return read_ends(open.store, run.id, smoke.stages);
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
      return fmt::format("stage '{}' needs {:.0f} GPUs, but {}", stage.spec.name, stage.gpus,
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
  const Status run = smoke_run({.world = world,
                                .reporter = console,
                                .interrupts = interrupts,
                                .planning = planning,
                                .options = options},
                               smoke);
  if (!run) smoke.errors.push_back(run.error());
  return smoke;
}

Exit check_runner(const RunnerCheck& check) { return Check(check).run(); }

}  // namespace orch::cli
