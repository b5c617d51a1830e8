// By what a failure is recognised: the rows that classify() goes through. Knows no class but by its
// name.
#pragma once

#include "execute/executor.hpp"

#include <span>
#include <string_view>

namespace orch::attempt {

inline constexpr int k_any = -1;

// One cause. Everything that it states must hold.
struct Cause {
  std::string_view failure;    // name of its class
  std::string_view text = {};  // in lower case: some line of the log holds it, in whatever case
  std::string_view pattern =
      {};  // ECMAScript, in lower case: some line of the log, in lower case, holds a match
  int code = k_any;    // the leader's exit status
  int signal = k_any;  // what ended the leader
  bool oom_killed = false;
  bool guardian_lost = false;
  bool abandoned = false;

  constexpr bool reads_log() const { return !text.empty() || !pattern.empty(); }
};

// The first row that holds decides.
std::span<const Cause> failure_causes();

// Whether CAUSE by itself explains an attempt that ended so. LOG is the end of its log.
bool holds(const Cause& cause, const execute::Ended& ended, std::string_view log);

}  // namespace orch::attempt
