// The manual page in roff, made from the parser's table of commands and options.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace orch::cli {

// Of the program APP with all its commands.
std::string manual_page(const CLI::App& app);

}  // namespace orch::cli
