// Publishes the outputs of attempts that succeeded. Does not decide the next states of their
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
  // The result of publishing one attempt's outputs.
  struct Made {
    std::optional<AttemptFailure> failure = {};  // if set, no output is visible
    std::vector<PublishedFile> files = {};
  };

  explicit Publisher(RunState& run) : run_(run) {}

  // Checks and publishes the outputs of PROCESS on another thread; PROCESS stays in the run's
  // processes. Then passes the result of each member to NEXT. Distinguishes an error of the machine
  // from an output that is not as declared.
  void publish(const ActiveProcess& process, std::function<void(std::vector<Made> made)> next);
  // Records the artifact of MEMBER with its FILES.
  void record(const ActiveProcess::Member& member, const std::vector<PublishedFile>& files);

 private:
  // Checks and publishes one attempt; runs on another thread.
  static Made make(attempt::AttemptFolders& workspace, const attempt::Prepared& prepared,
                   system::LongWork& work);
  // Why no other run may reuse the artifact of STAGE: one of its inputs changed since its digest
  // was computed, or it was made from such an artifact. "" if it may be reused.
  std::string why_not_cacheable(Index stage);

  RunState& run_;
};

// Whether the store's file system has room for another attempt. A reserve is left for the store
// itself, whose journal must be writable after a stage has filled the disk.

// The number of bytes that attempts may write.
std::uint64_t room_in(const system::FreeSpace& free);

// Why an attempt that writes NEEDED bytes cannot start; "" if it can.
std::string why_no_room(const system::FreeSpace& free, std::uint64_t needed,
                        const std::string& store);

}  // namespace orch::schedule
