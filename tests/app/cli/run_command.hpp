// Runs one command of the program in this process.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace orch::cli {

struct CommandResult {
  int exit_code = 0;
  std::string out, err;
};

// ADD declares the command; WORDS are its name and its arguments.
inline CommandResult run_command(void (*add)(CLI::App&, int&), std::vector<std::string> words) {
  CLI::App app;
  CommandResult result;
  add(app, result.exit_code);
  std::reverse(words.begin(), words.end());  // CLI11 takes words from the back
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  app.parse(words);
  result.out = testing::internal::GetCapturedStdout();
  result.err = testing::internal::GetCapturedStderr();
  return result;
}

}  // namespace orch::cli
