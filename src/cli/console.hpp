// What a run reports, on stderr: progress lines that are redrawn on a terminal, plain lines
// elsewhere.
#pragma once

#include "experiment/reporter.hpp"

namespace orch::cli {

class Console final : public experiment::Reporter {
 public:
  void report(experiment::Severity severity, const std::string& text) override;
  std::unique_ptr<schedule::Observer> watch(const experiment::Round& round) override;
};

}  // namespace orch::cli
