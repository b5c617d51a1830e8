// `orchestrate resume [RUN]`: the run that is unfinished, again, without naming its matrix.
#pragma once

namespace CLI {
class App;
}

namespace orch::cli {

void add_resume(CLI::App& app, int& exit_code);

}  // namespace orch::cli
