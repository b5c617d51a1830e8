#include "system/run_to_end.hpp"

#include "base/text.hpp"
#include "system/files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

namespace orch::system {

namespace {

constexpr double k_longest_wait_s = 0.1;
constexpr double k_end_s = 2;

// A pipe whose read end does not block, and the end of what was written into it.
class OutputPipe {
 public:
  explicit OutputPipe(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  Status open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return io_error("make a pipe for", "a command", errno);
    read_end_ = Descriptor(ends[0]);
    write_end_ = Descriptor(ends[1]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return {};
  }

  int write_end() const { return write_end_.get(); }
  int read_end() const { return read_end_.get(); }  // -1 once every writer has closed the pipe
  void close_write_end() { write_end_ = {}; }

  void drain() {
    char block[16 << 10];
    while (read_end_) {
      const ssize_t count = ::read(read_end_.get(), block, sizeof block);
      if (count > 0) keep({block, static_cast<std::size_t>(count)});
      else if (count == 0) read_end_ = {};
      else if (errno != EINTR) return;
    }
  }

  std::string take() {
    drain();
    if (text_.size() > most_bytes_) text_.erase(0, text_.size() - most_bytes_);
    return std::move(text_);
  }

 private:
  void keep(std::string_view block) {
    text_ += block;
    // Not with every block: erasing moves the text.
    if (text_.size() > 2 * most_bytes_ + block.size()) text_.erase(0, text_.size() - most_bytes_);
  }

  std::size_t most_bytes_;
  Descriptor read_end_, write_end_;
  std::string text_;
};

// TEXT as a file without a name, to be read from its beginning.
Result<Descriptor> input_file(std::string_view text) {
  Descriptor file(::memfd_create("orchestrate-input", MFD_CLOEXEC));
  if (!file) return io_error("make the input of", "a command", errno);
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_error("write the input of", "a command", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

class Running {
 public:
  Running(Processes& processes, Clock& clock, const Command& command)
      : processes_(processes),
        clock_(clock),
        command_(command),
        output_(command.most_output_bytes),
        errors_(command.most_output_bytes) {}

  Status start() {
    ORCH_TRY(output_.open());
    ORCH_TRY(errors_.open());
    ORCH_ASSIGN(const Descriptor input, input_file(command_.input));
    ORCH_ASSIGN(tree_, processes_.spawn({.argv = command_.argv,
                                         .env = command_.env,
                                         .work = command_.work,
                                         .log = output_.write_end(),
                                         .input = input.get(),
                                         .errors = errors_.write_end(),
                                         .token = new_token()}));
    output_.close_write_end();
    errors_.close_write_end();
    leader_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, tree_.leader.pid, 0)));
    return {};
  }

  CommandResult finish() {
    using End = CommandResult::End;
    CommandResult result;
    const double until_s = clock_.now_s() + command_.timeout_s;
    while (!look_for_exit(result)) {
      if (command_.is_cancelled && command_.is_cancelled()) result.end = End::cancelled;
      else if (clock_.now_s() > until_s) result.end = End::timed_out;
      if (result.end != End::exited) break;
      wait(std::min(k_longest_wait_s, until_s - clock_.now_s()));
    }
    end_tree();
    result.output = output_.take();
    result.errors = errors_.take();
    return result;
  }

 private:
  bool look_for_exit(CommandResult& result) {
    output_.drain();
    errors_.drain();
    for (const Exit& exit : processes_.wait(0)) {
      if (exit.process != tree_.leader) continue;
      result.code = exit.code;
      result.signal = exit.signal;
      return true;
    }
    return false;
  }

  // Until there is output, the leader ends, a signal arrives, or WAIT_S are over. A descriptor of
  // -1 is ignored.
  void wait(double wait_s) const {
    pollfd events[] = {{output_.read_end(), POLLIN, 0},
                       {errors_.read_end(), POLLIN, 0},
                       {leader_.get(), POLLIN, 0}};
    ::poll(events, std::size(events), static_cast<int>(std::max(0.0, wait_s) * 1000) + 1);
  }

  void end_tree() {
    const double kill_at_s = clock_.now_s() + command_.stop_s;
    if (command_.stop_s > 0 && processes_.alive(tree_)) processes_.signal(tree_, SIGTERM);
    while (clock_.now_s() < kill_at_s && processes_.alive(tree_)) {
      static_cast<void>(processes_.wait(k_longest_wait_s / 2));
      output_.drain();
      errors_.drain();
    }
    while (!processes_.end(tree_, k_end_s)) {
    }
  }

  Processes& processes_;
  Clock& clock_;
  const Command& command_;
  OutputPipe output_, errors_;
  Tree tree_;
  Descriptor leader_;  // readable once the leader has ended; not open on an old kernel
};

}  // namespace

std::string last_line(std::string_view text) {
  const std::string_view all = trim(text);
  const std::size_t line = all.rfind('\n');
  return std::string(trim(line == std::string_view::npos ? all : all.substr(line + 1)));
}

std::string CommandResult::reason() const {
  const std::string line = last_line(errors);
  return line.empty() ? last_line(output) : line;
}

Result<CommandResult> run_to_end(Processes& processes, Clock& clock, const Command& command) {
  Running running(processes, clock, command);
  ORCH_TRY(running.start());
  return running.finish();
}

}  // namespace orch::system
