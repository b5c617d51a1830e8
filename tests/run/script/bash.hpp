// Runs bash scripts for tests, and lists texts that a shell misreads without quotes.
#pragma once

#include "fakes/temp_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>

namespace orch::script {

inline std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct ScriptResult {
  int code = -1;
  std::string out, err;
};

inline ScriptResult bash(const fakes::TempFolder& folder, const std::string& script,
                         const std::string& before = "") {
  std::ofstream(folder.file("script.sh"), std::ios::binary) << script;
  const std::string command = fmt::format(
      "cd {0} && {1} bash script.sh >stdout 2>stderr </dev/null", folder.path().string(), before);
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(folder.file("stdout")),
          read(folder.file("stderr"))};
}

inline std::string every_byte() {
  std::string text;
  for (int byte = 1; byte < 256; ++byte) text += static_cast<char>(byte);
  return text;
}

inline const std::vector<std::string> k_hostile = {
    "",         " ",          "plain",   "two words", "'",    "''",     "\"$HOME\"",
    "`id`",     "$(id)",      "${x}",    "\\",        "\\\\", "a\\\nb", "!!",
    "~",        "*",          "a b\tc",  "\n",        "\n\n", "END\n",  "x\nEND\ny\nEND2\n",
    "no end",   "ends\r\n",   "-n",      "--",        "#",    "{out}",  "{a,b}",
    "\x01\x7f", every_byte(), "é ü 漢\n"};

}  // namespace orch::script
