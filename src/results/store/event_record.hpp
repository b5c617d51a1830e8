// Serialises events, resolutions, removals and forgotten runs as facts of a run record, and parses
// them. For src/results/store and src/results/keep.
#pragma once

#include "core/base/fields_json.hpp"
#include "results/tables/statements.hpp"
#include "run/schedule/journal.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::store {

std::string to_fact(const schedule::Event& event);
Result<schedule::Event> parse_event(const Value& fact);

// What a name currently stands for: the commit of a branch, the version of a tool, the digest of an
// image. This fact does not belong to a run.
struct Resolution {
  std::string kind, name, value;
  double at = 0;
};
constexpr std::string_view kind_of(Tag<Resolution>) { return "resolved"; }
constexpr auto fields_of(Tag<Resolution>) {
  return rows_of(required<&Resolution::kind>("kind"), required<&Resolution::name>("name"),
                 required<&Resolution::value>("value"), required<&Resolution::at>("at"));
}

// Call inside a transaction.
Status write_resolution(tables::Statements& statements, const Resolution& resolution);

// The output of the attempt `token` is damaged or gone. This fact does not belong to a run.
struct Removal {
  std::string token;
  double at = 0;
};
constexpr std::string_view kind_of(Tag<Removal>) { return "removed"; }
constexpr auto fields_of(Tag<Removal>) {
  return rows_of(required<&Removal::token>("token"), required<&Removal::at>("at"));
}

// Call inside a transaction.
Status write_removal(tables::Statements& statements, const Removal& removal);
// The folders, relative to the store, of outputs recorded as removed, except those that an
// unfinished attempt makes again. They still exist if a removal was interrupted or verify found
// them damaged.
Result<std::vector<std::string>> removed_outputs(tables::Statements& statements);

// The runs with the uids `runs` are hidden: their points and plans are removed, and their files
// stay until nothing needs them. This fact does not belong to a run.
struct Forgotten {
  std::vector<std::string> runs;
  double at = 0;
};
constexpr std::string_view kind_of(Tag<Forgotten>) { return "forgotten"; }
constexpr auto fields_of(Tag<Forgotten>) {
  return rows_of(required<&Forgotten::runs>("runs"), required<&Forgotten::at>("at"));
}

// Call inside a transaction. Ignores unknown runs.
Status write_forgotten(tables::Statements& statements, const Forgotten& forgotten);

// How a run ended: done, failed, interrupted, error or died.
struct Finished {
  std::string outcome;
  double at = 0;
};
constexpr std::string_view kind_of(Tag<Finished>) { return "finished"; }
constexpr auto fields_of(Tag<Finished>) {
  return rows_of(field<&Finished::outcome>("outcome"), field<&Finished::at>("at"));
}

// Facts that are not events, to text and back.
template <class Fact>
concept KindOfFact = requires {
  kind_of(Tag<Fact>());
};
template <KindOfFact Fact> std::string to_fact(const Fact& fact) {
  return tagged_text(kind_of(Tag<Fact>()), object_of(fact));
}
template <KindOfFact Fact> Result<Fact> parse_fact(const Value& fact) {
  return from_tagged<Fact>(fact, kind_of(Tag<Fact>()));
}

}  // namespace orch::store
