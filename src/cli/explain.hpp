// `orchestrate explain NAME`: what a stage, rule, parameter or fact of a runner is, reads and
// depends on.
#pragma once

namespace CLI {
class App;
}

namespace orch::cli {

void add_explain(CLI::App& app, int& exit_code);

}  // namespace orch::cli
