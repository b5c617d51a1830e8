#include "system/process.hpp"

#include "base/text.hpp"
#include "system/files.hpp"

#include <boost/process.hpp>
#include <boost/process/extend.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

namespace orch::system {

namespace bp = boost::process;

namespace {

std::string read_small(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// In the child, between fork and exec: only async-signal-safe calls.
struct OwnSession : bp::extend::handler {
  int log_fd;
  explicit OwnSession(int fd) : log_fd(fd) {}

  template <class Executor>
  void on_exec_setup(Executor&) const {
    ::setsid();
    ::dup2(log_fd, STDOUT_FILENO);
    ::dup2(log_fd, STDERR_FILENO);
    // Whatever our own parent left open to us ends here. Kernels before 5.11 do not know the flag; then it stays.
    ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT}) ::signal(number, SIG_DFL);
  }
};

std::optional<std::string> find_program(const std::string& name, const std::map<std::string, std::string>& env) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
  const auto path = env.find("PATH");
  for (const std::string& folder : split(path == env.end() ? "/usr/bin:/bin" : path->second, ':')) {
    const std::string candidate = folder + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

// Processes whose environment carries our mark. Reading another user's environment fails: those are not ours.
std::vector<int> processes_with(const std::string& token) {
  const std::string mark = std::string(k_token_variable) + "=" + token;
  std::vector<int> found;
  DIR* proc = ::opendir("/proc");
  if (!proc) return found;
  while (const dirent* entry = ::readdir(proc)) {
    const auto pid = to_integer(entry->d_name);
    if (!pid || *pid == ::getpid()) continue;
    const std::string environment = read_small(fmt::format("/proc/{}/environ", *pid));
    const auto at = environment.find(mark);
    if (at == std::string::npos || (at != 0 && environment[at - 1] != '\0')) continue;
    if (at + mark.size() < environment.size() && environment[at + mark.size()] != '\0') continue;
    found.push_back(static_cast<int>(*pid));
  }
  ::closedir(proc);
  return found;
}

}  // namespace

std::uint64_t start_ticks_of(int pid) {
  const std::string stat = read_small(fmt::format("/proc/{}/stat", pid));
  const auto name_end = stat.rfind(')');  // the name may itself hold spaces and parentheses
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(stat.substr(name_end + 2));
  std::string field;
  for (int i = 3; i <= 22; ++i) rest >> field;
  return static_cast<std::uint64_t>(to_integer(field).value_or(0));
}

RealProcesses::RealProcesses() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

Result<ProcessId> RealProcesses::spawn(const Spawn& spawn) {
  const auto program = find_program(spawn.argv.at(0), spawn.env);
  if (!program) return Error{ErrorKind::not_found, fmt::format("cannot run '{}': no such program, or it is not executable", spawn.argv[0]), {}};
  const Descriptor log(::open(spawn.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!log) return io_error("open the log", spawn.log, errno);
  bp::environment environment;
  for (const auto& [name, value] : spawn.env) environment[name] = value;
  environment[k_token_variable] = spawn.token;
  std::error_code code;
  bp::child child(bp::exe = *program, bp::args = std::vector<std::string>(spawn.argv.begin() + 1, spawn.argv.end()), environment,
                  bp::start_dir = spawn.work, bp::std_in < bp::null, OwnSession(log.get()), code);
  if (code) return Error{ErrorKind::io, fmt::format("cannot run '{}': {}", *program, code.message()), {}};
  const int pid = child.id();
  child.detach();
  const Child started{{pid, start_ticks_of(pid)}, static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  if (started.pidfd >= 0) ::fcntl(started.pidfd, F_SETFD, FD_CLOEXEC);
  children_.push_back(started);
  return started.id;
}

std::vector<Exit> RealProcesses::wait(double wait_s) {
  std::vector<pollfd> waits;
  for (const Child& child : children_) waits.push_back({child.pidfd, POLLIN, 0});
  ::poll(waits.data(), waits.size(), static_cast<int>(wait_s * 1000));
  auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6; };
  std::vector<Exit> exits;
  int status = 0;
  rusage usage{};
  for (pid_t pid = ::wait4(-1, &status, WNOHANG, &usage); pid > 0; pid = ::wait4(-1, &status, WNOHANG, &usage)) {
    const auto child = std::find_if(children_.begin(), children_.end(), [&](const Child& one) { return one.id.pid == pid; });
    if (child == children_.end()) continue;  // an orphan that fell to us
    Exit exit{.process = child->id};
    if (WIFEXITED(status)) exit.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) exit.signal = WTERMSIG(status);
    exit.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    exit.max_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    exits.push_back(exit);
    if (child->pidfd >= 0) ::close(child->pidfd);
    children_.erase(child);
  }
  return exits;
}

void RealProcesses::signal_tree(const ProcessId& leader, const std::string& token, int signal) {
  const bool leads = leader.pid > 1 && leader.start_ticks != 0 && start_ticks_of(leader.pid) == leader.start_ticks;
  if (leads) ::kill(-leader.pid, signal);
  for (const int pid : processes_with(token))
    if (!leads || ::getpgid(pid) != leader.pid) ::kill(pid, signal);  // the group had it already
}

bool RealProcesses::tree_alive(const ProcessId& leader, const std::string& token, bool thorough) {
  // A group's number is not given to anybody else while a member is left. The members are ours to reap, so nobody
  // stays in it as a zombie.
  if (!thorough) return leader.pid > 1 && ::kill(-leader.pid, 0) == 0;
  return !processes_with(token).empty();
}

}  // namespace orch::system
