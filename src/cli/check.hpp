// `orchestrate check MATRIX`: every error of a matrix at once.
#pragma once

namespace CLI {
class App;
}

namespace orch::cli {

void add_check(CLI::App& app, int& exit_code);

}  // namespace orch::cli
