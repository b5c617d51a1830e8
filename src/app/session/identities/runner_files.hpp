// Which contents stand in digests for a file that a runner names: those of the lock that an
// interpreter reads, and the earlier content that a file is equivalent to. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orch::session {

// The file beside common/ that lists equivalent contents.
inline constexpr const char* k_equivalent_files = "equivalent-files.txt";

// SHA-256 of a content -> the one that digests have in its place; "": digests leave such a file
// out. TEXT has rows "PATH CONTENT IN-DIGESTS|- WHY" and comments; other lines are ignored.
std::map<std::string, std::string> read_equivalents(std::string_view text);

// The files that a script reads when it is given LOCK and run by INTERPRETER, the real path of a
// Python: NAME.cp313-aarch64.lock or NAME.cp313.lock if NAMES (of the files beside LOCK) has it,
// otherwise LOCK; all of them if the path lacks the version. The script's own rule is in
// runners/common/scripts/locked_packages.py.
std::vector<std::string> locks_read(const std::string& lock, const std::vector<std::string>& names,
                                    std::string_view interpreter, std::string_view processor);

}  // namespace orch::session
