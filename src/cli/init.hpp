// `orchestrate init [DIR]`: a commented matrix to start from, for the machine it is written on.
// Starts nothing and reads no store.
#pragma once

#include "runner/manifest.hpp"
#include "system/machine.hpp"

#include <span>
#include <string>

namespace CLI {
class App;
}

namespace orch::cli {

void add_init(CLI::App& app, int& exit_code);

// The first runner of MANIFESTS that takes GPUs where there are some, and that takes none where
// there are none; else the first. Null: there is no runner.
const runner::Manifest* choose_runner(std::span<const runner::Manifest> manifests,
                                      const system::Machine& machine);

// The text of a matrix called NAME that checks clean: what RUNNER cannot do without and a few
// values of what is worth comparing. Everything else stands in comments.
std::string starting_matrix(const runner::Manifest& runner, const system::Machine& machine,
                            const std::string& name);

}  // namespace orch::cli
