// What a lease file says: who may write, until whom, and a count that only grows while its owner
// lives. Reads and writes no file.
#pragma once

#include "core/base/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace orch::lease {

// A process that takes a lease.
struct Owner {
  std::string host;
  std::string kernel;  // its boot and its PID namespace: in another one, `pid` is another process
  int pid = 0;
  std::uint64_t start_ticks = 0;  // of the process: see system::ProcessId
  std::string job;                // of Slurm in which it runs; "": in none
  std::string since;              // UTC, "2025-01-31T12:00:00Z"
  std::string nonce;              // random; no two leases have the same

  std::string text() const;  // "pid 123 on host a (job 7 of Slurm) since ..."
};

struct LeaseNote {
  Owner owner;
  double silent_s = 0;  // others wait so long for a sign of life before they take it over
  std::uint64_t beat = 0;
  bool is_released = false;
};

// As JSON in the file.
constexpr auto fields_of(Tag<LeaseNote>) {
  using N = LeaseNote;
  return rows_of(required<&N::owner, &Owner::host>("host"), required<&N::owner, &Owner::pid>("pid"),
                 required<&N::owner, &Owner::job>("job"),
                 required<&N::owner, &Owner::since>("since"),
                 required<&N::owner, &Owner::kernel>("kernel"),
                 required<&N::owner, &Owner::start_ticks>("start_ticks"),
                 required<&N::owner, &Owner::nonce>("nonce"), required<&N::silent_s>("silent_s"),
                 required<&N::is_released>("is_released"), required<&N::beat>("beat"));
}

// This process, with a new nonce. WALL_S: seconds since the epoch.
Owner this_process(double wall_s);
// Whether HOLDER is a process of the same kernel as SELF, which can therefore be looked up.
bool is_near(const Owner& holder, const Owner& self);

}  // namespace orch::lease
