#include "results/store/event_record.hpp"

namespace orch::store {

namespace {

// The names of events in facts, in the order of the variant.
constexpr std::string_view k_kinds[] = {"moved",    "intended",      "spawned", "adopted",
                                        "lost",     "ready",         "ended",   "published",
                                        "measured", "output_removed"};
static_assert(std::size(k_kinds) == std::variant_size_v<schedule::Event>);

// Tries the kinds in turn. A run has very many events, so a fact of another kind must not cost the
// text of an error.
template <std::size_t Kind = 0> Result<schedule::Event> event_in(const Value& fact) {
  if constexpr (Kind < std::size(k_kinds)) {
    const auto* object = std::get_if<Object>(&fact);
    if (!object || !member_of(*object, k_kinds[Kind])) return event_in<Kind + 1>(fact);
    using Event = std::variant_alternative_t<Kind, schedule::Event>;
    ORCH_ASSIGN(Event event, from_tagged<Event>(fact, k_kinds[Kind]));
    return schedule::Event(std::move(event));
  } else {
    return invalid("unknown fact: " + json_text(fact).substr(0, 40));
  }
}

}  // namespace

std::string to_fact(const schedule::Event& event) {
  return std::visit(
      [&](const auto& what) { return tagged_text(k_kinds[event.index()], object_of(what)); },
      event);
}

Status write_resolution(tables::Statements& statements, const Resolution& resolution) {
  return statements.run(
      "INSERT OR REPLACE INTO resolution (kind, name, value, resolved_at) VALUES (?, ?, ?, ?)",
      resolution.kind, resolution.name, resolution.value, resolution.at);
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
  return statements.texts(k_removed);
}

Result<schedule::Event> parse_event(const Value& fact) { return event_in(fact); }

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
