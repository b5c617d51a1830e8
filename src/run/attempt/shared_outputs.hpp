// Outputs of stages with `shared`, which all stores of a user have in one folder of the cache:
// ROOT/STAGE/TOKEN/ with out/, the manifest that says it is complete, and a reference of each
// store. Every maker has a folder of its own, made at its final path, so that no lock is needed.
// Knows no store but by its references.
#pragma once

#include "run/attempt/layout.hpp"
#include "plan/graph/plan.hpp"
#include "os/system/files.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace orch::attempt {

// ROOT for the variables in ENVIRONMENT; "" when they name no cache.
std::string shared_root(const std::map<std::string, std::string>& environment);
// Makes ROOT, and checks that it is this user's alone and can be written to.
Status make_shared_root(system::Files& files, const std::string& root);

// A folder of ROOT.
struct SharedEntry {
  std::string folder;  // absolute
  bool is_complete = false;
  std::vector<std::string> stores;  // that have it, or whose attempt makes it
  std::uint64_t bytes = 0;
};

// Every entry below ROOT, by name; none when there is no ROOT.
Result<std::vector<SharedEntry>> shared_entries(system::Files& files, const std::string& root);
// Removes ENTRY unless a store refers to it by then. Returns whether it was removed.
Result<bool> remove_shared(system::Files& files, const SharedEntry& entry);

// Safe from any thread.
class SharedOutputs {
 public:
  // A complete entry.
  struct Found {
    std::string folder;
    std::vector<PublishedFile> files;
  };

  // ROOT "": stages make their outputs in their store.
  SharedOutputs(system::Files& files, std::string root) : files_(files), root_(std::move(root)) {}

  // Where an attempt of STAGE with TOKEN makes its entry; "": in its store.
  std::string entry(const plan::Stage& stage, const std::string& token) const;
  // From now on entry() is "". Returns the sentence for the user, or "" when it was so before.
  std::string give_up(const std::string& why);
  // Creates ENTRY, of an attempt of the store at STORE.
  Status begin(const std::string& entry, const std::string& store);
  // Looks for a complete entry of STAGE, which the attempt with TOKEN takes instead of making one.
  bool take(const plan::Stage& stage, const std::string& token);
  // The entry that the attempt with TOKEN took.
  std::optional<Found> taken(const std::string& token) const;
  // Completes ENTRY with the text of its manifest. What was written into it is durable then.
  Status complete(const std::string& entry, const std::string& manifest);
  // The artifact of a store that is a link to an entry.
  struct Reference {
    std::string store;     // absolute
    std::string artifact;  // its folder below the store
    std::string token;     // of the attempt that publishes it
  };
  // Notes in ENTRY, before the link is made, that BY has it. ErrorKind::not_found: ENTRY was
  // removed.
  Status refer(const std::string& entry, const Reference& by);
  // Removes ENTRY, of an attempt that failed or was lost, unless it is complete.
  Status drop(const std::string& entry);

 private:
  system::Files& files_;
  mutable std::mutex mutex_;
  std::string root_;                    // guarded by the mutex
  std::map<std::string, Found> taken_;  // guarded by the mutex
};

// The list `files` of the MANIFEST that publish() writes; empty when it does not have that form.
std::optional<std::vector<PublishedFile>> files_of_manifest(const std::string& text);

}  // namespace orch::attempt
