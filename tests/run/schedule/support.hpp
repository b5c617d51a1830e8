// A run in memory: YAML text in, a diary of commands and the states of stages out. Several runs can
// share one world, as after the death of a run.
#pragma once

#include "fakes/fake_workers.hpp"
#include "fakes/fake_world.hpp"
#include "fakes/faulty_files.hpp"
#include "fakes/plans.hpp"
#include "run/schedule/recover.hpp"
#include "run/schedule/scheduler.hpp"

namespace orch::schedule {

using fakes::Behaviour;

inline constexpr const char* k_runner = R"(
runner: toy
parameters:
  precision: {type: text}
  batch_size: {type: integer}
  isl: {type: integer}
stages:
  download:
    kind: task
    argv: [/bin/download, "{out}/model"]
    outputs: [model]
  build:
    kind: task
    needs: [download]
    reads: [precision]
    argv: [/bin/build, "{precision}", "{stage:download}", "{out}/engine"]
    outputs: [engine]
    timeout_s: 100
  repository:
    kind: task
    needs: [build]
    reads: [batch_size]
    render: [{from: t, to: config, values: {max: "{batch_size}", dir: "{stage:build}"}}]
    outputs: [config]
  prompts:
    kind: task
    batch: true
    needs: [download]
    reads: [isl]
    argv: [/bin/prompts, "{jobs}"]
    job: {out: "{out}", isl: "{isl}"}
    outputs: [prompts.jsonl]
  serve:
    kind: service
    needs: [repository]
    reads: [precision, batch_size]
    ports: [http]
    place: [{from: "{stage:repository}", to: repository}]
    argv: [/bin/serve, "{precision}", "{batch_size}", "{port:http}"]
    ready: {port: http, get: [/ready]}
    stop_s: 5
    shm_prefix: "{token}"
  bench:
    kind: measure
    needs: [serve, prompts]
    reads: [precision, isl]
    argv: [/bin/bench, "{precision}", "{isl}", "{port:serve.http}", "{out}/measurement.json", "{block}"]
    outputs: [measurement.json]
)";

struct Sweep : Environment {
  fakes::FakeClock clock;
  fakes::MemoryFiles files;
  fakes::FaultyFiles faulty{files};  // of the workspace
  fakes::FakeExecutor executor{clock, files};
  fakes::FakeReadiness readiness{clock};
  fakes::FakePorts ports;
  fakes::FakeGpus gpus;
  std::vector<Adopted> adopted;
  fakes::FakeWorkers workers;
  fakes::FakeInterrupts interrupts;
  fakes::MemoryJournal journal;
  fakes::FakeFacts facts;
  Options options = two_jobs();
  std::function<std::string(const plan::Stage&)> find_changed_input = [](const plan::Stage&) {
    return std::string();
  };
  std::vector<fakes::Parameters> points;
  std::int64_t repeats = 1;
  std::string manifest = k_runner;
  int tokens = 0;
  std::string host = "here";
  bool forgets_prompts = true;  // the server; a measurement of it may be repeated there
  std::function<void(plan::Plan&)> change_plan;

  static Options two_jobs() {
    Options options;
    options.jobs = 2;
    return options;
  }

  Sweep() {
    for (const char* folder : {"/store/artifacts", "/store/attempts", "/store/logs", "/dev/shm"})
      (void)files.make_folder(folder).ok();
    facts.templates["t"] = "max ${max} dir ${dir}";
    executor.behave = [this](const execute::Launch& launch) { return normal(launch); };
  }

  // Each set of prompts becomes a process of its own: `prompt ISL FILE`.
  void make_prompts_apart() {
    const std::string batch = "    batch: true\n", words = "[/bin/prompts, \"{jobs}\"]",
                      job = "    job: {out: \"{out}\", isl: \"{isl}\"}\n";
    manifest.replace(manifest.find(batch), batch.size(), "");
    manifest.replace(manifest.find(job), job.size(), "");
    manifest.replace(manifest.find(words), words.size(),
                     "[/bin/prompt, \"{isl}\", \"{out}/prompts.jsonl\"]");
  }

  // Writes the declared outputs; servers do not end.
  Behaviour normal(const execute::Launch& launch) {
    const std::string& name = launch.argv[0];
    if (name == "serve") return {.lasts_s = k_forever};
    if (name == "prompts") return prompts(launch);
    Behaviour behaviour;
    for (const std::string& word : launch.argv)
      if (word.find("/out/") != std::string::npos && word.find("/attempts/") != std::string::npos)
        behaviour.writes[word] = "made by " + name;
    return behaviour;
  }

  Behaviour prompts(const execute::Launch& launch) {
    Behaviour behaviour;
    const std::string jobs = files.files.at(launch.argv[1]);
    for (std::size_t at = 0; (at = jobs.find("\"out\": \"", at)) != std::string::npos;) {
      at += 8;
      behaviour.writes[jobs.substr(at, jobs.find('"', at) - at) + "/prompts.jsonl"] = "{}";
    }
    return behaviour;
  }

  plan::Plan plan_now() {
    plan::Plan made =
        fakes::plan_of(manifest, {.points = points, .repeats = repeats, .done = done}, facts);
    for (plan::Stage& stage : made.stages) stage.forgets_prompts = forgets_prompts;
    if (change_plan) change_plan(made);
    return made;
  }

  attempt::Workspace make_workspace() {
    return {faulty,
            {.layout = {.store = "/store",
                        .project = "/project",
                        .runner = "/project/runners/toy",
                        .orchestrate = "/bin/orchestrate"},
             .inherited = {{"PATH", "/bin"}, {"HF_TOKEN", "secret"}}}};
  }

  std::string new_token() override { return fmt::format("token{:03}", ++tokens); }
  double random() override { return 0.5; }
  std::string changed_input(const plan::Stage& stage) override { return find_changed_input(stage); }
  Status check_version(const plan::Stage&, const system::LongWork&) override { return {}; }

  Tools tools(attempt::Workspace& workspace) {
    return {.journal = journal,
            .executor = executor,
            .workspace = workspace,
            .readiness = readiness,
            .interrupts = interrupts,
            .environment = *this,
            .host = {.clock = clock, .workers = workers, .ports = ports, .gpu_memory = gpus}};
  }

  Result<Outcome> run() {
    plan = plan_now();
    attempt::Workspace workspace = make_workspace();
    return run_plan(plan, tools(workspace), options, adopted);
  }

  // Launches whose words begin with WORDS ("build", "build q8") behave as ACTS returns; NORMAL is
  // how they would behave otherwise. Other launches behave as before.
  using Acts = std::function<Behaviour(const execute::Launch& launch, Behaviour normal)>;
  void on(const std::string& words, Acts acts) {
    executor.behave = [start = words + " ", acts = std::move(acts),
                       before = std::move(executor.behave)](const execute::Launch& launch) {
      Behaviour normal = before(launch);
      if (!(join(launch.argv, " ") + " ").starts_with(start)) return normal;
      return acts(launch, std::move(normal));
    };
  }
  void on(const std::string& words, const Behaviour& behaviour) {
    on(words, [behaviour](const auto&, const auto&) { return behaviour; });
  }
  void set_duration(const std::string& words, double seconds) {
    on(words, [seconds](const auto&, Behaviour normal) {
      normal.lasts_s = seconds;
      return normal;
    });
  }

  // The run dies at TIME_S, as by kill -9; its processes live on.
  struct Died {};
  void die_at(double time_s) {
    executor.on_time = [this, time_s](double now_s) {
      if (now_s < time_s) return;
      executor.on_time = nullptr;
      throw Died{};
    };
  }
  // The run dies once a program called PROGRAM was started.
  void die_when_starts(const std::string& program) {
    executor.on_time = [this, program](double) {
      if (std::none_of(executor.diary.begin(), executor.diary.end(), [&](const std::string& line) {
            return line.starts_with("start " + program);
          }))
        return;
      executor.on_time = nullptr;
      throw Died{};
    };
  }
  // Runs until it dies, and drops the uncommitted events.
  void run_until_it_dies() {
    EXPECT_THROW(run(), Died);
    journal.events.resize(journal.durable);
    clock.time_s += 1;
  }
  // The next run of the same matrix: recovers, then continues. Artifacts of the dead run exist.
  Result<Outcome> resume() {
    std::vector<Unfinished> unfinished = journal.unfinished();
    for (const Event& event : journal.events)
      if (const auto* published = std::get_if<ArtifactPublished>(&event))
        for (const plan::Stage& stage : plan.stages)
          if (stage.id == published->attempt.stage && stage.spec.kind == runner::Kind::task)
            done.made[stage.digest] = fakes::made_by(1);
    for (const Event& event : journal.events)
      if (const auto* measured = std::get_if<MeasurementProduced>(&event);
          measured && journal.judge(measured->attempt).empty())
        for (const plan::Stage& stage : plan.stages)
          if (stage.id == measured->attempt.stage) done.made[stage.digest] = fakes::made_by(1);
    plan = plan_now();
    attempt::Workspace workspace = make_workspace();
    auto found = recover(plan, std::move(unfinished),
                         {.journal = journal,
                          .executor = executor,
                          .workspace = workspace,
                          .clock = clock,
                          .host = host});
    if (!found) return found.error();
    adopted = std::move(*found);
    executor.diary.push_back("--- resumed");
    return run();
  }

  // The first WORDS arguments of each line of the diary, after its verb.
  std::vector<std::string> started(std::size_t words) const {
    std::vector<std::string> out;
    for (const std::string& line : executor.diary) {
      std::string text;
      std::size_t at = 0;
      for (std::size_t i = 0; i <= words && at != std::string::npos; ++i)
        at = line.find(' ', at ? at + 1 : 0);
      text = line.substr(0, at);
      out.push_back(text);
    }
    return out;
  }

  static constexpr double k_forever = std::numeric_limits<double>::infinity();
  plan::Plan plan;
  plan::Done done;
};

inline fakes::Parameters point(const std::string& precision, const std::string& batch_size = "4",
                               const std::string& isl = "32") {
  return {{"precision", precision}, {"batch_size", batch_size}, {"isl", isl}};
}

inline std::vector<fakes::Parameters> one_point() { return {point("f16")}; }

using Lines = std::vector<std::string>;

inline std::size_t count(const Lines& lines, std::string_view wanted) {
  return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), wanted));
}

// The number of stages in a final state.
inline std::size_t decided(const Outcome& outcome) {
  return outcome.done + outcome.reused + outcome.failed + outcome.skipped + outcome.cancelled;
}

}  // namespace orch::schedule
