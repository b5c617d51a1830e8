// Implements the scheduler's journal: events become rows and facts, one transaction per commit().
#pragma once

#include "core/base/enum_names.hpp"
#include "results/store/run_rows.hpp"
#include "run/schedule/journal.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orch::store {

struct Core;

// How a run ended. A run whose process died is marked as "died" by the next run.
enum class Outcome {
  done,         // every requested point has a valid result
  failed,       // some points have no valid result
  interrupted,  // stopped by a signal
  error,        // the orchestrator could not continue
};

constexpr auto names_of(Tag<Outcome>) {
  return value_names("done", "failed", "interrupted", "error");
}

// Created by Store::begin_run(). The store must outlive it.
class RunJournal final : public schedule::Journal {
 public:
  // ROWS has the plan of the run; RECORD is the name of the run record.
  RunJournal(Core& core, RunRows rows, std::string record)
      : core_(core), rows_(std::move(rows)), record_(std::move(record)) {}

  std::int64_t run_id() const { return rows_.run_id(); }

  // Whether TOKEN belongs to an attempt of this store.
  Result<bool> knows(const std::string& token);
  // Those of TOKENS, the names of attempt folders, that can be deleted: the attempt succeeded, was
  // lost, or was never recorded. Folders of failed attempts are kept for inspection.
  Result<std::vector<std::string>> not_needed(const std::vector<std::string>& tokens);
  // See store::removed_outputs().
  Result<std::vector<std::string>> removed_outputs();

  // Replaces the run's plan by PLAN after facts have arrived, and commits.
  Status amend(const plan::Plan& plan, schedule::WallTime at);

  Result<int> next_attempt(const plan::StageId& stage) override;
  Result<int> failures_so_far(const plan::StageId& stage) override;
  Result<bool> is_current(const schedule::AttemptKey& attempt, const std::string& token) override;
  void append(const schedule::Event& event) override;
  // After an error of any call, returns that error again, because memory and disk no longer agree.
  Status commit() override;
  std::string invalid_reasons(const schedule::AttemptKey& measurement) override;
  Result<std::vector<std::string>> makers_of(const plan::StageId& stage) override;

  // Commits buffered events and closes the run.
  Status finish(Outcome outcome, schedule::WallTime at);

 private:
  // Returns ERROR, and makes every later commit return it.
  Error broken(Error error);

  Core& core_;
  RunRows rows_;
  std::string record_;
  // The number of each stage's last attempt, once it has been read or written.
  std::map<plan::StageId, int> last_attempt_;
  std::vector<schedule::Event> buffer_;
  std::optional<Error> broken_;
};

}  // namespace orch::store
