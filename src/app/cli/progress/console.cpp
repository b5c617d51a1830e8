#include "app/cli/progress/console.hpp"

#include "app/cli/progress/progress.hpp"
#include "app/cli/say.hpp"
#include "app/cli/terminal.hpp"

#include <unistd.h>

namespace orch::cli {

namespace {

std::string_view prefix_of(session::Severity severity) {
  switch (severity) {
    case session::Severity::note: return "note: ";
    case session::Severity::warning: return "warning: ";
    case session::Severity::info:
    case session::Severity::error: break;
  }
  return "";
}

}  // namespace

Screen screen_of(std::FILE* stream) {
  const bool terminal = ::isatty(::fileno(stream)) == 1;
  const char* no_colour = std::getenv("NO_COLOR");  // no-color.org: any text but the empty one
  const char* kind = std::getenv("TERM");
  const bool dumb = kind && std::string_view(kind) == "dumb";
  return {.stream = stream,
          .terminal = terminal,
          .coloured = terminal && !dumb && !(no_colour && *no_colour),
          .columns = terminal_columns()};
}

Console::Console(system::Files& files, attempt::Layout layout)
    : files_(files), layout_(std::move(layout)), hashing_("hashing inputs", screen_of(stderr)) {}

void Console::hashing(std::uint64_t done_bytes, std::uint64_t expected_bytes) {
  hashing_.show(done_bytes, expected_bytes);
}

void Console::hashed() { hashing_.erase(); }

void Console::report(session::Severity severity, const std::string& text) {
  say(stderr, "{}{}\n", prefix_of(severity), text);
}

std::unique_ptr<schedule::Observer> Console::watch(const session::Round& round) {
  auto lines = std::make_unique<ProgressLines>(
      StageLabels(round.plan, matrix::varied_parameters(round.matrix)), screen_of(stderr));
  lines->leave_out(round.done);
  lines->show_measurements([this](const std::string& process) {
    static constexpr std::size_t k_bytes = 200;
    std::string text = files_.read_own(layout_.progress(process), k_bytes).value_or("");
    return text.substr(0, text.find('\n'));
  });
  return lines;
}

}  // namespace orch::cli
