// The result of the undisturbed fixed sweep, made once per program.
#pragma once

#include "crash/project.hpp"
#include "crash/snapshot.hpp"
#include "crash/world.hpp"

#include <gtest/gtest.h>

namespace orch::crash {

struct Reference {
  Snapshot store;
  double wall_s = 0;
  std::string complaint;  // "" when the sweep succeeded
};

// The time that each kind of actor takes. The outputs do not depend on it.
inline const World::Variables k_paced = {{"ORCH_CRASH_PACE", "task=15,start=10,bench=15"}};

inline Reference make_reference(const std::string& axes, std::size_t outputs,
                                const Options& options = {},
                                const World::Variables& variables = k_paced) {
  World world(options);
  world.write_matrix(axes);
  const Ended ended = world.run(variables);
  Reference reference{
      .store = read_store(world.store(), world.folder()), .wall_s = ended.wall_s, .complaint = {}};
  const std::size_t made = reference.store.done.size();
  if (ended.code != 0)
    reference.complaint = fmt::format("the undisturbed sweep ended with exit status {}:\n{}",
                                      ended.code, world.last_stderr());
  else if (made != outputs)
    reference.complaint = fmt::format("the undisturbed sweep made {} of {} outputs", made, outputs);
  return reference;
}

inline const Reference& reference() {
  static const Reference made = make_reference(k_fixed_axes, k_fixed_outputs);
  return made;
}

}  // namespace orch::crash
