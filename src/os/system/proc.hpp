// Processes as /proc shows them. Reads only; knows neither trees nor signals.
#pragma once

#include "os/system/process.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orch::system {

struct ProcessFacts {
  ProcessId id;  // start_ticks: 0 where it was not read
  int group = 0;
  int session = 0;
  bool ended = false;   // a zombie: waits to be reaped
  bool marked = false;  // carries a tree's mark; set by those who look for one
  int parent = 0;
  bool has_terminal = false;
};

// Everything about PID but `marked`. Empty: there is no such process. PROC is /proc or the host's,
// see host_proc().
std::optional<ProcessFacts> process_facts(int pid, const std::string& proc = "/proc");
// Calls VISIT for each process except the calling one.
void for_each_process(const std::function<void(int pid)>& visit, const std::string& proc = "/proc");
// The number of the calling process in PROC.
int own_pid(const std::string& proc);
// The fields of a file stat of a process or thread from field 3 on, the state; empty if it cannot
// be read. The name, field 2, may itself hold spaces and parentheses.
std::vector<std::string> stat_fields(const std::string& path);
// The whole text of a file; "" when it cannot be opened.
std::string read_proc(const std::string& path);

}  // namespace orch::system
