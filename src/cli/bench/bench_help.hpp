// How `orchestrate bench --help` lays out its many options: one line for each common option, names
// alone for the rare ones. Knows no option.
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
