// The pipe that a launch writes into and the file that its guardian writes it to, secrets blacked
// out. Always drained: a full disk loses text, it never blocks who writes. Knows nothing of
// processes.
#pragma once

#include "base/result.hpp"
#include "execute/redact.hpp"
#include "system/files.hpp"

#include <memory>
#include <string>
#include <vector>

namespace orch::execute {

class LogPipe {
 public:
  // Appends to the file at PATH.
  static Result<std::unique_ptr<LogPipe>> open(const std::string& path,
                                               std::vector<std::string> secrets);

  // For the launch; ours is closed when it has its own.
  int write_end() const { return write_end_.get(); }
  void close_write_end() { write_end_ = {}; }
  // Readable when there is something to drain; -1 when everybody who wrote is gone.
  int read_end() const { return read_end_.get(); }
  // Takes what is there, without waiting, at most about a pipe's worth.
  void drain();
  // The last of it. What was lost is said in the file's last line.
  void finish();

 private:
  LogPipe(system::Descriptor file, std::vector<std::string> secrets)
      : file_(std::move(file)), redactor_(secrets) {}
  void write(std::string_view text);

  system::Descriptor file_, read_end_, write_end_;
  Redactor redactor_;
  std::uint64_t lost_bytes_ = 0;
  int lost_why_ = 0;
};

}  // namespace orch::execute
