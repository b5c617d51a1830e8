// Parses the arguments KEY:VALUE,KEY:VALUE of `orchestrate fill-template`. Values may contain
// colons and commas: the first colon ends a key, and a comma ends a value only before a name and a
// colon. A backslash escapes the next character.
#pragma once

#include "core/base/result.hpp"

#include <map>
#include <span>
#include <string>

namespace orch::render {

// The substitutions of all ARGUMENTS together. Appends every fault to ERRORS.
std::map<std::string, std::string> read_substitutions(std::span<const std::string> arguments,
                                                      Errors& errors);

}  // namespace orch::render
