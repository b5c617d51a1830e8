// The agent of a job: runs one launch where Slurm has placed it and, for a server, the measurements
// that the orchestrator requests on the same node. The agent communicates with the orchestrator
// only through files (job_files.hpp), and outlives it. It is a child of the job's first process,
// which cleans up if the agent dies.
#pragma once

#include "run/slurm/job_agent_parts.hpp"
#include "run/slurm/job_files.hpp"
#include "run/slurm/node_fitter.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace orch::slurm {

// The agent of one claimed launch.
class JobAgent {
 public:
  // TOKEN is the launch of the job, or of the rank that this process serves. HOST must outlive
  // this.
  JobAgent(const AgentHost& host, const AgentFiles& files, const std::string& token, bool is_rank);
  JobAgent(const JobAgent&) = delete;
  JobAgent& operator=(const JobAgent&) = delete;

  // Runs until all launches have ended. Returns the exit status, by which srun decides for a rank
  // whether to end the other ranks.
  int serve();

 private:
  // Additional state of a server.
  struct Server {
    ServerProbe probe;
    double grace_s;  // how long it runs idle without a sign of life from the orchestrator
    double started_s = 0, idle_since_s = 0;
    std::set<std::string> seen = {};  // requested measurements that have been handled
  };

  int run();
  double now_s() const { return host_.host.clock.now_s(); }
  Status start(AgentFiles::Asked asked);
  void claim_measurements();
  void lose(const std::string& token, const Error& why);
  void wait();
  void reap();
  void report(const std::string& token, execute::Ended ended, bool was_asked);
  void obey_slurm();
  void end_all();
  void beat();
  void look_at_files();
  void check_deadlines();

  const AgentHost& host_;
  AgentFiles files_;
  const std::string token_;
  const bool is_rank_;
  NodeFitter node_;
  EndRecords records_;
  Heartbeat heartbeat_;
  StopSignals stops_;
  std::map<std::string, RunningLaunch> running_;  // by token; includes the job's first launch
  std::optional<Server> server_;
  int status_ = 1;
};

// Serves the job of this process; FOLDER is that of its batch. Without a launch, only removes what
// killed agents left on this node. Returns the exit status, which is also 0 if another job has
// already claimed the launch, or if the launch is no longer wanted.
int serve_as_job(const AgentHost& host, const std::string& folder);

// Runs AGENT in a child, or here if no child can be made, and forwards Slurm's signals to it.
// Returns its exit status; nullopt if a signal ended it. Must be called before this process starts
// its first thread.
std::optional<int> run_in_child(const std::function<int()>& agent);

// Ends the processes left on this node by the launch TOKEN, whose agent is dead, and records how
// the launch ended. ENVIRONMENT is that of the job.
void settle_launch(const system::Host& host, const std::map<std::string, std::string>& environment,
                   AgentFiles& files, const std::string& token);

// Ends the processes that the dead agent WHO has left on this node, and records the ends of its
// launches: by their exit records if these were written, otherwise as lost. ENVIRONMENT is that of
// the job.
void settle_dead_agent(const system::Host& host,
                       const std::map<std::string, std::string>& environment,
                       const std::string& who, const std::string& folder);

}  // namespace orch::slurm
