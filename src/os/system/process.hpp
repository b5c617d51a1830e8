// Process trees: start, signal, find and end them.
#pragma once

#include "core/base/fields.hpp"
#include "core/base/result.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::system {

// How the processes of a tree are held together, strongest first. Stored as text: "cgroup",
// "pid-namespace", "session".
enum class Containment {
  // A dedicated cgroup v2. A process without the right to write to other cgroups cannot leave it.
  cgroup,
  // A dedicated PID namespace. It ends with its first process, which ends with its parent.
  pid_namespace,
  // A dedicated session, and inherited marks: the token in the environment and, because a process
  // can clear that, a number in a resource limit that the kernel no longer enforces (RLIMIT_LOCKS).
  session,
};

constexpr auto names_of(Tag<Containment>) {
  return value_names("cgroup", "pid-namespace", "session");
}
// Whether this process may use CONTAINMENT on this host. Tries it once; thread-safe.
bool is_available(Containment containment);
Containment strongest_containment();

struct Spawn {
  std::vector<std::string> argv;           // argv[0]: absolute path, or found on the child's PATH
  std::map<std::string, std::string> env;  // the whole environment; nothing else is inherited
  std::string work;                        // working directory
  int log = -1;                            // borrowed: receives stdout and stderr. -1: /dev/null
  int input = -1;                          // borrowed: stdin. -1: /dev/null
  int errors = -1;                         // borrowed: receives stderr instead of `log`
  // Marks every process of the tree in every containment: see new_token(). "": no marks
  std::string token;
  Containment containment = Containment::session;
};

// Identifies a process even after its pid is reused.
struct ProcessId {
  int pid = 0;
  std::uint64_t start_ticks = 0;  // field 22 of /proc/PID/stat

  auto operator<=>(const ProcessId&) const = default;
};

constexpr auto fields_of(Tag<ProcessId>) {
  return rows_of(required<&ProcessId::pid>("pid"),
                 required<&ProcessId::start_ticks>("start_ticks"));
}

// A process tree as recorded: enough for a later process to find all of its processes, by their
// marks if only the token is known.
struct Tree {
  std::string token;
  ProcessId leader = {};     // as numbered on this host
  std::string boot_id = {};  // of the boot in which it was started; no tree survives a reboot
  Containment containment = Containment::session;
  std::string cgroup = {};  // absolute folder; "" with any other containment
};

struct Exit {
  ProcessId process;
  int code = -1;  // -1 if a signal ended it
  int signal = 0;
  double cpu_s = 0;                 // including the descendants it waited for
  std::uint64_t max_rss_bytes = 0;  // of the largest of these processes
};

// Use from one thread. Trees outlive this object, except that a tree in a PID namespace ends with
// the thread that spawned it.
class Processes {
 public:
  virtual ~Processes() = default;
  // Starts a process as leader of its own session and group. Errors: argv[0] cannot be run, the
  // working directory is missing, or the containment is unavailable. Nothing runs then.
  virtual Result<Tree> spawn(const Spawn& spawn) = 0;
  // The leaders spawned by this object that have exited since the last call. Waits up to WAIT_S for
  // the first one, or until a signal arrives.
  virtual std::vector<Exit> wait(double wait_s) = 0;
  // Sends SIGNAL to every process of TREE, even if another process started it. Identities are
  // re-checked first, so a process that reuses a pid is never signalled. Processes that cannot be
  // signalled are skipped.
  virtual void signal(const Tree& tree, int signal) = 0;
  // Whether any process of TREE is alive, in any session or group; zombies are not. If false, the
  // remains of the containment (a cgroup's folder) have also been removed.
  virtual bool alive(const Tree& tree) = 0;
  // Sends SIGKILL to TREE until no process is left, including those forked meanwhile, for at most
  // WITHIN_S. False: a process is left.
  virtual bool end(const Tree& tree, double within_s) = 0;
};

// The environment variable that carries the token.
inline constexpr const char* k_token_variable = "ORCHESTRATE_ATTEMPT";

// "o" and 15 random hexadecimal digits from the kernel: unique across hosts.
std::string new_token();
// Whether TEXT has the form of a token.
bool is_token(std::string_view text);

// All objects of a process share its children: wait() of one reaps the children of the others.
class RealProcesses final : public Processes {
 public:
  // Makes this process a subreaper, the parent of orphans below it, and handles SIGCHLD.
  RealProcesses();
  ~RealProcesses() override;
  Result<Tree> spawn(const Spawn& spawn) override;
  std::vector<Exit> wait(double wait_s) override;
  void signal(const Tree& tree, int signal) override;
  bool alive(const Tree& tree) override;
  bool end(const Tree& tree, double within_s) override;
  // Becomes readable when a child or an adopted orphan may have changed state, until wait() is
  // called.
  int descriptor() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// nullopt if there is no process PID.
std::optional<ProcessId> identify(int pid);
// Whether PROCESS exists and is not a zombie.
bool is_running(const ProcessId& process);
// Waits until PROCESS has ended, for at most WITHIN_S.
void wait_for_end(const ProcessId& process, double within_s);
// Identifies the current boot of the kernel; "" without /proc.
std::string boot_id();

}  // namespace orch::system
