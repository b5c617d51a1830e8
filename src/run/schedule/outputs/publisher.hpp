// Publishes the outputs of attempts that ended well. Does not decide the next states of their
// stages.
#pragma once

#include "os/system/files.hpp"
#include "run/schedule/run_state.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orch::schedule {

class Publisher {
 public:
  // What became of the outputs of one attempt.
  struct Made {
    std::optional<AttemptFailure> failure;  // nothing is visible then
    std::vector<PublishedFile> files;
  };

  explicit Publisher(RunState& run) : run_(run) {}

  // Checks and publishes the outputs of PROCESS, which stays in the run's processes, by another
  // thread. Then passes what became of each member's to NEXT. An error of the machine is told from
  // an output that is not as declared.
  void publish(const ActiveProcess& process, std::function<void(std::vector<Made> made)> next);
  // Notes the artifact of MEMBER with its FILES.
  void record(const ActiveProcess::Member& member, const std::vector<PublishedFile>& files);

 private:
  // Done by another thread.
  static Made make(attempt::AttemptFolders& workspace, const attempt::Prepared& prepared,
                   system::LongWork& work);
  // Why no other run may reuse the artifact of STAGE: one of its inputs changed since its digest
  // was computed, or it was made from such an artifact. Empty when it may be reused.
  std::string why_not_cacheable(Index stage);

  RunState& run_;
};

// Whether the store's file system has room for another attempt. What is left when it starts is for
// the store itself: its journal must be writable when a stage has filled the disk. Knows no stage.

// The bytes that attempts may write.
std::uint64_t room_in(const system::FreeSpace& free);

// Why an attempt that writes NEEDED bytes cannot start: "" when it can.
std::string why_no_room(const system::FreeSpace& free, std::uint64_t needed,
                        const std::string& store);

}  // namespace orch::schedule
