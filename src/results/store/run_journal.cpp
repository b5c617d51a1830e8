#include "results/store/run_journal.hpp"

#include "os/system/kill_point.hpp"
#include "results/store/core.hpp"
#include "results/store/event_record.hpp"
#include "results/tables/ingest.hpp"

namespace orch::store {

Status RunJournal::amend(const plan::Plan& plan, schedule::WallTime at) {
  ORCH_TRY(commit());
  const PlanRecord record = record_of(plan);
  RunRows rows = rows_;
  ORCH_TRY(in_transaction(core_, [&]() -> Status {
    rows = rows_;
    ORCH_ASSIGN(const RunRows::Contents made, rows.amend(record, at));
    core_.records.add(record_, to_fact(record, made, true, at));
    return {};
  }));
  rows_ = std::move(rows);
  return {};
}

Result<bool> RunJournal::knows(const std::string& token) {
  ORCH_ASSIGN(const auto known,
              core_.statements.integer("SELECT 1 FROM attempt WHERE token = ?", token));
  return known.has_value();
}

Result<std::vector<std::string>> RunJournal::not_needed(const std::vector<std::string>& tokens) {
  std::vector<std::string> out;
  for (const std::string& token : tokens) {
    ORCH_ASSIGN(const auto kept,
                core_.statements.integer("SELECT 1 FROM attempt WHERE token = ? AND (ended_at IS "
                                         "NULL OR (ok = 0 AND failure_class <> 'lost'))",
                                         token));
    if (!kept) out.push_back(token);
  }
  return out;
}

Result<std::vector<std::string>> RunJournal::removed_outputs() {
  ORCH_ASSIGN(std::vector<std::string> paths, store::removed_outputs(core_.statements));
  std::erase_if(paths, [](const std::string& path) { return !Layout::is_made_by_runs(path); });
  return paths;
}

Error RunJournal::broken(Error error) {
  broken_ = error;
  return error;
}

Result<int> RunJournal::next_attempt(const plan::StageId& stage) {
  if (const auto known = last_attempt_.find(stage); known != last_attempt_.end())
    return known->second + 1;
  const auto row = rows_.find(stage);
  assert(row);
  const auto on_record =
      core_.statements.integer("SELECT max(number) FROM attempt WHERE stage_id = ?", *row);
  if (!on_record) return broken(on_record.error());
  const int last = static_cast<int>(on_record->value_or(0));
  last_attempt_[stage] = last;
  return last + 1;
}

Result<int> RunJournal::failures_so_far(const plan::StageId& stage) {
  const auto row = rows_.find(stage);
  assert(row);
  const auto on_record = core_.statements.integer(
      "SELECT count(*) FROM attempt WHERE stage_id = ? AND failure_kind = 'harness' AND "
      "failure_class NOT IN ('lost', 'interrupted') "
      "AND run_id > coalesce((SELECT max(r.id) FROM run r JOIN run_stage rs ON rs.run_id = r.id "
      "WHERE rs.stage_id = ? AND r.outcome <> 'died'), 0)",
      *row, *row);
  if (!on_record) return broken(on_record.error());
  return static_cast<int>(on_record->value_or(0));
}

Result<bool> RunJournal::is_current(const schedule::AttemptKey& attempt, const std::string& token) {
  for (auto event = buffer_.rbegin(); event != buffer_.rend(); ++event)
    if (const auto* intended = std::get_if<schedule::AttemptIntended>(&*event);
        intended && intended->attempt.stage == attempt.stage)
      return intended->token == token;
  const auto row = rows_.find(attempt.stage);
  if (!row) return false;
  const auto newest = core_.statements.text(
      "SELECT token FROM attempt WHERE stage_id = ? ORDER BY number DESC LIMIT 1", *row);
  if (!newest) return broken(newest.error());
  return *newest == token;
}

void RunJournal::append(const schedule::Event& event) {
  if (const auto* intended = std::get_if<schedule::AttemptIntended>(&event))
    last_attempt_[intended->attempt.stage] = intended->attempt.number;
  buffer_.push_back(event);
}

Status RunJournal::commit() {
  if (broken_) return *broken_;
  if (buffer_.empty()) return {};
  const std::int64_t sequence = rows_.sequence();
  Status status = in_transaction(core_, [this, sequence]() -> Status {
    rows_.rewind(sequence);
    for (const schedule::Event& event : buffer_) {
      ORCH_TRY(rows_.write(event));
      core_.records.add(record_, to_fact(event));
    }
    system::kill_point("journal-before-commit");
    return {};
  });
  if (status.ok()) {
    system::kill_point("journal-after-commit");
    buffer_.clear();
    return {};
  }
  rows_.rewind(sequence);
  return broken(status.error().within(
      fmt::format("run {} cannot be recorded in {}", run_id(), core_.layout.database().string())));
}

std::string RunJournal::invalid_reasons(const schedule::AttemptKey& measurement) {
  static const std::string k_none = "no measurement was recorded";
  const auto attempt = rows_.attempt_row(measurement);
  if (!attempt.ok()) return k_none;
  std::vector<std::string> reasons;
  bool any = false;
  const Status status = core_.statements.rows(
      "SELECT valid, reasons FROM measurement WHERE attempt_id = ? ORDER BY ordinal", *attempt,
      [&](sql::Statement& row) {
        any = true;
        if (row.column_int(0) != 0) return;
        const std::string text = row.column_text(1);
        reasons.push_back(text.empty() ? std::string(record::k_no_reason) : text);
      });
  if (!status.ok()) return status.error().message;
  if (!any) return k_none;
  return fmt::format("{}", fmt::join(reasons, "; "));
}

Result<std::vector<std::string>> RunJournal::makers_of(const plan::StageId& stage) {
  const auto row = rows_.find(stage);
  if (!row) return std::vector<std::string>();
  constexpr std::string_view k_makers = R"(
SELECT a.token FROM artifact f JOIN attempt a ON a.id = f.attempt_id
WHERE f.stage_id = ?1 AND f.removed_at IS NULL AND NOT EXISTS (
  SELECT 1 FROM point_stage ps JOIN point p ON p.id = ps.point_id JOIN run r ON r.id = p.run_id
  WHERE ps.stage_id = ?1 AND r.experiment <> (SELECT experiment FROM run WHERE id = ?2)))";
  auto tokens = core_.statements.texts(k_makers, *row, run_id());
  if (!tokens) return broken(tokens.error());
  return tokens;
}

Status RunJournal::finish(Outcome outcome, schedule::WallTime at) {
  ORCH_TRY(commit());
  const Finished end{.outcome = std::string(to_string(outcome)), .at = at};
  ORCH_TRY(in_transaction(core_, [&] {
    core_.records.add(record_, to_fact(end));
    return rows_.write(end);
  }));
  core_.ballast.keep();
  // Errors are ignored: this only saves space.
  static_cast<void>(in_transaction(core_, [this] { return core_.records.fold(); }).ok());
  return {};
}

}  // namespace orch::store
