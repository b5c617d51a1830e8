// Classifies the end of a failed attempt. Either the system under test failed, which is a result,
// or the machine or the harness failed, which is worth a retry. Knows nothing of stages.
#pragma once

#include "execute/executor.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orch::attempt {

enum class FailureKind { system, harness };
std::string_view to_string(FailureKind kind);

// One failure class. Names are persisted and never change.
struct FailureClass {
  std::string_view name;  // "cuda_oom"
  FailureKind kind;
  std::string_view meaning;  // with the remedy; shown by `orchestrate explain`
};

// All classes: those that classify() reads from the end of a process, and those that the scheduler
// decides (timeout, not_ready, output_missing, ...).
std::span<const FailureClass> failure_classes();
// Null when there is no class of that name.
const FailureClass* find_failure_class(std::string_view name);

struct Verdict {
  const FailureClass* failure = nullptr;  // never null
  std::string message;                    // how it ended, and the line of the log that decided
  std::optional<double> retry_after_s;    // requested by a server
};

// For an attempt that failed by itself. LOG: the end of its log.
Verdict classify(const execute::Ended& ended, std::string_view log);

// Exponential backoff with jitter, bounded.
struct Backoff {
  double first_s = 1;
  double factor = 2;
  double most_s = 60;
  double jitter = 0.25;   // as a share of the delay, in both directions
  int most_failures = 5;  // of one stage in one run; the last one is final

  // The wait after so many FAILURES, from 1. RANDOM in [0, 1).
  double delay_s(int failures, double random) const;
};

}  // namespace orch::attempt
