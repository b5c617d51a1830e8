#include "run/execute/guardian_log.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace orch::execute {

namespace {

constexpr int k_pipe_bytes = 256 << 10;
constexpr int k_reader_ms = 1000;  // for the reader of the standard output to make room

}  // namespace

Result<std::unique_ptr<LogPipe>> LogPipe::open(const std::string& path,
                                               std::vector<std::string> secrets) {
  system::Descriptor file(path.empty() ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : -1);
  if (!path.empty()) {
    ORCH_ASSIGN(file, system::open_for_appending(path));
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return io_error("make a pipe for the log", path, errno);
  std::unique_ptr<LogPipe> log(new LogPipe(std::move(file), std::move(secrets)));
  log->may_block_ = path.empty();
  log->read_end_ = system::Descriptor(ends[0]);
  log->write_end_ = system::Descriptor(ends[1]);
  ::fcntl(ends[0], F_SETPIPE_SZ,
          k_pipe_bytes);  // refused beyond the user's limit: the pipe is then smaller
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return log;
}

void LogPipe::drain() {
  char buffer[64 << 10];
  for (int taken = 0; read_end_ && taken < k_pipe_bytes;) {
    const ssize_t count = ::read(read_end_.get(), buffer, sizeof buffer);
    if (count > 0) {
      taken += static_cast<int>(count);
      write(redactor_.feed({buffer, static_cast<std::size_t>(count)}));
    } else if (count == 0) {
      read_end_ = {};
    } else if (errno != EINTR) {
      return;
    }
  }
}

void LogPipe::finish() {
  drain();
  read_end_ = {};
  write(redactor_.finish(secret::End::cut));
  if (lost_bytes_ > 0)
    write(fmt::format("\n[orchestrate: {} bytes of this log were lost: {}]\n", lost_bytes_,
                      std::strerror(lost_errno_)));
  file_ = {};
}

void LogPipe::write(std::string_view text) {
  while (!text.empty()) {
    std::string_view part = text;
    if (may_block_) {
      // A pipe that has room has it for so much.
      part = text.substr(0, PIPE_BUF);
      pollfd room{file_.get(), POLLOUT, 0};
      if (::poll(&room, 1, k_reader_ms) <= 0) return lose(text.size(), EAGAIN);
    }
    const ssize_t count = ::write(file_.get(), part.data(), part.size());
    if (count > 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return lose(text.size(), count == 0 ? ENOSPC : errno);
    }
  }
}

void LogPipe::lose(std::size_t bytes, int why) {
  lost_errno_ = why;
  lost_bytes_ += bytes;
}

}  // namespace orch::execute
