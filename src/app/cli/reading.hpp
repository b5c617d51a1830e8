// Shared by the commands that only read a store: its option, opening it, output and errors.
#pragma once

#include "core/base/result.hpp"

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

// The check of OPTION, which takes SQL. An empty value is a mistake, such as an unset variable of a
// script, and does not mean "all" or "no condition".
std::function<std::string(const std::string&)> not_empty(const std::string& option);

// The check of a number from LEAST to MOST. Unlike CLI::Range it refuses "nan".
std::function<std::string(const std::string&)> number_in(double least, double most);

// Opens the store in FOLDER for reading and runs WORK on it. Returns the exit status: 0, or 2 and
// the error on stderr.
int read_store(const std::string& folder, const std::function<Status(store::Store&)>& work);

// Opens the store in FOLDER, which must be there, for reading or for WRITING.
Result<store::Store> open_existing(const std::string& folder, bool writing);

// Writes TEXT to stdout; a terminal gets no control characters of it. Returns false, with a message
// on stderr, unless all of it was written.
bool print_out(const std::string& text);

// Writes TEXT to the file that a user named. What a link names is replaced at one instant; a
// device and a pipe are written to. An error for what belongs to a store.
Status write_output(const std::string& path, const std::string& text);

}  // namespace orch::cli
