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
  // Exists only in a store that several hosts may write to.
  std::filesystem::path lease() const { return root / "lease"; }
  std::filesystem::path artifacts() const { return root / "artifacts"; }
  std::filesystem::path logs() const { return root / "logs"; }
  std::filesystem::path records() const { return root / "records"; }
  std::filesystem::path ballast() const { return root / "ballast"; }
  std::filesystem::path inbox() const { return root / "inbox"; }
  std::filesystem::path reports() const { return root / "reports"; }
  // A log of what runs did and why, for bug reports; the program never reads it.
  std::filesystem::path diagnostics() const { return root / "diagnostics.log"; }
  // The present folder of the record that the database has as PATH. A record that was ingested from
  // the inbox stays there until it is moved to artifacts/.
  std::filesystem::path record(system::Files& files, const std::filesystem::path& path) const {
    if (files.stat(at(path).string())) return at(path);
    const auto waiting = inbox() / path.lexically_relative("artifacts");
    return files.stat(waiting.string()) ? waiting : at(path);
  }
  // Whether PATH has the form of the files and folders that runs create in a store. PATH may come
  // from a database that is damaged or of unknown origin.
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

// The file system and clock that the store uses.

// When a line of a record is synced. Every order is safe, because nothing counts as recorded before
// line and commit are durable: a line without its commit is cut off, and a missing line is restored
// from its commit.
enum class SyncOrder {
  together,  // concurrently with the commit, on another thread: costs hardly more than either alone
  before,    // before the commit, on the calling thread; for tests, like `after`
  after,
};

// `files` and `clock` must outlive every object that receives a Host. Only SQLite accesses its
// files without `files`.
struct Host {
  system::Files& files;
  system::Clock& clock;
  SyncOrder sync_order = SyncOrder::together;
  // Set if other hosts use the store although its file system appears local.
  bool is_shared = false;
  double silent_s = lease::k_silent_s;  // for the lease of a shared store
  // Called with a sentence if opening for writing has to wait. May be empty.
  std::function<void(const std::string&)> says = {};
};

// The names in a results folder that belong to the store. An output that a user names must not
// replace these files.

// Whether NAME, directly in a results folder, belongs to the store. Users may use other names
// there, such as `reports`.
bool is_own_name(std::string_view name);

// Fails, with the remedy, if PATH is a results folder or leads to a file that belongs to one, even
// through links. Processes of a stage may write below attempts/ and artifacts/.
Status check_output(const std::filesystem::path& path);

}  // namespace orch::store
