// Processes and their trees. The only place that starts or signals one.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::system {

struct Spawn {
  std::vector<std::string> argv;            // argv[0] is an absolute path or is found on the child's PATH
  std::map<std::string, std::string> env;   // the whole environment; nothing else is inherited
  std::string work;                         // working directory
  std::string log;                          // stdout and stderr are appended here
  std::string token;                        // put into the environment; marks every process of the tree
};

// Who a process is, also after its number was given to another one.
struct ProcessId {
  int pid = 0;
  std::uint64_t start_ticks = 0;  // field 22 of /proc/PID/stat

  auto operator<=>(const ProcessId&) const = default;
};

struct Exit {
  ProcessId process;
  int code = -1;   // -1 when a signal ended it
  int signal = 0;
  double cpu_s = 0;                 // with the descendants it waited for
  std::uint64_t max_rss_bytes = 0;  // of the largest of them
};

// Used from one thread. The process that has one takes care of every orphan below it.
class Processes {
 public:
  virtual ~Processes() = default;
  // Starts a process as leader of its own session and group. An argv[0] that cannot be run is an error here, not an
  // exit later.
  virtual Result<ProcessId> spawn(const Spawn& spawn) = 0;
  // Exits of our children since the last call. Waits up to WAIT_S for the first one, or until a signal arrives.
  virtual std::vector<Exit> wait(double wait_s) = 0;
  // Sends SIGNAL to every process of the tree: the leader's group and whatever carries TOKEN in its environment.
  // Never to a process that does not.
  virtual void signal_tree(const ProcessId& leader, const std::string& token, int signal) = 0;
  // Whether any process of the tree is left after its leader has ended. With THOROUGH also those that left the
  // leader's group: this reads /proc once.
  virtual bool tree_alive(const ProcessId& leader, const std::string& token, bool thorough) = 0;
};

// The environment variable that carries Spawn::token.
inline constexpr const char* k_token_variable = "ORCHESTRATE_ATTEMPT";

class RealProcesses final : public Processes {
 public:
  // Makes this process the one that orphans of its children fall to, so that their ends are seen.
  RealProcesses();
  Result<ProcessId> spawn(const Spawn& spawn) override;
  std::vector<Exit> wait(double wait_s) override;
  void signal_tree(const ProcessId& leader, const std::string& token, int signal) override;
  bool tree_alive(const ProcessId& leader, const std::string& token, bool thorough) override;

 private:
  struct Child {
    ProcessId id;
    int pidfd = -1;
  };
  std::vector<Child> children_;
};

// Field 22 of /proc/PID/stat, or 0 when there is no such process.
std::uint64_t start_ticks_of(int pid);

}  // namespace orch::system
