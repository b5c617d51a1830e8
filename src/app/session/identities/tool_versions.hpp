// Asks programs for their versions: `run` does so before it plans, and again when a stage starts.
// The store keeps the answers as resolutions, so that planning does not need the programs.
#pragma once

#include "app/session/planning.hpp"
#include "os/system/files.hpp"
#include "os/system/work/long_work.hpp"
#include "spec/runner/manifest.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace orch::session {

class ToolVersions {
 public:
  // Borrows STORE. The programs run in the store's folder; an answer must not contain secrets.
  ToolVersions(const Context& context, store::Store& store) : context_(context), store_(store) {}

  // The answer to QUESTION, asked once per run and stored. nullopt: the failure is in
  // new_failures(), or the run was interrupted.
  Result<std::optional<std::string>> ask(const VersionQuestion& question);
  // The failures that no earlier call returned, one per question.
  Errors new_failures() { return std::exchange(failures_, {}); }
  // Fails if the program of QUESTION no longer gives the answer PLANNED; the error is one sentence.
  // ErrorKind::interrupted if WORK is stopped. Thread-safe.
  Status check(const VersionQuestion& question, const std::string& planned,
               const system::LongWork& work) const;

 private:
  Result<std::string> answer(const VersionQuestion& question, system::Processes& processes,
                             const std::function<bool()>& is_cancelled) const;
  Result<std::string> ask_now(const VersionQuestion& question,
                              const std::optional<std::string>& known) const;

  Context context_;
  store::Store& store_;
  std::map<std::string, std::optional<std::string>> asked_;  // key -> answer in this run
  Errors failures_;
};

// The text from which facts of a model are read: a config.json, and the size of the weights beside
// it.

// The key of that size in the text. The size is that of the file that `weights` of a runner names.
inline constexpr const char* k_weights_key = "weights_bytes";

// The content of FILE, with k_weights_key if a file of SOURCE.weights is beside it.
Result<std::string> fact_text(system::Files& files, const std::string& file,
                              const runner::FactSource& source);

}  // namespace orch::session
