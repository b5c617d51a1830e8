#include "os/system/diagnostics.hpp"

#include "core/base/text.hpp"

#include <cstdio>
#include <fstream>
#include <mutex>

#include <fcntl.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace orch::system {

namespace {

constexpr const char* k_pattern = "%Y-%m-%dT%H:%M:%S.%eZ %-7l %P %v";

spdlog::level::level_enum library_level(LogLevel level) {
  switch (level) {
    case LogLevel::off: return spdlog::level::off;
    case LogLevel::error: return spdlog::level::err;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::debug: return spdlog::level::debug;
  }
  return spdlog::level::off;
}

std::string one_line(const std::string& text) {
  std::string line = printable(text);
  for (std::size_t at = line.find('\n'); at != std::string::npos; at = line.find('\n', at + 2))
    line.replace(at, 1, "\\n");
  return line;
}

// Whether the file ends within a line, because only a part of it was written.
bool is_torn(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || file.tellg() == 0) return false;
  file.seekg(-1, std::ios::end);
  return file.get() != '\n';
}

// Removes a link or a pipe at PATH, which a stage may have left: opening it would write to another
// file, or block.
void remove_odd_file(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status))
    std::filesystem::remove(path, ignored);
}

// Each line is one write, so that a full disk is noticed with the first line that fails. Sets
// close-on-exec, which the library does not.
spdlog::file_event_handlers unbuffered() {
  spdlog::file_event_handlers handlers;
  handlers.after_open = [](const spdlog::filename_t& path, std::FILE* file) {
    std::setvbuf(file, nullptr, _IONBF, 0);
    ::fcntl(::fileno(file), F_SETFD, FD_CLOEXEC);
    if (is_torn(path)) std::fputc('\n', file);
  };
  return handlers;
}

class FileDiagnostics final : public Diagnostics {
 public:
  explicit FileDiagnostics(DiagnosticFile file) : file_(std::move(file)) {}

  // False: the file cannot be opened.
  bool open() {
    remove_odd_file(file_.path);
    try {
      sink_.emplace(file_.path, file_.most_bytes, file_.kept, false, unbuffered());
    } catch (const spdlog::spdlog_ex& failed) {
      trouble_ = failed.what();
      return false;
    }
    sink_->set_formatter(
        std::make_unique<spdlog::pattern_formatter>(k_pattern, spdlog::pattern_time_type::utc));
    return true;
  }

  LogLevel level() const override { return file_.level; }

  void write(LogLevel level, const std::string& text) override {
    if (!shows(level)) return;
    const std::lock_guard lock(mutex_);
    if (dropped_ > 0 &&
        put(LogLevel::warning, fmt::format("{} line{} missing here: {}", dropped_,
                                           dropped_ == 1 ? " is" : "s are", trouble_)))
      dropped_ = 0;
    if (!put(level, one_line(file_.redact ? file_.redact(text) : text))) ++dropped_;
  }

 private:
  // After a failure the library's sink may have no file: the next line opens a new one.
  bool put(LogLevel level, const std::string& line) {
    if (!sink_ && !open()) return false;
    try {
      sink_->log(spdlog::details::log_msg("", library_level(level), line));
      return true;
    } catch (const spdlog::spdlog_ex& failed) {
      trouble_ = failed.what();
      sink_.reset();
      return false;
    }
  }

  const DiagnosticFile file_;
  std::mutex mutex_;
  std::optional<spdlog::sinks::rotating_file_sink_st> sink_;
  std::size_t dropped_ = 0;
  std::string trouble_;  // why the last line was dropped
};

}  // namespace

std::unique_ptr<Diagnostics> open_diagnostics(DiagnosticFile file) {
  if (file.level == LogLevel::off) return std::make_unique<NoDiagnostics>();
  auto diagnostics = std::make_unique<FileDiagnostics>(std::move(file));
  if (!diagnostics->open()) return std::make_unique<NoDiagnostics>();
  return diagnostics;
}

}  // namespace orch::system
