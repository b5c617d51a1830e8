// What a run reports, on stderr: progress lines that are redrawn on a terminal, plain lines
// elsewhere.
#pragma once

#include "app/cli/progress/hashing_line.hpp"
#include "app/session/reporter.hpp"

namespace orch::cli {

// Of standard output or standard error.
Screen screen_of(std::FILE* stream);

class Console : public session::Reporter {
 public:
  // LAYOUT: of the store whose measurements are shown. Borrows FILES.
  Console(system::Files& files, attempt::Layout layout);
  void report(session::Severity severity, const std::string& text) override;
  std::unique_ptr<schedule::Observer> watch(const session::Round& round) override;
  void hashing(std::uint64_t done_bytes, std::uint64_t expected_bytes) override;
  void hashed() override;

 private:
  system::Files& files_;
  const attempt::Layout layout_;
  HashingLine hashing_;
};

}  // namespace orch::cli
