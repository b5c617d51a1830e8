// The text that facts of a model are read from: a config.json, and the size of the weights beside
// it. Knows no fact.
#pragma once

#include "spec/runner/manifest.hpp"
#include "os/system/files.hpp"

namespace orch::session {

// The key of the text that has the size, of which `weights` of the facts of a runner tell the file.
inline constexpr const char* k_weights_key = "weights_bytes";

// The content of FILE, with that key where a file of SOURCE.weights stands beside it.
Result<std::string> fact_text(system::Files& files, const std::string& file,
                              const runner::FactSource& source);

}  // namespace orch::session
