// The right to write to a store: a kernel lock on a file, released when the process ends, or on a
// file system that several hosts may use a lease. Knows nothing of the contents of the store.
#pragma once

#include "core/base/result.hpp"
#include "results/store/host.hpp"
#include "results/store/layout.hpp"
#include "os/system/file_lock.hpp"

#include <optional>
#include <string>

namespace orch::store {

// The process that may write, as it described itself when it began.
using Holder = lease::Owner;

// Held until destroyed.
class Lock {
 public:
  // Fails with ErrorKind::conflict, naming the holder, when another process may write to the store
  // at LAYOUT. Its folder must exist.
  static Result<Lock> take(const Host& host, const Layout& layout);
  // The current holder; empty when nobody is. Takes the kernel lock for an instant, which take()
  // tolerates; waits a few seconds for a sign of life of a holder on another host.
  static std::optional<Holder> holder(const Host& host, const Layout& layout);

  // Of a store that other hosts may write to; null for others.
  const lease::Lease* lease() const { return lease_ ? &*lease_ : nullptr; }

 private:
  explicit Lock(system::FileLock lock) : lock_(std::move(lock)) {}
  explicit Lock(lease::Lease lease) : lease_(std::move(lease)) {}

  std::optional<system::FileLock> lock_;
  std::optional<lease::Lease> lease_;
};

}  // namespace orch::store
