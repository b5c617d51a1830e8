// How a launch ended, written to a file by its guardian for processes that were not running at that
// time.
#pragma once

#include "os/system/host_parts.hpp"
#include "run/execute/executor.hpp"

#include <optional>
#include <string>

namespace orch::execute {

struct ExitRecord {
  Ended ended;
  system::Containment containment = system::Containment::session;
  // A record from another boot is ignored, because records are not synced to disk.
  std::string boot_id = {};
  bool left = false;  // processes outlived the leader and were ended
};

constexpr auto fields_of(Tag<ExitRecord>) {
  return rows_of(part<&ExitRecord::ended>(), required<&ExitRecord::containment>("containment"),
                 required<&ExitRecord::boot_id>("boot_id"), required<&ExitRecord::left>("left"));
}

// The end recorded at PATH. nullopt if there is no record, or it is from another launch or boot.
std::optional<Ended> read_exit_record(system::Files& files, const std::string& path,
                                      const std::string& token);

// Calls take_back() for an ended launch, and removes its temporary folder and shared memory, as far
// as possible; returns the first error.
Status remove_leftovers(const system::Host& host, const Launch& launch);

// Commands around a launch, for side effects outside its process tree: a GPU's clocks, a daemon's
// container. They are undone however the launch dies: the list of commands that undo them is on
// disk before the first command runs.

// Writes the list of LAUNCH.after to LAUNCH.undo, then runs LAUNCH.before. Each command gets those
// variables of LAUNCH's environment that locate programs and daemons. After an error everything is
// undone.
Status run_before(const system::Host& host, const Launch& launch);

// Runs all commands of the list that LAUNCH has on disk, and removes the list once all have
// succeeded; returns the first error. Does nothing if there is no list, or it is from another
// launch or boot. (The boot shows that the list was written on this host, not copied with a store.)
Status take_back(const system::Host& host, const Launch& launch);

}  // namespace orch::execute
