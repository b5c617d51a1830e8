// The arguments KEY:VALUE,KEY:VALUE of `orchestrate fill-template`, read so that values may hold
// colons and commas: the first colon ends a key, and a comma ends a value only where a name and a
// colon follow. A backslash takes the next character as it is.
#pragma once

#include "base/result.hpp"

#include <map>
#include <span>
#include <string>

namespace orch::render {

// What ARGUMENTS say together. Appends everything that is wrong to ERRORS.
std::map<std::string, std::string> read_substitutions(std::span<const std::string> arguments,
                                                      Errors& errors);

}  // namespace orch::render
