// The parameters and facts that the expressions of a manifest read, as SQLite resolves them. Knows
// no point.
#pragma once

#include "spec/runner/manifest.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orch::runner {

// A stage, rule, default or question that reads parameters or facts.
struct ReaderOf {
  std::string what;             // "rule 'one-rank'"
  std::string derives;          // the parameter whose default this is; "" for other readers
  std::set<std::string> names;  // that it reads
};

// Stages with their `reads`; rules, defaults and questions with the columns of their SQL. In the
// order of the manifest.
std::vector<ReaderOf> readers_of(const Manifest& manifest);

// The names that rule INDEX reads.
std::set<std::string> read_by_rule(const Manifest& manifest, std::size_t index);

}  // namespace orch::runner
