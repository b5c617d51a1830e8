#include "os/system/launch.hpp"

#include "core/base/text.hpp"
#include "os/system/own_cgroup.hpp"
#include "os/system/process.hpp"
#include "os/system/tree_signal.hpp"

#include <csignal>

#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The C library's internal name of clone(). The thread sanitizer intercepts the public name as a
// fork, which would corrupt its state, because the child shares this process's memory.
extern "C" int __clone(int (*run)(void*), void* stack, int flags, void* argument, ...);

namespace orch::system {

namespace {

constexpr std::size_t k_stack_bytes = 64 << 10;

// Blocks all signals of this thread: a handler running in the child would run in this process's
// memory.
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

// The child shares the memory of this process while this thread is suspended. It makes only direct
// system calls: the thread sanitizer's wrappers would attribute them to this process.
#define ORCH_IN_CHILD __attribute__((no_sanitize("thread")))

[[noreturn]] ORCH_IN_CHILD void fail(Child& child, LaunchStep step) {
  child.failure.step = step;
  child.failure.error = errno;
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

// Whether FILE is a program that cannot run where it is.
bool is_on_noexec(const std::string& file) {
  struct stat facts {};
  struct statvfs mount {};
  return ::stat(file.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         (facts.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0 &&
         ::statvfs(file.c_str(), &mount) == 0 && (mount.f_flag & ST_NOEXEC) != 0;
}

bool write_to(const std::string& file, const char* text) {
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return out && ::write(out.get(), text, 1) == 1;
}

// The kinds of containment, and which of them work on this host.

constexpr Containment k_strongest_first[] = {Containment::cgroup, Containment::pid_namespace,
                                             Containment::session};

// A child that fails in its last step, because its program does not exist.
Child probe() {
  static char* const k_nothing[] = {nullptr};
  Child child;
  child.program = "/nowhere/orchestrate-probe";
  child.argv = child.env = k_nothing;
  child.work = "/";
  child.input = STDIN_FILENO;
  child.output = child.errors = STDERR_FILENO;
  return child;
}

bool reached_exec(const Child& child) {
  return child.failure.step == LaunchStep::run && child.failure.error == ENOENT;
}

bool cgroup_works() {
  const std::string folder = cgroup_of(new_token());
  if (folder.empty()) return false;
  auto procs = make_cgroup(folder);
  if (!procs) return false;
  Child child = probe();
  child.cgroup = procs->get();
  launch(child);
  kill_cgroup(folder);
  remove_cgroup(folder);
  return reached_exec(child) && ::access(folder.c_str(), F_OK) != 0;
}

bool pid_namespace_works() {
  Child child = probe();
  return launch_in_namespace(child) && reached_exec(child);
}

}  // namespace

Result<std::string> find_program(const std::string& name,
                                 const std::map<std::string, std::string>& env) {
  const auto path = env.find("PATH");
  std::vector<std::string> candidates = {name};
  if (name.find('/') == std::string::npos) {
    candidates = split(path == env.end() ? "/usr/bin:/bin" : path->second, ':');
    for (std::string& folder : candidates) folder += "/" + name;
  }
  for (const std::string& candidate : candidates)
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  if (const auto closed = std::ranges::find_if(candidates, is_on_noexec);
      closed != candidates.end())
    return Error{
        ErrorKind::not_found,
        fmt::format("cannot run '{}': nothing can be executed on its file system, which is "
                    "mounted with noexec",
                    *closed)};
  return Error{ErrorKind::not_found,
               fmt::format("cannot run '{}': no such program, or it is not executable", name)};
}

Error launch_error(const std::string& program, const LaunchFailure& failure,
                   const std::string& work) {
  std::string where;
  if (failure.step == LaunchStep::map_users) where = " in a user namespace of its own";
  if (failure.step == LaunchStep::enter_cgroup) where = " in a cgroup of its own";
  if (failure.step == LaunchStep::enter_work) where = fmt::format(" in the folder '{}'", work);
  return {ErrorKind::io, fmt::format("cannot run '{}'{}: {}", program, where,
                                     std::generic_category().message(failure.error))};
}

ORCH_IN_CHILD void set_limit_mark(std::optional<std::uint64_t> mark) {
  if (!mark) return;
  // Fails if a smaller limit is set and may not be raised; then the environment is the only mark.
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
    child.failure = {LaunchStep::run, errno};
    return 0;
  }
  if (child.failure.step == LaunchStep::none) return pid;
  ::waitpid(pid, nullptr, 0);
  return 0;
}

std::string cgroup_of(const std::string& token) {
  static const std::optional<OwnCgroup> k_own = own_cgroup("");
  return !k_own || token.empty() ? "" : k_own->folder + "/orchestrate-" + token;
}

Result<Descriptor> make_cgroup(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0755) != 0) return io_error("make the cgroup", folder, errno);
  Descriptor procs(::open((folder + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (procs) return procs;
  const int error = errno;
  remove_cgroup(folder);
  return io_error("enter the cgroup", folder, error);
}

bool cgroup_populated(const std::string& folder) {
  return read_proc(folder + "/cgroup.events").find("populated 1") != std::string::npos;
}

bool kill_cgroup(const std::string& folder) {
  if (write_to(folder + "/cgroup.kill", "1")) return true;
  write_to(folder + "/cgroup.freeze", "1");
  return false;
}

void remove_cgroup(const std::string& folder) {
  if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) return;
  DIR* names = ::opendir(folder.c_str());
  if (!names) return;
  while (const dirent* entry = ::readdir(names))
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
      remove_cgroup(folder + "/" + entry->d_name);
  ::closedir(names);
  ::rmdir(folder.c_str());
}

bool is_available(Containment containment) {
  switch (containment) {
    case Containment::cgroup: {
      static const bool works = cgroup_works();
      return works;
    }
    case Containment::pid_namespace: {
      static const bool works = pid_namespace_works();
      return works;
    }
    case Containment::session: return true;
  }
  return false;
}

Containment strongest_containment() {
  return *std::ranges::find_if(k_strongest_first, is_available);
}

}  // namespace orch::system
