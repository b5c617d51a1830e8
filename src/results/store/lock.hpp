// The right to write to a store: a kernel lock on a file, released when the process ends, or on a
// file system that several hosts may use a lease. Knows nothing of the contents of the store.
#pragma once

#include "core/base/result.hpp"
#include "os/system/file_lock.hpp"
#include "os/system/files.hpp"
#include "results/store/layout.hpp"

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

// A file without meaning that takes a little of the disk, so that its removal makes room for the
// end of what is under way once other programs have filled the disk. Private to src/results/store.

class Ballast {
 public:
  // FILES must outlive it.
  Ballast(system::Files& files, const Layout& layout)
      : files_(files), root_(layout.root.string()), path_(layout.ballast().string()) {}

  // Makes the file where it is missing and the disk has plenty of space. It may fail: the file is a
  // precaution.
  void keep();
  // Removes the file. Whether there was one.
  bool release();
  // The same if the disk is nearly full.
  void release_if_low();

 private:
  system::Files& files_;
  std::string root_, path_;
};

// Whether ERROR says that the disk, or the quota of this user, is full.
bool is_full(const Error& error);

}  // namespace orch::store
