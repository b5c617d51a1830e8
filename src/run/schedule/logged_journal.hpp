// Every event of a journal as a line of the diagnostics.
#pragma once

#include "run/schedule/journal.hpp"
#include "os/system/diagnostics.hpp"

namespace orch::schedule {

// One line: what happened to which stage or attempt, and why.
std::string describe(const Event& event);

// Borrows both.
class LoggedJournal final : public PassingJournal {
 public:
  LoggedJournal(Journal& journal, system::Diagnostics& diagnostics)
      : PassingJournal(journal), diagnostics_(diagnostics) {}

  void append(const Event& event) override;
  Status commit() override;
  std::string invalid_reasons(const AttemptKey& measurement) override;

 private:
  system::Diagnostics& diagnostics_;
};

}  // namespace orch::schedule
