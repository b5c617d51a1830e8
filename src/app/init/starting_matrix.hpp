// A commented matrix to start from, made for a runner and a machine. Reads no store and writes no
// file.
#pragma once

#include "spec/runner/manifest.hpp"
#include "os/system/machine.hpp"

#include <span>
#include <string>
#include <string_view>

namespace orch::session {

// The first of MANIFESTS that uses GPUs exactly when MACHINE has some, else the first. Null when
// MANIFESTS is empty.
const runner::Manifest* choose_runner(std::span<const runner::Manifest> manifests,
                                      const system::Machine& machine);

// The text of a matrix called NAME that checks clean: it sets what RUNNER requires and a few values
// of each parameter worth comparing. Everything else is in comments.
std::string starting_matrix(const runner::Manifest& runner, const system::Machine& machine,
                            const std::string& name);

// TEXT as part of one line: control characters are escaped and line ends are spaces.
std::string one_line(std::string_view text);

}  // namespace orch::session
