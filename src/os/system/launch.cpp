#include "os/system/launch.hpp"

#include "core/base/text.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

// The C library's internal name of clone(). The thread sanitizer intercepts the public name as a
// fork and would corrupt its state, because the child shares our memory.
extern "C" int __clone(int (*run)(void*), void* stack, int flags, void* argument, ...);

namespace orch::system {

namespace {

constexpr std::size_t k_stack_bytes = 64 << 10;

// Blocks every signal of this thread: a handler that runs in the child would run in our memory.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// The child shares our memory while this thread is suspended. It only makes system calls, and
// directly: the thread sanitizer's wrappers would attribute them to this process.
#define ORCH_IN_CHILD __attribute__((no_sanitize("thread")))

[[noreturn]] ORCH_IN_CHILD void fail(Child& child, LaunchStep step) {
  child.failed = step;
  child.error = errno;
  while (true) ::syscall(SYS_exit_group, 127);
}

ORCH_IN_CHILD int run_child(void* argument) {
  Child& child = *static_cast<Child*>(argument);
  ::syscall(SYS_setsid);
  ::syscall(SYS_dup3, child.input, STDIN_FILENO, 0);
  ::syscall(SYS_dup3, child.output, STDOUT_FILENO, 0);
  ::syscall(SYS_dup3, child.errors, STDERR_FILENO, 0);
  close_from(3, true);
  if (child.cgroup >= 0 && ::syscall(SYS_write, child.cgroup, "0", 1) != 1)
    fail(child, LaunchStep::enter_cgroup);
  set_limit_mark(child.limit_mark);
  if (::syscall(SYS_chdir, child.work) != 0) fail(child, LaunchStep::enter_work);
  use_default_signals();
  ::syscall(SYS_execve, child.program, child.argv, child.env);
  fail(child, LaunchStep::run);
}

}  // namespace

std::optional<std::string> find_program(const std::string& name,
                                        const std::map<std::string, std::string>& env) {
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
  const auto path = env.find("PATH");
  for (const std::string& folder : split(path == env.end() ? "/usr/bin:/bin" : path->second, ':')) {
    const std::string candidate = folder + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

ORCH_IN_CHILD void set_limit_mark(std::optional<std::uint64_t> mark) {
  if (!mark) return;
  // Refused where a smaller limit is set and may not be raised; then the environment is the only
  // mark.
  const std::uint64_t limits[] = {*mark, *mark};
  ::syscall(SYS_prlimit64, 0, RLIMIT_LOCKS, limits, nullptr);
}

ORCH_IN_CHILD void use_default_signals() {
  // The kernel's own structure: the C library refuses to reset the two signals that it reserves.
  static constexpr struct {
    void* handler;
    unsigned long flags;
    void* restorer;
    unsigned long mask;
  } usual{};
  for (int number = 1; number < NSIG; ++number)
    ::syscall(SYS_rt_sigaction, number, &usual, nullptr, sizeof usual.mask);
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &usual.mask, nullptr, sizeof usual.mask);
}

ORCH_IN_CHILD void close_from(int first, bool by_exec) {
  if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U,
                by_exec ? CLOSE_RANGE_CLOEXEC : 0U) == 0)
    return;
  rlimit most{};  // kernels before 5.11
  ::getrlimit(RLIMIT_NOFILE, &most);
  for (int fd = first; fd < static_cast<int>(std::min<rlim_t>(most.rlim_cur, 65536)); ++fd)
    by_exec ? ::fcntl(fd, F_SETFD, FD_CLOEXEC) : ::close(fd);
}

pid_t launch(Child& child) {
  const auto stack = std::make_unique_for_overwrite<char[]>(k_stack_bytes);
  const SignalsBlocked blocked;
  const pid_t pid =
      ::__clone(run_child, stack.get() + k_stack_bytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
  if (pid < 0) {
    child.failed = LaunchStep::run;
    child.error = errno;
    return 0;
  }
  if (child.failed == LaunchStep::none) return pid;
  ::waitpid(pid, nullptr, 0);
  return 0;
}

}  // namespace orch::system
