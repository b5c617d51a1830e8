// Implements the scheduler's journal: events become rows and facts, one transaction per commit().
#pragma once

#include "core/base/enum_names.hpp"
#include "run/schedule/journal.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::store {

struct Core;
struct PlanRecord;

// How a run ended. If its process died, the next run marks it as died.
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
  // Rows of the plan's stages, by id.
  using StageRows = std::map<plan::StageId, std::int64_t>;

  // RECORD is the name of the run record, HOST the host on which the run starts attempts.
  RunJournal(Core& core, std::int64_t run_id, std::string record, std::string host,
             StageRows stages)
      : core_(core),
        run_id_(run_id),
        record_(std::move(record)),
        host_(std::move(host)),
        stages_(std::move(stages)) {}

  std::int64_t run_id() const { return run_id_; }

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

  // These write the rows of one fact inside the caller's transaction, and do not write to the run
  // record.
  Status write(const schedule::Event& event);
  Status write_planned(const PlanRecord& plan, schedule::WallTime at);
  Status write_amended(const PlanRecord& plan, schedule::WallTime at);
  Status write_finished(std::string_view outcome, schedule::WallTime at);
  // Writes the end of the run inside the caller's transaction, and adds the fact to the run record.
  Status record_finished(std::string_view outcome, schedule::WallTime at);

 private:
  Status write_event(const schedule::StageMoved& event);
  Status write_event(const schedule::AttemptIntended& event);
  Status write_event(const schedule::AttemptSpawned& event);
  Status write_event(const schedule::AttemptAdopted& event);
  Status write_event(const schedule::AttemptLost& event);
  Status write_event(const schedule::ServiceReady& event);
  Status write_event(const schedule::AttemptEnded& event);
  Status write_event(const schedule::ArtifactPublished& event);
  Status write_event(const schedule::MeasurementProduced& event);
  Status write_event(const schedule::OutputRemoved& event);
  Status note(schedule::WallTime at, std::string_view kind, const schedule::AttemptKey& attempt,
              const std::string& detail);
  // Returns ERROR, and makes every later commit return it.
  Error broken(Error error);
  Result<std::int64_t> stage_row(const plan::StageId& stage) const;
  Result<std::int64_t> attempt_row(const schedule::AttemptKey& attempt);
  // The row of the server session that ATTEMPT started; inserted if absent.
  Result<std::int64_t> session_row(const schedule::AttemptKey& attempt);

  Core& core_;
  std::int64_t run_id_;
  std::string record_;
  std::string host_;
  StageRows stages_;
  // The last number of each stage whose number has been read or written.
  std::map<plan::StageId, int> last_attempt_;
  std::vector<schedule::Event> buffer_;
  std::int64_t sequence_ = 0;  // of the last event written
  std::optional<Error> broken_;
};

}  // namespace orch::store
