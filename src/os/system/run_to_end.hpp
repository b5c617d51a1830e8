// Runs a short command, such as a helper script, and collects its output. Servers and builds are
// started by an executor instead.
#pragma once

#include "os/system/clock.hpp"
#include "os/system/process.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orch::system {

struct Command {
  std::vector<std::string> argv;           // argv[0]: absolute path, or found on env's PATH
  std::map<std::string, std::string> env;  // the whole environment; nothing else is inherited
  std::string work = "/";                  // working directory
  std::string input = {};                  // the command's standard input
  std::string token = {};                  // marks its processes; "": a new one
  double timeout_s = 60;
  double stop_s = 0;                         // between TERM and KILL, if processes have to be ended
  std::size_t most_output_bytes = 64 << 10;  // of longer output only the end is kept
  // The command's process group is killed if this process dies from any signal.
  bool dies_with_caller = false;
  // Polled at least every 0.1 s while the command runs; true ends the command.
  std::function<bool()> is_cancelled = {};
};

struct CommandResult {
  enum class End { exited, timed_out, cancelled };

  End end = End::exited;
  int code = -1;       // exit status; -1 if a signal ended the command or it did not exit
  int signal = 0;      // the signal that ended it; 0 if it exited
  std::string output;  // stdout
  std::string errors;  // stderr

  // The last line of stderr, or of stdout if stderr is empty: by convention the cause of the
  // failure.
  std::string reason() const;
};

// The last non-blank line, trimmed.
std::string last_line(std::string_view text);

// Runs COMMAND and blocks until it exits, times out or is cancelled. No process of its tree is left
// on return. Errors: the command could not be started, or another thread took its exit status by
// waiting for any child (PROCESSES.wait). Reaps only the processes of this command; safe from
// several threads if each has its own PROCESSES.
Result<CommandResult> run_to_end(Processes& processes, Clock& clock, const Command& command);

}  // namespace orch::system
