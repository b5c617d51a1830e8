// `orchestrate show POINT|STAGE`: everything known of one point or stage.
#pragma once

namespace CLI {
class App;
}

namespace orch::cli {

void add_show(CLI::App& app, int& exit_code);

}  // namespace orch::cli
