// Signals that reach all of a tree and nobody else: every process is looked at once more through a
// descriptor that stands for it alone before a signal goes out.
#pragma once

#include "system/marks.hpp"

namespace orch::system {

enum class Look {
  quick,     // by the resource limit alone
  thorough,  // by every mark
};

// One pass over all processes: sends SIGNAL (0: none) to those of TREE, and adds them to MET. How
// many were there.
std::size_t sweep(const Tree& tree, const Mark& mark, int signal, Look look,
                  std::vector<ProcessId>* met = nullptr);

// Takes those out of MET that have ended; whether any is left. The dying have no environment any
// more that would mark them, but still their files.
bool any_left(std::vector<ProcessId>& met);

// Looks at whoever was born last, again and again: a chain in which each forks the next and ends is
// always ahead of a pass over all processes. True: it met one of TREE, and sent it SIGKILL. Ends at
// once where nobody is born any more.
bool chase(const Mark& mark);

// To the process itself, if it is still the one that is meant.
bool signal_process(const ProcessId& process, int signal);

}  // namespace orch::system
