// `since` and `until` of parameters and values: the versions of a tool that have them. They become
// rules and defaults; nothing that handles points knows of them.
#pragma once

#include "spec/runner/manifest.hpp"
#include "spec/runner/manifest_reader.hpp"

namespace orch::runner {

struct Span {
  matrix::Releases releases{};
  Location where{};
};

Span read_span(YamlMap& map, const Manifest& manifest, ManifestReader& reader);

// Limits PARAMETER to versions in SPAN: for others it has no default, and a rule rejects points
// that set it.
void keep_within(matrix::Parameter& parameter, const Span& span, Manifest& manifest);
// The same for one of its values.
void keep_value_within(const matrix::Parameter& parameter, const std::string& value,
                       const Span& span, Manifest& manifest);

}  // namespace orch::runner
