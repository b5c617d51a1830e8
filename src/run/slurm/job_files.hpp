// The files by which an orchestrator and the agents of its jobs reach each other: on a file system
// that all nodes share, each written once or replaced by a rename. An agent never opens the
// database.
//
//   slurm/batches/BATCH/  script.sh, tokens (a line per job), said.* (of Slurm)
//   slurm/ended/TOKEN     how a launch ended; written last
//   slurm/alive           replaced by the orchestrator every few seconds
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

#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace orch::slurm {

class JobFiles {
 public:
  JobFiles(system::Files& files, std::string store) : files_(files), store_(std::move(store)) {}

  // --- by the orchestrator
  Status write_launch(const execute::Launch& launch, system::LogLevel level);
  // The script of a batch: EXTRA are lines of the site, PROGRAM is the orchestrate binary.
  struct Batch {
    std::string name;
    std::vector<std::string> tokens;
    std::vector<std::string> extra;
    std::string program;
    system::PortRange ports = {};  // that servers may have on their nodes
  };
  Status write_batch(const Batch& batch);
  // What the lines of the site did to the shell of the job with that index of BATCH, where it never
  // came to the agent; "" when it did, or is not known to have begun.
  std::string why_not_begun(const std::string& batch, int index);
  std::vector<std::string> batches();
  std::vector<std::string> tokens_of(const std::string& batch);
  // Of each token of BATCHES, its batch and its index in it: several where it was submitted again.
  std::multimap<std::string, std::pair<std::string, int>> places(
      const std::vector<std::string>& batches);
  void forget_batch(const std::string& batch);
  void beat(double wall_s);
  // TERM or KILL for the tree of TOKEN; a later one replaces an earlier.
  Status signal(const std::string& token, int signal);
  // Asks the agent of SERVER to run the launch of TOKEN.
  Status ask(const std::string& server, const std::string& token);
  // The server whose agent was asked to run TOKEN; "": none was.
  std::string server_of(const std::string& token);
  Status write_probe(const std::string& token, const attempt::Probe& probe);
  std::optional<attempt::HealthReport> health(const std::string& token);
  // The tokens under slurm/ended.
  std::vector<std::string> ended();
  std::optional<execute::Ended> read_ended(const std::string& token);
  void forget_ended(const std::string& token);
  bool is_claimed(const std::string& token);
  // A job has started that found TOKEN claimed by another, or by an earlier start of itself.
  void note_second_start(const std::string& token);
  bool has_second_start(const std::string& token);
  // What the agent of TOKEN last wrote as a sign of life; another text at each beat.
  std::string pulse_of(const std::string& token);
  // Claims TOKEN for nobody, so that an agent that comes later leaves, and removes its launch.
  // False: a job has it.
  bool give_up(const std::string& token);

  // --- by an agent
  struct Asked {
    execute::Launch launch;
    system::Containment containment = system::Containment::session;
    system::LogLevel level = system::LogLevel::off;
  };
  Result<Asked> read_launch(const std::string& token);
  // False: another job has claimed TOKEN. WHO stands for this one and no other.
  Result<bool> claim(const std::string& token, const std::string& who);
  // "": nobody has.
  std::string claimed_by(const std::string& token);
  // What is to be removed when the agent dies: written before a launch is spawned. Only the names
  // of files and folders are kept of it.
  Status write_remains(const execute::Launch& launch);
  execute::Launch remains_of(const std::string& token);
  struct Started {
    std::string node, job;
    std::map<std::string, int> ports;
  };
  friend constexpr auto fields_of(Tag<Started>) {
    return rows_of(required<&Started::node>("node"), required<&Started::job>("job"),
                   required<&Started::ports>("ports"));
  }
  Status write_started(const std::string& token, const Started& started);
  std::optional<Started> read_started(const std::string& token);
  // Removes the file: it may hold a secret.
  std::optional<attempt::Probe> take_probe(const std::string& token);
  Status write_health(const std::string& token, const attempt::HealthReport& health);
  std::vector<std::string> asked_of(const std::string& server);
  int asked_signal(const std::string& token);  // 0: none
  Status write_ended(const execute::Ended& ended);
  void pulse(const std::string& token, std::uint64_t beat);
  // The orchestrator's last sign of life; another text at each beat. Clocks of nodes differ: only
  // whether it changes says anything.
  std::string last_beat();
  bool is_wanted(const std::string& token);  // its launch is there
  // It was claimed, and its folder was removed: an orchestrator has written it off. What an agent
  // writes meanwhile may keep the folder, but not the claim.
  bool is_removed(const std::string& token);

  std::string attempt(const std::string& token) const { return store_ + "/attempts/" + token; }
  std::string batch_folder(const std::string& batch) const {
    return store_ + "/slurm/batches/" + batch;
  }

 private:
  // A file of an attempt that may not be there yet. A client of NFS may believe for a minute that a
  // file is absent that it has once not found: the folder is listed first.
  std::optional<std::string> read_listed(const std::string& token, const std::string& name);

  system::Files& files_;
  std::string store_;
};

// What the folder of a batch says of a job of it: store/slurm/batches/BATCH, or the like below an
// attempt for the ranks of a server and their keepers.

// The value of NAME; "": there is none.
std::string job_variable(const std::map<std::string, std::string>& environment,
                         const std::string& name);

// The store that FOLDER, of a batch, is in.
std::string job_store(const std::string& folder);

// Of a batch of ranks or their keepers: the folder of the attempt.
std::string job_attempt(const std::string& folder);

// The launch of the job, or rank, with ENVIRONMENT; "": its batch has none for it.
std::string job_token(JobFiles& files, const std::map<std::string, std::string>& environment,
                      const std::string& folder);

// The sign of life of an orchestrator: agents of servers give their allocation back where it stops
// for longer than the grace period.

// Beats from a thread of its own, until it is destroyed.
class Heart {
 public:
  Heart(JobFiles files, system::Clock& clock);
  ~Heart();
  Heart(const Heart&) = delete;
  Heart& operator=(const Heart&) = delete;

 private:
  void beat(const std::stop_token& stop);

  JobFiles files_;
  system::Clock& clock_;
  const system::Descriptor wake_;
  std::jthread thread_;
};

}  // namespace orch::slurm
