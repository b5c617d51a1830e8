// The exclusive right to write to a folder that several hosts share, where a kernel lock may not
// reach other hosts or may outlive a host that died. Uses only its own folder, inside that folder.
//
// The lease folder has a file for each lease taken: "1", "2", ... The file with the highest number
// is in force, and only one process can create it. Its owner keeps replacing it, each time with a
// new count. Others watch for a change by their own clock, and never compare clocks. A new owner
// creates the next number, so that the old one, if it was only suspended, notices.
#pragma once

#include "core/base/fields.hpp"
#include "core/base/result.hpp"
#include "os/system/clock.hpp"
#include "os/system/files.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace orch::lease {

// The content of a lease file: who may write, the silence after which others take over, and a count
// that grows only while its owner is alive.

// A process that takes a lease.
struct Owner {
  std::string host;
  std::string kernel;  // boot and PID namespace: `pid` is valid only there
  int pid = 0;
  std::uint64_t start_ticks = 0;  // of the process: see system::ProcessId
  std::string job;                // the Slurm job in which it runs; "": none
  std::string since;              // UTC, "2025-01-31T12:00:00Z"
  std::string nonce;              // random; unique to each lease

  std::string text() const;  // "pid 123 on nodea (job 7 of Slurm) since ..."
};

struct LeaseNote {
  Owner owner;
  double silent_s = 0;  // others take over after this long without a sign of life
  std::uint64_t beat = 0;
  bool is_released = false;
};

// The JSON in the file.
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
// Whether HOLDER runs on the same kernel as SELF and can therefore be looked up.
bool is_near(const Owner& holder, const Owner& self);

// The longest silence of a live owner.
inline constexpr double k_silent_s = 30;

// Everything that taking a lease requires. FILES and CLOCK must outlive the lease.
struct LeaseTools {
  system::Files& files;
  system::Clock& clock;
  Owner self;
  // Called with a sentence when the owner has to be waited for or was replaced. May be empty.
  std::function<void(const std::string&)> says = {};
};

// Held until destroyed. A background thread renews it ten times in SILENT_S.
class Lease {
 public:
  // Creates FOLDER. Takes over immediately a lease that was released or held by a dead process of
  // this host; a lease of another host only after the silence stated in its file. Fails with
  // ErrorKind::conflict, naming the owner, if the owner is alive.
  static Result<Lease> take(const LeaseTools& tools, const std::string& folder,
                            double silent_s = k_silent_s);
  // The holder of the lease in FOLDER. nullopt if there is none, or if the owner is dead or misses
  // a few renewals. If the owner is on another host, waits for its next renewal.
  static std::optional<Owner> holder(const LeaseTools& tools, const std::string& folder);

  Lease(Lease&&) noexcept;
  Lease& operator=(Lease&&) noexcept;
  ~Lease();

  const Owner& owner() const;
  // ErrorKind::conflict, naming the new owner, once another process is known to have taken it over.
  Status check() const;
  // Checks for another owner, and renews the lease if there is none. Called by the thread.
  void beat();

 private:
  class Impl;
  explicit Lease(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace orch::lease
