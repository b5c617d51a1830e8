// Runs a scorer: a program that reads answers and writes their scores, one JSON object a line.
// Trusts nothing that it writes. Knows no store.
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

// A scorer and what identifies it.
struct Scorer {
  std::string name;     // the metric is score_NAME
  std::string version;  // for people
  std::string digest;   // sha256 over all that its scores depend on
  std::vector<std::string> argv;
  std::string program;  // as a message names it
};

// One answer as the program gets it: {"id", "prompt", "answer", "references"}.
struct Question {
  std::int64_t id = 0;
  std::string_view prompt, answer;
  const std::vector<std::string>* references = nullptr;  // null: none, an empty list
  std::string_view point = {};                           // for messages, as the next
  std::int64_t idx = 0;
};

struct ProgramHost {
  system::Processes& processes;
  system::Clock& clock;
  std::map<std::string, std::string> environment;
  std::string folder;  // in which it runs
  double timeout_s = 600;
  double wall_s = 0;  // now, seconds since the epoch
  std::function<bool()> is_cancelled = {};
};

// The score of each question by its id; empty where the program says null. The order of its lines
// does not matter. An error names the program, the line, its value and what a line must be: the
// program failed, took longer than its time, or did not score each answer exactly once.
Result<std::map<std::int64_t, std::optional<double>>> run_scorer(
    const ProgramHost& host, const Scorer& scorer, const std::vector<Question>& questions);

}  // namespace orch::score
