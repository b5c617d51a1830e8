// The agent of a job: runs one launch where Slurm has placed it, and, for a server, the
// measurements that the orchestrator requests on the same node. It communicates with the
// orchestrator only through files (job_files.hpp), and outlives it. It is a child of the job's
// first process, which cleans up when it dies.
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
  // TOKEN: the launch of the job, or of the rank that this process is. HOST must outlive this.
  JobAgent(const AgentHost& host, const AgentFiles& files, const std::string& token, bool is_rank);
  JobAgent(const JobAgent&) = delete;
  JobAgent& operator=(const JobAgent&) = delete;

  // Returns the exit status. For a rank, it tells srun whether to end the others as well.
  int serve();

 private:
  // Additional state of a server.
  struct Server {
    ServerProbe probe;
    double grace_s;  // without a sign of life from the orchestrator, while nothing is measured
    double started_s = 0, idle_since_s = 0;
    std::set<std::string> seen = {};  // requested measurements
  };

  int run();
  double now_s() const { return host_.host.clock.now_s(); }
  Status start(AgentFiles::Asked asked);
  void claim_measurements();
  void lose(const std::string& token);
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
  std::map<std::string, RunningLaunch> running_;  // by token; includes this job's own first launch
  std::optional<Server> server_;
  int status_ = 1;
};

// Serves the job of this process; FOLDER is that of its batch. Returns the exit status: 0 also if
// another job already has the launch, or if it is no longer wanted.
int serve_as_job(const AgentHost& host, const std::string& folder);

// Runs AGENT in a child and forwards Slurm's signals to it. Returns its exit status; nullopt if a
// signal ended it. Call before this process starts its first thread.
std::optional<int> run_in_child(const std::function<int()>& agent);

// Ends what is left on this node of the launch TOKEN, whose agent is dead, and records how it
// ended. ENVIRONMENT is that of the job.
void settle_launch(const system::Host& host, const std::map<std::string, std::string>& environment,
                   AgentFiles& files, const std::string& token);

// Ends what the dead agent WHO has left on this node, and records its launch as lost, or by the
// exit record that it managed to write. ENVIRONMENT is that of the job.
void settle_dead_agent(const system::Host& host,
                       const std::map<std::string, std::string>& environment,
                       const std::string& who, const std::string& folder);

}  // namespace orch::slurm
