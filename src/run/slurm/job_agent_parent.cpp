#include "run/execute/exit_record.hpp"
#include "run/execute/guardian_launch.hpp"
#include "run/slurm/job_agent.hpp"
#include "run/slurm/job_files.hpp"
#include "run/slurm/server_ranks.hpp"

#include <csignal>
#include <cstdio>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::slurm {

namespace {

constexpr double k_ranks_look_s = 0.2;
constexpr double k_end_s = 60;           // how long to wait for the end of a dead agent's tree
constexpr double k_ranks_killed_s = 20;  // from KILL for ranks to their end

void end_ranks(const system::Host& host, ServerRanks ranks) {
  ranks.signal(SIGKILL);
  for (const double until_s = host.clock.now_s() + k_ranks_killed_s;
       !ranks.have_ended() && host.clock.now_s() < until_s;)
    host.clock.sleep_s(k_ranks_look_s);
}

}  // namespace

std::optional<int> run_in_child(const std::function<int()>& agent) {
  // Orphans of the agent become children of this process.
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
    // If its parent dies, the agent ends as if Slurm had told the job to stop.
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

void settle_launch(const system::Host& host, const std::map<std::string, std::string>& environment,
                   AgentFiles& files, const std::string& token) {
  system::Tree tree;
  tree.token = token;
  const bool is_gone = host.processes.end(tree, k_end_s);
  const execute::Launch remains = files.remains_of(token);
  (void)execute::remove_leftovers(host, remains).ok();
  auto ended = remains.exit_record.empty()
                   ? std::nullopt
                   : execute::read_exit_record(host.files, remains.exit_record, token);
  if (!ended) ended = execute::Ended{.token = token, .code = -1, .guardian_lost = true};
  ended->node = job_variable(environment, "SLURMD_NODENAME");
  ended->job = job_variable(environment, "SLURM_JOB_ID");
  if (is_gone) (void)files.write_ended(*ended).ok();
}

void settle_dead_agent(const system::Host& host,
                       const std::map<std::string, std::string>& environment,
                       const std::string& who, const std::string& folder) {
  if (ServerRanks::is_of_keepers(folder)) return;
  AgentFiles files(host.files, job_store(folder));
  const std::string own = job_token(files, environment, folder);
  if (own.empty()) return;
  // Measurements come before their server, whose record implies that nothing of the job is left.
  std::vector<std::string> tokens = files.asked_of(own);
  tokens.push_back(own);
  for (const std::string& token : tokens) {
    if (files.read_ended(token)) continue;
    if (!files.is_claimed_by(token, who)) {
      const auto claimed = files.claim(token, who);
      if (!claimed || !*claimed) continue;
    }
    end_ranks(host, ServerRanks::of(host.files, files.attempt(token)));
    settle_launch(host, environment, files, token);
  }
}

}  // namespace orch::slurm
