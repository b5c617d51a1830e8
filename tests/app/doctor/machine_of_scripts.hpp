// A machine whose programs are scripts in one folder, the only one on PATH.
#pragma once

#include "app/doctor/finding.hpp"
#include "app/session/project_of_files.hpp"

#include <filesystem>
#include <fstream>

namespace orch::doctor {

class MachineOfScripts {
 public:
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

  fakes::TempFolder folder;
  session::NoHttp http;
  system::RealFiles files;
  static inline system::RealClock clock;  // a thread that waits for a program outlives a test
  system::RealProcesses processes;
  system::RealWorkers workers;
  session::World world{.files = files,
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
                       .open_processes = [] { return std::make_unique<system::RealProcesses>(); }};
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
