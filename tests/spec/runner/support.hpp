// Helpers for tests of manifests: YAML in, every error as text out.
#pragma once

#include "spec/runner/manifest.hpp"

#include <string>

#include <gtest/gtest.h>

namespace orch::runner {

// Every error of a manifest, one a line.
inline std::string errors_of(const std::string& yaml, const std::string& file = "runner.yaml") {
  Errors errors;
  static_cast<void>(parse_manifest(yaml, file, errors));
  std::string text;
  for (const Error& error : errors) text += error.text() + "\n";
  return text;
}

inline Manifest manifest_of(const std::string& yaml) {
  Errors errors;
  Manifest manifest = parse_manifest(yaml, "runner.yaml", errors);
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  return manifest;
}

}  // namespace orch::runner
