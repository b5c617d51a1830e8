// matrices/NAME.yaml -> the whole of what `orchestrate plan` says about it, beside it in NAME.expected. With
// ORCH_UPDATE_GOLDEN=1 the files are written instead: read the difference before you keep it.
#include "fakes/temp_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>

namespace orch {
namespace {

namespace fs = std::filesystem;

const fs::path k_matrices = fs::path(ORCH_SOURCE_DIR) / "tests/golden/matrices";

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Where the project stands and how much room the disk has is this machine's own.
std::string without_machine(std::string text) {
  for (std::size_t at = text.find(ORCH_SOURCE_DIR); at != std::string::npos; at = text.find(ORCH_SOURCE_DIR, at)) text.replace(at, std::strlen(ORCH_SOURCE_DIR), "PROJECT");
  return std::regex_replace(text, std::regex("[0-9.]+ [KMGT]?i?B free at"), "ROOM free at");
}

std::string said_about(const std::string& name) {
  const fakes::TempFolder folder;
  const std::string out = folder.path() / "out", err = folder.path() / "err";
  const std::string command = "cd '" + k_matrices.string() + "' && XDG_CONFIG_HOME=/nowhere '" ORCH_BINARY "' plan " + name + ".yaml --machine ../machine.yaml --store /nowhere >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  return "exit " + std::to_string(WEXITSTATUS(status)) + "\n--- stderr\n" + without_machine(read(err)) + "--- stdout\n" + without_machine(read(out));
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(k_matrices))
    if (entry.path().extension() == ".yaml") found.push_back(entry.path().stem());
  std::sort(found.begin(), found.end());
  return found;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, says_what_it_always_said) {
  const fs::path expected = k_matrices / (GetParam() + ".expected");
  const std::string said = said_about(GetParam());
  if (std::getenv("ORCH_UPDATE_GOLDEN")) std::ofstream(expected) << said;
  EXPECT_EQ(said, read(expected));
}

INSTANTIATE_TEST_SUITE_P(Matrices, Golden, testing::ValuesIn(names()), [](const auto& matrix) { return matrix.param; });

}  // namespace
}  // namespace orch
