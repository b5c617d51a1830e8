// Every event of a journal as a line of the diagnostics.
#pragma once

#include "run/schedule/journal.hpp"
#include "os/system/diagnostics.hpp"

namespace orch::schedule {

// One line: what happened to which stage or attempt, and why.
std::string describe(const Event& event);

// Passes everything on to JOURNAL. Borrows both.
class LoggedJournal final : public Journal {
 public:
  LoggedJournal(Journal& journal, system::Diagnostics& diagnostics)
      : journal_(journal), diagnostics_(diagnostics) {}

  int next_attempt(const plan::StageId& stage) override { return journal_.next_attempt(stage); }
  int failures_so_far(const plan::StageId& stage) override {
    return journal_.failures_so_far(stage);
  }
  bool is_current(const AttemptKey& attempt, const std::string& token) override {
    return journal_.is_current(attempt, token);
  }
  void append(const Event& event) override;
  Status commit() override;
  std::string invalid_reasons(const AttemptKey& measurement) override;
  std::vector<std::string> makers_of(const plan::StageId& stage) override {
    return journal_.makers_of(stage);
  }

 private:
  Journal& journal_;
  system::Diagnostics& diagnostics_;
};

}  // namespace orch::schedule
