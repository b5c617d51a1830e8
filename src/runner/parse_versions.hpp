// `since` and `until` of parameters and values: the versions of a tool that have them. They become
// rules and defaults; nothing after the parser knows of them.
#pragma once

#include "runner/manifest.hpp"
#include "runner/manifest_reader.hpp"

namespace orch::runner {

// From SINCE on, before UNTIL; "": no bound.
struct Span {
  std::string since{}, until{};
  Location where{};

  bool bounds() const { return !since.empty() || !until.empty(); }
};

Span read_span(YamlMap& map, const Manifest& manifest, ManifestReader& reader);

// Limits PARAMETER to versions in SPAN: for others it has no default, and a rule rejects points
// that set it.
void keep_within(matrix::Parameter& parameter, const Span& span, Manifest& manifest);
// The same for one of its values.
void keep_value_within(const matrix::Parameter& parameter, const std::string& value,
                       const Span& span, Manifest& manifest);

}  // namespace orch::runner
