// What stages get of the environment of this process: variables, secrets, and what servers that run
// already are asked with. Knows no attempt.
#pragma once

#include "plan/graph/plan.hpp"
#include "run/attempt/readiness.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::attempt {

using Variables = std::map<std::string, std::string>;

// The environment of a stage: from INHERITED the variables PATH HOME USER LANG LC_ALL TZ TMPDIR and
// those that INHERIT names, overridden by ENV.
Variables stage_environment(const Variables& inherited, const std::vector<std::string>& inherit,
                            const Variables& env);

// Where attempts have their temporary folders: the TMPDIR of the caller and not a folder of the
// store, because paths of sockets must be short.
std::string temporary_folder(const Variables& inherited);

// The values that are secret: of the variables of INHERITED that NAMED has ("X" or
// "PREFIX*"), and of all variables with a name like a secret's, because a process may read those
// elsewhere.
std::vector<std::string> secrets_of(const Variables& inherited,
                                    const std::vector<std::string>& named);

// The headers that the matrix gives SERVICE, as lines, with the values of their variables. One
// whose variable is not set is left out: a run asks for it before it starts.
std::vector<std::string> headers_of(const plan::RunningService& service,
                                    const Variables& environment);
// The Authorization header for SERVICE, with the token that ENVIRONMENT has; "" for none.
std::string authorization_of(const plan::RunningService& service, const Variables& environment);
IdentityQuestion identity_question(const plan::RunningService& service,
                                   const Variables& environment);

}  // namespace orch::attempt
