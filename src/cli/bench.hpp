// `orchestrate bench`: the load generator alone, against any endpoint.
#pragma once

namespace CLI {
class App;
}

namespace orch::cli {

// Adds the subcommand `bench` to APP; when it is chosen, EXIT_CODE becomes its status: 0 a record
// was made (even an invalid one), 1 nothing could be measured, 2 wrong usage, 130 interrupted.
// EXIT_CODE must outlive the parse.
void add_bench(CLI::App& app, int& exit_code);

}  // namespace orch::cli
