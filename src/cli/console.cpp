#include "cli/console.hpp"

#include "base/text.hpp"
#include "cli/progress.hpp"
#include "cli/say.hpp"
#include "cli/terminal.hpp"

#include <unistd.h>

namespace orch::cli {

namespace {

std::string_view prefix_of(experiment::Severity severity) {
  switch (severity) {
    case experiment::Severity::note: return "note: ";
    case experiment::Severity::warning: return "warning: ";
    case experiment::Severity::info:
    case experiment::Severity::error: break;
  }
  return "";
}

}  // namespace

void Console::report(experiment::Severity severity, const std::string& text) {
  say(stderr, "{}{}\n", prefix_of(severity), printable(text));
}

std::unique_ptr<schedule::Observer> Console::watch(const experiment::Round& round) {
  const auto names = matrix::varied_parameters(round.matrix);
  auto lines =
      std::make_unique<ProgressLines>(round.plan, std::set<std::string>(names.begin(), names.end()),
                                      stderr, ::isatty(STDERR_FILENO), terminal_columns());
  lines->leave_out(round.done);
  return lines;
}

}  // namespace orch::cli
