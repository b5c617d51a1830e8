// Diagnostics that keep their lines.
#pragma once

#include "os/system/diagnostics.hpp"

#include <mutex>

namespace orch::fakes {

class KeptDiagnostics final : public system::Diagnostics {
 public:
  explicit KeptDiagnostics(system::LogLevel level) : level_(level) {}

  system::LogLevel level() const override { return level_; }
  void write(system::LogLevel level, const std::string& text) override {
    const std::lock_guard lock(mutex_);
    if (shows(level)) lines.push_back(std::string(to_string(level)) + " " + text);
  }

  std::vector<std::string> lines;  // "LEVEL TEXT"

 private:
  const system::LogLevel level_;
  std::mutex mutex_;
};

}  // namespace orch::fakes
