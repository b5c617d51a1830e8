#include "store/run_journal.hpp"

#include "base/json_text.hpp"
#include "store/core.hpp"
#include "store/ingest.hpp"
#include "store/plan_rows.hpp"
#include "store/record.hpp"
#include "store/views.hpp"

#include <nlohmann/json.hpp>

namespace orch::store {

namespace {

using nlohmann::json;

// Paths and contents of all files: equal for two builds that made the same.
std::string content_digest(const std::vector<schedule::PublishedFile>& files) {
  Components components;
  for (const schedule::PublishedFile& file : files) components.add(file.path, file.sha256);
  return components.digest().hex();
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::done: return "done";
    case Outcome::failed: return "failed";
    case Outcome::interrupted: return "interrupted";
    case Outcome::error: return "error";
  }
  return "?";
}

Status RunJournal::amend(const plan::Plan& plan, schedule::WallTime at) {
  ORCH_TRY(commit());
  PlanRows rows{.run_id = run_id_, .stages = stages_};
  ORCH_TRY(in_transaction(core_, [&] { return amend_plan(core_, plan, rows, at); }));
  stages_ = std::move(rows.stages);
  return {};
}

int RunJournal::next_attempt(const plan::StageId& stage) {
  if (const auto known = last_attempt_.find(stage); known != last_attempt_.end()) return known->second + 1;
  int last = 0;
  const auto row = stages_.find(stage);
  assert(row != stages_.end());
  auto on_record = core_.statements.integer("SELECT max(number) FROM attempt WHERE stage_id = ?", row->second);
  // A read that fails here fails at the next commit as well, where it can be said.
  if (on_record.ok()) last = static_cast<int>(on_record.value().value_or(0));
  else broken_ = on_record.error();
  last_attempt_[stage] = last;
  return last + 1;
}

void RunJournal::append(const schedule::Event& event) {
  if (const auto* intended = std::get_if<schedule::AttemptIntended>(&event)) last_attempt_[intended->attempt.stage] = intended->attempt.number;
  buffer_.push_back(event);
}

Status RunJournal::commit() {
  if (broken_) return *broken_;
  if (buffer_.empty()) return {};
  const std::int64_t sequence = sequence_;
  Status status = in_transaction(core_, [this]() -> Status {
    for (const schedule::Event& event : buffer_) ORCH_TRY(write(event));
    return {};
  });
  if (status.ok()) {
    buffer_.clear();
    return {};
  }
  sequence_ = sequence;
  broken_ = status.error().within(fmt::format("run {} cannot be recorded in {}", run_id_, core_.layout.database().string()));
  return *broken_;
}

std::string RunJournal::invalid_reasons(const schedule::AttemptKey& measurement) {
  static const std::string k_none = "no measurement is on record";
  const auto attempt = attempt_row(measurement);
  if (!attempt.ok()) return k_none;
  std::vector<std::string> reasons;
  bool any = false;
  const Status status = core_.statements.rows(
      "SELECT valid, reasons FROM measurement WHERE attempt_id = ? ORDER BY ordinal",
      [&](sql::Statement& row) {
        any = true;
        if (row.column_int(0) != 0) return;
        const std::string text = row.column_text(1);
        reasons.push_back(text.empty() ? std::string(k_no_reason) : text);
      },
      *attempt);
  if (!status.ok()) return status.error().message;
  if (!any) return k_none;
  return fmt::format("{}", fmt::join(reasons, "; "));
}

Status RunJournal::finish(Outcome outcome, schedule::WallTime at) {
  ORCH_TRY(commit());
  return in_transaction(core_, [&] { return core_.statements.run("UPDATE run SET outcome = ?, ended_at = ? WHERE id = ?", to_string(outcome), at, run_id_); });
}

Result<std::int64_t> RunJournal::stage_row(const plan::StageId& stage) const {
  const auto row = stages_.find(stage);
  if (row == stages_.end()) return Error{.kind = ErrorKind::internal, .message = fmt::format("stage {} is not in the plan of run {}", stage, run_id_), .where = {}};
  return row->second;
}

Result<std::int64_t> RunJournal::attempt_row(const schedule::AttemptKey& attempt) {
  ORCH_ASSIGN(const std::int64_t stage, stage_row(attempt.stage));
  ORCH_ASSIGN(const auto id, core_.statements.integer("SELECT id FROM attempt WHERE stage_id = ? AND number = ?", stage, attempt.number));
  if (!id) return Error{.kind = ErrorKind::internal, .message = fmt::format("attempt {} of stage {} was never recorded", attempt.number, attempt.stage), .where = {}};
  return *id;
}

Result<std::int64_t> RunJournal::session_row(const schedule::AttemptKey& attempt) {
  ORCH_ASSIGN(const std::int64_t row, attempt_row(attempt));
  ORCH_TRY(core_.statements.run("INSERT INTO service_session (attempt_id) VALUES (?) ON CONFLICT DO NOTHING", row));
  ORCH_ASSIGN(const auto id, core_.statements.integer("SELECT id FROM service_session WHERE attempt_id = ?", row));
  return *id;
}

Status RunJournal::write(const schedule::Event& event) {
  return std::visit([this](const auto& what) { return write_event(what); }, event);
}

Status RunJournal::note(schedule::WallTime at, std::string_view kind, const schedule::AttemptKey& attempt, const std::string& detail) {
  return core_.statements.run("INSERT INTO event (run_id, sequence, at, kind, stage, attempt, detail) VALUES (?, ?, ?, ?, ?, nullif(?, 0), ?)", run_id_,
                              ++sequence_, at, kind, attempt.stage, attempt.number, detail);
}

Status RunJournal::write_event(const schedule::StageMoved& event) {
  ORCH_TRY(stage_row(event.stage));
  ORCH_TRY(core_.statements.run(// What this run made is not reused by it, though its second plan finds it made.
                                "UPDATE run_stage SET state = ?, state_why = ?, changed_at = ? WHERE run_id = ? AND plan_id = ? AND NOT (state = 'done' AND ? = 'reused')",
                                schedule::to_string(event.to), event.why, event.at, run_id_, event.stage, schedule::to_string(event.to)));
  return note(event.at, "moved", {event.stage, 0},
              dump(json{{"from", schedule::to_string(event.from)}, {"to", schedule::to_string(event.to)}, {"why", event.why}}));
}

Status RunJournal::write_event(const schedule::AttemptIntended& event) {
  ORCH_ASSIGN(const std::int64_t stage, stage_row(event.attempt.stage));
  // The token makes it the same attempt: a second intent with the same number and another token is an error.
  ORCH_TRY(core_.statements.run("INSERT INTO attempt (run_id, stage_id, number, token, argv, env, work, log, ports, tool_version, intended_at) "
                                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (token) DO NOTHING",
                                run_id_, stage, event.attempt.number, event.token, dump(json(event.argv)), dump(json(event.env)), event.work, event.log,
                                dump(json(event.ports)), event.tool_version.empty() ? std::nullopt : std::optional(event.tool_version), event.at));
  return note(event.at, "intended", event.attempt, "{}");
}

Status RunJournal::write_event(const schedule::AttemptSpawned& event) {
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  ORCH_TRY(core_.statements.run("UPDATE attempt SET pid = ?, start_ticks = ?, spawned_at = ? WHERE id = ?", event.pid, event.start_ticks, event.at, attempt));
  return note(event.at, "spawned", event.attempt, dump(json{{"pid", event.pid}}));
}

Status RunJournal::write_event(const schedule::ServiceReady& event) {
  ORCH_ASSIGN(const std::int64_t session, session_row(event.attempt));
  ORCH_TRY(core_.statements.run("UPDATE service_session SET ready_at = ?, start_s = ? WHERE id = ?", event.at, event.start_s, session));
  return note(event.at, "ready", event.attempt, dump(json{{"start_s", event.start_s}}));
}

Status RunJournal::write_event(const schedule::AttemptEnded& event) {
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  const auto exit_code = event.signal == 0 && event.exit_code >= 0 ? std::optional(event.exit_code) : std::nullopt;
  const auto signal = event.signal != 0 ? std::optional(event.signal) : std::nullopt;
  const auto failure = event.ok ? std::nullopt : std::optional(event.failure_class);
  ORCH_TRY(core_.statements.run("UPDATE attempt SET ok = ?, exit_code = ?, signal = ?, failure_class = ?, message = ?, wall_s = ?, cpu_s = ?, "
                                "max_rss_bytes = ?, ended_at = ? WHERE id = ?",
                                event.ok, exit_code, signal, failure, event.message, event.wall_s, event.cpu_s, event.max_rss_bytes,
                                event.at, attempt));
  return note(event.at, "ended", event.attempt, dump(json{{"ok", event.ok}, {"class", event.failure_class}}));
}

Status RunJournal::write_event(const schedule::ArtifactPublished& event) {
  ORCH_ASSIGN(const std::int64_t stage, stage_row(event.attempt.stage));
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  ORCH_ASSIGN(const auto there, core_.statements.integer("SELECT id FROM artifact WHERE attempt_id = ?", attempt));
  if (there) return {};
  std::uint64_t bytes = 0;
  for (const schedule::PublishedFile& file : event.files) bytes += file.bytes;
  ORCH_TRY(core_.statements.run("INSERT INTO artifact (attempt_id, stage_id, path, in_place, absolute_path, digest, files, bytes, published_at) "
                                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                attempt, stage, event.path, event.in_place, core_.layout.at(event.path).string(), content_digest(event.files),
                                event.files.size(), bytes, event.at));
  const std::int64_t id = core_.database.last_insert_id();
  for (const schedule::PublishedFile& file : event.files)
    ORCH_TRY(core_.statements.run("INSERT INTO artifact_file (artifact_id, path, bytes, sha256) VALUES (?, ?, ?, ?)", id, file.path, file.bytes, file.sha256));
  return note(event.at, "published", event.attempt, dump(json{{"path", event.path}}));
}

Status RunJournal::write_event(const schedule::MeasurementProduced& event) {
  ORCH_ASSIGN(const std::int64_t stage, stage_row(event.attempt.stage));
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  std::optional<std::int64_t> session;
  if (!event.session.stage.empty()) {
    ORCH_ASSIGN(session, session_row(event.session));
  }
  auto record = read_record(core_.layout.at(event.path));
  // A record that makes no sense is the measurement's failure, not the run's.
  Record found = record.ok() ? std::move(record).value() : unreadable_record(record.error().text());
  ORCH_TRY(ingest(core_.statements, core_.wide, std::move(found),
                  {.attempt_id = attempt, .stage_id = stage, .session_id = session, .session_order = event.order, .path = event.path, .measured_at = event.at}));
  return note(event.at, "measured", event.attempt, dump(json{{"path", event.path}}));
}

}  // namespace orch::store
