// Reads the C++ sources for the tidy tests: files, lines, includes. Knows no rule.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace orch::tidy {

namespace fs = std::filesystem;

inline const fs::path k_root = ORCH_SOURCE_DIR;
inline const fs::path k_src = k_root / "src";

// Headers and sources below FOLDER, sorted; none when FOLDER does not exist.
std::vector<fs::path> sources_under(const fs::path& folder);
// Those of src/ and tests/.
std::vector<fs::path> all_sources();
// FILE relative to the root of the project.
std::string name_of(const fs::path& file);
std::string text_of(const fs::path& file);
std::vector<std::string> lines_of(const std::string& text);

// "bench/load" of bench/load/bench.hpp, a file of src/.
std::string part_of(const std::string& file);

struct Include {
  fs::path file;
  int line = 0;
  std::string name;
  bool quoted = false;
};
std::vector<Include> includes_of(const fs::path& file);

// The output of a command (stdout and stderr), and its exit status.
struct CommandResult {
  std::string output;
  int status = -1;
};
CommandResult run(const std::string& command);
// WORDS as one text for a shell.
std::string quoted(const std::vector<fs::path>& words);

// A file of this text below the folder for temporary files, removed with the object.
class Sample {
 public:
  Sample(const std::string& name, const std::string& text);
  ~Sample();
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The violations of a rule: a name, and its place or extent.
using Findings = std::map<std::string, std::string>;

// Fails for each of FOUND that is not in KNOWN. KNOWN holds the exceptions that are older than the
// rule and only shrinks: a name of KNOWN that is not found fails as well.
void expect_only(const std::set<std::string>& known, const Findings& found,
                 const std::string& rule);

}  // namespace orch::tidy
