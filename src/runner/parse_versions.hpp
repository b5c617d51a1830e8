// `since` and `until` of parameters and values: which versions of the tools have them. What they
// say becomes rules and defaults, so that nobody after the parser knows of them.
#pragma once

#include "runner/manifest.hpp"
#include "runner/reader.hpp"

namespace orch::runner {

// From SINCE on, before UNTIL; "": no bound.
struct Span {
  std::string since{}, until{};
  Location where{};

  bool bounds() const { return !since.empty() || !until.empty(); }
};

Span read_span(YamlMap& map, const Manifest& manifest, Reader& reader);

// PARAMETER has a value for versions in SPAN alone: elsewhere it has no default, and a point that
// gives it one is rejected.
void keep_within(matrix::Parameter& parameter, const Span& span, Manifest& manifest);
// The same of one of its values.
void keep_value_within(const matrix::Parameter& parameter, const std::string& value,
                       const Span& span, Manifest& manifest);

}  // namespace orch::runner
