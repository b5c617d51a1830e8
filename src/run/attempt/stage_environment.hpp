// What stages get from the environment of this process: variables, secrets, and the headers for
// queries to running servers.
#pragma once

#include "plan/graph/plan.hpp"
#include "run/attempt/readiness.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::attempt {

using Variables = std::map<std::string, std::string>;

// The environment of a stage: from INHERITED the variables PATH HOME USER LANG LC_ALL TZ TMPDIR and
// those that INHERIT names ("X" or "PREFIX*"), and PYTHONDONTWRITEBYTECODE; ENV overrides all.
Variables stage_environment(const Variables& inherited, const std::vector<std::string>& inherit,
                            const Variables& env);

// The folder for the temporary folders of attempts: the caller's TMPDIR, or /tmp if that is not an
// absolute path. Not a folder of the store, because socket paths must be short.
std::string temporary_folder(const Variables& inherited);

// The secret values: those of the variables in INHERITED that NAMED lists ("X" or "PREFIX*"), and
// of all variables whose names look like a secret's, because a stage may read those in other ways.
std::vector<std::string> secrets_of(const Variables& inherited,
                                    const std::vector<std::string>& named);

// The question that identifies SERVICE, with the Authorization header and those that the matrix
// sets; their values come from variables in ENVIRONMENT. Omits a header whose variable is not set:
// a run checks for that before it starts.
IdentityQuestion identity_question(const plan::RunningService& service,
                                   const Variables& environment);

}  // namespace orch::attempt
