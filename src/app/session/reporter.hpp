// What a run reports to its user while it goes on. The command line prints it; the engine knows no
// terminal.
#pragma once

#include "spec/matrix/matrix.hpp"
#include "plan/graph/plan.hpp"
#include "run/schedule/scheduler.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace orch::session {

enum class Severity {
  info,     // progress, such as a resolved revision
  note,     // something to read once, such as a slow file system
  warning,  // the matrix may not mean what its author intended
  error,    // part of the run cannot be done; the rest goes on
};

// A plan that is about to be driven. A run has a second round after facts of models have arrived.
struct Round {
  const plan::Plan& plan;
  const matrix::Matrix& matrix;
  std::set<plan::StageId> done;  // stages that earlier rounds of this run made
};

// Called from the thread that drives the run.
class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void report(Severity severity, const std::string& text) = 0;
  // The observer of ROUND; it is destroyed when the round has ended. Never null.
  virtual std::unique_ptr<schedule::Observer> watch(const Round& round) = 0;
  // While large inputs are hashed, a few times a second: how much is done. Then once: it is over.
  virtual void hashing(std::uint64_t done_bytes, std::uint64_t expected_bytes) = 0;
  virtual void hashed() = 0;
};

inline void report_warnings(Reporter& reporter, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) reporter.report(Severity::warning, warning);
}

inline void report_errors(Reporter& reporter, const Errors& errors) {
  for (const Error& error : errors) reporter.report(Severity::error, error.text());
}

}  // namespace orch::session
