// argv in, exit status out: the table of commands.
#pragma once

namespace CLI {
class App;
}

namespace orch::cli {

// Adds every command that --help lists. EXIT_CODE must outlive the parse.
void add_commands(CLI::App& app, int& exit_code);

int main(int argc, char** argv);

}  // namespace orch::cli
