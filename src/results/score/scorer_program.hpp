// Runs a scorer: a program that reads answers and writes their scores, one JSON object per line.
// Trusts nothing that it writes.
#pragma once

#include "core/base/result.hpp"
#include "os/system/run_to_end.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::score {

// A scorer and its identity.
struct Scorer {
  std::string name;     // the metric is score_NAME
  std::string version;  // for display
  std::string digest;   // sha256 over everything that its scores depend on
  std::vector<std::string> argv;
  std::string program;  // its name in messages
};

// One answer in the form that the program receives: {"id", "prompt", "answer", "references"}.
struct Question {
  std::int64_t id = 0;
  std::string_view prompt, answer;
  const std::vector<std::string>* references = nullptr;  // null: an empty list
  std::string_view point = {};                           // for messages, like `idx`
  std::int64_t idx = 0;
};

struct ProgramHost {
  system::Processes& processes;
  system::Clock& clock;
  std::map<std::string, std::string> environment;
  std::string folder;  // its working directory
  double timeout_s = 600;
  double wall_s = 0;  // the present time, seconds since the epoch
  std::function<bool()> is_cancelled = {};
};

// The score of each question by its id; nullopt if the program reports null. The order of its lines
// does not matter. Errors: the program failed, timed out, or did not score each answer exactly
// once; they name the program, the line, its value, and the form that a line must have.
Result<std::map<std::int64_t, std::optional<double>>> run_scorer(
    const ProgramHost& host, const Scorer& scorer, const std::vector<Question>& questions);

}  // namespace orch::score
