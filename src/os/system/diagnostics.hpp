// What a bug report needs: one line per decision, in a file. Nothing that users see on the terminal
// goes through it, and losing it loses no result. Knows nothing of stages or secrets.
#pragma once

#include "core/base/enum_names.hpp"
#include "core/base/result.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::system {

enum class LogLevel { off, error, warning, info, debug };

// The words of --log-level.
constexpr auto names_of(Tag<LogLevel>) {
  return value_names("off", "error", "warning", "info", "debug");
}

// Safe from any thread.
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
  std::size_t most_bytes = 0;  // then PATH becomes the next of the files that are kept
  std::size_t kept = 0;        // earlier files: NAME.1.log is the youngest
  std::function<std::string(std::string)> redact = {};  // applied to every line; one at a time
};

// Appends lines to a rotating file, each with a UTC time stamp, its level and the process: at once,
// so that a crash loses none. A line that the disk refuses is dropped; the next that it takes is
// preceded by their number. With level off, or when the file cannot be opened, writes nothing:
// diagnostics never keep a run from its work.
std::unique_ptr<Diagnostics> open_diagnostics(DiagnosticFile file);

}  // namespace orch::system
