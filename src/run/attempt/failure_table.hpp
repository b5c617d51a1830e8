// The patterns by which failures are recognised: the rows that classify() tries in order. Knows
// classes by their names only.
#pragma once

#include "run/execute/executor.hpp"

#include <span>
#include <string>
#include <string_view>

namespace orch::attempt {

inline constexpr int k_any = -1;

// One cause. Every condition that it sets must hold.
struct Cause {
  std::string_view failure;       // name of its class
  std::string_view text = {};     // in lower case; a line of the log contains it in any case
  std::string_view pattern = {};  // ECMAScript, searched in each line of the log in lower case
  int code = k_any;               // the leader's exit status
  int signal = k_any;             // the signal that ended the leader
  bool oom_killed = false;
  bool guardian_lost = false;
  bool abandoned = false;
  bool by_engine = false;  // the line has the form of an error of a container engine

  constexpr bool reads_log() const { return !text.empty() || !pattern.empty() || by_engine; }
};

// The first row that matches decides.
std::span<const Cause> failure_causes();

// Twelve characters that change with the classes and the causes, but not with their explanations.
// An attempt keeps those of the table that judged it.
const std::string& failure_table_digest();

// Whether CAUSE matches an attempt with this end. LOG: the end of its log.
bool holds(const Cause& cause, const execute::Ended& ended, std::string_view log);

}  // namespace orch::attempt
