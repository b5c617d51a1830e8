// `orchestrate bench`: the load generator alone, against any endpoint.
#pragma once

#include <span>
#include <string>

namespace CLI {
class App;
}

namespace orch::cli {

// Runs `bench` with the words after it. Returns the exit status: 0 a record was made (even an invalid one), 1 nothing could
// be measured, 2 wrong usage, 130 interrupted.
int bench(std::span<const std::string> args);

// Adds the subcommand `bench` to APP; when it is chosen, EXIT_CODE becomes its status. EXIT_CODE must outlive the parse.
void add_bench(CLI::App& app, int& exit_code);

}  // namespace orch::cli
