// Which parameters and facts the expressions of a manifest name, as SQLite understands them, and
// who reads a name.
#pragma once

#include "runner/manifest.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orch::runner {

// Something of a manifest that reads parameters or facts.
struct ReaderOf {
  std::string what;             // "rule 'one-rank'"
  std::set<std::string> names;  // that it reads
};

// Stages by their `reads`; rules, defaults and questions by their SQL. In the order in which a
// manifest says them.
std::vector<ReaderOf> readers_of(const Manifest& manifest);

// The names that rule INDEX reads.
std::set<std::string> read_by_rule(const Manifest& manifest, std::size_t index);

}  // namespace orch::runner
