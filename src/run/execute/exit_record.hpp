// How a launch ended, as its guardian writes it to a file for processes that were not there. Knows
// nothing of its readers.
#pragma once

#include "os/system/host_parts.hpp"
#include "run/execute/executor.hpp"

#include <optional>
#include <string>

namespace orch::execute {

struct ExitRecord {
  Ended ended;
  system::Containment containment = system::Containment::session;
  std::string boot_id;  // a record of another boot is ignored: it was never synced to disk
  bool left = false;    // processes outlived the leader and were ended
};

constexpr auto fields_of(Tag<ExitRecord>) {
  return rows_of(part<&ExitRecord::ended>(), required<&ExitRecord::containment>("containment"),
                 required<&ExitRecord::boot_id>("boot_id"), required<&ExitRecord::left>("left"));
}

// The record at PATH. Empty when there is none, or it is of another token or another boot.
std::optional<Ended> read_exit_record(system::Files& files, const std::string& path,
                                      const std::string& token);

// Takes back what the commands around a launch did whose tree has ended, and removes its temporary
// folder and shared memory, as far as it can; the first error.
Status remove_leftovers(const system::Host& host, const Launch& launch);

// Commands around a launch, for what belongs to it and is not in its process tree: the clocks of a
// GPU, a container of a daemon. What they change is taken back after any death: the list of the
// commands that do so is on disk before the first one runs. Knows nothing of what they do.

// Writes the list of LAUNCH.after to LAUNCH.undo, then runs LAUNCH.before. Each command gets the
// part of the environment of LAUNCH that says where programs and daemons are. After an error
// everything is taken back.
Status run_before(const system::Host& host, const Launch& launch);

// Runs the commands of the list that LAUNCH has on disk, all of them, and removes it once all have
// succeeded; the first error. No list, or one of another launch or boot: does nothing. (A list of
// this boot was written here, and not brought by a copy of a store.)
Status take_back(const system::Host& host, const Launch& launch);

}  // namespace orch::execute
