#include "cli/say.hpp"

#include "base/text.hpp"

namespace orch::cli {

void print_errors(const Errors& errors) {
  for (const Error& error : errors) say(stderr, "{}\n", printable(error.text()));
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) say(stderr, "warning: {}\n", printable(warning));
}

}  // namespace orch::cli
