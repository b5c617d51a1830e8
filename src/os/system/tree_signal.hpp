// Signals to the processes of a tree and to no others: the identity of each is checked again
// through a pidfd before a signal goes out.
#pragma once

#include "os/system/signal_targets.hpp"
#include "os/system/tree_mark.hpp"

#include <vector>

namespace orch::system {

enum class Search {
  by_limit,      // by the resource limit alone: fast
  by_all_marks,  // by every mark
};

// One pass over all processes: sends SIGNAL (0: none) to those of TREE, and appends them to FOUND.
// Returns how many targets there were, a group counting as one.
std::size_t signal_once(const Tree& tree, const TreeMark& mark, int signal, Search search,
                        std::vector<ProcessId>* found = nullptr);

// Removes the processes that have ended from FOUND; whether any remain. A dying process has lost
// the environment that marks it, but still holds its files.
bool any_alive(std::vector<ProcessId>& found);

// Looks repeatedly at the newest processes: a chain in which each process forks the next and exits
// is always ahead of a pass over all processes. True: one carried MARK, and was sent SIGKILL.
// Returns at once when no new process appears.
bool kill_newest(const TreeMark& mark);

// Signals PROCESS itself if its number still belongs to it. False: it is gone, or may not be
// signalled.
bool signal_process(const ProcessId& process, int signal);

}  // namespace orch::system
