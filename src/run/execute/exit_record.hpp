// How a launch ended, as its guardian writes it to a file for processes that were not there. Knows
// nothing of its readers.
#pragma once

#include "run/execute/executor.hpp"
#include "os/system/host_parts.hpp"

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

}  // namespace orch::execute
