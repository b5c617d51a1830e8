// Which {symbols} a manifest may write and where. Knows nothing of their values.
#pragma once

#include "base/result.hpp"
#include "runner/manifest.hpp"
#include "runner/reader.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::runner {

// Does {NAME} mean something of ours in some stage, so that no parameter can be called that?
bool is_built_in_symbol(std::string_view name);

// Every symbol of a text must be one that can be filled there: a parameter that the stage reads, a
// needed stage, a declared port, ... Errors stand at the symbol, with what to do about it.
class SymbolCheck {
 public:
  // All must outlive this. Of STAGE everything that it declares must have been read, and of
  // MANIFEST the stages above it.
  SymbolCheck(const StageKind& stage, const Manifest& manifest, Reader& reader);
  // Of a resolver, which is no stage; WHO is for messages.
  SymbolCheck(std::string who, const Manifest& manifest, Reader& reader);

  // COUNTS: what the parts of argv around SCALAR call their counts.
  void check(const Yaml& scalar, const std::vector<std::string>& counts = {}) const;

 private:
  std::string fault(const std::string& symbol) const;
  std::optional<std::string> port_fault(const std::string& symbol) const;
  std::string stage_fault(const std::string& symbol) const;
  void check_broken(const Yaml& scalar, std::string_view text) const;

  std::string who_;
  const StageKind* stage_ = nullptr;  // null: a resolver
  const Manifest& manifest_;
  Reader& reader_;
  std::vector<std::string> known_;
  std::map<std::string, bool> ports_;  // "port:NAME" -> there are several
};

}  // namespace orch::runner
