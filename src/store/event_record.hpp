// Serialises events, resolutions, removals and what was forgotten as facts of a run record, and
// parses them again. For src/store and src/keep.
#pragma once

#include "schedule/journal.hpp"
#include "tables/statements.hpp"

#include <string>
#include <vector>

namespace orch::store {

// The error for a fact that parses wrongly; WHY is the parser's message.
Error unreadable_fact(const std::exception& why);

std::string to_fact(const schedule::Event& event);
Result<schedule::Event> parse_event(const std::string& fact);

// The commit that a mutable revision was resolved to. Belongs to no run.
struct Resolution {
  std::string kind, name, value;
  double at = 0;
};

std::string to_fact(const Resolution& resolution);
Result<Resolution> parse_resolution(const std::string& fact);
// Inside a transaction.
Status write_resolution(tables::Statements& statements, const Resolution& resolution);

// The output of the attempt with TOKEN is damaged or gone. Belongs to no run.
struct Removal {
  std::string token;
  double at = 0;
};

std::string to_fact(const Removal& removal);
Result<Removal> parse_removal(const std::string& fact);
// Inside a transaction.
Status write_removal(tables::Statements& statements, const Removal& removal);
// The folders, relative to the store, of outputs that are on record as removed and that nothing
// makes again now. An interrupted removal leaves some of them, and verify finds others damaged.
Result<std::vector<std::string>> removed_outputs(tables::Statements& statements);

// The runs with these UIDS are shown no more: their points and their plans go, what they made stays
// until nothing needs it. Belongs to no run.
struct Forgotten {
  std::vector<std::string> runs;
  double at = 0;
};

std::string to_fact(const Forgotten& forgotten);
Result<Forgotten> parse_forgotten(const std::string& fact);
// Inside a transaction. Unknown runs are left out.
Status write_forgotten(tables::Statements& statements, const Forgotten& forgotten);

}  // namespace orch::store
