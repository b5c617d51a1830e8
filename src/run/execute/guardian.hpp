// The guardian process, parent of a launch: redacts the launch's log, writes its exit record, and
// ends its tree on request or if no orchestrator attaches within the grace period.
#pragma once

#include "core/base/result.hpp"
#include "core/secret/redact.hpp"
#include "os/system/files.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::execute {

// The descriptor of the socket that a guardian inherits from the process that started it.
inline constexpr int k_guardian_control = 3;

// Runs as a guardian until dismissed or signalled, or idle without an orchestrator; CONTROL is the
// inherited socket. Returns the process's exit status.
int serve_as_guardian(int control);

// The signals that tell a process to end: TERM, INT and HUP. From construction on they do not end
// this process, but can be read.
class EndSignals {
 public:
  EndSignals();

  // The errno if the signals could not be watched, so that take() always returns 0; else 0.
  int error() const { return error_; }
  int descriptor() const { return signals_.get(); }
  // How many of these signals have arrived since the last call, repeats of one not counted. Waits
  // up to WAIT_S for the first.
  int take(double wait_s = 0);

 private:
  system::Descriptor signals_;
  int error_ = 0;
};

// The pipe that a launch writes to and the log file to which its guardian copies it, with secrets
// redacted. The pipe is always drained: on a full disk text is lost, but the launch does not block.

// Use from one thread.
class LogPipe {
 public:
  // Appends to the file at PATH, or to standard output if PATH is "". Errors: the file cannot be
  // opened, or the pipe cannot be made.
  static Result<std::unique_ptr<LogPipe>> open(const std::string& path,
                                               std::vector<std::string> secrets);

  // The end for the launch. Call close_write_end() once the launch has its copy.
  int write_end() const { return write_end_.get(); }
  void close_write_end() { write_end_ = {}; }
  // Readable when there is text to drain; -1 once every writer is gone.
  int read_end() const { return read_end_.get(); }
  // Copies the available text, up to about the size of the pipe; does not wait for more.
  void drain();
  // Copies the rest, and adds a line about lost bytes if there were any.
  void finish();
  // The errno of the last write by which bytes were lost; 0: none were lost.
  int error() const { return lost_errno_; }

 private:
  LogPipe(system::Descriptor file, std::vector<std::string> secrets)
      : file_(std::move(file)), redactor_(secrets) {}
  void write(std::string_view text);
  void lose(std::size_t bytes, int why);

  system::Descriptor file_, read_end_, write_end_;
  secret::Redactor redactor_;
  bool may_block_ = false;  // true for standard output, which may be a pipe
  std::uint64_t lost_bytes_ = 0;
  int lost_errno_ = 0;
};

}  // namespace orch::execute
