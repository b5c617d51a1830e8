// How far a phase is, said to whoever watches, each second. The timed loop counts; it neither waits
// for this nor prints.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "observe/periodic.hpp"

namespace orch::load {

// Written by one thread, read by others.
struct Tally {
  std::atomic<std::int64_t> sent = 0;
  std::atomic<std::int64_t> ended = 0;   // of those, whose answers were read
  std::atomic<std::int64_t> failed = 0;  // of these

  static void add(std::atomic<std::int64_t>& count) {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

// "120 of 500 requests, 16 in flight, 3 failed, 12 s of 60 s". MOST, WITHIN_S: where it ends at the
// latest, 0: not there.
std::string standing(const Tally& tally, std::int64_t most, double for_s, double within_s);

class PhaseProgress {
 public:
  // Calls SAY, which outlives it, from a thread of its own, with WHAT and the rest; with "" at the
  // end. An empty SAY: never.
  PhaseProgress(const std::function<void(std::string_view)>& say, std::string what,
                std::int64_t most, double within_s);
  ~PhaseProgress() { stop(); }

  Tally* tally() { return say_ ? &tally_ : nullptr; }
  // Says no more. CPU time that it took.
  std::int64_t stop();

 private:
  void tell() const;

  const std::function<void(std::string_view)>& say_;
  const std::string what_;
  const std::int64_t most_;
  const double within_s_;
  const std::int64_t begin_ns_;
  Tally tally_;
  bool stopped_ = false;
  observe::Periodic thread_;  // last: it uses the others
};

}  // namespace orch::load
