// A project and a world for tests of the engine: real files in a temporary folder, and fakes for
// time, processes and devices.
#pragma once

#include "app/session/experiment.hpp"
#include "app/session/world.hpp"
#include "fakes/fake_world.hpp"
#include "fakes/temp_folder.hpp"

#include <fstream>

namespace orch::session {

// Runs `touch FILE` by making FILE at once; every other program fails.
class TouchExecutor final : public execute::Executor {
 public:
  std::vector<std::string> started;  // argv[0] of each launch

  Result<execute::Handle> start(const execute::Launch& launch) override {
    const bool touches = launch.argv.front() == "/bin/touch";
    started.push_back(launch.argv.front());
    if (touches) std::ofstream(launch.argv.back()) << "made";
    ended_.push_back({.token = launch.token, .code = touches ? 0 : 1, .wall_s = 1});
    execute::Handle handle;
    handle.tree.token = launch.token;
    handle.guardian = "g";
    return handle;
  }
  std::vector<execute::Ended> poll(double) override { return std::exchange(ended_, {}); }
  void wake() override {}
  void terminate(const std::string&) override {}
  void kill(const std::string&) override {}
  void hold(const execute::Launch&, const std::optional<execute::Handle>&) override {}
  execute::Recovered recover(const execute::Launch&,
                             const std::optional<execute::Handle>&) override {
    return {};
  }

 private:
  std::vector<execute::Ended> ended_;
};

class NoProcesses final : public system::Processes {
 public:
  Result<system::Tree> spawn(const system::Spawn&) override { return invalid("no processes here"); }
  std::vector<system::Exit> wait(double) override { return {}; }
  void signal(const system::Tree&, int) override {}
  bool alive(const system::Tree&) override { return false; }
  bool end(const system::Tree&, double) override { return true; }
};

class NoHttp final : public system::Http {
 public:
  Result<system::HttpResponse> send(const system::HttpRequest&) override {
    return Error{ErrorKind::unavailable, "no network here", {}};
  }
};

// Passes calls on to an executor that the test keeps.
class BorrowedExecutor final : public execute::Executor {
 public:
  explicit BorrowedExecutor(execute::Executor& to) : to_(to) {}
  Result<execute::Handle> start(const execute::Launch& launch) override {
    return to_.start(launch);
  }
  std::vector<execute::Ended> poll(double wait_s) override { return to_.poll(wait_s); }
  void wake() override { to_.wake(); }
  void terminate(const std::string& token) override { to_.terminate(token); }
  void kill(const std::string& token) override { to_.kill(token); }
  void hold(const execute::Launch& launch, const std::optional<execute::Handle>& known) override {
    to_.hold(launch, known);
  }
  execute::Recovered recover(const execute::Launch& launch,
                             const std::optional<execute::Handle>& known) override {
    return to_.recover(launch, known);
  }

 private:
  execute::Executor& to_;
};

// Keeps every report as "severity: text".
class DiaryReporter final : public Reporter {
 public:
  std::vector<std::string> diary;
  std::size_t rounds = 0;

  void report(Severity severity, const std::string& text) override {
    static constexpr const char* k_names[] = {"info", "note", "warning", "error"};
    diary.push_back(std::string(k_names[static_cast<int>(severity)]) + ": " + text);
  }
  void hashing(std::uint64_t, std::uint64_t expected_bytes) override {
    diary.push_back(fmt::format("hashing {} bytes", expected_bytes));
  }
  void hashed() override { diary.emplace_back("hashed"); }
  std::unique_ptr<schedule::Observer> watch(const Round&) override {
    ++rounds;
    return std::make_unique<Silent>();
  }

 private:
  struct Silent final : schedule::Observer {
    void on_event(const schedule::Event&) override {}
    void on_tick(const schedule::Progress&) override {}
  };
};

// runners/toy: a task `make`, then a server and its measurement, which no test here runs.
inline constexpr const char* k_toy_runner = R"(
runner: toy
description: a toy
parameters:
  size: {type: text, values: [s, l], default: s}
  tp: {type: integer, default: 1}
stages:
  make: {kind: task, reads: [size], argv: [/bin/touch, "{out}/made"], outputs: [made]}
  serve: {kind: service, needs: [make], reads: [tp], argv: [/bin/x], ready: {port: http, get: [/]}, ports: [http]}
  bench: {kind: measure, needs: [serve], reads: [], argv: [/bin/x], outputs: [y]}
)";

class ProjectOfFiles {
 public:
  ProjectOfFiles() {
    write("runners/toy/runner.yaml", k_toy_runner);
    write("site.yaml", "prices: {gpu_hour: 2}\n");
  }

  ProjectOfFiles& write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return *this;
  }
  std::string path(const std::string& file) const { return folder_.file(file); }
  // Options for the matrix YAML, which is written to m.yaml.
  ExperimentOptions options(const std::string& yaml) {
    write("m.yaml", yaml);
    ExperimentOptions options;
    options.matrix_file = path("m.yaml");
    options.site_file = path("site.yaml");
    return options;
  }

  TouchExecutor executor;
  fakes::FakeClock clock;
  system::RealWorkers workers;
  World world{.files = files_,
              .clock = clock,
              .processes = processes_,
              .http = http_,
              .workers = workers,
              .environment = {},
              .detect_machine =
                  [] {
                    system::Machine machine;
                    machine.host = "here";
                    machine.cpu_model = "Test CPU";
                    machine.cpus = 2;
                    return machine;
                  },
              .open_gpu_memory = [] { return std::make_unique<fakes::FakeGpus>(); },
              .open_ports = [](system::PortRange) { return std::make_unique<fakes::FakePorts>(); },
              .make_executor =
                  [this](const execute::GuardedOptions&) {
                    return std::make_unique<BorrowedExecutor>(executor);
                  }};

 private:
  fakes::TempFolder folder_;
  system::RealFiles files_;
  NoProcesses processes_;
  NoHttp http_;
};

inline std::string text_of(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) text += error.text() + "\n";
  return text;
}

}  // namespace orch::session
