// `orchestrate query SQL`: a question to the results database; alone it lists what can be asked.
#pragma once

namespace CLI {
class App;
}

namespace orch::cli {

void add_query(CLI::App& app, int& exit_code);

}  // namespace orch::cli
