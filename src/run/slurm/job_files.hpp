// The files through which an orchestrator and the agents of its jobs communicate: on a file system
// that all nodes share. Each file is written once or replaced by a rename. An agent never opens the
// database.
//
//   slurm/batches/BATCH/  script.sh, tokens (a line per job), said or said.INDEX (output of Slurm
//                         and the agent), lines.INDEX (how far the site's lines got)
//   slurm/ended/TOKEN     how a launch ended; written last
//   slurm/alive           replaced by the orchestrator every few seconds
//   slurm/unclean/NODE    an agent was killed on NODE and may have left files there
//   attempts/TOKEN/       launch.json, claim, second_start, remains.json, started.json,
//                         signal, pulse (replaced by the agent every few seconds);
//                         of a server: probe.json, health.json, asked/TOKEN of each measurement;
//                         of a measurement: server
#pragma once

#include "os/system/clock.hpp"
#include "os/system/diagnostics.hpp"
#include "os/system/files.hpp"
#include "os/system/ports.hpp"
#include "run/attempt/readiness.hpp"
#include "run/execute/executor.hpp"
#include "run/slurm/slurm.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace orch::slurm {

// The paths, and the files that both sides read.
class JobFiles {
 public:
  JobFiles(system::Files& files, std::string store) : files_(files), store_(std::move(store)) {}

  std::string attempt(const std::string& token) const { return store_ + "/attempts/" + token; }
  std::string batch_folder(const std::string& batch) const {
    return store_ + "/slurm/batches/" + batch;
  }
  std::vector<std::string> tokens_of(const std::string& batch);
  // Claims TOKEN. WHO is unique to this start of a job. False: another process has claimed TOKEN.
  Result<bool> claim(const std::string& token, const std::string& who);
  bool is_claimed(const std::string& token);
  std::optional<execute::Ended> read_ended(const std::string& token);
  // Removes the note that an agent was killed on NODE.
  void forget_unclean(const std::string& node);

 protected:
  std::string text_of(const std::string& path);  // "" if it cannot be read
  // Reads the file NAME of the attempt TOKEN, which may not exist yet. An NFS client may cache for
  // a minute that a file does not exist, so the folder is listed first.
  std::optional<std::string> read_listed(const std::string& token, const std::string& name);
  // The name that has claimed TOKEN; "" if none has.
  std::string claimant(const std::string& token) const;

  system::Files& files_;
  std::string store_;
};

// The report of an agent that has begun a launch.
struct Started {
  std::string node, job;
  std::map<std::string, int> ports;
};
constexpr auto fields_of(Tag<Started>) {
  return rows_of(required<&Started::node>("node"), required<&Started::job>("job"),
                 required<&Started::ports>("ports"));
}

// The orchestrator's side. For a server that is divided among nodes, the server's agent acts as the
// orchestrator towards the agents of the ranks.
class OrchestratorFiles : public JobFiles {
 public:
  using JobFiles::JobFiles;

  Status write_launch(const execute::Launch& launch, system::LogLevel level);
  // What the files of a batch are made from. `extra`: the site's lines; `program`: the orchestrate
  // binary.
  struct Batch {
    std::string name;
    std::vector<std::string> tokens;
    std::vector<std::string> extra = {};
    std::string program;
    system::PortRange ports = {};  // the ports that servers may use on their nodes
  };
  Status write_batch(const Batch& batch);
  // Why the job at PLACE did not reach its agent: what the site's lines did to its shell. "" if it
  // reached the agent, or is not known to have begun.
  std::string why_not_begun(const JobPlace& place);
  std::vector<std::string> batches();
  // The place of each token in BATCHES; several if the launch was submitted again.
  std::multimap<std::string, JobPlace> places(const std::vector<std::string>& batches);
  void forget_batch(const std::string& batch);
  void beat(double wall_s);
  // Requests that the agent send TERM or KILL to the tree of TOKEN; a later signal replaces an
  // earlier one.
  Status signal(const std::string& token, int signal);
  // Requests that the agent of SERVER run the launch of TOKEN.
  Status ask(const std::string& server, const std::string& token);
  // The server whose agent was asked to run TOKEN; "" if none was.
  std::string server_of(const std::string& token);
  Status write_probe(const std::string& token, const attempt::Probe& probe);
  std::optional<attempt::HealthReport> health(const std::string& token);
  std::optional<Started> read_started(const std::string& token);
  // The tokens under slurm/ended.
  std::vector<std::string> ended();
  void forget_ended(const std::string& token);
  bool has_second_start(const std::string& token);
  // Notes that an agent was killed on NODE. Ignores lists of nodes.
  void note_unclean(const std::string& node);
  std::vector<std::string> unclean_nodes();
  // The last sign of life of TOKEN's agent: a text that changes at each beat.
  std::string pulse_of(const std::string& token);
  // Gives up the launch of TOKEN: claims it and removes its file, so that a late agent exits.
  // False: an agent has claimed it, or the claim failed.
  bool write_off(const std::string& token);
};

// The agent's side.
class AgentFiles : public JobFiles {
 public:
  using JobFiles::JobFiles;

  struct Asked {
    execute::Launch launch;
    system::Containment containment = system::Containment::session;
    system::LogLevel level = system::LogLevel::off;
  };
  bool is_wanted(const std::string& token);  // whether its launch still exists
  // Reads the file and removes it, because it may contain a secret. ErrorKind::conflict if a
  // program of another version wrote it.
  Result<Asked> read_launch(const std::string& token);
  bool is_claimed_by(const std::string& token, const std::string& who) const {
    return claimant(token) == who;
  }
  // Records that a job found TOKEN claimed by another job, or by an earlier start of the same job.
  void note_second_start(const std::string& token);
  // Records what to remove if the agent dies; call before LAUNCH is spawned. Records only the names
  // of files and folders.
  Status write_remains(const execute::Launch& launch);
  execute::Launch remains_of(const std::string& token);
  Status write_started(const std::string& token, const Started& started);
  // Reads the file and removes it, because it may contain a secret.
  std::optional<attempt::Probe> take_probe(const std::string& token);
  Status write_health(const std::string& token, const attempt::HealthReport& health);
  std::vector<std::string> asked_of(const std::string& server);
  int asked_signal(const std::string& token);  // 0: none
  Status write_ended(const execute::Ended& ended);
  void pulse(const std::string& token, std::uint64_t beat);
  // The orchestrator's last sign of life: a text that changes at each beat. Only the changes
  // matter, because the clocks of nodes differ.
  std::string last_beat();
  // Whether the folder of TOKEN, which was claimed, has been removed: an orchestrator has abandoned
  // the launch. Looks for the claim, because the agent's own writes may recreate the folder.
  bool is_removed(const std::string& token);
};

// What a job learns from its environment and from the folder of its batch:
// store/slurm/batches/BATCH, or the equivalent below an attempt for a server's ranks and their
// keepers.

// The value of the variable NAME; "" if it is not set.
std::string job_variable(const std::map<std::string, std::string>& environment,
                         const std::string& name);

// The store that contains FOLDER, the folder of a batch.
std::string job_store(const std::string& folder);

// The folder of the attempt that contains FOLDER, the folder of a batch of ranks or their keepers.
std::string job_attempt(const std::string& folder);

// The token of the launch for the job or rank with ENVIRONMENT; "" if its batch has none for it.
std::string job_token(JobFiles& files, const std::map<std::string, std::string>& environment,
                      const std::string& folder);

// The orchestrator's sign of life: agents of idle servers release their allocation if it stops for
// longer than the grace period.

// Beats from its own thread until it is destroyed.
class Heart {
 public:
  Heart(OrchestratorFiles files, system::Clock& clock);
  ~Heart();
  Heart(const Heart&) = delete;
  Heart& operator=(const Heart&) = delete;

 private:
  void beat(const std::stop_token& stop);

  OrchestratorFiles files_;
  system::Clock& clock_;
  const system::Descriptor wake_;
  std::jthread thread_;
};

}  // namespace orch::slurm
