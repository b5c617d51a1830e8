// The right to write to a folder that several hosts share, where a lock of the kernel may reach no
// other host, or outlive a host that died. Knows nothing of what is in the folder around its own.
//
// The folder of a lease has a file for each lease that was taken: "1", "2", ... The highest number
// counts. Only one process can create a number. Its owner replaces the file again and again, with
// another count. Others never compare clocks: they watch for a change, by their own clock. Whoever
// takes over creates the next number, so that an owner that was only stopped finds it.
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

// What a lease file says: who may write, until whom, and a count that only grows while its owner
// lives. Reads and writes no file.

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

// The longest silence of an owner that lives.
inline constexpr double k_silent_s = 30;

// What a lease is taken with. Both references must outlive it.
struct LeaseTools {
  system::Files& files;
  system::Clock& clock;
  Owner self;
  // Called with a sentence when others have to be waited for, or were taken over. May be empty.
  std::function<void(const std::string&)> says = {};
};

// Held until destroyed. A thread of its own renews it ten times in SILENT_S.
class Lease {
 public:
  // Creates FOLDER. Takes over at once what was released, or what a dead process of this host held;
  // what another host holds, only after a silence of as long as its owner has promised. Fails with
  // ErrorKind::conflict, naming the owner, when that gives a sign of life.
  static Result<Lease> take(const LeaseTools& tools, const std::string& folder,
                            double silent_s = k_silent_s);
  // Who holds the lease in FOLDER. Empty: nobody, or an owner that is dead or gives no sign of life
  // for a few of its beats. Waits for a sign of life of another host.
  static std::optional<Owner> holder(const LeaseTools& tools, const std::string& folder);

  Lease(Lease&&) noexcept;
  Lease& operator=(Lease&&) noexcept;
  ~Lease();

  const Owner& owner() const;
  // ErrorKind::conflict, naming the new owner, once another process is known to have taken it over.
  Status check() const;
  // Looks for another owner, and renews the lease if there is none. Called by the thread.
  void beat();

 private:
  class Impl;
  explicit Lease(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace orch::lease
