#include "cluster/job_agent.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace orch::cluster {

std::optional<int> run_in_child(const std::function<int()>& agent) {
  // What the agent leaves becomes a child of this process.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  sigset_t watched, before, of_child;
  sigemptyset(&watched);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&watched, signal);
  ::sigprocmask(SIG_BLOCK, &watched, &before);
  of_child = watched;
  sigdelset(&of_child, SIGCHLD);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) return agent();
  if (child == 0) {
    // Without its parent it ends like a job that is told to stop.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    ::sigprocmask(SIG_SETMASK, &of_child, nullptr);
    if (::getppid() != parent) ::kill(::getpid(), SIGTERM);
    const int code = agent();
    std::fflush(nullptr);
    ::_exit(code);
  }
  int status = 0;
  for (bool ended = false; !ended;) {
    const int signal = ::sigwaitinfo(&watched, nullptr);
    if (signal > 0 && signal != SIGCHLD) ::kill(child, signal);
    int one = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &one, WNOHANG)) > 0;)
      if (pid == child) {
        ended = true;
        status = one;
      }
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

}  // namespace orch::cluster
