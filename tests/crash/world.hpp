// A project, a store and a diary in a temporary folder: the fixed sweep of 20 stages or a variant,
// and the real binary run on it. Starts, awaits and kills its own processes; judges no result.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::crash {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point then);

// Whether ORCH_CRASH=full requests every point and every count instead of a sample.
bool full();
int count_of(int sample, int all);
// Where worlds are created: ORCH_CRASH_FOLDER, else /tmp.
std::string base_folder();

// After this time the harness considers a process stuck.
inline constexpr double k_patience_s = 90;

struct Options {
  int lane = 0;  // unique among the worlds at one time: each has its own range of ports
  double grace_s = 20;
  std::string extra_site{};  // lines
  // The image in which tasks and servers run, with the actor at /bin/actor; "": on the host.
  std::string image{};
  // Of every program: words behind `run crash.yaml`, and variables.
  std::vector<std::string> arguments{};
  std::map<std::string, std::string> variables{};
  double patience_s = k_patience_s;  // with a run
  // What is printed of a run that is stuck: the state of what it waits for.
  std::function<std::string()> surroundings{};
};

struct Ended {
  int code = -1;  // -1 when a signal ended it
  int signal = 0;
  bool late = false;  // it did not end in time and was killed
  double wall_s = 0;
};

class World {
 public:
  explicit World(const Options& options = {});
  // Removes the folder, unless ORCH_KEEP is set, and ends the processes that still run.
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const std::string& folder() const { return folder_; }
  std::string store() const { return folder_ + "/results"; }
  std::string diary() const { return folder_ + "/diary"; }
  int first_port() const { return first_port_; }

  // Writes the fixed sweep: MATRIX below its name and runner. The runner is the same in all worlds.
  void write_matrix(const std::string& axes);
  void write(const std::string& name, const std::string& text);
  std::string read(const std::string& name) const;

  using Variables = std::map<std::string, std::string>;
  // `orchestrate run crash.yaml`, without waiting, behind the words of ORCH_CRASH_UNDER. ARGUMENTS
  // come after it.
  class Run {
   public:
    int pid = 0;
    std::string out, err;  // names of files in the folder
    Clock::time_point started;
    // Waits at most FOR_S; empty while it still runs.
    std::optional<Ended> wait(double for_s);
    void kill(int signal = 9) const;

   private:
    friend class World;
    int pidfd_ = -1;
    std::optional<Ended> ended_;
  };
  Run start(const Variables& variables = {}, const std::vector<std::string>& arguments = {});
  // Runs it to its end, or kills it after Options::patience_s.
  Ended run(const Variables& variables = {}, const std::vector<std::string>& arguments = {});
  Ended finish(Run& run);
  // `orchestrate ARGUMENTS`, to its end.
  Ended orchestrate(const std::vector<std::string>& arguments, std::string* out = nullptr,
                    const Variables& variables = {});
  // Any program, without waiting.
  Run spawn(const std::vector<std::string>& argv, const Variables& variables = {});
  const std::string& last_stderr() const { return last_err_; }

 private:
  Options options_;
  std::string folder_, last_err_;
  int first_port_ = 0, programs_ = 0;
};

// The guardians that RUN's orchestrator started, and those of a dead orchestrator of WORLD, by
// their command line.
std::vector<int> guardians_of(const World& world, int orchestrator);
// The processes that stand for WORLD's jobs of Slurm, two for each job.
std::vector<int> agents_of(const World& world);
// The monitors of WORLD's containers.
std::vector<int> monitors_of(const World& world);

// Polls until CONDITION holds; false after AT_MOST_S.
template <class Condition> bool wait_for(Condition condition, double at_most_s);
void short_pause();

template <class Condition> bool wait_for(Condition condition, double at_most_s) {
  for (const auto begun = Clock::now(); !condition(); short_pause())
    if (seconds_since(begun) > at_most_s) return false;
  return true;
}

}  // namespace orch::crash
