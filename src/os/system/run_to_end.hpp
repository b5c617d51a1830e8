// One call that runs a short command, such as a helper script, and collects its output. Knows
// nothing of what the command does; servers and builds belong to an executor.
#pragma once

#include "os/system/clock.hpp"
#include "os/system/process.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace orch::system {

struct Command {
  std::vector<std::string> argv;           // argv[0] is an absolute path or is found on env's PATH
  std::map<std::string, std::string> env;  // the whole environment; nothing else is inherited
  std::string work = "/";                  // working directory
  std::string input = {};                  // the command's standard input
  std::string token = {};                  // marks its processes; "": a new one
  double timeout_s = 60;
  double stop_s = 0;  // between TERM and KILL, when processes have to be ended
  std::size_t most_output_bytes = 64 << 10;  // of longer output, the end is kept
  // Its process group is killed when this process dies, by whatever signal.
  bool dies_with_caller = false;
  // Called at least every 0.1 s while the command runs; true: the command is ended.
  std::function<bool()> is_cancelled = {};
};

struct CommandResult {
  enum class End { exited, timed_out, cancelled };

  End end = End::exited;
  int code = -1;       // exit status; -1 when a signal ended the command or it did not exit
  int signal = 0;      // the signal that ended it; 0 when it exited
  std::string output;  // stdout
  std::string errors;  // stderr

  // The last line of stderr, or of stdout when stderr is empty: by convention why it failed.
  std::string reason() const;
};

// The last line that is not blank, without white space around it.
std::string last_line(std::string_view text);

// Runs COMMAND and blocks until it exits, times out or is cancelled. No process of its tree is left
// on return. Errors: the command could not be started, or another thread took its exit status by
// waiting for any child (PROCESSES.wait). Reaps the processes of this command and no other child;
// safe from several threads, each with a PROCESSES of its own.
Result<CommandResult> run_to_end(Processes& processes, Clock& clock, const Command& command);

}  // namespace orch::system
