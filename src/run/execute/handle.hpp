// The identity of a running launch, in the form that a later process can find it by. Knows nothing
// of how a launch is started.
#pragma once

#include "os/system/process.hpp"

#include <string>

namespace orch::execute {

struct Handle {
  system::Tree tree;     // its token is the launch's
  std::string guardian;  // the name that its guardian listens under
  system::ProcessId guardian_process;
};

// The form in which handles are recorded and sent.
constexpr auto fields_of(Tag<Handle>) {
  using system::Tree;
  return rows_of(required<&Handle::tree, &Tree::token>("token"),
                 required<&Handle::tree, &Tree::leader>("leader"),
                 required<&Handle::tree, &Tree::boot_id>("boot_id"),
                 required<&Handle::tree, &Tree::containment>("containment"),
                 required<&Handle::tree, &Tree::cgroup>("cgroup"),
                 required<&Handle::guardian>("guardian"),
                 required<&Handle::guardian_process>("guardian_process"));
}

}  // namespace orch::execute
