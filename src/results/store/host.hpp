// The file system and the clock that the store works with. Owns neither.
#pragma once

#include "os/lease/lease.hpp"
#include "os/system/clock.hpp"
#include "os/system/files.hpp"

#include <functional>
#include <string>

namespace orch::store {

// When a line of a record is synced. Both orders are safe, since nothing counts as recorded before
// both are durable: a line without its commit is cut off, a commit without its line restores it.
enum class SyncOrder {
  together,  // beside the commit, by another thread: costs hardly more than one of them
  before,    // before the commit, as the next by the calling thread: for tests
  after,
};

// Both must outlive every object that receives a Host. Only SQLite accesses its files directly.
struct Host {
  system::Files& files;
  system::Clock& clock;
  SyncOrder sync_order = SyncOrder::together;
  // Whether other hosts use the store although its file system looks local.
  bool is_shared = false;
  double silent_s = lease::k_silent_s;  // of the lease of a store that is shared
  // Called with a sentence when opening for writing has to wait. May be empty.
  std::function<void(const std::string&)> says = {};
};

}  // namespace orch::store
