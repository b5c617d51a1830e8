// The rows of one run: its plan and its events, written in the same way while the run goes on, when
// a database is rebuilt and when runs are merged. For src/results/store and src/results/keep.
#pragma once

#include "results/store/event_record.hpp"
#include "results/store/plan_record.hpp"
#include "run/schedule/journal.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace orch::store {

struct Core;

// Every function that writes is called inside the caller's transaction, and writes nothing to a run
// record. If the transaction is rolled back, the caller must restore this object from a copy made
// before it, or call rewind().
class RunRows {
 public:
  // Contents of stages that no run record had, by index in the plan that was written.
  using Contents = std::map<std::size_t, StageContent>;

  // Writes the row of RUN. Marks earlier runs without an outcome as died, and cancels their
  // unfinished stages. CORE must outlive the result.
  static Result<RunRows> begin(Core& core, const RunRecord& run);

  std::int64_t run_id() const { return run_id_; }
  // The row of STAGE; nullopt if the plan does not have it.
  std::optional<std::int64_t> find(const plan::StageId& stage) const;
  Result<std::int64_t> attempt_row(const schedule::AttemptKey& attempt);

  // Writes the stages, points and dependencies of PLAN.
  Result<Contents> write(const PlanRecord& plan, double at);
  // Replaces the plan of a run in progress after facts have arrived: adds new stages and points,
  // removes undecided stages that PLAN no longer has, and keeps every stage that has started.
  Result<Contents> amend(const PlanRecord& plan, double at);
  Status write(const schedule::Event& event);
  Status write(const Finished& end);

  // The number of the last event that was written. rewind() goes back to an earlier one.
  std::int64_t sequence() const { return sequence_; }
  void rewind(std::int64_t sequence) { sequence_ = sequence; }

 private:
  using Stages = std::map<plan::StageId, std::int64_t>;

  // HOST is the host on which the run starts attempts.
  RunRows(Core& core, std::int64_t run_id, std::string host)
      : core_(&core), run_id_(run_id), host_(std::move(host)) {}

  // Writes PLAN. STAGES: those of its stages that have rows already.
  Result<Contents> put(const PlanRecord& plan, Stages stages, double at);
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
  Result<std::int64_t> stage_row(const plan::StageId& stage) const;
  // The row of the server session that ATTEMPT started; inserted if absent.
  Result<std::int64_t> session_row(const schedule::AttemptKey& attempt);

  Core* core_;
  std::int64_t run_id_;
  std::string host_;
  Stages stages_;  // rows of the plan's stages
  std::int64_t sequence_ = 0;
};

// Begins RUN with PLAN: writes their rows, and the first two lines of the run record.
Result<RunRows> begin_recorded_run(Core& core, RunRecord run, const PlanRecord& plan);

}  // namespace orch::store
