#include "results/store/run_journal.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/json_scan.hpp"
#include "os/system/kill_point.hpp"
#include "results/store/core.hpp"
#include "results/store/event_record.hpp"
#include "results/store/plan_record.hpp"
#include "results/tables/ingest.hpp"
#include "results/tables/views.hpp"

#include <cerrno>

#include <nlohmann/json.hpp>

namespace orch::store {

namespace {

using nlohmann::json;

// A digest over the paths and contents of all files, equal for attempts with the same output.
std::string content_digest(const std::vector<schedule::PublishedFile>& files) {
  Components components;
  for (const schedule::PublishedFile& file : files) components.add(file.path, file.sha256);
  return components.digest().hex();
}

}  // namespace

Status RunJournal::amend(const plan::Plan& plan, schedule::WallTime at) {
  ORCH_TRY(commit());
  const PlanRecord record = record_of(plan);
  PlanRows rows;
  const Status amended = in_transaction(core_, [&]() -> Status {
    rows = {.run_id = run_id_, .stages = stages_};
    ORCH_TRY(amend_plan(core_, record, rows, at));
    core_.records.add(record_, to_fact(record, rows.made, true, at));
    return {};
  });
  if (!amended.ok()) return amended;
  stages_ = std::move(rows.stages);
  return {};
}

Status RunJournal::write_planned(const PlanRecord& plan, schedule::WallTime at) {
  PlanRows rows{.run_id = run_id_};
  ORCH_TRY(write_plan(core_, plan, rows, at));
  stages_ = std::move(rows.stages);
  return {};
}

Status RunJournal::write_amended(const PlanRecord& plan, schedule::WallTime at) {
  PlanRows rows{.run_id = run_id_, .stages = std::move(stages_)};
  const Status written = amend_plan(core_, plan, rows, at);
  stages_ = std::move(rows.stages);
  return written;
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
  const auto row = stages_.find(stage);
  assert(row != stages_.end());
  const auto on_record =
      core_.statements.integer("SELECT max(number) FROM attempt WHERE stage_id = ?", row->second);
  if (!on_record) return broken(on_record.error());
  const int last = static_cast<int>(on_record->value_or(0));
  last_attempt_[stage] = last;
  return last + 1;
}

Result<int> RunJournal::failures_so_far(const plan::StageId& stage) {
  const auto row = stages_.find(stage);
  assert(row != stages_.end());
  const auto on_record = core_.statements.integer(
      "SELECT count(*) FROM attempt WHERE stage_id = ? AND failure_kind = 'harness' AND "
      "failure_class NOT IN ('lost', 'interrupted') "
      "AND run_id > coalesce((SELECT max(r.id) FROM run r JOIN run_stage rs ON rs.run_id = r.id "
      "WHERE rs.stage_id = ? AND r.outcome <> 'died'), 0)",
      row->second, row->second);
  if (!on_record) return broken(on_record.error());
  return static_cast<int>(on_record->value_or(0));
}

Result<bool> RunJournal::is_current(const schedule::AttemptKey& attempt, const std::string& token) {
  for (auto event = buffer_.rbegin(); event != buffer_.rend(); ++event)
    if (const auto* intended = std::get_if<schedule::AttemptIntended>(&*event);
        intended && intended->attempt.stage == attempt.stage)
      return intended->token == token;
  const auto row = stages_.find(attempt.stage);
  if (row == stages_.end()) return false;
  const auto newest = core_.statements.text(
      "SELECT token FROM attempt WHERE stage_id = ? ORDER BY number DESC LIMIT 1", row->second);
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
  const std::int64_t sequence = sequence_;
  Status status = in_transaction(core_, [this, sequence]() -> Status {
    sequence_ = sequence;
    for (const schedule::Event& event : buffer_) {
      ORCH_TRY(write(event));
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
  sequence_ = sequence;
  return broken(status.error().within(
      fmt::format("run {} cannot be recorded in {}", run_id_, core_.layout.database().string())));
}

std::string RunJournal::invalid_reasons(const schedule::AttemptKey& measurement) {
  static const std::string k_none = "no measurement was recorded";
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
        reasons.push_back(text.empty() ? std::string(record::k_no_reason) : text);
      },
      *attempt);
  if (!status.ok()) return status.error().message;
  if (!any) return k_none;
  return fmt::format("{}", fmt::join(reasons, "; "));
}

Result<std::vector<std::string>> RunJournal::makers_of(const plan::StageId& stage) {
  std::vector<std::string> tokens;
  const auto row = stages_.find(stage);
  if (row == stages_.end()) return tokens;
  constexpr std::string_view k_makers = R"(
SELECT a.token FROM artifact f JOIN attempt a ON a.id = f.attempt_id
WHERE f.stage_id = ?1 AND f.removed_at IS NULL AND NOT EXISTS (
  SELECT 1 FROM point_stage ps JOIN point p ON p.id = ps.point_id JOIN run r ON r.id = p.run_id
  WHERE ps.stage_id = ?1 AND r.experiment <> (SELECT experiment FROM run WHERE id = ?2)))";
  const Status read = core_.statements.rows(
      k_makers, [&](sql::Statement& found) { tokens.push_back(found.column_text(0)); }, row->second,
      run_id_);
  if (!read) return broken(read.error());
  return tokens;
}

Status RunJournal::finish(Outcome outcome, schedule::WallTime at) {
  ORCH_TRY(commit());
  ORCH_TRY(in_transaction(core_, [&] { return record_finished(to_string(outcome), at); }));
  core_.ballast.keep();
  // Errors are ignored: this only saves space.
  static_cast<void>(in_transaction(core_, [this] { return core_.records.fold(); }).ok());
  return {};
}

Status RunJournal::record_finished(std::string_view outcome, schedule::WallTime at) {
  core_.records.add(record_, to_fact(Finished{.outcome = std::string(outcome), .at = at}));
  return write_finished(outcome, at);
}

Status RunJournal::write_finished(std::string_view outcome, schedule::WallTime at) {
  return core_.statements.run("UPDATE run SET outcome = ?, ended_at = ? WHERE id = ?", outcome, at,
                              run_id_);
}

Result<std::int64_t> RunJournal::stage_row(const plan::StageId& stage) const {
  const auto row = stages_.find(stage);
  if (row == stages_.end())
    return Error{.kind = ErrorKind::internal,
                 .message = fmt::format("stage {} is not in the plan of run {}", stage, run_id_),
                 .where = {}};
  return row->second;
}

Result<std::int64_t> RunJournal::attempt_row(const schedule::AttemptKey& attempt) {
  ORCH_ASSIGN(const std::int64_t stage, stage_row(attempt.stage));
  ORCH_ASSIGN(const auto id,
              core_.statements.integer("SELECT id FROM attempt WHERE stage_id = ? AND number = ?",
                                       stage, attempt.number));
  if (!id)
    return Error{.kind = ErrorKind::internal,
                 .message = fmt::format("attempt {} of stage {} was never recorded", attempt.number,
                                        attempt.stage),
                 .where = {}};
  return *id;
}

Result<std::int64_t> RunJournal::session_row(const schedule::AttemptKey& attempt) {
  ORCH_ASSIGN(const std::int64_t row, attempt_row(attempt));
  ORCH_TRY(core_.statements.run(
      "INSERT INTO service_session (attempt_id) VALUES (?) ON CONFLICT DO NOTHING", row));
  ORCH_ASSIGN(const auto id,
              core_.statements.integer("SELECT id FROM service_session WHERE attempt_id = ?", row));
  return *id;
}

Status RunJournal::write(const schedule::Event& event) {
  return std::visit([this](const auto& what) { return write_event(what); }, event);
}

Status RunJournal::note(schedule::WallTime at, std::string_view kind,
                        const schedule::AttemptKey& attempt, const std::string& detail) {
  return core_.statements.run(
      "INSERT INTO event (run_id, sequence, at, kind, stage, attempt, detail) VALUES (?, ?, ?, ?, "
      "?, nullif(?, 0), ?)",
      run_id_, ++sequence_, at, kind, attempt.stage, attempt.number, detail);
}

Status RunJournal::write_event(const schedule::StageMoved& event) {
  ORCH_TRY(stage_row(event.stage));
  ORCH_TRY(
      core_.statements
          .run(  // A stage completed by this run stays done, even if its amended plan reuses it.
              "UPDATE run_stage SET state = ?, state_why = ?, changed_at = ? WHERE run_id = ? AND "
              "plan_id = ? AND NOT (state = 'done' AND ? = 'reused')",
              to_string(event.to), event.why, event.at, run_id_, event.stage, to_string(event.to)));
  return note(
      event.at, "moved", {event.stage, 0},
      dump(json{{"from", to_string(event.from)}, {"to", to_string(event.to)}, {"why", event.why}}));
}

Status RunJournal::write_event(const schedule::AttemptIntended& event) {
  ORCH_ASSIGN(const std::int64_t stage, stage_row(event.attempt.stage));
  // A second intent with the same number and a different token is an error, because the token
  // identifies the attempt.
  ORCH_TRY(core_.statements.run(
      "INSERT INTO attempt (run_id, stage_id, number, token, process, host, argv, env, work, log, "
      "ports, gpus, cpus, tool_version, probe, intended_at) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (token) DO NOTHING",
      run_id_, stage, event.attempt.number, event.token, event.process, host_,
      dump(json(event.argv)), dump(json(event.env)), event.work, event.log, dump(json(event.ports)),
      event.gpus.empty() ? std::nullopt : std::optional(dump(json(event.gpus))),
      event.cpus.empty() ? std::nullopt : std::optional(dump(json(event.cpus))),
      event.tool_version.empty() ? std::nullopt : std::optional(event.tool_version),
      event.probe.empty() ? std::nullopt : std::optional(event.probe), event.at));
  return note(event.at, "intended", event.attempt, "{}");
}

Status RunJournal::write_event(const schedule::AttemptSpawned& event) {
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  const system::Tree& tree = event.handle.tree;
  ORCH_TRY(core_.statements.run(
      "UPDATE attempt SET pid = ?, start_ticks = ?, boot_id = ?, containment = ?, handle = ?, "
      "spawned_at = ? WHERE id = ?",
      tree.leader.pid, tree.leader.start_ticks, tree.boot_id, to_string(tree.containment),
      to_json_text(event.handle), event.at, attempt));
  return note(event.at, "spawned", event.attempt, dump(json{{"pid", tree.leader.pid}}));
}

Status RunJournal::write_event(const schedule::AttemptAdopted& event) {
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  ORCH_ASSIGN(const auto before,
              core_.statements.integer("SELECT run_id FROM attempt WHERE id = ? AND token = ?",
                                       attempt, event.token));
  if (!before)
    return Error{.kind = ErrorKind::internal,
                 .message = fmt::format("attempt {} of stage {} has a token other than {}",
                                        event.attempt.number, event.attempt.stage, event.token),
                 .where = {}};
  if (*before == run_id_) return {};
  ORCH_TRY(core_.statements.run("UPDATE attempt SET run_id = ?, adopted_from = run_id WHERE id = ?",
                                run_id_, attempt));
  return note(event.at, "adopted", event.attempt, dump(json{{"from_run", *before}}));
}

// Does not change the state of the stage: the stages of the dead run have already been cancelled.
Status RunJournal::write_event(const schedule::AttemptLost& event) {
  schedule::AttemptKey key;
  ORCH_TRY(core_.statements.rows(
      "SELECT rs.plan_id, a.number FROM attempt a JOIN run_stage rs ON rs.run_id = a.run_id AND "
      "rs.stage_id = a.stage_id WHERE a.token = ? AND a.ended_at IS NULL",
      [&](sql::Statement& row) {
        key = {row.column_text(0), static_cast<int>(row.column_int(1))};
      },
      event.token));
  if (key.stage.empty()) return {};
  ORCH_TRY(
      core_.statements.run("UPDATE attempt SET ok = 0, failure_class = 'lost', message = ?, "
                           "ended_at = ? WHERE token = ? AND ended_at IS NULL",
                           event.why, event.at, event.token));
  return note(event.at, "lost", key, dump(json{{"why", event.why}}));
}

Status RunJournal::write_event(const schedule::ServiceReady& event) {
  ORCH_ASSIGN(const std::int64_t session, session_row(event.attempt));
  ORCH_TRY(core_.statements.run("UPDATE service_session SET ready_at = ?, start_s = ? WHERE id = ?",
                                event.at, event.start_s, session));
  return note(event.at, "ready", event.attempt, dump(json{{"start_s", event.start_s}}));
}

Status RunJournal::write_event(const schedule::AttemptEnded& event) {
  static const std::string k_update =
      fmt::format("UPDATE attempt SET failure_kind = ?, {} WHERE id = ?",
                  tables::assignments_of(k_fields<schedule::AttemptEnded>));
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  ORCH_ASSIGN(sql::Statement * update, core_.statements.get(k_update));
  ORCH_TRY(update->bind(1, event.ok ? std::nullopt : std::optional(to_string(event.kind))));
  int index = 2;
  ORCH_TRY(tables::bind_object(*update, index, event));
  ORCH_TRY(update->bind(index, attempt));
  ORCH_TRY(update->run());
  return note(event.at, "ended", event.attempt,
              dump(json{{"ok", event.ok}, {"class", event.failure_class}}));
}

Status RunJournal::write_event(const schedule::ArtifactPublished& event) {
  ORCH_ASSIGN(const std::int64_t stage, stage_row(event.attempt.stage));
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  ORCH_ASSIGN(const auto there,
              core_.statements.integer("SELECT id FROM artifact WHERE attempt_id = ?", attempt));
  if (there) return {};
  std::uint64_t bytes = 0;
  for (const schedule::PublishedFile& file : event.files) bytes += file.bytes;
  ORCH_TRY(core_.statements.run(
      "INSERT INTO artifact (attempt_id, stage_id, path, in_place, absolute_path, digest, files, "
      "bytes, not_cacheable, published_at) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      attempt, stage, event.path, event.in_place, core_.layout.at(event.path).string(),
      content_digest(event.files), event.files.size(), bytes,
      event.not_cacheable.empty() ? std::nullopt : std::optional(event.not_cacheable), event.at));
  const std::int64_t id = core_.database.last_insert_id();
  for (const schedule::PublishedFile& file : event.files)
    ORCH_TRY(core_.statements.run(
        "INSERT INTO artifact_file (artifact_id, path, bytes, sha256) VALUES (?, ?, ?, ?)", id,
        file.path, file.bytes, file.sha256));
  return note(event.at, "published", event.attempt, dump(json{{"path", event.path}}));
}

Status RunJournal::write_event(const schedule::MeasurementProduced& event) {
  ORCH_ASSIGN(const std::int64_t stage, stage_row(event.attempt.stage));
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  std::optional<std::int64_t> session;
  if (!event.session.stage.empty()) {
    ORCH_ASSIGN(session, session_row(event.session));
  }
  ORCH_ASSIGN(const auto newer,
              core_.statements.integer("SELECT 1 FROM attempt WHERE stage_id = ? AND number > ?",
                                       stage, event.attempt.number));
  const auto place = core_.layout.record(core_.host.files, event.path);
  auto record = record::read_record(core_.host.files, place);
  // Because of a transient disk error, record() may have returned the wrong place.
  if (!record.ok() && core_.layout.record(core_.host.files, event.path) != place)
    return io_error("read", place.string(), EIO);
  // An I/O error is not the measurement's fault: the next run reads the record again.
  if (!record.ok() && record.error().kind == ErrorKind::io) return record.error();
  // A record that cannot be read invalidates the measurement but does not fail the run.
  record::Record found =
      record.ok() ? std::move(record).value() : record::unreadable_record(record.error().text());
  ORCH_TRY(ingest(core_.host.files, core_.statements, core_.wide, std::move(found),
                  {.attempt_id = attempt,
                   .stage_id = stage,
                   .session_id = session,
                   .session_order = event.order,
                   .path = event.path,
                   .superseded = newer.has_value(),
                   .isolation = event.isolation,
                   .neighbours = fmt::format("{}", fmt::join(event.neighbours, " ")),
                   .measured_at = event.at}));
  return note(event.at, newer ? "superseded" : "measured", event.attempt,
              dump(json{{"path", event.path}}));
}

Status RunJournal::write_event(const schedule::OutputRemoved& event) {
  for (const std::string& token : event.tokens)
    ORCH_TRY(write_removal(core_.statements, {.token = token, .at = event.at}));
  return note(event.at, "removed", {event.stage, 0}, "{}");
}

}  // namespace orch::store
