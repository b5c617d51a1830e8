// `orchestrate logs STAGE|POINT`: what the processes of a stage wrote.
#pragma once

namespace CLI {
class App;
}

namespace orch::cli {

void add_logs(CLI::App& app, int& exit_code);

}  // namespace orch::cli
