// The layout of `orchestrate bench --help`: one line for each common option, only the names of the
// rare ones. Does not know the options.
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace orch::cli {

// The group whose options one_screen_help() lists by name alone.
inline constexpr const char* k_rare = "Rarely needed (--help-all describes them)";

std::shared_ptr<CLI::FormatterBase> one_screen_help();
std::shared_ptr<CLI::FormatterBase> full_help();

}  // namespace orch::cli
