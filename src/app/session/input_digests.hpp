// Digests of a plan's input files and folders, and whether they have changed since. Digests of
// unchanged files come from the store.
#pragma once

#include "os/system/files.hpp"
#include "os/system/work/long_work.hpp"
#include "results/store/store.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orch::session {

class InputDigests {
 public:
  // FILES must outlive this. Without a store every file is read.
  explicit InputDigests(system::Files& files) : files_(files) {}

  void use(store::Store& store) { store_ = &store; }
  // Makes HOW hash large inputs; by default the calling thread does.
  void hash_by(system::WatchedHashing how) { hashing_.emplace(std::move(how)); }

  Result<Digest> of_file(const std::string& path);
  // A digest over the paths and contents of the files below FOLDER. WHAT names it in messages.
  Result<Digest> of_folder(const std::string& folder, const std::string& what);

  // Describes the first of INPUTS (absolute files and folders) that changed after its content was
  // hashed; "" if none did.
  std::string changed(const std::vector<std::string>& inputs);

 private:
  Result<std::vector<Digest>> of_files(const std::vector<std::string>& paths);
  std::string changed_file(const std::string& path);
  std::string changed_folder(const std::string& folder);
  Result<std::vector<system::FileEntry>> list_all(const std::string& folder) const;

  system::Files& files_;
  store::Store* store_ = nullptr;
  std::optional<system::WatchedHashing> hashing_;
  // Each hashed file: its stamp before it was read, and the digest of its content.
  std::map<std::string, std::pair<system::FileStamp, Digest>> hashed_;
};

}  // namespace orch::session
