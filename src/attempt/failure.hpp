// What kind of failure an attempt's end is: data, one row per cause. Two kinds that are never mixed
// (DESIGN 8): the system under test failed, which is a result; or the machine or the harness
// failed, which is worth another try.
#pragma once

#include "execute/executor.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orch::attempt {

enum class FailureKind { system, harness };
std::string_view to_string(FailureKind kind);

// One class of failures. Names are persisted and frozen.
struct FailureClass {
  std::string_view name;  // "cuda_oom"
  FailureKind kind;
  std::string_view meaning;  // in words, with the remedy: shown by `orchestrate explain`
};

// Every class there is: those that are read from what a process left, and those that we decide
// ourselves (timeout, not_ready, output_missing, ...).
std::span<const FailureClass> failure_classes();
// Null: there is no class of that name.
const FailureClass* find_failure_class(std::string_view name);

struct Verdict {
  const FailureClass* failure = nullptr;  // never null
  std::string message;  // how it ended and, where a line of the log decided, that line
  std::optional<double> retry_after_s;  // as a server asked for
};

// Of an attempt that ended by itself, badly. LOG is the end of its log.
Verdict classify(const execute::Ended& ended, std::string_view log);

// Exponential with jitter, bounded. RANDOM in [0, 1). FAILURES so far, from 1.
struct Backoff {
  double first_s = 1;
  double factor = 2;
  double most_s = 60;
  double jitter = 0.25;   // of the delay, either way
  int most_failures = 5;  // of one stage in one sweep; the last one is final

  double delay_s(int failures, double random) const;
};

}  // namespace orch::attempt
