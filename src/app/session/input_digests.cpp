#include "app/session/input_digests.hpp"

namespace orch::session {

Result<Digest> InputDigests::of_file(const std::string& path) {
  ORCH_ASSIGN(const std::vector<Digest> digests, of_files(std::vector<std::string>{path}));
  return digests.front();
}

// The digests of the files PATHS, from the store if it has them.
Result<std::vector<Digest>> InputDigests::of_files(const std::vector<std::string>& paths) {
  std::vector<Digest> digests(paths.size());
  std::vector<std::size_t> unknown;
  // The stamps of the files in `unknown`, taken before the files are read.
  std::map<std::size_t, system::FileStamp> stamps;
  std::vector<system::FileToHash> to_hash;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (store_) {
      ORCH_ASSIGN(const system::FileStamp stamp, system::FileStamp::of(paths[i]));
      ORCH_ASSIGN(const auto known, store_->known_file(stamp));
      digests[i] = known.value_or(Digest());
      if (known) {
        hashed_.try_emplace(paths[i], stamp, *known);
        continue;
      }
      stamps.emplace(i, stamp);
    }
    unknown.push_back(i);
    const auto facts = files_.stat(paths[i]);
    to_hash.push_back({paths[i], facts ? facts->bytes : 0});
  }
  system::LongWork alone;
  const auto hashed = hashing_ ? system::sha256_each(files_, to_hash, *hashing_)
                               : system::sha256_each(files_, to_hash, alone);
  // Digests computed before an interrupt are remembered.
  for (std::size_t u = 0; u < unknown.size(); ++u) {
    if (!hashed[u]) continue;
    digests[unknown[u]] = *hashed[u];
    if (!store_) continue;
    store_->remember_file(stamps.at(unknown[u]), *hashed[u]);
    hashed_.try_emplace(paths[unknown[u]], stamps.at(unknown[u]), *hashed[u]);
  }
  for (const Result<Digest>& one : hashed)
    if (!one) return one.error();
  return digests;
}

std::string InputDigests::changed_file(const std::string& path) {
  const auto taken = hashed_.find(path);
  if (taken == hashed_.end()) return "";
  auto& [stamp, digest] = taken->second;
  auto now = system::FileStamp::of(path);
  if (now && *now == stamp) return "";
  // Only the ctime changed. One cause is a new hard link to the file, which stages make of weights;
  // after other causes, such as a new mode or owner, the content decides.
  const std::int64_t moved = now ? std::exchange(now->ctime_ns, stamp.ctime_ns) : 0;
  std::error_code code;
  const bool is_linked = std::filesystem::hard_link_count(path, code) > 1 && !code;
  if (now && *now == stamp && (is_linked || of_file(path).value_or(Digest()) == digest)) {
    stamp.ctime_ns = moved;
    store_->remember_file(stamp, digest);
    return "";
  }
  return path + " changed after its content was hashed";
}

// Lists FOLDER with everything mounted in it: the folder is the user's, so mounts belong to its
// content.
Result<std::vector<system::FileEntry>> InputDigests::list_all(const std::string& folder) const {
  ORCH_ASSIGN(const auto here, files_.list(folder));
  std::vector<system::FileEntry> all;
  for (const system::FileEntry& entry : here) {
    const std::string path = folder + "/" + entry.path;
    const auto facts = entry.is_mount ? files_.stat(path) : std::nullopt;
    if (!facts || !facts->is_folder) {
      all.push_back(entry);
      continue;
    }
    ORCH_ASSIGN(const auto mounted, list_all(path));
    for (system::FileEntry below : mounted) {
      below.path = entry.path + "/" + below.path;
      all.push_back(std::move(below));
    }
  }
  std::ranges::sort(all, [](const auto& a, const auto& b) { return a.path < b.path; });
  return all;
}

std::string InputDigests::changed_folder(const std::string& folder) {
  const std::string below = folder + "/";
  std::size_t files = 0;
  for (auto taken = hashed_.lower_bound(below);
       taken != hashed_.end() && taken->first.starts_with(below); ++taken, ++files)
    if (const std::string why = changed_file(taken->first); !why.empty()) return why;
  if (files == 0) return "";
  const auto entries = list_all(folder);
  return entries && entries->size() == files
             ? ""
             : "files were added to or removed from " + folder + " after it was hashed";
}

std::string InputDigests::changed(const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code code;
    const std::filesystem::path real = std::filesystem::canonical(input, code);
    std::string why = changed_file(input);
    if (why.empty() && !code) why = changed_file(real.string());
    if (why.empty() && std::filesystem::is_directory(input, code)) why = changed_folder(input);
    if (!why.empty()) return why;
  }
  return "";
}

Result<Digest> InputDigests::of_folder(const std::string& folder, const std::string& what) {
  auto entries = list_all(folder);
  if (!entries)
    return not_found(fmt::format("{} '{}' cannot be read; correct its path", what, folder));
  if (entries->empty())
    return invalid(fmt::format("{} '{}' is empty; correct its path", what, folder));
  std::vector<std::string> paths;
  for (const system::FileEntry& entry : *entries) paths.push_back(folder + "/" + entry.path);
  ORCH_ASSIGN(const std::vector<Digest> digests, of_files(paths));
  Components list;
  for (std::size_t i = 0; i < paths.size(); ++i) list.add((*entries)[i].path, digests[i]);
  return list.digest();
}

}  // namespace orch::session
