// `orchestrate status [RUN]`: what is done, what works now, what is left.
#pragma once

namespace CLI {
class App;
}

namespace orch::cli {

void add_status(CLI::App& app, int& exit_code);

}  // namespace orch::cli
