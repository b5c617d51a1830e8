// Which contents stand in digests for a file that a runner names: the earlier content that it
// is equivalent to, if any. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace orch::session {

// The file beside common/ that lists equivalent contents.
inline constexpr const char* k_equivalent_files = "equivalent-files.txt";

// SHA-256 of a content -> the one that digests have in its place; "": digests leave such a file
// out. TEXT has rows "PATH CONTENT IN-DIGESTS|- WHY" and comments; other lines are ignored.
std::map<std::string, std::string> read_equivalents(std::string_view text);

}  // namespace orch::session
