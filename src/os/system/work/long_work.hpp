// Long work with files, as seen by the threads that do it and by the one that waits for it: how far
// it has come, and whether it is to stop.
#pragma once

#include "core/base/result.hpp"

#include <atomic>
#include <cstdint>

namespace orch::system {

class Workers;

// Safe from any thread.
class LongWork {
 public:
  // HELPERS may do parts of the work, and must outlive this. Null: one thread does it all.
  explicit LongWork(Workers* helpers = nullptr) : helpers_(helpers) {}
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

  Workers* helpers() const { return helpers_; }

  // The work ends soon, with ErrorKind::interrupted unless it was just complete.
  void stop() { stopped_ = true; }
  bool is_stopped() const { return stopped_; }
  Status go_on() const {
    if (stopped_) return Error{ErrorKind::interrupted, "ended on request", {}};
    return {};
  }

  void expect(std::uint64_t bytes) { expected_bytes_ += bytes; }
  void add(std::uint64_t bytes) { done_bytes_ += bytes; }
  std::uint64_t expected_bytes() const { return expected_bytes_; }
  std::uint64_t done_bytes() const { return done_bytes_; }

 private:
  Workers* const helpers_;
  std::atomic<bool> stopped_ = false;
  std::atomic<std::uint64_t> expected_bytes_ = 0, done_bytes_ = 0;
};

}  // namespace orch::system
