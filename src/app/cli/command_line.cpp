#include "app/cli/command_line.hpp"

#include <filesystem>
#include <fstream>

namespace orch::cli {

std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string own_folder() {
  std::error_code code;
  return std::filesystem::current_path(code).string();
}

}  // namespace orch::cli
