#include "os/system/run_to_end.hpp"

#include "core/base/text.hpp"
#include "os/system/files.hpp"
#include "os/system/launch.hpp"
#include "os/system/tree_signal.hpp"

#include <csignal>

#ifdef _LIBCPP_VERSION
// Boost 1.74 uses std::unary_function and std::result_of, which libc++ no longer has.
#define BOOST_NO_CXX98_FUNCTION_BASE
#define BOOST_ASIO_HAS_STD_INVOKE_RESULT 1
#endif
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/error.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/posix.hpp>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::system {

namespace {

namespace bp = boost::process;

constexpr double k_longest_wait_s = 0.1;
constexpr double k_end_s = 2;

// A pipe with a non-blocking read end, and the last bytes written to it.
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
    // Does not erase after every block, because that moves the text.
    if (text_.size() > 2 * most_bytes_ + block.size()) text_.erase(0, text_.size() - most_bytes_);
  }

  std::size_t most_bytes_;
  Descriptor read_end_, write_end_;
  std::string text_;
};

// TEXT as an unnamed file positioned at its beginning.
Result<Descriptor> input_file(std::string_view text) {
  Descriptor file(::memfd_create("orchestrate-input", MFD_CLOEXEC));
  if (!file) return io_error("make the input of", "a command", errno);
  ORCH_TRY(write_all(file.get(), text, "write the input of", "a command"));
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// The additions of this project to a launch by Boost.Process: a session, the marks of a tree,
// default signals, an error for a missing working directory, a report of the step that failed, and
// closing all other descriptors. Boost's limit_handles would do the last, but allocates after
// fork().
class TreeChild : public bp::extend::handler {
 public:
  TreeChild(const std::string& work, std::optional<std::uint64_t> mark, int report)
      : work_(work.c_str()), mark_(mark), report_(report) {}

  template <class Executor> void on_exec_setup(Executor&) const {
    ::setsid();
    set_limit_mark(mark_);
    if (::chdir(work_) != 0) fail(LaunchStep::enter_work);
    use_default_signals();
    close_from(3, true);
  }

  template <class Executor> void on_exec_error(Executor&, const std::error_code& code) const {
    errno = code.value();
    fail(LaunchStep::run);
  }

 private:
  [[noreturn]] void fail(LaunchStep step) const {
    const LaunchFailure failure{step, errno};
    static_cast<void>(!::write(report_, &failure, sizeof failure));
    ::_exit(127);
  }

  const char* work_;
  std::optional<std::uint64_t> mark_;
  int report_;
};

// Uses set(), because operator [] searches beyond the end of shorter entries.
bp::environment environment_of(const Command& command, const std::string& token) {
  bp::environment env;
  for (const auto& [name, value] : command.env) env.set(name, value);
  env.set(k_token_variable, token);
  return env;
}

// The leader of a command's tree, and the marks by which its other processes are found.
class Leader {
 public:
  Status start(const Command& command, int input, int output, int errors) {
    ORCH_ASSIGN(const std::string program, find_program(command.argv.at(0), command.env));
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return io_error("make a pipe for", program, errno);
    const Descriptor report(ends[0]);
    Descriptor report_write(ends[1]);
    tree_.token = command.token.empty() ? new_token() : command.token;
    tree_.boot_id = boot_id();
    std::error_code code;
    child_ = bp::child(bp::exe = program,
                       bp::args = std::vector(command.argv.begin() + 1, command.argv.end()),
                       environment_of(command, tree_.token), bp::posix::fd.bind(0, input),
                       bp::posix::fd.bind(1, output), bp::posix::fd.bind(2, errors),
                       TreeChild(command.work, limit_mark(tree_.token), report_write.get()), code);
    if (code) return launch_error(program, {LaunchStep::run, code.value()}, command.work);
    report_write = {};
    LaunchFailure failure;
    if (read_report(report.get(), failure)) {
      child_.wait(code);
      return launch_error(program, failure, command.work);
    }
    tree_.leader = identify(child_.id()).value_or(ProcessId{child_.id(), 0});
    exit_event_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, child_.id(), 0)));
    return {};
  }

  const Tree& tree() const { return tree_; }
  // Readable once the leader has ended; -1 after that, and on an old kernel.
  int exit_event() const { return exit_event_.get(); }

  // Leaves the leader unreaped, so that its pid is not reused while its tree is being ended.
  bool has_ended() {
    siginfo_t info{};
    const int found =
        ::waitid(P_PID, static_cast<id_t>(child_.id()), &info, WEXITED | WNOHANG | WNOWAIT);
    if (found == 0 && info.si_pid == 0) return false;
    exit_event_ = {};
    return true;
  }

  // Reaps the leader, which has ended, and the orphans of its tree adopted by this process.
  Status reap(CommandResult& result) {
    reap_orphans();
    std::error_code code;
    child_.wait(code);  // does not block, and unlike wait_for() leaves the SIGCHLD handler alone
    if (code)
      return Error{ErrorKind::io,
                   fmt::format("another thread took the exit status of process {}", child_.id())};
    if (result.end != CommandResult::End::exited) return {};
    const int status = child_.native_exit_code();
    if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    return {};
  }

 private:
  // Blocks until the child has started its program or failed to.
  static bool read_report(int report, LaunchFailure& failure) {
    ssize_t count = 0;
    do count = ::read(report, &failure, sizeof failure);
    while (count < 0 && errno == EINTR);
    return count == sizeof failure;
  }

  void reap_orphans() const {
    const TreeMark mark(tree_);
    for_each_process([&](int pid) {
      if (pid == child_.id()) return;
      const auto facts = process_facts(pid);
      if (facts && facts->ended && facts->parent == ::getpid() &&
          (facts->session == child_.id() || mark.in_limits_of(pid)))
        ::waitpid(pid, nullptr, WNOHANG);
    });
  }

  bp::child child_;
  Tree tree_;
  Descriptor exit_event_;
};

// Kills the process group of a command whose caller dies: a child that waits for end of file on a
// pipe that only this process holds open.
class Watchdog {
 public:
  Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  void watch(int group) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    const Descriptor read_end(ends[0]);
    held_ = Descriptor(ends[1]);
    pid_ = ::fork();
    if (pid_ == 0) wait_for_end(read_end.get(), group);
  }

 private:
  // Other threads may have held locks at the fork: only async-signal-safe functions may be called.
  [[noreturn]] static void wait_for_end(int read_end, int group) {
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::setsid();
    ::dup2(read_end, STDIN_FILENO);
    close_from(STDIN_FILENO + 1, false);
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) {
    }
    ::kill(-group, SIGKILL);
    ::_exit(0);
  }

  pid_t pid_ = -1;
  Descriptor held_;
};

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
    ORCH_TRY(leader_.start(command_, input.get(), output_.write_end(), errors_.write_end()));
    output_.close_write_end();
    errors_.close_write_end();
    if (command_.dies_with_caller) watchdog_.watch(leader_.tree().leader.pid);
    return {};
  }

  Result<CommandResult> finish() {
    using End = CommandResult::End;
    CommandResult result;
    const double until_s = clock_.now_s() + command_.timeout_s;
    while (!leader_.has_ended()) {
      if (command_.is_cancelled && command_.is_cancelled()) result.end = End::cancelled;
      else if (clock_.now_s() > until_s) result.end = End::timed_out;
      if (result.end != End::exited) break;
      wait(std::min(k_longest_wait_s, until_s - clock_.now_s()));
    }
    end_tree();
    ORCH_TRY(leader_.reap(result));
    result.output = output_.take();
    result.errors = errors_.take();
    return result;
  }

 private:
  // Waits until there is output, the leader ends, a signal arrives, or WAIT_S have passed. A
  // descriptor of -1 is ignored.
  void wait(double wait_s) {
    pollfd events[] = {{output_.read_end(), POLLIN, 0},
                       {errors_.read_end(), POLLIN, 0},
                       {leader_.exit_event(), POLLIN, 0}};
    ::poll(events, std::size(events), static_cast<int>(std::max(0.0, wait_s) * 1000) + 1);
    output_.drain();
    errors_.drain();
  }

  void end_tree() {
    const double kill_at_s = clock_.now_s() + command_.stop_s;
    const Tree& tree = leader_.tree();
    if (command_.stop_s > 0 && processes_.alive(tree)) processes_.signal(tree, SIGTERM);
    while (clock_.now_s() < kill_at_s && processes_.alive(tree)) {
      static_cast<void>(leader_.has_ended());
      wait(k_longest_wait_s / 2);
    }
    while (!processes_.end(tree, k_end_s)) {
    }
  }

  Processes& processes_;
  Clock& clock_;
  const Command& command_;
  OutputPipe output_, errors_;
  Leader leader_;
  Watchdog watchdog_;
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
