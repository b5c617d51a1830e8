// Who gives us a place to run. An executor starts launches, reports their ends in a batch, ends
// their trees, and finds again what an earlier process of ours started. It knows nothing of stages,
// digests or the store's rows.
#pragma once

#include "base/result.hpp"
#include "system/process.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::execute {

struct Launch {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;  // complete; TMPDIR is set by the executor: see `tmp`
  std::string work;                        // exists
  std::string log;          // stdout and stderr of the tree are appended here, secrets blacked out
  std::string token;        // names the launch and marks every process of its tree
  std::string exit_record;  // file that says how it ended; there once nothing of the tree is left
  std::string tmp;  // private folder for temporary files: made at the start, removed with the tree
  std::string shm_folder;  // "" or a private folder under /dev/shm, for what heeds no TMPDIR; made
                           // and removed as `tmp` is
  std::string shm_prefix;  // "" or a prefix of names under /dev/shm, removed with the tree
  std::vector<std::string> secrets;  // values that must not reach the log
  double stop_s = 10;                // between TERM and KILL, where nobody else decides
};

// What identifies a running launch, also to a later process. On record as JSON: see to_json().
struct Handle {
  system::Tree tree;     // its token is the launch's
  std::string guardian;  // the name under which its guardian answers
  system::ProcessId guardian_process;
};

std::string to_json(const Handle& handle);
// Nothing when TEXT is none of ours.
std::optional<Handle> parse_handle(const std::string& text);

// How a measurement ends that was made whole and says in its record that it does not count. To
// whoever started it by hand it is a failure; here the record decides.
inline constexpr int k_not_valid_status = 4;

// Nothing of the launch's tree is left, nor of its temporary files and shared memory.
struct Ended {
  std::string token;
  int code = -1;  // of the leader; -1 when a signal ended it
  int signal = 0;
  double wall_s = 0;  // from spawn to the leader's end, by a clock that does not jump
  double cpu_s = 0;
  std::uint64_t max_rss_bytes = 0;
  bool oom_killed = false;     // the kernel killed for want of memory while it ran
  bool guardian_lost = false;  // its guardian died first; code and signal are unknown
  bool abandoned = false;  // its guardian ended it, because no orchestrator had come back within
                           // the grace period
};

// What became of a launch of an earlier process.
struct Recovered {
  enum class Fate {
    running,  // it is ours again, as if started by us: poll() will tell its end
    ended,    // it ended while nobody looked: ENDED says how
    held,     // another orchestrator, which lives, has it: nothing was done to it
    lost,     // nobody can say how it ended. Nothing of it is left
  };
  Fate fate = Fate::lost;
  Handle handle;  // when running
  std::optional<Ended> ended;
  double for_s = 0;  // when running: since its spawn
  std::string why;   // when lost or held: in words, for the record
};

// Used from one thread.
class Executor {
 public:
  virtual ~Executor() = default;
  // Starts LAUNCH. An error means that nothing runs.
  virtual Result<Handle> start(const Launch& launch) = 0;
  // Every launch that ended since the last call; waits up to WAIT_S for the first, or until a
  // signal arrives. What ended before the call is always reported by it, however long we were
  // stopped ourselves.
  virtual std::vector<Ended> poll(double wait_s) = 0;
  // Asks the whole tree to end (TERM), or ends it (KILL). A token of which nothing runs is fine.
  virtual void terminate(const std::string& token) = 0;
  virtual void kill(const std::string& token) = 0;
  // What a process that is gone started, and still runs, is ours from now on: nobody ends it for
  // want of an orchestrator while we find out what is to become of it. recover() says that. LAUNCH
  // and ON_RECORD are as there; of LAUNCH, what ends with it may be missing yet.
  virtual void hold(const Launch& launch, const std::optional<Handle>& on_record) = 0;
  // Finds what LAUNCH, started by a process that is gone, came to. ON_RECORD: what its handle was,
  // if that was written down. Whatever cannot be taken over is ended before this returns, unless
  // another orchestrator has it.
  virtual Recovered recover(const Launch& launch, const std::optional<Handle>& on_record) = 0;
};

}  // namespace orch::execute
