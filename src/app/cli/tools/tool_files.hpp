// Reads the files that other tools wrote, and counts the tokens of their texts. Knows no store.
#pragma once

#include "app/cli/bench/bench_options.hpp"
#include "core/base/result.hpp"
#include "results/imports/gather.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace orch::cli {

// Runs a program to its end, with its standard output shown and kept. Contains nothing: the
// caller's own process tree ends it.

// In FOLDER. A program that a signal ended gives 128 + its number, as in a shell. Error: it could
// not be started, or its output not be kept in the file KEPT.
Result<int> run_tool(const std::vector<std::string>& argv, const std::string& folder,
                     const std::string& kept);

// As typed.
struct ToolFileFlags {
  std::string format;  // "": by content
  PromptFlags prompts;
  std::int64_t tokens_per_event = 0;  // 0: events are not counted as tokens
};

// --format, --tokenizer, --python and --tokens-per-event.
void add_tool_file_options(CLI::App& app, ToolFileFlags& flags);

// What was passed over, for the user.
using Notes = std::vector<std::string>;

// The readings of the files at PATHS, brought together. A folder stands for the files in it whose
// format is recognised. Errors name file, line or field, value and remedy.
Result<std::vector<imports::Gathered>> read_tool_files(const std::vector<std::string>& paths,
                                                       const ToolFileFlags& flags,
                                                       imports::Together how, Notes& notes);

// Counts the tokens of texts that have no count.
Status count_tokens(std::vector<imports::Gathered>& all, const ToolFileFlags& flags);

}  // namespace orch::cli
