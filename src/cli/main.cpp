#include "cli/main.hpp"

#include "cli/bench.hpp"
#include "cli/check.hpp"
#include "cli/completion.hpp"
#include "cli/explain.hpp"
#include "cli/init.hpp"
#include "cli/logs.hpp"
#include "cli/plan.hpp"
#include "cli/query.hpp"
#include "cli/run.hpp"
#include "cli/show.hpp"
#include "cli/status.hpp"
#include "cli/version.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

// In the order in which a user meets them.
using AddCommand = void (*)(CLI::App& app, int& exit_code);
constexpr AddCommand k_commands[] = {add_init, add_check, add_plan, add_run, add_status, add_logs, add_show, add_query, add_explain, add_bench, add_completion};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("orchestrate: from a matrix of LLM serving configurations to numbers in a database");
  app.set_version_flag("--version", k_version);
  app.require_subcommand(1);
  int exit_code = 0;
  for (const AddCommand add : k_commands) add(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  return exit_code;
}

}  // namespace orch::cli
