// A log for bug reports: one line per decision, in a file. Nothing here reaches the user's
// terminal, and losing it loses no result.
#pragma once

#include "core/base/enum_names.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace orch::system {

enum class LogLevel { off, error, warning, info, debug };

// The values of --log-level.
constexpr auto names_of(Tag<LogLevel>) {
  return value_names("off", "error", "warning", "info", "debug");
}

// Thread-safe.
class Diagnostics {
 public:
  virtual ~Diagnostics() = default;
  // The most detailed level that is written.
  virtual LogLevel level() const = 0;
  // Writes TEXT as one line if LEVEL is written. Never fails.
  virtual void write(LogLevel level, const std::string& text) = 0;

  bool shows(LogLevel level) const { return level != LogLevel::off && level <= this->level(); }
  template <class... Ts> void log(LogLevel level, fmt::format_string<Ts...> text, Ts&&... values) {
    if (shows(level)) write(level, fmt::format(text, std::forward<Ts>(values)...));
  }
};

class NoDiagnostics final : public Diagnostics {
 public:
  LogLevel level() const override { return LogLevel::off; }
  void write(LogLevel, const std::string&) override {}
};

struct DiagnosticFile {
  std::string path;
  LogLevel level = LogLevel::info;
  std::size_t most_bytes = 0;  // the size at which PATH is rotated to the first of the kept files
  std::size_t kept = 0;        // number of earlier files; NAME.1.log is the newest
  std::function<std::string(std::string)> redact =
      {};  // applied to every line; never called concurrently
};

// Appends lines to a rotating file, each with a UTC time stamp, its level and the process:
// unbuffered, so that a crash loses none. A line that cannot be written is dropped; the next one
// written is preceded by the number of dropped lines. Writes nothing if the level is off or the
// file cannot be opened: diagnostics never stop a run.
std::unique_ptr<Diagnostics> open_diagnostics(DiagnosticFile file);

}  // namespace orch::system
