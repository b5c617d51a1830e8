// What the commands that measure an endpoint share: the prompts, signals, progress on stderr, and
// the exit status. Does not know what becomes of the measurements.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/cli/bench/bench_options.hpp"
#include "app/cli/bench/outcome.hpp"
#include "bench/prompt/prompts.hpp"

namespace orch::cli {

struct Measuring {
  std::string_view name;  // of the command
  // A message of this program in the words of the command, whose options may have other names;
  // null: as it is.
  std::string (*in_its_words)(std::string_view message) = nullptr;
  // The prompts live longer than the outcome.
  std::function<std::unique_ptr<Outcome>(const prompt::PromptSet& prompts)> outcome;
};

// Measures the loads of COMMAND as typed, and returns the exit status. 0: all is well; 1: nothing
// was measured, or something could not be written; 2: wrong usage; 4: a measurement is not valid;
// 130: interrupted.
int measure(BenchCommand& command, const Measuring& how);

}  // namespace orch::cli
