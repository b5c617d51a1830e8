// `orchestrate plan MATRIX`: what would run, what is reused, what is rejected, and why. Starts
// nothing.
#pragma once

namespace CLI {
class App;
}

namespace orch::cli {

void add_plan(CLI::App& app, int& exit_code);

}  // namespace orch::cli
