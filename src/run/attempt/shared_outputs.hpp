// Outputs of `shared` stages, kept for all stores of a user in one folder of the cache:
// ROOT/STAGE/TOKEN/ with out/, the manifest that marks it complete, and a reference from each
// store. Every attempt that makes an output has its own folder, created at its final path, so no
// lock is needed.
#pragma once

#include "os/system/files.hpp"
#include "plan/graph/plan.hpp"
#include "run/attempt/attempt_folders.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orch::attempt {

// ROOT according to ENVIRONMENT; "" if neither XDG_CACHE_HOME nor HOME is an absolute path.
std::string shared_root(const std::map<std::string, std::string>& environment);
// Makes ROOT, and checks that it is writable and belongs to this user alone.
Status make_shared_root(system::Files& files, const std::string& root);

// A folder ROOT/STAGE/TOKEN.
struct SharedEntry {
  std::string folder;  // absolute
  bool is_complete = false;
  std::vector<std::string> stores =
      {};  // the stores that refer to it, or whose attempt is making it
  std::uint64_t bytes = 0;
};

// Every entry below ROOT, sorted by name; empty if there is no ROOT.
Result<std::vector<SharedEntry>> shared_entries(system::Files& files, const std::string& root);
// Removes ENTRY, unless a store has begun to refer to it. Returns whether it was removed.
Result<bool> remove_shared(system::Files& files, const SharedEntry& entry);

// Collects warnings from any thread until the thread that may print them calls tell().
class Warnings {
 public:
  explicit Warnings(std::function<void(const std::string&)> warn) : warn_(std::move(warn)) {}
  // Ignores "".
  void add(const std::string& text);
  void add_failed(const Status& done);
  void tell();

 private:
  std::function<void(const std::string&)> warn_;
  std::mutex mutex_;
  std::vector<std::string> texts_;  // guarded by the mutex
};

// The entries that one store uses. Thread-safe.
class SharedOutputs {
 public:
  // A complete entry.
  struct Found {
    std::string folder;
    std::vector<PublishedFile> files;
  };

  // If ROOT is "", stages make their outputs in the store of LAYOUT. FILES, LAYOUT and WARNINGS
  // must outlive this.
  SharedOutputs(system::Files& files, const Layout& layout, std::string root, Warnings& warnings)
      : files_(files), layout_(layout), warnings_(warnings), root_(std::move(root)) {}

  // The folder of the entry that ATTEMPT makes; "" if it makes its output in its store. An attempt
  // laid out by an earlier run keeps the entry that it had then.
  std::string entry_of(const Attempt& attempt) const;
  // Takes a complete entry, or begins the entry of PREPARED. If the latter fails, later attempts
  // make their outputs in the store.
  Status begin(const Prepared& prepared);
  // The entry taken by the attempt with TOKEN; nullopt if it took none.
  std::optional<Found> taken(const std::string& token) const;
  // Completes the entry with its manifest, the text MANIFEST, and makes a link to the entry in the
  // attempt's folder, to be published as its output. Everything in the entry is durable on return.
  Status publish(const Prepared& prepared, const std::string& manifest);
  // Removes the entry of a failed attempt, unless it is complete. IS_FULL: the attempt failed
  // because a disk is full, possibly that of the cache; later attempts do not use the cache.
  void drop(const Prepared& prepared, bool is_full);
  // The same for a lost attempt, of which only the token is known.
  void forget(const std::string& token);

  // An artifact in a store that links to an entry.
  struct Reference {
    std::string store;     // absolute
    std::string artifact;  // its folder below the store
    std::string token;     // of the publishing attempt
  };
  // Records in ENTRY, before the link is made, that BY refers to it. ErrorKind::not_found: ENTRY
  // was removed.
  Status refer(const std::string& entry, const Reference& by);

 private:
  std::string entry(const plan::Stage& stage, const std::string& token) const;
  void give_up(const std::string& why);
  bool take(const plan::Stage& stage, const std::string& token);
  Status create(const std::string& entry);
  Status remove_unfinished(const std::string& entry);

  system::Files& files_;
  const Layout& layout_;
  Warnings& warnings_;
  mutable std::mutex mutex_;
  std::string root_;                    // guarded by the mutex
  std::map<std::string, Found> taken_;  // guarded by the mutex
};

// The list `files` in TEXT, a manifest as publish() writes it; nullopt if TEXT does not have that
// form.
std::optional<std::vector<PublishedFile>> files_of_manifest(const std::string& text);

}  // namespace orch::attempt
