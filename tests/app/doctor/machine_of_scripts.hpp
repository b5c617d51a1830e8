// A machine whose programs are scripts in one folder, the only one on PATH.
#pragma once

#include "app/doctor/finding.hpp"
#include "app/session/project_of_files.hpp"

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

namespace orch::doctor {

// Processes that count how many of them exist. A thread that waits for a program longer than its
// caller keeps its own.
class CountedProcesses final : public system::Processes {
 public:
  struct Count {
    std::mutex mutex;
    std::condition_variable none;
    int open = 0;
  };
  explicit CountedProcesses(const std::shared_ptr<Count>& count) : counted_(count) {}
  Result<system::Tree> spawn(const system::Spawn& spawn) override { return real_.spawn(spawn); }
  std::vector<system::Exit> wait(double wait_s) override { return real_.wait(wait_s); }
  void signal(const system::Tree& tree, int signal) override { real_.signal(tree, signal); }
  bool alive(const system::Tree& tree) override { return real_.alive(tree); }
  bool end(const system::Tree& tree, double within_s) override { return real_.end(tree, within_s); }

 private:
  struct Counted {
    explicit Counted(std::shared_ptr<Count> in) : count(std::move(in)) {
      const std::lock_guard lock(count->mutex);
      ++count->open;
    }
    Counted(const Counted&) = delete;
    ~Counted() {
      const std::lock_guard lock(count->mutex);
      if (--count->open == 0) count->none.notify_all();
    }
    std::shared_ptr<Count> count;
  };
  Counted counted_;  // ends after the processes
  system::RealProcesses real_;
};

class MachineOfScripts {
 public:
  ~MachineOfScripts() {
    std::unique_lock lock(count->mutex);
    count->none.wait(lock, [&] { return count->open == 0; });
  }
  // The program NAME does what SCRIPT says.
  void say(const std::string& name, const std::string& script) const {
    const std::string path = folder.file(name);
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  // A program that does not end by itself soon.
  void hang(const std::string& name) const {
    say(name, "i=0; while [ -e \"$0\" ] && [ $i -lt 9999999 ]; do i=$((i + 1)); done");
  }

  std::shared_ptr<CountedProcesses::Count> count = std::make_shared<CountedProcesses::Count>();
  fakes::TempFolder folder;
  session::NoHttp http;
  system::RealFiles files;
  static inline system::RealClock clock;  // a thread whose program cannot be killed outlives a test
  system::RealProcesses processes;
  system::RealWorkers workers;
  session::World world{
      .files = files,
      .clock = clock,
      .processes = processes,
      .http = http,
      .workers = workers,
      .environment = {{"PATH", folder.path()}},
      .detect_machine =
          [] {
            system::Machine machine;
            machine.host = "here";
            return machine;
          },
      .open_gpu_memory = {},
      .open_ports = {},
      .make_executor = {},
      .open_processes = [open = count] { return std::make_unique<CountedProcesses>(open); }};
};

// Why a test that leaves a thread behind cannot run here; "": it can.
inline std::string why_no_thread_may_stay() {
#ifdef __SANITIZE_THREAD__
  return "a thread that hangs is left behind, and nothing orders its last look before the end";
#else
  return "";
#endif
}

// The lines of SECTION, "LEVEL WHAT -> REMEDY".
inline std::vector<std::string> lines_of(const Section& section) {
  std::vector<std::string> lines;
  for (const Finding& one : section.findings)
    lines.push_back(std::string(to_string(one.level)) + " " + one.what +
                    (one.remedy.empty() ? "" : " -> " + one.remedy));
  return lines;
}

}  // namespace orch::doctor
