// Processes and their trees. The only place that starts or signals one.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::system {

// How a tree is held together, strongest first. Persisted as text: "cgroup", "pid-namespace",
// "session".
enum class Containment {
  cgroup,         // a cgroup v2 of its own: without the right to write to others it cannot be left
  pid_namespace,  // a PID namespace of its own: ends with its first process, which ends with its
                  // parent
  session,  // a session of its own, and marks that are inherited: the token in the environment and,
            // as that can be wiped, a number in a resource limit that the kernel no longer enforces
            // (RLIMIT_LOCKS)
};

std::string_view to_string(Containment containment);
std::optional<Containment> parse_containment(std::string_view text);
// Whether this process may use it here. Tried for real, once per process.
bool is_available(Containment containment);
Containment strongest_containment();

struct Spawn {
  std::vector<std::string> argv;  // argv[0] is an absolute path or is found on the child's PATH
  std::map<std::string, std::string> env;  // the whole environment; nothing else is inherited
  std::string work;                        // working directory
  int log = -1;                            // stdout and stderr go to this descriptor; borrowed
  int input = -1;                          // stdin; borrowed. -1: /dev/null
  int errors = -1;                         // stderr, where it does not go to `log`; borrowed
  std::string token;  // marks every process of the tree, whatever the containment: see new_token().
                      // "": no marks
  Containment containment = Containment::session;
};

// Who a process is, also after its number was given to another one.
struct ProcessId {
  int pid = 0;
  std::uint64_t start_ticks = 0;  // field 22 of /proc/PID/stat

  auto operator<=>(const ProcessId&) const = default;
};

// A tree of processes, as it stands on record: enough for a later process to find all of it.
struct Tree {
  std::string token;
  ProcessId leader;     // as this host numbers it
  std::string boot_id;  // of the host's kernel when it started; of another boot nothing is left
  Containment containment = Containment::session;
  std::string cgroup;  // absolute folder; "" where the containment is another
};

struct Exit {
  ProcessId process;
  int code = -1;  // -1 when a signal ended it
  int signal = 0;
  double cpu_s = 0;                 // with the descendants it waited for
  std::uint64_t max_rss_bytes = 0;  // of the largest of them
};

// Used from one thread. The process that has one takes care of every orphan below it. A tree in a
// PID namespace ends with the thread that spawned it. A Tree of which the token alone is known is
// found as well, by its marks.
class Processes {
 public:
  virtual ~Processes() = default;
  // Starts a process as leader of its own session and group. An argv[0] that cannot be run is an
  // error here, not an exit later; so is a containment that is not available.
  virtual Result<Tree> spawn(const Spawn& spawn) = 0;
  // Exits of leaders we started since the last call. Waits up to WAIT_S for the first one, or until
  // a signal arrives.
  virtual std::vector<Exit> wait(double wait_s) = 0;
  // Sends SIGNAL to every process of TREE, whoever started it. Never to any other process: numbers
  // may have been given away.
  virtual void signal(const Tree& tree, int signal) = 0;
  // Whether any process of TREE is left, wherever it went; one that has ended and waits to be
  // reaped is not. When it says no, what the containment left behind (a cgroup's folder) is gone as
  // well.
  virtual bool alive(const Tree& tree) = 0;
  // SIGKILL to all of TREE until nothing is left, also of one that forks while it is killed; at
  // most WITHIN_S. False: something is left.
  virtual bool end(const Tree& tree, double within_s) = 0;
};

// The environment variable that carries the token.
inline constexpr const char* k_token_variable = "ORCHESTRATE_ATTEMPT";

// "o" and 15 hexadecimal digits, from the kernel's random numbers: unique on this host and beyond.
std::string new_token();
// Whether TEXT has the form of one: nobody else gives such names.
bool is_token(std::string_view text);

class RealProcesses final : public Processes {
 public:
  // Makes this process the one that orphans of its children fall to, so that their ends are seen.
  RealProcesses();
  ~RealProcesses() override;
  Result<Tree> spawn(const Spawn& spawn) override;
  std::vector<Exit> wait(double wait_s) override;
  void signal(const Tree& tree, int signal) override;
  bool alive(const Tree& tree) override;
  bool end(const Tree& tree, double within_s) override;
  // Readable when a child, or an orphan that fell to us, may have changed its state; wait() makes
  // it unreadable again.
  int descriptor() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Of a living process; nothing when there is none of that number.
std::optional<ProcessId> identify(int pid);
std::string boot_id();

}  // namespace orch::system
