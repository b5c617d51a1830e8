// The paths inside a results folder. Creates nothing.
#pragma once

#include "core/base/result.hpp"
#include "core/base/text.hpp"
#include "os/lease/lease.hpp"
#include "os/system/clock.hpp"
#include "os/system/files.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::store {

struct Layout {
  std::filesystem::path root;  // absolute

  std::filesystem::path database() const { return root / "results.db"; }
  std::filesystem::path lock() const { return root / "lock"; }
  // Only in a store that several hosts may write to.
  std::filesystem::path lease() const { return root / "lease"; }
  std::filesystem::path artifacts() const { return root / "artifacts"; }
  std::filesystem::path logs() const { return root / "logs"; }
  std::filesystem::path records() const { return root / "records"; }
  std::filesystem::path ballast() const { return root / "ballast"; }
  std::filesystem::path inbox() const { return root / "inbox"; }
  std::filesystem::path reports() const { return root / "reports"; }
  // What runs did and why, for bug reports; never read by the program.
  std::filesystem::path diagnostics() const { return root / "diagnostics.log"; }
  // The folder of a measurement's record, which the database stores as PATH: in the inbox until it
  // is moved to artifacts/.
  std::filesystem::path record(system::Files& files, const std::filesystem::path& path) const {
    if (files.stat(at(path).string())) return at(path);
    const auto waiting = inbox() / path.lexically_relative("artifacts");
    return files.stat(waiting.string()) ? waiting : at(path);
  }
  // Whether PATH, from a database that may be damaged or someone else's, is a file or folder that
  // runs of a store create.
  static bool is_made_by_runs(const std::string& path) {
    const std::vector<std::string> parts = split(path, '/');
    if (parts.size() < 2) return false;
    for (const std::string& part : parts)
      if (part.empty() || part == "." || part == "..") return false;
    return parts[0] == "artifacts" || parts[0] == "attempts" || parts[0] == "logs";
  }
  // The absolute form of PATH as the database stores it.
  std::filesystem::path at(const std::filesystem::path& path) const {
    return (root / path).lexically_normal();
  }
};

// The file system and clock that the store uses. Owns neither.

// When a line of a record is synced. Every order is safe, since nothing counts as recorded before
// both are durable: a line without its commit is cut off, and a commit without its line restores
// it.
enum class SyncOrder {
  together,  // concurrently with the commit, on another thread: costs hardly more than either alone
  before,    // before the commit, on the calling thread (like `after`): for tests
  after,
};

// Both must outlive every object that receives a Host. Only SQLite accesses its files directly.
struct Host {
  system::Files& files;
  system::Clock& clock;
  SyncOrder sync_order = SyncOrder::together;
  // Whether other hosts use the store although its file system appears local.
  bool is_shared = false;
  double silent_s = lease::k_silent_s;  // for the lease of a shared store
  // Called with a sentence if opening for writing has to wait. May be empty.
  std::function<void(const std::string&)> says = {};
};

// Which files and folders of a results folder belong to the store, so that no user-named output
// replaces one of them.

// Whether NAME, directly in a results folder, belongs to the store. Other names there, such as
// `reports`, are free for users.
bool is_own_name(std::string_view name);

// Error, with the remedy, if PATH is a results folder or leads to what belongs to one, even through
// links. A stage may write below its own attempt's folder.
Status check_output(const std::filesystem::path& path);

}  // namespace orch::store
