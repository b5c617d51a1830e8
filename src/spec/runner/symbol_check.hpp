// Checks which {symbols} a manifest uses and where.
#pragma once

#include "core/base/result.hpp"
#include "spec/runner/manifest.hpp"
#include "spec/runner/manifest_reader.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orch::runner {

// The parameters and facts that a manifest's expressions read, as resolved by SQLite.

// A stage, rule, default or question that reads parameters or facts.
struct ReaderOf {
  std::string what;             // "rule 'one-rank'"
  std::string derives;          // the parameter whose default this is; "" for other readers
  std::set<std::string> names;  // that it reads
};

// Stages with their `reads`; rules, defaults and questions with the columns of their SQL. In
// manifest order.
std::vector<ReaderOf> readers_of(const Manifest& manifest);

// The names that rule INDEX reads.
std::set<std::string> read_by_rule(const Manifest& manifest, std::size_t index);

// Whether {NAME} is a built-in symbol, so that no parameter may have this name.
bool is_built_in_symbol(std::string_view name);

// Every symbol in a text must be available there: a parameter that the stage reads, a needed stage,
// a declared port and so on. Errors point at the symbol and name a remedy.
class SymbolCheck {
 public:
  // All must outlive this. The declarations of STAGE and the stages of MANIFEST above it must have
  // been read.
  SymbolCheck(const StageKind& stage, const Manifest& manifest, ManifestReader& reader);
  // For a resolver. USER names it in messages.
  SymbolCheck(std::string user, const Manifest& manifest, ManifestReader& reader);

  // COUNTS: the indices of the repeated parts of argv around SCALAR.
  void check(const Yaml& scalar, const std::vector<std::string>& counts = {}) const;

 private:
  std::string fault(const std::string& symbol) const;
  std::optional<std::string> port_fault(const std::string& symbol) const;
  std::optional<std::string> model_fault(const std::string& symbol) const;
  std::string stage_fault(const std::string& symbol) const;
  void check_broken(const Yaml& scalar, std::string_view text) const;

  std::string user_;
  const StageKind* stage_ = nullptr;  // null: a resolver
  const Manifest& manifest_;
  ManifestReader& reader_;
  std::vector<std::string> known_;
  std::map<std::string, bool> ports_;  // "port:NAME" -> whether there are several
};

}  // namespace orch::runner
