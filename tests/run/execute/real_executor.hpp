// Real executors with real guardians in a temporary folder: launches to start, and an orchestrator
// to kill.
#pragma once

#include "core/base/fields_json.hpp"
#include "fakes/temp_folder.hpp"
#include "run/execute/guarded.hpp"
#include "run/execute/guardian_message.hpp"

#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::execute {

inline std::vector<system::Containment> weakest_and_strongest() {
  const system::Containment strongest = system::strongest_containment();
  if (strongest == system::Containment::session) return {strongest};
  return {system::Containment::session, strongest};
}

class RealHost {
 public:
  explicit RealHost(std::optional<system::Containment> containment = system::Containment::session)
      : containment_(containment) {
    std::filesystem::create_directories(folder() + "/guardians");
  }
  // Ends the launches of a test that failed, and removes folders that no executor knows.
  ~RealHost() {
    executor_.reset();
    for (const std::string& token : tokens_) {
      (void)processes.end({.token = token,
                           .leader = {},
                           .boot_id = system::boot_id(),
                           .containment = {},
                           .cgroup = {}},
                          10);
      std::filesystem::remove_all("/dev/shm/" + token);
    }
  }

  system::Host host() { return {processes, files, clock}; }
  std::string folder() const { return folder_.path().string(); }
  std::string guardians() const { return folder() + "/guardians"; }
  GuardedOptions options() const {
    return {.program = ORCH_BINARY,
            .folder = guardians(),
            .grace_s = grace_s,
            .hangs_s = hangs_s,
            .containment = containment_};
  }
  Executor& executor() {
    if (!executor_) executor_ = make_guarded_executor(host(), options());
    return *executor_;
  }
  void drop_executor() { executor_.reset(); }

  // `sh -c SCRIPT`, with $F the folder.
  Launch launch(const std::string& script) {
    const std::string token = system::new_token(), attempt = folder() + "/" + token;
    std::filesystem::create_directories(attempt);
    tokens_.insert(token);
    return {.argv = {"/bin/sh", "-c", script},
            .env = {{"PATH", "/usr/bin:/bin"}, {"F", folder()}},
            .work = attempt,
            .log = attempt + "/log",
            .token = token,
            .exit_record = attempt + "/exit.json",
            .tmp = attempt + "/tmp",
            .shm_folder = "/dev/shm/" + token,
            .shm_prefix = token + "-shm",
            .secrets = {},
            .stop_s = 10};
  }

  // A pipe by which a script and the test wait for each other: `echo > $F/NAME`, `read x <
  // $F/NAME`.
  void make_pipe(const std::string& name) const { ::mkfifo((folder() + "/" + name).c_str(), 0600); }
  std::string read(const std::string& name) const {
    std::ifstream file(folder() + "/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder() + "/" + name) << text;
  }

  // Starts LAUNCHES in an orchestrator that is then killed; returns the handles that it printed.
  // VARIABLE ("NAME=VALUE") is its environment.
  std::vector<Handle> start_and_die(const std::vector<Launch>& launches, bool at_once = true,
                                    const std::string& variable = "") const {
    std::vector<std::string> words = {ORCH_LAUNCHER,
                                      ORCH_BINARY,
                                      guardians(),
                                      std::string(to_string(*containment_)),
                                      fmt::format("{}", grace_s),
                                      at_once ? "die" : "wait"};
    for (const Launch& one : launches) words.push_back(to_line(Start{one, *containment_}));
    std::vector<char*> argv, env;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::string own = variable;
    if (!own.empty()) env.push_back(own.data());
    env.push_back(nullptr);
    const std::string output = folder() + "/handles";
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0600);
    pid_t pid = 0;
    EXPECT_EQ(::posix_spawn(&pid, ORCH_LAUNCHER, &actions, nullptr, argv.data(), env.data()), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::waitpid(pid, nullptr, 0);
    std::vector<Handle> handles;
    std::ifstream in(output);
    for (std::string line; std::getline(in, line);)
      if (const auto handle = from_json_text<Handle>(line)) handles.push_back(*handle);
    return handles;
  }

  // Drops the ends of other launches.
  Ended wait_for(const std::string& token) {
    while (true)
      for (const Ended& ended : executor().poll(60)) {
        tokens_.erase(ended.token);
        if (ended.token == token) return ended;
      }
  }
  bool is_left(const std::string& token) {
    return processes.alive({.token = token,
                            .leader = {},
                            .boot_id = system::boot_id(),
                            .containment = {},
                            .cgroup = {}});
  }
  static bool lives(const system::ProcessId& process) { return system::is_running(process); }
  static void wait_until_gone(const system::ProcessId& process) {
    system::wait_for_end(process, 60);
    EXPECT_FALSE(lives(process)) << "it did not end";
  }

  // Returns once PROCESS is stopped, which takes a moment on another core.
  static void stop(const system::ProcessId& process) {
    ASSERT_EQ(::kill(process.pid, SIGSTOP), 0);
    const auto state = [&] {
      std::ifstream stat("/proc/" + std::to_string(process.pid) + "/stat");
      const std::string text(std::istreambuf_iterator<char>(stat), {});
      const std::size_t name_end = text.rfind(')');
      return name_end == std::string::npos ? 'X' : text[name_end + 2];
    };
    while (state() != 'T' && state() != 'X') std::this_thread::yield();
  }

  double grace_s = 60, hangs_s = 60;
  system::RealProcesses processes;
  system::RealFiles files;
  system::RealClock clock;

 private:
  fakes::TempFolder folder_;
  std::optional<system::Containment> containment_;
  std::unique_ptr<Executor> executor_;
  std::set<std::string> tokens_;  // of launches whose end was not seen
};

}  // namespace orch::execute
