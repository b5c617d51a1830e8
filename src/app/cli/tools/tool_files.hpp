// Reads files of other tools, and counts the tokens of their texts.
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

// Runs a program to its end, and shows and keeps its standard output. Provides no containment: the
// program ends with the caller's process tree.

// Runs ARGV in FOLDER. Returns its exit status, or 128 + the signal number if a signal ended it.
// Error: it could not be started, or its output could not be kept in the file KEPT.
Result<int> run_tool(const std::vector<std::string>& argv, const std::string& folder,
                     const std::string& kept);

// The options as typed.
struct ToolFileFlags {
  std::string format;  // "": by content
  PromptFlags prompts;
  std::int64_t tokens_per_event = 0;  // 0: events do not count as tokens
};

// Adds --format, --tokenizer, --python and --tokens-per-event.
void add_tool_file_options(CLI::App& app, ToolFileFlags& flags);

// Sentences about files that were skipped, for the user.
using Notes = std::vector<std::string>;

// The combined readings of the files at PATHS. A folder stands for the files in it whose format is
// recognised. Errors name file, line or field, value and remedy.
Result<std::vector<imports::Gathered>> read_tool_files(const std::vector<std::string>& paths,
                                                       const ToolFileFlags& flags,
                                                       imports::Together how, Notes& notes);

// Counts the tokens of texts whose counts are missing.
Status count_tokens(std::vector<imports::Gathered>& all, const ToolFileFlags& flags);

}  // namespace orch::cli
