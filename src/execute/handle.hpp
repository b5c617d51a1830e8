// The identity of a running launch, in the form that a later process can find it by. Knows nothing
// of how a launch is started.
#pragma once

#include "system/process.hpp"

#include <optional>
#include <string>

namespace orch::execute {

struct Handle {
  system::Tree tree;     // its token is the launch's
  std::string guardian;  // the name that its guardian listens under
  system::ProcessId guardian_process;
};

// The form in which handles are recorded and sent.
std::string to_json(const Handle& handle);
// Empty when TEXT is not the JSON of a handle.
std::optional<Handle> parse_handle(const std::string& text);

}  // namespace orch::execute
