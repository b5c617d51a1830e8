// `orchestrate run MATRIX`: does everything that the plan says is left to do. Running it again
// resumes it.
#pragma once

namespace CLI {
class App;
}

#include <string>
#include <vector>

namespace orch::cli {

void add_run(CLI::App& app, int& exit_code);

// What `orchestrate run` does when WORDS are its arguments, with STORE as its results folder,
// whatever they say. The exit status.
int run_again(const std::vector<std::string>& words, const std::string& store);

}  // namespace orch::cli
