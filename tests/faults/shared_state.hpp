// The file that a test shares with the preloaded library, and the variables that order a fault.
#pragma once

#include "crash/world.hpp"
#include "faults/fault.hpp"

namespace orch::faults {

// Of one run in a world.
class SharedState {
 public:
  // NAME: unique among the runs of WORLD.
  SharedState(const crash::World& world, const std::string& name);
  ~SharedState();
  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;

  // Without a fault, calls are only counted.
  crash::World::Variables variables(const std::optional<Fault>& fault) const;
  Counts counts(std::size_t program) const;
  // How many calls failed so far.
  std::uint64_t failed() const { return state_->failed; }
  // A line for each of them.
  std::string log() const { return world_.read(log_); }
  // Sets the wall clock of the processes ahead, or back where SECONDS is negative.
  void set_clock(std::int64_t seconds) const { state_->clock_off_s = seconds; }
  // How often they read it so far.
  std::uint64_t clock_reads() const { return state_->clock_reads; }

 private:
  const crash::World& world_;
  std::string file_, log_;
  State* state_ = nullptr;
};

}  // namespace orch::faults
