// What the site's lines of a job's script change in its environment, and what a stage gets of it.
// Pure.
#pragma once

#include "run/execute/executor.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orch::slurm {

using Variables = std::map<std::string, std::string>;

struct SiteVariables {
  Variables set;                   // added, or with another value
  std::vector<std::string> unset;  // taken away
};

// What `env -0` prints.
Variables parse_variables(std::string_view text);

// From BEFORE to AFTER; without what a shell sets by itself.
SiteVariables changed_variables(const Variables& before, const Variables& after);

// Changes the environment of LAUNCH likewise, but for the variables that it states itself. What
// looks like a secret is kept out of its log.
void give_variables(const SiteVariables& changed, execute::Launch& launch);

}  // namespace orch::slurm
