#include "tidy/sources.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

namespace orch::tidy {

std::vector<fs::path> sources_under(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".hpp" || entry.path().extension() == ".cpp")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> all_sources() {
  std::vector<fs::path> files = sources_under(k_src);
  const std::vector<fs::path> tests = sources_under(k_root / "tests");
  files.insert(files.end(), tests.begin(), tests.end());
  return files;
}

std::string name_of(const fs::path& file) { return file.lexically_relative(k_root).string(); }

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string part_of(const std::string& file) {
  return file.substr(0, file.find('/', file.find('/') + 1));
}

std::vector<Include> includes_of(const fs::path& file) {
  static const std::regex k_include(R"(^\s*#\s*include\s*([<"])([^">]+)[">])");
  std::vector<Include> includes;
  int number = 0;
  for (const std::string& line : lines_of(text_of(file))) {
    ++number;
    if (line.find("include") == std::string::npos) continue;
    std::smatch match;
    if (std::regex_search(line, match, k_include))
      includes.push_back({file, number, match[2], match[1] == "\""});
  }
  return includes;
}

CommandResult run(const std::string& command) {
  CommandResult result;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return result;
  std::array<char, 65536> buffer;
  while (const std::size_t read = fread(buffer.data(), 1, buffer.size(), pipe))
    result.output.append(buffer.data(), read);
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

std::string quoted(const std::vector<fs::path>& words) {
  std::string text;
  for (const fs::path& word : words) text += " '" + word.string() + "'";
  return text;
}

Sample::Sample(const std::string& name, const std::string& text)
    : path_(fs::temp_directory_path() / ("tidy_" + std::to_string(getpid()) + "_" + name)) {
  std::ofstream(path_) << text;
}

Sample::~Sample() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

void expect_only(const std::set<std::string>& known, const Findings& found,
                 const std::string& rule) {
  for (const auto& [name, detail] : found)
    if (!known.contains(name)) ADD_FAILURE() << detail << "; " << rule;
  for (const std::string& name : known)
    if (!found.contains(name))
      ADD_FAILURE() << name << " is a known exception no longer (" << rule
                    << "): remove it from the list";
}

}  // namespace orch::tidy
