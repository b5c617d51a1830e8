// What the commands that only read a store share: the option that names it, opening it, and saying
// what went wrong.
#pragma once

#include "base/result.hpp"

#include <functional>
#include <string>

namespace CLI {
class App;
}
namespace orch::store {
class Store;
}

namespace orch::cli {

// --store DIR
void add_store_option(CLI::App& command, std::string& folder);

// Opens the store in FOLDER for reading and runs WORK on it. Returns the exit status: 0, or 2 and
// the error on stderr.
int read_store(const std::string& folder, const std::function<Status(store::Store&)>& work);

// TEXT on stdout, as it is. False, and said on stderr, when it did not get there whole.
bool print_out(const std::string& text);

}  // namespace orch::cli
