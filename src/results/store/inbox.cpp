#include "results/store/inbox.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "os/system/file_lock.hpp"
#include "os/system/kill_point.hpp"
#include "results/store/core.hpp"
#include "results/store/event_record.hpp"
#include "results/store/plan_record.hpp"
#include "results/store/run_journal.hpp"

#include <cerrno>
#include <random>

#include <nlohmann/json.hpp>

namespace orch::store {

namespace {

using nlohmann::json;

constexpr int k_schema = 1;
constexpr std::uint64_t k_envelope_bytes = 64 << 20;  // large enough for an import of many points

// The contents of record.json.
struct Envelope {
  int schema = k_schema;
  std::string uid, token, experiment;
  std::string by = "bench";
  RunInfo info;
  struct Point {
    std::string name;
    Object parameters;
    std::optional<double> measured_at;
  };
  std::vector<Point> points = {};
};
constexpr auto fields_of(Tag<Envelope::Point>) {
  using P = Envelope::Point;
  return rows_of(required<&P::name>("name"), required<&P::parameters>("parameters"),
                 sparse<&P::measured_at>("measured_at"));
}
constexpr auto fields_of(Tag<Envelope>) {
  using E = Envelope;
  using I = RunInfo;
  return rows_of(required<&E::schema>("schema"), required<&E::uid>("uid"),
                 required<&E::token>("token"), required<&E::experiment>("experiment"),
                 field<&E::by>("by"), required<&E::info, &I::command>("command"),
                 required<&E::info, &I::version>("version"),
                 required<&E::info, &I::machine>("machine"),
                 required<&E::info, &I::started_at>("measured_at"), required<&E::points>("points"));
}

std::string random_uid() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

std::string envelope_text(const std::string& uid, const Publication& publication) {
  Envelope envelope{.uid = uid,
                    .token = publication.token,
                    .experiment = publication.experiment,
                    .by = publication.by,
                    .info = publication.info};
  for (const PublishedPoint& point : publication.points) {
    envelope.points.push_back({point.name, parameters_of(point.parameters), point.measured_at});
  }
  return to_json_text(envelope) + "\n";
}

Result<Envelope> read_envelope(system::Files& files, const Layout& layout,
                               const std::string& name) {
  if (files.is_link((layout.inbox() / name).string()))
    return invalid("it is a link; a record is a folder of files");
  ORCH_ASSIGN(const std::string text,
              files.read_own((layout.inbox() / name / "record.json").string(), k_envelope_bytes));
  const auto all = parse_value(text);
  if (!all) return all.error().within("record.json");
  const auto* object = std::get_if<Object>(&*all);
  const Value* schema = object ? member_of(*object, "schema") : nullptr;
  if (schema && *schema != Value(std::int64_t{k_schema}))
    return invalid(fmt::format("record.json has schema {}; this program reads {}",
                               json_text(*schema), k_schema));
  const Value* uid = object ? member_of(*object, "uid") : nullptr;
  if (uid && *uid != Value(name)) return invalid("record.json names another uid");
  Envelope envelope;
  if (const Status read = read_object(envelope, *all); !read)
    return read.error().within("record.json");
  if (envelope.points.empty() || (!envelope.token.empty() && envelope.points.size() > 1))
    return invalid("record.json has the wrong number of points");
  if (envelope.by != "bench" && envelope.by != "import")
    return invalid("record.json says that an unknown command published it");
  return envelope;
}

// The names of published records. Names with a leading dot are still being written.
std::vector<std::string> published_names(system::Files& files, const Layout& layout) {
  auto names = files.names(layout.inbox().string()).value_or({});
  std::erase_if(names, [](const std::string& name) { return name.starts_with('.'); });
  return names;
}

// Removes partial records whose writers died; a live writer holds a lock on its folder.
void remove_partial_records(system::Files& files, const Layout& layout) {
  for (const std::string& name : files.names(layout.inbox().string()).value_or({})) {
    if (!name.starts_with('.')) continue;
    const std::string folder = (layout.inbox() / name).string();
    const auto held = system::FileLock::try_folder(folder);
    if (held && *held) static_cast<void>(files.remove_tree(folder).ok());
  }
}

std::string folder_of(const Envelope& envelope, std::size_t point) {
  return fmt::format("artifacts/{}/{}", envelope.uid, point + 1);
}

void leave_with_notice(Core& core, const std::string& name, const std::string& why) {
  core.notice(fmt::format("inbox/{} was not ingested: {}", name, why));
}

// Moves an ingested record. Until the rename, readers find it in the inbox: see Layout::record().
void move_to_artifacts(Core& core, const std::string& name) {
  system::kill_point("inbox-ingested");
  const Status moved = core.host.files.rename((core.layout.inbox() / name).string(),
                                              (core.layout.artifacts() / name).string());
  if (!moved.ok()) return leave_with_notice(core, name, moved.error().text());
  system::kill_point("inbox-moved");
}

// The plan of a run from records: each record is a stage, and records of the same point are its
// repeats.
PlanRecord plan_of(const Envelope& envelope) {
  PlanRecord plan;
  std::map<std::string, std::size_t> points;
  for (std::size_t i = 0; i < envelope.points.size(); ++i) {
    const plan::StageId id =
        fmt::format("{}-{}-{}", envelope.by, envelope.uid.substr(0, 12), i + 1);
    plan.stages.push_back({.id = id,
                           .digest = std::nullopt,
                           .planned = "run",
                           .why = envelope.by == "bench" ? "measured by orchestrate bench"
                                                         : "imported from another tool's file"});
    const auto [known, is_new] = points.emplace(envelope.points[i].name, plan.points.size());
    if (is_new)
      plan.points.push_back({.name = envelope.points[i].name,
                             .status = "run",
                             .parameters = json_text(envelope.points[i].parameters)});
    plan.points[known->second].stages.push_back(id);
  }
  plan.content = [&envelope](std::size_t i) -> Result<StageContent> {
    return StageContent{.name = envelope.by,
                        .kind = "measure",
                        .parameters = json_text(envelope.points[i].parameters),
                        .components = "[]",
                        .argv = dump(json(envelope.info.command)),
                        .env = "{}",
                        .rendered = "{}"};
  };
  return plan;
}

std::vector<schedule::Event> events_of(const Envelope& envelope, const PlanRecord& plan) {
  std::vector<schedule::Event> events;
  const double at = envelope.info.started_at;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const schedule::AttemptKey key{plan.stages[i].id, 1};
    const std::string token = fmt::format("{}-{}", envelope.uid, i + 1);
    events.push_back(schedule::AttemptIntended{
        .attempt = key, .token = token, .process = token, .argv = envelope.info.command, .at = at});
    events.push_back(
        schedule::AttemptEnded{.attempt = key, .ok = true, .process = {.code = 0}, .at = at});
    events.push_back(
        schedule::MeasurementProduced{.attempt = key,
                                      .path = folder_of(envelope, i),
                                      .order = 1,
                                      .at = envelope.points[i].measured_at.value_or(at)});
    events.push_back(schedule::StageMoved{.stage = key.stage,
                                          .from = schedule::State::planned,
                                          .to = schedule::State::done,
                                          .at = at});
  }
  return events;
}

// Writes the rows of a run that planned and measured exactly the points of ENVELOPE.
Status write_as_run(Core& core, const Envelope& envelope) {
  const RunRecord run{.id = 0,
                      .uid = envelope.uid,
                      .experiment = envelope.experiment,
                      .runner = envelope.by,
                      .info = envelope.info,
                      .pid = 0};
  const PlanRecord plan = plan_of(envelope);
  return in_transaction(core, [&]() -> Status {
    ORCH_ASSIGN(RunRows rows, begin_recorded_run(core, run, plan));
    for (const schedule::Event& event : events_of(envelope, plan)) {
      ORCH_TRY(rows.write(event));
      core.records.add(run.file(), to_fact(event));
    }
    const Finished end{.outcome = "done", .at = envelope.info.started_at};
    core.records.add(run.file(), to_fact(end));
    return rows.write(end);
  });
}

}  // namespace

Result<std::string> publish(system::Files& files, const Layout& layout,
                            const Publication& publication) {
  const std::string uid = publication.uid.empty() ? random_uid() : publication.uid;
  const std::string published = (layout.inbox() / uid).string();
  if (files.exists(published)) return uid;
  const std::string aside = (layout.inbox() / ("." + uid)).string();
  const std::string envelope = envelope_text(uid, publication);
  if (envelope.size() > k_envelope_bytes)
    return invalid(fmt::format(
        "its {} points have {} of parameters, and one record holds at most {}: divide the file",
        publication.points.size(), human_bytes(envelope.size()), human_bytes(k_envelope_bytes)));
  ORCH_TRY(files.make_folder(aside));
  ORCH_ASSIGN(const auto held, system::FileLock::try_folder(aside));
  if (!held) return io_error("lock", aside, EWOULDBLOCK);
  // A writer that died while it published the same uid may have left files.
  ORCH_ASSIGN(const auto torn, files.names(aside));
  for (const std::string& name : torn) ORCH_TRY(files.remove_tree(aside + "/" + name));
  for (std::size_t i = 0; i < publication.points.size(); ++i) {
    const std::string to = fmt::format("{}/{}", aside, i + 1);
    ORCH_TRY(files.make_folder(to));
    ORCH_TRY(files.put(to + "/measurement.json", publication.points[i].measurement));
    ORCH_TRY(files.put(to + "/requests.jsonl", publication.points[i].requests));
    if (!publication.points[i].answers.empty())
      ORCH_TRY(files.put(to + "/answers.jsonl.zst", publication.points[i].answers));
    if (publication.points[i].write_requests) ORCH_TRY(publication.points[i].write_requests(to));
  }
  ORCH_TRY(files.put(aside + "/record.json", envelope));
  ORCH_TRY(files.sync_tree(aside));
  system::kill_point("inbox-written");
  ORCH_TRY(files.rename(aside, published));
  system::kill_point("inbox-renamed");
  return uid;
}

Status ingest_runs(Core& core) {
  // Not on a shared store: the locks of writers on other hosts cannot be seen.
  if (!core.lock || !core.lock->lease()) remove_partial_records(core.host.files, core.layout);
  for (const std::string& name : published_names(core.host.files, core.layout)) {
    const auto envelope = read_envelope(core.host.files, core.layout, name);
    if (!envelope) {
      leave_with_notice(core, name, envelope.error().text());
      continue;
    }
    if (!envelope->token.empty()) continue;
    ORCH_ASSIGN(const auto there,
                core.statements.integer("SELECT id FROM run WHERE uid = ?", envelope->uid));
    const Status written = there ? Status() : write_as_run(core, *envelope);
    if (written.ok()) move_to_artifacts(core, name);
    else leave_with_notice(core, name, written.error().text());
  }
  return {};
}

Status ingest_attempts(Core& core, RunJournal& journal) {
  for (const std::string& name : published_names(core.host.files, core.layout)) {
    const auto envelope = read_envelope(core.host.files, core.layout, name);
    if (!envelope || envelope->token.empty())
      continue;  // of an error, ingest_runs() has given notice
    schedule::AttemptKey key;
    bool known = false, measured = false;
    ORCH_TRY(
        core.statements.rows("SELECT rs.plan_id, a.number, EXISTS (SELECT 1 FROM measurement WHERE "
                             "attempt_id = a.id) FROM attempt a LEFT JOIN run_stage rs ON "
                             "rs.run_id = ? AND rs.stage_id = a.stage_id WHERE a.token = ?",
                             journal.run_id(), envelope->token, [&](sql::Statement& row) {
                               known = true;
                               key = {row.column_text(0), static_cast<int>(row.column_int(1))};
                               measured = row.column_int(2) != 0;
                             }));
    if (!known)
      leave_with_notice(core, name, "it belongs to an attempt that this store does not have");
    if (!known || (!measured && key.stage.empty()))
      continue;  // kept, because a later run may plan its stage again
    if (!measured) {
      journal.append(schedule::MeasurementProduced{
          .attempt = key,
          .path = folder_of(*envelope, 0),
          .order = 0,
          .at = envelope->points[0].measured_at.value_or(envelope->info.started_at)});
      ORCH_TRY(journal.commit());
    }
    move_to_artifacts(core, name);
  }
  return {};
}

}  // namespace orch::store
