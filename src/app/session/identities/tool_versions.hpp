// Asks programs for their versions: `run` before it plans, and again when a stage starts. Answers
// are resolutions in the store, so that a plan needs no program.
#pragma once

#include "app/session/file_facts.hpp"
#include "app/session/reporter.hpp"
#include "app/session/world.hpp"
#include "run/schedule/scheduler.hpp"
#include "os/system/work/long_work.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::session {

class ToolVersions {
 public:
  // What it works with. Borrows the first four.
  struct With {
    World& world;
    Reporter& reporter;
    schedule::Interrupts& interrupts;
    store::Store& store;
    std::vector<std::string> secret_names;  // of variables; an answer may not hold their values
    std::string folder;                     // where the programs run
  };

  explicit ToolVersions(With with) : with_(std::move(with)) {}

  // The answer to QUESTION, asked once per run and stored. Empty: the failure is in failures(), or
  // the run was interrupted.
  Result<std::optional<std::string>> ask(const VersionQuestion& question);
  // The failures that no earlier call returned, one per question.
  Errors new_failures() { return std::exchange(failures_, {}); }
  // Asks again, with QUESTION as planned. An error: it does not answer PLANNED, in one sentence;
  // ErrorKind::interrupted when WORK is stopped. Safe from any thread.
  Status check(const VersionQuestion& question, const std::string& planned,
               const system::LongWork& work) const;

 private:
  Result<std::string> answer(const VersionQuestion& question, system::Processes& processes,
                             const std::function<bool()>& is_cancelled) const;
  Result<std::string> ask_now(const VersionQuestion& question,
                              const std::optional<std::string>& known) const;

  With with_;
  std::map<std::string, std::optional<std::string>> asked_;  // key -> answer in this run
  Errors failures_;
};

}  // namespace orch::session
