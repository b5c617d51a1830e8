// The right to write to a store: a kernel lock on a file, released when the process ends, or a
// lease if several hosts may use the file system.
#pragma once

#include "core/base/result.hpp"
#include "os/system/file_lock.hpp"
#include "os/system/files.hpp"
#include "results/store/layout.hpp"

#include <optional>
#include <string>
#include <utility>

namespace orch::store {

// The process that may write, as it described itself when it took the lock.
using Holder = lease::Owner;

// Held until destroyed.
class Lock {
 public:
  // Takes the right to write to the store at LAYOUT, whose folder must exist. Fails with
  // ErrorKind::conflict, naming the holder, if another process has it.
  static Result<Lock> take(const Host& host, const Layout& layout);
  // The current holder; nullopt if there is none. Takes the kernel lock for an instant, which
  // take() tolerates. Waits a few seconds for a sign of life of a holder on another host.
  static std::optional<Holder> holder(const Host& host, const Layout& layout);

  // The lease of a store that other hosts may write to; otherwise null.
  const lease::Lease* lease() const { return lease_ ? &*lease_ : nullptr; }

 private:
  explicit Lock(system::FileLock lock) : lock_(std::move(lock)) {}
  explicit Lock(lease::Lease lease) : lease_(std::move(lease)) {}

  std::optional<system::FileLock> lock_;
  std::optional<lease::Lease> lease_;
};

// A file of random bytes that reserves a little disk space: if other files fill the disk, removing
// it makes room to finish the current work. Private to src/results/store.

class Ballast {
 public:
  // FILES must outlive this object.
  Ballast(system::Files& files, const Layout& layout)
      : files_(files), root_(layout.root.string()), path_(layout.ballast().string()) {}

  // Creates the file if it is missing and the disk has plenty of space. Failures are ignored: the
  // file is only a precaution.
  void keep();
  // Removes the file. Returns whether there was one.
  bool release();
  // Removes the file if the disk is nearly full.
  void release_if_low();

 private:
  system::Files& files_;
  std::string root_, path_;
};

// Whether ERROR states that the disk or this user's quota is full.
bool is_full(const Error& error);

}  // namespace orch::store
