// A small experiment with a build, a server, and a measurement per point and repeat, and a driver
// that appends the events of a scheduler to a journal. Shared by the tests of store, tables, report
// and the command line.
#pragma once

#include "core/sql/database.hpp"
#include "fakes/temp_folder.hpp"
#include "results/store/run_journal.hpp"
#include "results/store/store.hpp"
#include "results/tables/schema.hpp"
#include "run/attempt/failure.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::sample {

using nlohmann::json;
using schedule::AttemptKey;
using schedule::State;

using TemporaryFolder = fakes::TempFolder;

inline matrix::Value integer(std::int64_t value) {
  return {matrix::Type::integer, std::to_string(value)};
}
inline matrix::Value text(std::string value) { return {matrix::Type::text, std::move(value)}; }

// The digest is over everything in the stage, as in a real plan.
inline plan::Stage stage(std::string name, runner::Kind kind,
                         std::map<std::string, matrix::Value> parameters,
                         std::map<std::string, plan::StageId> needs, int repeat = 0) {
  plan::Stage stage;
  stage.spec.name = std::move(name);
  stage.spec.kind = kind;
  stage.spec.argv = {"/usr/bin/" + stage.spec.name, "--out", "{out}"};
  stage.parameters = std::move(parameters);
  stage.needs = std::move(needs);
  stage.repeat = repeat;
  stage.components.add("stage", stage.spec.name);
  for (const auto& [key, value] : stage.parameters)
    stage.components.add("parameter." + key, value.text);
  for (const auto& [key, id] : stage.needs) stage.components.add("needs." + key, id);
  stage.components.add("repeat", std::to_string(repeat));
  stage.digest = stage.components.digest();
  stage.id = stage.spec.name + "-" + stage.digest.prefix(8);
  stage.why = "nothing on record";
  return stage;
}

struct Shape {
  std::string experiment = "quick";
  std::vector<int> concurrencies = {1, 4};
  int repeats = 1;
  std::map<std::string, matrix::Value> more = {};  // parameters that no stage reads
};

// Points "tiny_c1-aaaaaa", ...; stages build, serve, and bench per point and repeat.
inline plan::Plan make_plan(const Shape& shape = {}) {
  plan::Plan plan;
  plan.matrix_name = shape.experiment;
  plan.runners = {"sample"};
  const plan::Stage build = stage("build", runner::Kind::task, {{"model", text("tiny")}}, {});
  plan::Stage serve =
      stage("serve", runner::Kind::service, {{"batch_size", integer(8)}}, {{"build", build.id}});
  serve.spec.ready = std::make_shared<const runner::Ready>(
      runner::Ready{.port = "http", .get = {"/ready"}, .timeout_s = 90});
  plan.stages = {build, serve};
  for (const int concurrency : shape.concurrencies) {
    plan::PlannedPoint planned;
    planned.point.name = fmt::format("tiny_c{}-aaaaaa", concurrency);
    planned.point.parameters = {
        {"model", text("tiny")}, {"batch_size", integer(8)}, {"concurrency", integer(concurrency)}};
    for (const auto& [name, value] : shape.more) planned.point.parameters.set(name, value);
    planned.stages = {build.id, serve.id};
    for (int repeat = 0; repeat < shape.repeats; ++repeat) {
      plan.stages.push_back(stage("bench", runner::Kind::measure,
                                  {{"concurrency", integer(concurrency)}}, {{"serve", serve.id}},
                                  repeat));
      planned.stages.push_back(plan.stages.back().id);
    }
    for (std::size_t s = 0; s < plan.stages.size(); ++s)
      if (std::find(planned.stages.begin(), planned.stages.end(), plan.stages[s].id) !=
          planned.stages.end())
        plan.stages[s].points.push_back(plan.points.size());
    plan.points.push_back(std::move(planned));
  }
  return plan;
}

inline store::RunInfo run_info() {
  return {.matrix_file = "quick.yaml",
          .matrix_text = "name: quick\n",
          .command = {"orchestrate", "run", "quick.yaml"},
          .folder = "/home/someone/project",
          .version = "0.1.0",
          .machine = {{"cpu_model", "Sample CPU"}, {"host", "here"}},
          .started_at = 1'700'000'000};
}

inline json measurement(double ttft_ms, double output_tps) {
  return {
      {"load", {{"concurrency", 1}}},
      {"valid", true},
      {"reasons", json::array()},
      {"warnings", json::array()},
      {"unsupported", {"ttft_ms_p999"}},
      {"window", {{"start_wall_ns", 1'700'000'100'000'000'000}, {"duration_s", 2.5}}},
      {"counting", {{"osl", "events (one token each)"}}},
      {"client",
       {{"scheduling", "real-time"}, {"cpus", "0"}, {"cpus_why", "the server is bound to CPU 1"}}},
      {"metrics",
       {{"ttft_ms",
         {{"mean", ttft_ms},
          {"sd", 0.5},
          {"min", ttft_ms - 1},
          {"max", ttft_ms + 2},
          {"p99", ttft_ms + 1.5},
          {"n", 2}}},
        {"output_tps", output_tps}}},
      {"server_before", {{"nv_requests{model=\"m\"}", 3}}},
      {"server_after", {{"nv_requests{model=\"m\"}", 5}}}};
}

inline json invalid_measurement(std::vector<std::string> reasons) {
  json result = measurement(99, 1);
  result["valid"] = false;
  result["reasons"] = std::move(reasons);
  return result;
}

inline std::vector<json> requests() {
  return {{{"measurement", 0},
           {"index", 0},
           {"warmup", true},
           {"block", 0},
           {"sent_ns", -9000000},
           {"first_ns", -5000000},
           {"last_ns", -1000000},
           {"isl", 32},
           {"osl_requested", 3},
           {"osl_counted", 3},
           {"gaps_ns", {2000000, 2000000}},
           {"status", 200},
           {"error", nullptr},
           {"answer", "warm"}},
          {{"measurement", 0},
           {"index", 0},
           {"warmup", false},
           {"block", 0},
           {"sent_ns", 0},
           {"first_ns", 7000000},
           {"last_ns", 11000000},
           {"isl", 32},
           {"osl_requested", 3},
           {"osl_counted", 3},
           {"gaps_ns", {1000000, 3000000}},
           {"status", 200},
           {"error", nullptr},
           {"answer", "it is, \"so\""}}};
}

inline void write_file(const std::filesystem::path& file, const std::string& content) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
}

inline void write_record(const std::filesystem::path& folder, const json& measured,
                         const std::vector<json>& lines = requests()) {
  write_file(folder / "measurement.json", json{{"schema", 1}, {"measurements", {measured}}}.dump());
  std::string text_lines;
  for (const json& line : lines) text_lines += line.dump() + "\n";
  write_file(folder / "requests.jsonl", text_lines);
}

inline std::string token_of(const AttemptKey& key) {
  return fmt::format("{}-{}", key.stage, key.number);
}

inline execute::Handle handle_of(const AttemptKey& key) {
  return {.tree = {.token = token_of(key),
                   .leader = {4242, 77},
                   .boot_id = "boot-1",
                   .containment = system::Containment::session,
                   .cgroup = ""},
          .guardian = "g1",
          .guardian_process = {4240, 70}};
}

// Plays the scheduler for one run.
struct Driver {
  store::Store& store;
  plan::Plan plan;
  std::unique_ptr<store::RunJournal> journal;
  double now = 1'700'000'000;

  Driver(store::Store& into, plan::Plan planned, const store::RunInfo& info = run_info())
      : store(into), plan(std::move(planned)) {
    auto begun = store.begin_run(plan, info);
    EXPECT_TRUE(begun.ok()) << begun.error().text();
    journal = std::move(begun).value();
  }

  Driver(store::Store& into, plan::Plan planned, std::unique_ptr<store::RunJournal> begun)
      : store(into), plan(std::move(planned)), journal(std::move(begun)) {}

  const plan::Stage& stage_of(const std::string& name, std::size_t nth = 0) const {
    for (const plan::Stage& candidate : plan.stages)
      if (candidate.spec.name == name && nth-- == 0) return candidate;
    throw std::logic_error("no such stage");
  }
  void commit() {
    const Status status = journal->commit();
    EXPECT_TRUE(status.ok()) << status.error().text();
  }
  AttemptKey start(const plan::Stage& target) {
    const AttemptKey key{target.id, journal->next_attempt(target.id).value()};
    journal->append(schedule::StageMoved{
        .stage = target.id, .from = State::planned, .to = State::intent, .why = "", .at = now});
    journal->append(schedule::AttemptIntended{.attempt = key,
                                              .token = token_of(key),
                                              .process = token_of(key),
                                              .argv = {"/usr/bin/" + target.spec.name, "--go"},
                                              .env = {{"K", "v"}},
                                              .work = "/tmp/w",
                                              .log = "logs/" + target.id + ".log",
                                              .ports = {{"http", 8000}},
                                              .probe = plan::probe_text(target.spec),
                                              .at = now});
    journal->append(
        schedule::AttemptSpawned{.attempt = key, .handle = handle_of(key), .at = now + 1});
    journal->append(schedule::StageMoved{
        .stage = target.id, .from = State::intent, .to = State::running, .why = "", .at = now + 1});
    return key;
  }
  // A failure that the present table of classes judged: see run/attempt/failure.hpp.
  std::string judged_by = attempt::failure_table_digest();
  void end(const AttemptKey& key, const std::string& failure = "", const std::string& message = "",
           attempt::FailureKind kind = attempt::FailureKind::system) {
    journal->append(schedule::AttemptEnded{.attempt = key,
                                           .ok = failure.empty(),
                                           .failure_class = failure,
                                           .kind = kind,
                                           .message = message,
                                           .process = {.code = failure.empty() ? 0 : 1,
                                                       .signal = 0,
                                                       .wall_s = 12.5,
                                                       .cpu_s = 10,
                                                       .max_rss_bytes = 1 << 20},
                                           .judged_by = failure.empty() ? "" : judged_by,
                                           .at = now + 20});
    journal->append(schedule::StageMoved{.stage = key.stage,
                                         .from = State::running,
                                         .to = failure.empty() ? State::done : State::failed,
                                         .why = message,
                                         .at = now + 20});
  }
  void finish(store::Outcome outcome) {
    const Status status = journal->finish(outcome, now + 60);
    EXPECT_TRUE(status.ok()) << status.error().text();
  }
  AttemptKey run_build() {
    const plan::Stage& build = stage_of("build");
    const AttemptKey key = start(build);
    const std::string folder = "artifacts/" + build.id;
    write_file(store.layout().at(folder) / "out/model.bin", "weights");
    std::filesystem::resize_file(store.layout().at(folder) / "out/model.bin",
                                 1 << 30);  // sparse: takes no disk space
    journal->append(
        schedule::ArtifactPublished{.attempt = key,
                                    .path = folder,
                                    .in_place = false,
                                    .not_cacheable = {},
                                    .files = {{"model.bin", 1 << 30, std::string(64, 'a')}},
                                    .at = now + 19});
    end(key);
    return key;
  }
  AttemptKey run_serve() {
    const AttemptKey key = start(stage_of("serve"));
    journal->append(schedule::ServiceReady{.attempt = key, .start_s = 3.25, .at = now + 4});
    return key;
  }
  AttemptKey run_bench(std::size_t nth, const AttemptKey& session, const json& measured,
                       const std::vector<json>& lines = requests()) {
    const plan::Stage& bench = stage_of("bench", nth);
    const AttemptKey key = start(bench);
    const std::string folder = fmt::format("artifacts/{}-{}/out", bench.id, key.number);
    write_record(store.layout().at(folder), measured, lines);
    end(key);
    journal->append(schedule::MeasurementProduced{.attempt = key,
                                                  .session = session,
                                                  .path = folder,
                                                  .order = static_cast<int>(nth) + 1,
                                                  .at = now + 21});
    return key;
  }
};

inline store::Host real_host() {
  static system::RealFiles files;
  static system::RealClock clock;
  return {files, clock};
}

inline store::Store open_store(const std::filesystem::path& root,
                               store::Mode mode = store::Mode::write) {
  auto opened = store::Store::open(real_host(), root, mode);
  EXPECT_TRUE(opened.ok()) << opened.error().text();
  return std::move(opened).value();
}

// A complete run: everything built, served and measured once.
inline void complete_run(const std::filesystem::path& root, const Shape& shape = {},
                         double ttft_ms = 10) {
  store::Store store = open_store(root);
  Driver driver(store, make_plan(shape));
  driver.run_build();
  const AttemptKey session = driver.run_serve();
  for (std::size_t nth = 0;
       nth < shape.concurrencies.size() * static_cast<std::size_t>(shape.repeats); ++nth)
    driver.run_bench(
        nth, session,
        measurement(ttft_ms + static_cast<double>(nth), 100 + static_cast<double>(nth)));
  driver.commit();
  EXPECT_TRUE(driver.journal->finish(store::Outcome::done, driver.now + 60).ok());
}

// The version of the schema that this program writes.
inline int newest_version() { return tables::migrations().back().version; }

// Every row of SQL as "a|b|c", NULL as "-", over a separate connection.
inline std::vector<std::string> rows(const std::filesystem::path& root, const std::string& sql) {
  auto database =
      sql::Database::open((root / "results.db").string(), {.access = sql::Access::read_only});
  if (!database.ok()) return {database.error().text()};
  auto statement = database->prepare(sql);
  if (!statement.ok()) return {statement.error().text()};
  std::vector<std::string> out;
  while (true) {
    const auto row = statement->step();
    if (!row.ok()) return {row.error().text()};
    if (!*row) return out;
    std::string line;
    for (int column = 0; column < statement->column_count(); ++column) {
      if (column > 0) line += "|";
      line += statement->column_null(column) ? "-" : statement->column_text(column);
    }
    out.push_back(line);
  }
}

using Rows = std::vector<std::string>;

}  // namespace orch::sample
