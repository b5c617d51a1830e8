// What a run reports, on stderr: progress lines that are redrawn on a terminal, plain lines
// elsewhere.
#pragma once

#include "experiment/reporter.hpp"

namespace orch::cli {

class Console final : public experiment::Reporter {
 public:
  // LAYOUT: of the store whose measurements are shown. Borrows FILES.
  Console(system::Files& files, attempt::Layout layout)
      : files_(files), layout_(std::move(layout)) {}
  void report(experiment::Severity severity, const std::string& text) override;
  std::unique_ptr<schedule::Observer> watch(const experiment::Round& round) override;

 private:
  system::Files& files_;
  const attempt::Layout layout_;
};

}  // namespace orch::cli
