#include "results/store/history.hpp"

#include "core/base/fields_json.hpp"
#include "results/store/core.hpp"
#include "results/store/plan_record.hpp"
#include "results/tables/ingest.hpp"
#include "run/attempt/failure.hpp"

#include <cerrno>

#include <nlohmann/json.hpp>

namespace orch::store {

namespace {

using nlohmann::json;
using schedule::Unfinished;

// How many attempts are read: estimates need typical durations, not the whole history.
constexpr int k_attempts = 5000;

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::map<std::string, std::string> texts_of(const std::string& object) {
  std::map<std::string, std::string> texts;
  const json parsed = json::parse(object, nullptr, false);
  if (!parsed.is_object()) return texts;
  for (const auto& [name, value] : parsed.items()) texts[name] = text_of(value);
  return texts;
}

Components components_of(const std::string& list) {
  Components components;
  for (auto& [name, value] : components_in(list)) components.add(std::move(name), value);
  return components;
}

// The provenance of each run, which all outputs made by the run share.
class Machines {
 public:
  explicit Machines(Core& core) : core_(core) {}

  Status read() {
    std::map<std::int64_t, std::shared_ptr<const plan::Provenance>> machines;
    ORCH_TRY(core_.statements.rows("SELECT id, facts FROM machine", [&](sql::Statement& row) {
      machines[row.column_int(0)] =
          std::make_shared<plan::Provenance>(texts_of(row.column_text(1)));
    }));
    return core_.statements.rows(
        "SELECT id, machine_id, version FROM run", [&](sql::Statement& row) {
          const auto machine = machines.find(row.column_int(1));
          of_run_[row.column_int(0)] = std::make_shared<plan::Provenance>(
              provenance_of(machine == machines.end() ? plan::Provenance() : *machine->second,
                            row.column_text(2)));
        });
  }

  plan::Made made_by(std::int64_t run) {
    auto& provenance = of_run_[run];
    if (!provenance) provenance = std::make_shared<plan::Provenance>();
    return {.run = run, .provenance = provenance};
  }

 private:
  Core& core_;
  std::map<std::int64_t, std::shared_ptr<const plan::Provenance>> of_run_;
};

struct Kept {
  std::int64_t id;
  std::string digest;
  std::string path;  // as stored
  bool in_place;
  std::string absolute_path;
  std::int64_t run;
};

// The facts of PATH; nullopt only if it is certainly missing. Any other failure is an error: a
// broken disk also hides files, and an output may have taken hours to make.
Result<std::optional<system::FileFacts>> facts_of(system::Files& files, const std::string& path) {
  using Facts = std::optional<system::FileFacts>;
  if (const Facts facts = files.stat(path)) return facts;
  const auto text = files.read_block(path, 0, 1);
  const int number = text ? 0 : text.error().number;
  if (number == ENOENT || number == ENOTDIR || number == ELOOP) return Facts();
  if (const Facts facts = files.stat(path)) return facts;
  return io_error("look at", path, number == 0 ? EIO : number);
}

// Describes damage to an artifact that was made in its final place; "" if there is none. If its
// `out` is a link into the user's cache, the folder there must also have a manifest.
Result<std::string> damage_in_place(system::Files& files, const std::string& folder) {
  for (const char* part : {"manifest.json", "out"}) {
    ORCH_ASSIGN(const auto facts, facts_of(files, fmt::format("{}/{}", folder, part)));
    if (!facts) return fmt::format("{} is missing", part);
  }
  if (!files.is_link(folder + "/out")) return std::string();
  ORCH_ASSIGN(const auto facts, facts_of(files, folder + "/out/../manifest.json"));
  if (!facts) return std::string("its entry in the cache is not complete");
  return std::string();
}

// Describes damage to ARTIFACT, whose folder exists; "" if there is none. Compares names and sizes;
// does not read contents.
Result<std::string> damage(Core& core, const Kept& artifact, const std::string& folder) {
  if (artifact.in_place) return damage_in_place(core.host.files, folder);
  std::string found;
  Status readable;
  const auto compare = [&](const std::string& file, std::int64_t bytes) -> Status {
    ORCH_ASSIGN(const auto facts, facts_of(core.host.files, folder + "/out/" + file));
    if (!facts) found = file + " is missing";
    else if (static_cast<std::int64_t>(facts->bytes) != bytes)
      found = fmt::format("{} has {} bytes instead of {}", file, facts->bytes, bytes);
    return {};
  };
  ORCH_TRY(core.statements.rows(
      "SELECT path, bytes FROM artifact_file WHERE artifact_id = ? ORDER BY path", artifact.id,
      [&](sql::Statement& row) {
        if (found.empty() && readable) readable = compare(row.column_text(0), row.column_int(1));
      }));
  ORCH_TRY(readable);
  return found;
}

Result<bool> is_usable(Core& core, const Kept& artifact) {
  const std::string folder = core.layout.at(artifact.path).string();
  if (artifact.in_place && artifact.absolute_path != folder) return false;
  ORCH_ASSIGN(const auto facts, facts_of(core.host.files, folder));
  if (!facts || !facts->is_folder) return false;
  ORCH_ASSIGN(const std::string why, damage(core, artifact, folder));
  if (!why.empty()) core.notice(fmt::format("{}: {}, so it is made again", artifact.path, why));
  return why.empty();
}

// Attempts of one stage publish to the same folder: the newest row describes its contents.
Status read_artifacts(Core& core, std::vector<Kept>& kept) {
  return core.statements.rows(
      "SELECT max(f.id), s.digest, f.path, f.in_place, f.absolute_path, a.run_id, f.not_cacheable "
      "FROM artifact f JOIN attempt a ON a.id = f.attempt_id JOIN stage s ON s.id = f.stage_id "
      "WHERE f.removed_at IS NULL AND s.digest IS NOT NULL AND s.kind = 'task' GROUP BY f.stage_id",
      [&](sql::Statement& row) {
        if (row.column_null(6))
          kept.push_back({row.column_int(0), row.column_text(1), row.column_text(2),
                          row.column_int(3) != 0, row.column_text(4), row.column_int(5)});
      });
}

Status read_made(Core& core, plan::Done& done) {
  Machines machines(core);
  ORCH_TRY(machines.read());
  auto take = [&](const std::string& hex, std::int64_t run) {
    Digest digest;
    if (Digest::parse(hex, digest)) done.made[digest] = machines.made_by(run);
  };
  std::vector<Kept> artifacts;
  ORCH_TRY(read_artifacts(core, artifacts));
  for (const Kept& artifact : artifacts) {
    ORCH_ASSIGN(const bool usable, is_usable(core, artifact));
    if (usable) take(artifact.digest, artifact.run);
  }
  return core.statements.rows(
      "SELECT s.digest, a.run_id FROM measurement m JOIN attempt a ON a.id = m.attempt_id JOIN "
      "stage s ON s.id = m.stage_id "
      "WHERE m.superseded = 0 AND s.digest IS NOT NULL AND NOT EXISTS (SELECT 1 FROM artifact f "
      "WHERE f.attempt_id = a.id AND f.not_cacheable IS NOT NULL) "
      "GROUP BY m.attempt_id HAVING min(m.valid) = 1 ORDER BY max(m.id)",
      [&](sql::Statement& row) { take(row.column_text(0), row.column_int(1)); });
}

// A system failure that is the latest outcome of its stage.
struct Failed {
  Digest digest;
  std::string stage, log, judged_by;
  execute::Ended ended;
  plan::FailedBefore before;
};

// Reads final failures. Only system failures are results: a harness failure predicts nothing about
// the next attempt, and a tool mismatch predicts nothing about the planned program.
Status read_final(Core& core, std::vector<Failed>& failures) {
  return core.statements.rows(
      fmt::format("SELECT digest, name, run_id, failure_class, message, probe, log, "
                  "coalesce(judged_by, ''), {} ",
                  tables::columns_of(k_fields<execute::Ended>)) +
          "FROM (SELECT s.digest AS digest, s.name AS name, a.*, max(a.number) FROM attempt a JOIN "
          "stage s ON s.id = a.stage_id WHERE s.digest IS NOT NULL AND a.ended_at IS NOT NULL "
          "  AND coalesce(a.failure_class, '') NOT IN ('lost', 'interrupted', "
          "'tool_mismatch') GROUP BY a.stage_id) "
          "WHERE ok = 0 AND failure_kind = 'system'",
      [&](sql::Statement& row) {
        Failed failed;
        if (!Digest::parse(row.column_text(0), failed.digest)) return;
        failed.stage = row.column_text(1);
        failed.before = {.run = row.column_int(2),
                         .failure_class = row.column_text(3),
                         .message = row.column_text(4),
                         .probe = row.column_text(5)};
        failed.log = row.column_text(6);
        failed.judged_by = row.column_text(7);
        tables::read_columns(row, 8, failed.ended);
        failures.push_back(std::move(failed));
      });
}

// Whether the current table of classes makes FAILED a harness failure, which is not a result.
bool is_forgiven(Core& core, const Failed& failed) {
  constexpr std::uint64_t k_log_bytes = 64 << 10;
  const attempt::RecordedFailure recorded{.failure_class = failed.before.failure_class,
                                          .message = failed.before.message,
                                          .judged_by = failed.judged_by,
                                          .ended = failed.ended};
  if (!attempt::is_outdated(recorded)) return false;
  const auto log = core.host.files.read_tail(core.layout.at(failed.log).string(), k_log_bytes);
  const auto now = attempt::harness_class_of(recorded, log.value_or(""));
  if (!now) return false;
  core.notice(fmt::format(
      "stage {} failed in run {} as {}; the current table of failure classes calls that {}, the "
      "fault of the machine or the harness, so the stage is retried",
      failed.stage, failed.before.run, failed.before.failure_class, to_string(*now)));
  return true;
}

Status read_failed(Core& core, plan::Done& done) {
  std::vector<Failed> failures;
  ORCH_TRY(read_final(core, failures));
  for (Failed& failed : failures) {
    if (done.made.contains(failed.digest) || is_forgiven(core, failed)) continue;
    std::string& message = failed.before.message;
    message.resize(std::min(message.size(), message.find('\n')));
    done.failed[failed.digest] = std::move(failed.before);
  }
  return {};
}

// SQL for the seconds from the end of a server's last measurement to the end of the server. They
// come from the wall clock, which may have been changed meanwhile, and are therefore limited to the
// rest of the server's lifetime, which a monotonic clock measured.
//
// The join covers all sessions at once: measurements have no index by session, and searching all of
// them for each attempt takes minutes in a store with many imported rows.
constexpr std::string_view k_measured_by_session =
    "WITH measured(session, attempt) AS MATERIALIZED (SELECT DISTINCT session_id, attempt_id FROM "
    "measurement WHERE session_id IS NOT NULL), "
    "used(session, last_end, wall_s) AS MATERIALIZED (SELECT m.session, max(last.ended_at), "
    "sum(last.wall_s) FROM measured m JOIN attempt last ON last.id = m.attempt GROUP BY "
    "m.session) ";
constexpr std::string_view k_stop_seconds =
    "max(0, coalesce(min(a.ended_at - used.last_end, a.wall_s - ss.start_s - used.wall_s), 0))";

// SQL for the runner of stage s in run r: that of its point if the run has several runners, else
// that of the run.
std::string runner_of_stage() {
  return "coalesce((SELECT json_extract(p.parameters, '$.runner') FROM point_stage ps JOIN point p "
         "ON p.id = ps.point_id WHERE ps.stage_id = s.id AND p.run_id = r.id LIMIT 1), r.runner)";
}

Status read_earlier(Core& core, plan::Done& done) {
  ORCH_TRY(core.statements.rows(
      fmt::format("{} SELECT s.name, s.digest, s.parameters, coalesce(ss.start_s + {}, a.wall_s), "
                  "f.bytes, ",
                  k_measured_by_session, k_stop_seconds) +
          runner_of_stage() +
          " FROM attempt a JOIN stage s ON s.id = a.stage_id "
          "JOIN run r ON r.id = a.run_id "
          "LEFT JOIN service_session ss ON ss.attempt_id = a.id "
          "LEFT JOIN used ON used.session = ss.id "
          "LEFT JOIN artifact f ON f.attempt_id = a.id "
          "WHERE a.ok = 1 OR ss.start_s IS NOT NULL ORDER BY a.id DESC LIMIT ?",
      k_attempts, [&](sql::Statement& row) {
        plan::Earlier earlier{.runner = row.column_text(5),
                              .stage = row.column_text(0),
                              .digest = {},
                              .parameters = texts_of(row.column_text(2)),
                              .seconds = row.column_optional_real(3),
                              .bytes = {}};
        if (const auto bytes = row.column_optional_int(4))
          earlier.bytes = static_cast<std::uint64_t>(*bytes);
        static_cast<void>(Digest::parse(row.column_text(1), earlier.digest));
        done.earlier.push_back(std::move(earlier));
      }));
  std::ranges::reverse(done.earlier);
  return {};
}

// Reads the newest finished run of each experiment. A run that died, was interrupted or had an
// error does not count: the next run continues it.
Status read_finished(Core& core, plan::Done& done) {
  ORCH_TRY(core.statements.rows("SELECT id, experiment FROM run", [&](sql::Statement& row) {
    done.experiments[row.column_int(0)] = row.column_text(1);
  }));
  return core.statements.rows(
      "SELECT experiment, max(id) FROM run WHERE outcome IN ('done', 'failed') GROUP BY experiment",
      [&](sql::Statement& row) { done.finished[row.column_text(0)] = row.column_int(1); });
}

// Parses JSON in a column; a default value if it has another type.
template <class T> T parsed(const std::string& text) {
  T value{};
  const auto read = parse_value(text);
  if (read) static_cast<void>(assign(value, *read));
  return value;
}

// Fills in the number of measurements on the server that attempt ID started, and how often each was
// attempted there.
Status read_measuring(Core& core, std::int64_t id, Unfinished& service) {
  ORCH_ASSIGN(
      const auto measured,
      core.statements.integer("SELECT count(DISTINCT m.attempt_id) FROM measurement m JOIN "
                              "service_session ss ON ss.id = m.session_id WHERE ss.attempt_id = ?",
                              id));
  service.measured = static_cast<int>(measured.value_or(0));
  return core.statements.rows(
      "SELECT (SELECT plan_id FROM run_stage WHERE stage_id = b.stage_id ORDER BY run_id DESC "
      "LIMIT 1), count(*) FROM attempt a "
      "JOIN stage_need n ON n.needs_id = a.stage_id JOIN attempt b ON b.stage_id = n.stage_id AND "
      "b.id > a.id JOIN stage s ON s.id = b.stage_id "
      "WHERE a.id = ? AND s.kind = 'measure' GROUP BY b.stage_id",
      id, [&](sql::Statement& row) {
        service.attempts[row.column_text(0)] = static_cast<int>(row.column_int(1));
      });
}

}  // namespace

plan::Provenance provenance_of(std::map<std::string, std::string> machine_facts,
                               const std::string& version) {
  machine_facts.erase("boot_id");     // differs after every boot
  machine_facts.erase("memory_gib");  // varies with the kernel
  machine_facts["orchestrate"] = version;
  return machine_facts;
}

Result<plan::Done> read_done(Core& core) {
  plan::Done done;
  ORCH_TRY(read_made(core, done));
  ORCH_TRY(read_failed(core, done));
  ORCH_TRY(read_earlier(core, done));
  ORCH_TRY(read_finished(core, done));
  return done;
}

Result<plan::Ancestors> read_ancestors(Core& core, const std::string& runner) {
  std::map<std::int64_t, std::vector<std::string>> points;
  ORCH_TRY(core.statements.rows(
      "SELECT DISTINCT ps.stage_id, p.name FROM point_stage ps JOIN point p ON p.id = ps.point_id",
      [&](sql::Statement& row) { points[row.column_int(0)].push_back(row.column_text(1)); }));
  plan::Ancestors ancestors;
  ORCH_TRY(core.statements.rows(
      "SELECT s.name, s.components, max(rs.run_id), "
      "  EXISTS (SELECT 1 FROM artifact f WHERE f.stage_id = s.id AND f.removed_at IS NULL AND "
      "f.not_cacheable IS NULL AND s.kind = 'task') "
      "  OR EXISTS (SELECT 1 FROM measurement m WHERE m.stage_id = s.id AND m.valid = 1 AND "
      "m.superseded = 0 "
      "    AND NOT EXISTS (SELECT 1 FROM artifact f WHERE f.attempt_id = m.attempt_id AND "
      "f.not_cacheable IS NOT NULL)), s.id "
      "FROM stage s JOIN run_stage rs ON rs.stage_id = s.id JOIN run r ON r.id = rs.run_id WHERE "
      "s.digest IS NOT NULL AND " +
          runner_of_stage() +
          " = ? GROUP BY s.id ORDER BY "
          "max(rs.run_id), s.id",
      runner, [&](sql::Statement& row) {
        plan::Ancestor ancestor{.run = row.column_int(2),
                                .components = components_of(row.column_text(1)),
                                .made = row.column_int(3) != 0};
        for (auto& name : points[row.column_int(4)]) ancestor.points.insert(std::move(name));
        ancestors[row.column_text(0)].push_back(std::move(ancestor));
      }));
  return ancestors;
}

Result<std::vector<Unfinished>> read_unfinished(Core& core) {
  std::vector<Unfinished> all;
  std::vector<std::int64_t> ids;
  ORCH_TRY(core.statements.rows(
      "SELECT a.id, coalesce((SELECT plan_id FROM run_stage WHERE run_id = a.run_id AND stage_id = "
      "a.stage_id LIMIT 1), ''), a.number, s.kind, a.token, "
      "  coalesce(nullif(a.process, ''), a.token), a.ports, a.log, coalesce(a.host, ''), "
      "coalesce(a.handle, ''), ss.ready_at IS NOT NULL, coalesce(a.gpus, '[]'), "
      "coalesce(a.cpus, '[]') "
      "FROM attempt a JOIN stage s ON s.id = a.stage_id LEFT JOIN service_session ss ON "
      "ss.attempt_id = a.id WHERE a.ended_at IS NULL AND a.run_id <> ? ORDER BY a.id",
      core.run_id, [&](sql::Statement& row) {
        ids.push_back(row.column_int(0));
        all.push_back(
            {.attempt = {row.column_text(1), static_cast<int>(row.column_int(2))},
             .kind = parse_name<runner::Kind>(row.column_text(3)).value_or(runner::Kind::task),
             .token = row.column_text(4),
             .process = row.column_text(5),
             .ports = parsed<std::map<std::string, int>>(row.column_text(6)),
             .gpus = parsed<std::vector<int>>(row.column_text(11)),
             .cpus = parsed<std::vector<int>>(row.column_text(12)),
             .log = row.column_text(7),
             .host = row.column_text(8),
             .handle = from_json_text<execute::Handle>(row.column_text(9)).to_optional(),
             .ready = row.column_int(10) != 0,
             .attempts = {}});
      }));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].kind == runner::Kind::service) ORCH_TRY(read_measuring(core, ids[i], all[i]));
  return all;
}

}  // namespace orch::store
