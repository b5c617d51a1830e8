// `orchestrate run MATRIX`: does everything that the plan says is left to do. Running it again resumes it.
#pragma once

namespace CLI {
class App;
}

namespace orch::cli {

void add_run(CLI::App& app, int& exit_code);

}  // namespace orch::cli
