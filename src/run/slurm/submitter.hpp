// Submits launches as batches: launches that start together with equal requests form one array. A
// batch whose submission got no answer is resubmitted only if the controller has had time to
// restart and does not know the batch. Launches that exceed a limit on queued jobs stay here until
// there is room. Does not follow the jobs.
#pragma once

#include "os/system/clock.hpp"
#include "run/slurm/job_board.hpp"
#include "run/slurm/job_files.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orch::slurm {

struct SubmitOptions {
  std::string program;             // the orchestrate binary, the same on every node
  std::vector<std::string> words;  // sbatch options of the site: account, partition, ...
  std::vector<std::string> extra;  // lines of the script, before the agent
  std::size_t most_in_array = 1000;
  system::PortRange ports = {};  // the ports that servers may use on their nodes
  double gather_s = 0;           // how long a launch waits for another to share its array
  double settles_s = 15;         // a restarting controller may lose what it accepted this recently
  double limited_s = 5;          // between two attempts while the queue has no room
  // Reports, once until all are submitted, that launches wait here for room.
  std::function<void(const std::string&)> tell = [](const std::string&) {};
};

class Submitter {
 public:
  Submitter(OrchestratorFiles& files, Slurm& slurm, system::Clock& clock, SubmitOptions options)
      : files_(files), slurm_(slurm), clock_(clock), options_(std::move(options)) {}

  // Queues the launch of TOKEN for the next submit(); WORDS are sbatch arguments.
  void add(const std::string& token, const std::vector<std::string>& words);
  // Takes TOKEN out of the queue; false if it is not there.
  bool remove(const std::string& token);
  bool empty() const { return queue_.empty(); }
  // Whether submit() should wait because more launches may follow (launches that start together
  // arrive one after the other, as their files are laid out), or because the queue has no room.
  bool is_gathering() const;

  struct Placed {
    std::string token;
    JobPlace place;
    std::string id = {};       // "12_3"; "" until it is known
    std::string refused = {};  // why the cluster rejects it
  };
  std::vector<Placed> submit();
  // Resolves submissions that got no answer. Call after a query of JOBS. IS_WANTED returns whether
  // the end of a launch of the batch is still awaited. Returns the launches that were refused.
  std::vector<Placed> settle(const OwnJobs& jobs,
                             const std::function<bool(const std::string&)>& is_wanted);
  // Submits a job without a launch to NODE: its agent only removes what killed agents left there.
  // nullopt: it is not submitted.
  std::optional<JobPlace> submit_cleanup(const std::string& node);
  bool is_unsure(const std::string& batch) const { return unsure_.contains(batch); }
  bool has_unsure() const { return !unsure_.empty(); }

 private:
  struct Queued {
    std::string token;
    std::vector<std::string> words;
    double at_s = 0;
  };
  // A batch whose submission got no answer.
  struct Unsure {
    Submission submission;
    std::vector<Placed> placed;
    double since_s = 0;
  };
  // Submits TOKENS in parts that fit into the queue, as far as its limit is known.
  void submit_group(const std::vector<std::string>& words, const std::vector<std::string>& tokens,
                    std::vector<Placed>& into);
  // False: the queue has no room for all of TOKENS, and nothing has been submitted.
  bool submit(const std::vector<std::string>& words, const std::vector<std::string>& tokens,
              std::vector<Placed>& into);
  Status write_batch(const std::string& batch, const std::vector<std::string>& tokens);
  // The submission of BATCH: TASKS jobs with WORDS in addition to the site's options.
  Submission submission(const std::string& batch, const std::vector<std::string>& words,
                        std::size_t tasks) const;
  void forget_limit();
  void keep(const std::vector<std::string>& words, const std::vector<std::string>& tokens);

  OrchestratorFiles& files_;
  Slurm& slurm_;
  system::Clock& clock_;
  SubmitOptions options_;
  std::vector<Queued> queue_;
  std::map<std::string, Unsure> unsure_;  // by batch
  std::size_t room_ = SIZE_MAX;           // the largest array to try
  double limited_until_s_ = 0;
  std::string limit_;  // Slurm's last message about the limit
  bool has_told_ = false;
};

}  // namespace orch::slurm
