// What `compare --answers` prints: whether two sides of stores give the same answers to the same
// prompts. Knows no speed.
#pragma once

#include <cstddef>
#include <string>

namespace orch::cli {

struct AnswersCommand {
  std::string store_a = "results", store_b = "results";
  std::string a, b;  // sides of a comparison (analysis/compare/side.hpp)
  std::size_t examples = 3;
  bool json = false;
};

// The exit status: 0, or 2 with the error on stderr.
int compare_answers(const AnswersCommand& command);

}  // namespace orch::cli
