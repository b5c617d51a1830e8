#include "store/event_record.hpp"

#include "base/json_text.hpp"
#include "tables/row_removal.hpp"

#include <nlohmann/json.hpp>

namespace orch::store {

namespace {

using nlohmann::json;
using namespace schedule;

// An unknown name reads as planned.
State state_of(const std::string& text) {
  for (int i = 0; i <= static_cast<int>(State::cancelled); ++i)
    if (text == to_string(static_cast<State>(i))) return static_cast<State>(i);
  return State::planned;
}

json json_of(const AttemptKey& key) { return {key.stage, key.number}; }
AttemptKey key_of(const json& key) { return {key.at(0).get<std::string>(), key.at(1).get<int>()}; }

json json_of(const StageMoved& e) {
  return {{"moved",
           {{"stage", e.stage},
            {"from", to_string(e.from)},
            {"to", to_string(e.to)},
            {"why", e.why},
            {"at", e.at}}}};
}
json json_of(const AttemptIntended& e) {
  json fact = {{"attempt", json_of(e.attempt)},
               {"token", e.token},
               {"process", e.process},
               {"argv", e.argv},
               {"env", e.env},
               {"work", e.work},
               {"log", e.log},
               {"ports", e.ports},
               {"tool_version", e.tool_version},
               {"probe", e.probe},
               {"at", e.at}};
  if (!e.gpus.empty()) fact["gpus"] = e.gpus;
  if (!e.cpus.empty()) fact["cpus"] = e.cpus;
  return {{"intended", std::move(fact)}};
}
json json_of(const AttemptSpawned& e) {
  const system::Tree& tree = e.handle.tree;
  return {{"spawned",
           {{"attempt", json_of(e.attempt)},
            {"handle", execute::to_json(e.handle)},
            {"pid", tree.leader.pid},
            {"start_ticks", tree.leader.start_ticks},
            {"boot_id", tree.boot_id},
            {"containment", system::to_string(tree.containment)},
            {"at", e.at}}}};
}
json json_of(const AttemptAdopted& e) {
  return {{"adopted", {{"attempt", json_of(e.attempt)}, {"token", e.token}, {"at", e.at}}}};
}
json json_of(const AttemptLost& e) {
  return {{"lost", {{"token", e.token}, {"why", e.why}, {"at", e.at}}}};
}
json json_of(const ServiceReady& e) {
  return {{"ready", {{"attempt", json_of(e.attempt)}, {"start_s", e.start_s}, {"at", e.at}}}};
}
json json_of(const AttemptEnded& e) {
  json ended = {{"attempt", json_of(e.attempt)},
                {"ok", e.ok},
                {"exit_code", e.exit_code},
                {"signal", e.signal},
                {"failure_class", e.failure_class},
                {"harness", e.kind == attempt::FailureKind::harness},
                {"message", e.message},
                {"wall_s", e.wall_s},
                {"cpu_s", e.cpu_s},
                {"max_rss_bytes", e.max_rss_bytes},
                {"at", e.at}};
  if (e.oom_killed) ended["oom_killed"] = true;
  if (e.log_error != 0) ended["log_error"] = e.log_error;
  if (!e.full_disk.empty()) ended["full_disk"] = e.full_disk;
  if (!e.judged_by.empty()) ended["judged_by"] = e.judged_by;
  if (!e.node.empty()) ended["node"] = e.node;
  if (!e.job.empty()) ended["job"] = e.job;
  return {{"ended", std::move(ended)}};
}
json json_of(const OutputRemoved& e) {
  return {{"output_removed", {{"stage", e.stage}, {"tokens", e.tokens}, {"at", e.at}}}};
}
json json_of(const ArtifactPublished& e) {
  json files = json::array();
  for (const PublishedFile& file : e.files)
    files.push_back(json::array({file.path, file.bytes, file.sha256}));
  return {{"published",
           {{"attempt", json_of(e.attempt)},
            {"path", e.path},
            {"in_place", e.in_place},
            {"not_cacheable", e.not_cacheable},
            {"files", std::move(files)},
            {"at", e.at}}}};
}
json json_of(const MeasurementProduced& e) {
  json fact = {{"attempt", json_of(e.attempt)},
               {"session", json_of(e.session)},
               {"path", e.path},
               {"order", e.order},
               {"at", e.at}};
  if (!e.isolation.empty()) fact["isolation"] = e.isolation;
  if (!e.neighbours.empty()) fact["neighbours"] = e.neighbours;
  return {{"measured", std::move(fact)}};
}

Event spawned_of(const json& e) {
  execute::Handle handle = execute::parse_handle(e.at("handle")).value_or(execute::Handle());
  handle.tree.leader = {e.at("pid").get<int>(), e.at("start_ticks").get<std::uint64_t>()};
  handle.tree.boot_id = e.at("boot_id");
  handle.tree.containment = system::parse_containment(e.at("containment").get<std::string>())
                                .value_or(system::Containment::session);
  return AttemptSpawned{
      .attempt = key_of(e.at("attempt")), .handle = std::move(handle), .at = e.at("at")};
}

Event ended_of(const json& e) {
  return AttemptEnded{.attempt = key_of(e.at("attempt")),
                      .ok = e.at("ok"),
                      .exit_code = e.at("exit_code"),
                      .signal = e.at("signal"),
                      .failure_class = e.at("failure_class"),
                      .kind = e.at("harness").get<bool>() ? attempt::FailureKind::harness
                                                          : attempt::FailureKind::system,
                      .message = e.at("message"),
                      .wall_s = e.at("wall_s"),
                      .cpu_s = e.at("cpu_s"),
                      .max_rss_bytes = e.at("max_rss_bytes"),
                      // Older records have none of the next six.
                      .oom_killed = e.value("oom_killed", false),
                      .log_error = e.value("log_error", 0),
                      .full_disk = e.value("full_disk", ""),
                      .judged_by = e.value("judged_by", ""),
                      .node = e.value("node", ""),
                      .job = e.value("job", ""),
                      .at = e.at("at")};
}

Event published_of(const json& e) {
  ArtifactPublished event{.attempt = key_of(e.at("attempt")),
                          .path = e.at("path"),
                          .in_place = e.at("in_place"),
                          .not_cacheable = e.at("not_cacheable"),
                          .files = {},
                          .at = e.at("at")};
  for (const json& file : e.at("files"))
    event.files.push_back({file.at(0), file.at(1), file.at(2)});
  return event;
}

struct Row {
  const char* name;
  Event (*parse)(const json& e);
};

constexpr Row k_rows[] = {
    {"moved",
     [](const json& e) -> Event {
       return StageMoved{.stage = e.at("stage"),
                         .from = state_of(e.at("from")),
                         .to = state_of(e.at("to")),
                         .why = e.at("why"),
                         .at = e.at("at")};
     }},
    {"intended",
     [](const json& e) -> Event {
       return AttemptIntended{.attempt = key_of(e.at("attempt")),
                              .token = e.at("token"),
                              .process = e.at("process"),
                              .argv = e.at("argv"),
                              .env = e.at("env"),
                              .work = e.at("work"),
                              .log = e.at("log"),
                              .ports = e.at("ports"),
                              .gpus = e.value("gpus", std::vector<int>()),
                              .cpus = e.value("cpus", std::vector<int>()),
                              .tool_version = e.at("tool_version"),
                              .probe = e.value("probe", ""),  // older records have none
                              .at = e.at("at")};
     }},
    {"spawned", spawned_of},
    {"adopted",
     [](const json& e) -> Event {
       return AttemptAdopted{
           .attempt = key_of(e.at("attempt")), .token = e.at("token"), .at = e.at("at")};
     }},
    {"lost",
     [](const json& e) -> Event {
       return AttemptLost{.token = e.at("token"), .why = e.at("why"), .at = e.at("at")};
     }},
    {"ready",
     [](const json& e) -> Event {
       return ServiceReady{
           .attempt = key_of(e.at("attempt")), .start_s = e.at("start_s"), .at = e.at("at")};
     }},
    {"ended", ended_of},
    {"published", published_of},
    {"measured",
     [](const json& e) -> Event {
       return MeasurementProduced{.attempt = key_of(e.at("attempt")),
                                  .session = key_of(e.at("session")),
                                  .path = e.at("path"),
                                  .order = e.at("order"),
                                  .isolation = e.value("isolation", ""),
                                  .neighbours = e.value("neighbours", std::vector<plan::StageId>()),
                                  .at = e.at("at")};
     }},
    {"output_removed",
     [](const json& e) -> Event {
       return OutputRemoved{.stage = e.at("stage"), .tokens = e.at("tokens"), .at = e.at("at")};
     }},
};

}  // namespace

Error unreadable_fact(const std::exception& why) {
  return invalid(fmt::format("not a fact of a run record: {}", why.what()));
}

std::string to_fact(const Event& event) {
  return std::visit([](const auto& what) { return dump(json_of(what)); }, event);
}

std::string to_fact(const Resolution& resolution) {
  return dump(json{{"resolved",
                    {{"kind", resolution.kind},
                     {"name", resolution.name},
                     {"value", resolution.value},
                     {"at", resolution.at}}}});
}

Result<Resolution> parse_resolution(const std::string& fact) try {
  const json e = json::parse(fact).at("resolved");
  return Resolution{
      .kind = e.at("kind"), .name = e.at("name"), .value = e.at("value"), .at = e.at("at")};
} catch (const json::exception& error) {
  return unreadable_fact(error);
}

Status write_resolution(tables::Statements& statements, const Resolution& resolution) {
  return statements.run(
      "INSERT OR REPLACE INTO resolution (kind, name, value, resolved_at) VALUES (?, ?, ?, ?)",
      resolution.kind, resolution.name, resolution.value, resolution.at);
}

std::string to_fact(const Removal& removal) {
  return dump(json{{"removed", {{"token", removal.token}, {"at", removal.at}}}});
}

Result<Removal> parse_removal(const std::string& fact) try {
  const json e = json::parse(fact).at("removed");
  return Removal{.token = e.at("token"), .at = e.at("at")};
} catch (const json::exception& error) {
  return unreadable_fact(error);
}

Status write_removal(tables::Statements& statements, const Removal& removal) {
  return statements.run(
      "UPDATE artifact SET removed_at = ? WHERE attempt_id = (SELECT id FROM attempt WHERE token = "
      "?)",
      removal.at, removal.token);
}

Result<std::vector<std::string>> removed_outputs(tables::Statements& statements) {
  constexpr std::string_view k_removed = R"(
SELECT DISTINCT f.path FROM artifact f WHERE f.removed_at IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM artifact other WHERE other.path = f.path AND other.removed_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.stage_id = f.stage_id AND a.ended_at IS NULL))";
  std::vector<std::string> paths;
  ORCH_TRY(statements.rows(k_removed,
                           [&](sql::Statement& row) { paths.push_back(row.column_text(0)); }));
  return paths;
}

Result<Event> parse_event(const std::string& fact) try {
  const json parsed = json::parse(fact);
  for (const Row& row : k_rows)
    if (const auto found = parsed.find(row.name); found != parsed.end()) return row.parse(*found);
  return invalid("unknown fact: " + fact.substr(0, 40));
} catch (const json::exception& error) {
  return unreadable_fact(error);
}

std::string to_fact(const Forgotten& forgotten) {
  return dump(json{{"forgotten", {{"runs", forgotten.runs}, {"at", forgotten.at}}}});
}

Result<Forgotten> parse_forgotten(const std::string& fact) try {
  const json e = json::parse(fact).at("forgotten");
  return Forgotten{.runs = e.at("runs"), .at = e.at("at")};
} catch (const json::exception& error) {
  return unreadable_fact(error);
}

Status write_forgotten(tables::Statements& statements, const Forgotten& forgotten) {
  tables::RowRemoval removal(statements);
  for (const std::string& uid : forgotten.runs) {
    ORCH_ASSIGN(const auto run, statements.integer("SELECT id FROM run WHERE uid = ?", uid));
    if (!run) continue;
    for (const char* table : {"point", "run_stage", "event"})
      ORCH_TRY(removal.remove(table, "run_id", *run));
  }
  return {};
}

}  // namespace orch::store
