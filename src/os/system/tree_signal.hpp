// Signals only the processes of a tree: each identity is re-checked through a pidfd before a signal
// is sent.
#pragma once

#include "os/system/process.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace orch::system {

// Processes as shown by /proc.

struct ProcessFacts {
  ProcessId id;  // start_ticks: 0 if it was not read
  int group = 0;
  int session = 0;
  bool ended = false;   // a zombie: waiting to be reaped
  bool marked = false;  // carries a tree's mark; set by code that searches for one
  int parent = 0;
  bool has_terminal = false;
};

// Everything about PID but `marked`. nullopt: no such process. PROC is /proc or the host's, see
// host_proc().
std::optional<ProcessFacts> process_facts(int pid, const std::string& proc = "/proc");
// Calls VISIT for each process except the calling one.
void for_each_process(const std::function<void(int pid)>& visit, const std::string& proc = "/proc");
// Calls VISIT for each entry of FOLDER, a folder of /proc, whose name is a number.
void for_each_number(const std::string& folder, const std::function<void(int number)>& visit);
// The number of the calling process in PROC.
int own_pid(const std::string& proc);
// The fields of the `stat` file of a process or thread from field 3, the state, on; empty if it
// cannot be read. The name, field 2, may itself contain spaces and parentheses.
std::vector<std::string> stat_fields(const std::string& path);
// The whole text of a file; "" if it cannot be opened.
std::string read_proc(const std::string& path);

// Decides which processes receive a signal meant for a tree, purely from facts read from /proc.

// The calling process. Neither it nor its group as a whole is ever signalled.
struct Sender {
  int pid = 0;
  int group = 0;
  int session = 0;
};

// A group with no process outside the tree: one call signals all of it atomically, including
// processes that are forking.
struct TargetGroup {
  int group = 0;
  ProcessId member;  // its identity is re-checked before the group is signalled
};

struct SignalTargets {
  std::vector<TargetGroup> groups;
  std::vector<ProcessId> processes;  // in none of these groups

  bool empty() const { return groups.empty() && processes.empty(); }
};

// EVERYONE: all processes of this host, with `marked` set for those of TREE. BOOT_ID: of the
// running kernel.
SignalTargets choose_targets(const Tree& tree, const std::string& boot_id,
                             std::span<const ProcessFacts> everyone, const Sender& sender);

// False: TREE was started in another boot. A tree known by its token alone has no boot id, and may
// be alive.
bool may_be_alive(const Tree& tree, const std::string& boot_id);

// The marks by which the processes of a tree are found wherever they are: set at launch, inherited
// by fork and exec. Reads /proc; sends no signal.

// The value of RLIMIT_LOCKS that marks the processes of TOKEN: the token's 60 bits. nullopt if
// TOKEN does not have the form of new_token(), or is so small that a user may have set that limit.
std::optional<std::uint64_t> limit_mark(const std::string& token);

class TreeMark {
 public:
  explicit TreeMark(const Tree& tree);
  // Checks only the resource limit: cheap, and true is certain.
  bool in_limits_of(int pid) const;
  // Also checks marks that cost more to read: the cgroup and the environment.
  bool carried_by(int pid) const;

 private:
  std::optional<std::uint64_t> limit_;
  std::string variable_;  // NAME=TOKEN as in the environment
  std::string cgroup_;
};

// The tokens of trees whose leaders, or orphans, are children of PARENT.
std::set<std::string> tokens_of_children(int parent);

enum class Search {
  by_limit,      // by the resource limit alone: fast
  by_all_marks,  // by every mark
};

// One pass over all processes: sends SIGNAL (0: none) to those of TREE, and appends them to FOUND.
// Returns the number of targets; a group counts as one.
std::size_t signal_once(const Tree& tree, const TreeMark& mark, int signal, Search search,
                        std::vector<ProcessId>* found = nullptr);

// Removes processes that have ended from FOUND; returns whether any remain. A dying process still
// holds its files, but has lost the environment that marks it, so it is looked up by its identity.
bool any_alive(std::vector<ProcessId>& found);

// Repeatedly checks the newest processes: a chain in which each process forks the next and exits is
// always ahead of a pass over all processes. True: one carried MARK, and was sent SIGKILL. Returns
// immediately if no new process appears.
bool kill_newest(const TreeMark& mark);

// Signals only PROCESS, if its pid still belongs to it. False: it is gone, or cannot be signalled.
bool signal_process(const ProcessId& process, int signal);

}  // namespace orch::system
