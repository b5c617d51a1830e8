// What this binary was made of: its commit, its compiler and its libraries.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orch::cli {

// A library that the binary uses. A new one is a new row of the table in build_info.cpp.
struct Library {
  std::string_view package;  // its name in CMakeLists.txt
  std::string_view name;
  std::string (*version)();  // of what is loaded, if the library can tell
};
std::span<const Library> libraries();

// Of the sources, with "-dirty" when they had changes; "unknown" outside a git repository.
std::string_view built_commit();
// Of that commit or, outside a repository, of the change log: "2026-11-23".
std::string_view built_date();

// The answer to --version, one fact a line.
std::string version_text();

}  // namespace orch::cli
