// `orchestrate verify`: is the store what its records say, and if not, what to do.
#pragma once

namespace CLI {
class App;
}

namespace orch::cli {

void add_verify(CLI::App& app, int& exit_code);

}  // namespace orch::cli
