// The init of a PID namespace: a forked copy of the calling process that runs only the code of this
// file.
#include "core/base/text.hpp"
#include "os/system/launch.hpp"
#include "os/system/tree_signal.hpp"

#include <csignal>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::system {

namespace {

// The descriptors that init keeps in addition to 0, 1 and 2.
constexpr int k_report = 3;
constexpr int k_host_proc = 4;

constexpr const char* k_init_name = "orch-init";

struct Init {
  Child& child;
  int report;  // the pipe to the process that starts init
  int reader;  // that process's end of it
  bool own_users;
  uid_t uid;
  gid_t gid;
};

bool write_file(const char* file, const char* text) {
  const int out = ::open(file, O_WRONLY | O_CLOEXEC);
  if (out < 0) return false;
  const bool written = ::write(out, text, std::strlen(text)) >= 0;
  const int error = errno;
  ::close(out);
  errno = error;
  return written;
}

bool map_own_id(const char* file, unsigned id) {
  char text[64];
  std::snprintf(text, sizeof text, "%u %u 1", id, id);
  return write_file(file, text);
}

// Without a map, the processes of the namespace would have no right to this user's files.
void map_own_ids(const Init& init) {
  (void)write_file("/proc/self/setgroups", "deny");
  if (map_own_id("/proc/self/uid_map", init.uid) && map_own_id("/proc/self/gid_map", init.gid))
    return;
  const LaunchFailure refused{LaunchStep::map_users, errno};
  (void)!::write(init.report, &refused, sizeof refused);
  ::_exit(1);
}

// Makes init die with the thread that started it, or immediately if that process is already dead:
// then the pipe has no reader.
void die_with_parent(const Init& init) {
  ::close(init.reader);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd pipe{init.report, 0, 0};
  if (::poll(&pipe, 1, 0) != 0) ::_exit(1);
}

template <class T> bool send_report(const T& what) {
  return ::write(k_report, &what, sizeof what) == sizeof what;
}

// All signals are blocked. Signals from outside are forwarded; children that end are reaped.
[[noreturn]] void serve(pid_t leader) {
  sigset_t all;
  sigfillset(&all);
  while (true) {
    NamespaceExit end;
    for (pid_t pid = ::wait4(-1, &end.status, WNOHANG, &end.usage); pid > 0;
         pid = ::wait4(-1, &end.status, WNOHANG, &end.usage))
      if (pid == leader) ::_exit(send_report(end) ? 0 : 1);
    siginfo_t info{};
    const int number = ::sigwaitinfo(&all, &info);
    if (number > 0 && number != SIGCHLD && info.si_pid == 0) ::kill(-1, number);
  }
}

void move_descriptor(int descriptor, int number) {
  if (descriptor == number) ::fcntl(number, F_SETFD, FD_CLOEXEC);
  else if (descriptor < 0 || ::dup3(descriptor, number, O_CLOEXEC) < 0) ::close(number);
}

[[noreturn]] void run_init(const Init& init) {
  if (init.own_users) map_own_ids(init);
  die_with_parent(init);
  ::signal(SIGCHLD, SIG_DFL);
  ::setsid();
  ::prctl(PR_SET_NAME, k_init_name);
  ::dup2(init.child.input, STDIN_FILENO);
  ::dup2(init.child.output, STDOUT_FILENO);
  ::dup2(init.child.errors, STDERR_FILENO);
  move_descriptor(init.report, k_report);
  move_descriptor(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC), k_host_proc);
  close_from(k_host_proc + 1, false);
  // Later mounts of the host are visible here, but not the reverse.
  ::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr);
  ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
          nullptr);  // if this is forbidden, the host's /proc stays
  if (init.child.limit_mark) {
    const rlimit mark{*init.child.limit_mark, *init.child.limit_mark};
    ::setrlimit(RLIMIT_LOCKS, &mark);
  }
  init.child.input = STDIN_FILENO;
  init.child.output = STDOUT_FILENO;
  init.child.errors = STDERR_FILENO;
  const pid_t leader = launch(init.child);
  if (!send_report(init.child.failure) || leader == 0) ::_exit(1);
  serve(leader);
}

pid_t fork_into_namespace(const Init& init) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const long flags = CLONE_NEWPID | CLONE_NEWNS | SIGCHLD | (init.own_users ? CLONE_NEWUSER : 0);
#if defined(__s390x__)
  const auto pid =
      static_cast<pid_t>(::syscall(SYS_clone, nullptr, flags, nullptr, nullptr, nullptr));
#else
  const auto pid =
      static_cast<pid_t>(::syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr));
#endif
  if (pid == 0) run_init(init);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

}  // namespace

std::string host_proc() {
  const std::string kept = fmt::format("/proc/1/fd/{}", k_host_proc);
  return trim(read_proc("/proc/1/comm")) == k_init_name && !read_proc(kept + "/self/stat").empty()
             ? kept
             : "/proc";
}

Result<NamespaceLaunch> launch_in_namespace(Child& child) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return io_error("make a pipe for", child.program, errno);
  Descriptor report(ends[0]), write_end(ends[1]);
  Init init{.child = child,
            .report = write_end.get(),
            .reader = report.get(),
            .own_users = false,
            .uid = ::geteuid(),
            .gid = ::getegid()};
  pid_t pid = fork_into_namespace(init);
  if (pid < 0 && errno == EPERM) {
    init.own_users = true;
    pid = fork_into_namespace(init);
  }
  if (pid < 0) return io_error("make a PID namespace for", child.program, errno);
  write_end = Descriptor();
  LaunchFailure begun{LaunchStep::run, ECHILD};  // unchanged if init dies before it reports
  ssize_t got = 0;
  do got = ::read(report.get(), &begun, sizeof begun);
  while (got < 0 && errno == EINTR);
  if (got == sizeof begun && begun.step == LaunchStep::none)
    return NamespaceLaunch{pid, std::move(report)};
  ::waitpid(pid, nullptr, 0);
  child.failure = begun;
  return NamespaceLaunch{};
}

}  // namespace orch::system
