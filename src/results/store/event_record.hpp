// Serialises events, resolutions, removals and forgotten runs as facts of a run record, and parses
// them. For src/results/store and src/results/keep.
#pragma once

#include "results/tables/statements.hpp"
#include "run/schedule/journal.hpp"

#include <string>
#include <vector>

namespace orch::store {

std::string to_fact(const schedule::Event& event);
Result<schedule::Event> parse_event(const Value& fact);

// The commit to which a mutable revision was resolved. This fact does not belong to a run.
struct Resolution {
  std::string kind, name, value;
  double at = 0;
};
constexpr auto fields_of(Tag<Resolution>) {
  return rows_of(required<&Resolution::kind>("kind"), required<&Resolution::name>("name"),
                 required<&Resolution::value>("value"), required<&Resolution::at>("at"));
}

std::string to_fact(const Resolution& resolution);
Result<Resolution> parse_resolution(const Value& fact);
// Inside a transaction.
Status write_resolution(tables::Statements& statements, const Resolution& resolution);

// The output of the attempt `token` is damaged or gone. This fact does not belong to a run.
struct Removal {
  std::string token;
  double at = 0;
};
constexpr auto fields_of(Tag<Removal>) {
  return rows_of(required<&Removal::token>("token"), required<&Removal::at>("at"));
}

std::string to_fact(const Removal& removal);
Result<Removal> parse_removal(const Value& fact);
// Inside a transaction.
Status write_removal(tables::Statements& statements, const Removal& removal);
// The folders, relative to the store, of outputs recorded as removed that no unfinished attempt is
// recreating. They exist if a removal was interrupted, or if verify found them damaged.
Result<std::vector<std::string>> removed_outputs(tables::Statements& statements);

// The runs with the uids `runs` are hidden: their points and plans are removed, and their files
// stay until nothing needs them. This fact does not belong to a run.
struct Forgotten {
  std::vector<std::string> runs;
  double at = 0;
};
constexpr auto fields_of(Tag<Forgotten>) {
  return rows_of(required<&Forgotten::runs>("runs"), required<&Forgotten::at>("at"));
}

// How a run ended: done, failed, interrupted, error or died.
struct Finished {
  std::string outcome;
  double at = 0;
};
constexpr auto fields_of(Tag<Finished>) {
  return rows_of(field<&Finished::outcome>("outcome"), field<&Finished::at>("at"));
}

std::string to_fact(const Finished& finished);
Result<Finished> parse_finished(const Value& fact);

std::string to_fact(const Forgotten& forgotten);
Result<Forgotten> parse_forgotten(const Value& fact);
// Call inside a transaction. Ignores unknown runs.
Status write_forgotten(tables::Statements& statements, const Forgotten& forgotten);

}  // namespace orch::store
