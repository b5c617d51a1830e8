#include "run/attempt/shared_outputs.hpp"

#include "core/base/text.hpp"
#include "os/system/files/walk.hpp"
#include "os/system/kill_point.hpp"

#include <nlohmann/json.hpp>

namespace orch::attempt {

namespace {

using nlohmann::json;

constexpr std::uint64_t k_entry_manifest_bytes = 1 << 30;
constexpr std::uint64_t k_reference_bytes = 8192;
constexpr std::uint64_t k_entry_path_bytes = 4096;
constexpr std::string_view k_removed = "removed-";

std::string manifest_in(const std::string& entry) { return entry + "/manifest.json"; }
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// ENTRY's manifest, if the entry is complete.
std::optional<json> manifest_of_entry(system::Files& files, const std::string& entry) {
  const auto text = files.read_own(manifest_in(entry), k_entry_manifest_bytes);
  json manifest = text ? json::parse(*text, nullptr, false) : json();
  if (!manifest.is_object() || manifest.value("token", json()) != name_of(entry))
    return std::nullopt;
  return manifest;
}

std::optional<std::vector<PublishedFile>> files_in(const json& manifest) {
  if (!manifest.is_object() || !manifest.contains("files")) return std::nullopt;
  std::vector<PublishedFile> files;
  for (const json& entry : manifest["files"]) {
    if (!entry.is_object() || !entry.contains("path") || !entry["path"].is_string() ||
        !entry.contains("bytes") || !entry["bytes"].is_number_unsigned() ||
        !entry.contains("sha256") || !entry["sha256"].is_string())
      return std::nullopt;
    files.push_back({entry["path"], entry["bytes"], entry["sha256"]});
  }
  return files;
}

// A store's note that it uses an entry.
struct Reference {
  std::string token;  // of the attempt that linked the entry, or is about to
  std::string store;
  std::string output;  // the link in the store
};

std::vector<Reference> references_in(system::Files& files, const std::string& entry) {
  std::vector<Reference> references;
  for (const std::string& name : files.names(entry + "/stores").value_or({})) {
    const auto text = files.read_own(entry + "/stores/" + name, k_reference_bytes);
    const std::size_t line = text ? text->find('\n') : std::string::npos;
    if (line == std::string::npos) continue;
    const std::string store = text->substr(0, line);
    references.push_back(
        {name, store, store + "/" + std::string(trim(text->substr(line + 1))) + "/out"});
  }
  return references;
}

// An attempt that has recorded its reference but not made the link yet still has its folder.
bool is_about_to_link(system::Files& files, const Reference& one) {
  return files.exists(one.store + "/attempts/" + one.token);
}

// The stores with an artifact that links to ENTRY, or else the store whose attempt is making it. A
// reference alone proves nothing: its store may have been removed or have made another output.
std::vector<std::string> stores_of(system::Files& files, const std::string& entry) {
  std::vector<std::string> stores;
  const std::string token = name_of(entry);
  for (const Reference& one : references_in(files, entry)) {
    const auto manifest = files.read_text(manifest_in(one.output + "/.."), k_entry_manifest_bytes);
    const json parsed = manifest ? json::parse(*manifest, nullptr, false) : json();
    if (is_about_to_link(files, one) ||
        (parsed.is_object() && parsed.value("token", json()) == token))
      stores.push_back(one.store);
  }
  const auto maker = files.read_own(entry + "/maker", k_reference_bytes);
  if (stores.empty() && maker && files.exists(*maker + "/attempts/" + token))
    stores.push_back(*maker);
  std::ranges::sort(stores);
  stores.erase(std::unique(stores.begin(), stores.end()), stores.end());
  return stores;
}

// Whether a store has recorded a reference, since the last check, to the entry that was renamed to
// ASIDE: it is about to link to the entry, or its link is now dangling.
bool is_missed(system::Files& files, const std::string& aside) {
  const auto references = references_in(files, aside);
  return std::ranges::any_of(references, [&](const Reference& one) {
    return is_about_to_link(files, one) || (files.is_link(one.output) && !files.stat(one.output));
  });
}

}  // namespace

std::optional<std::vector<PublishedFile>> files_of_manifest(const std::string& text) {
  return files_in(json::parse(text, nullptr, false));
}

std::string shared_root(const std::map<std::string, std::string>& environment) {
  const auto absolute = [&](const char* name) {
    const auto value = environment.find(name);
    return value != environment.end() && value->second.starts_with('/') ? value->second : "";
  };
  const std::string cache = absolute("XDG_CACHE_HOME"), home = absolute("HOME");
  if (cache.empty() && home.empty()) return "";
  return (cache.empty() ? home + "/.cache" : cache) + "/orchestrate/environments";
}

Status make_shared_root(system::Files& files, const std::string& root) {
  ORCH_TRY(files.make_folder(root));
  ORCH_TRY(system::check_private(root));
  if (!system::is_writable(root)) return invalid(root + " is not writable");
  return {};
}

Result<std::vector<SharedEntry>> shared_entries(system::Files& files, const std::string& root) {
  std::vector<SharedEntry> entries;
  for (const std::string& stage : files.names(root).value_or({})) {
    for (const std::string& token : files.names(root + "/" + stage).value_or({})) {
      SharedEntry entry{.folder = root + "/" + stage + "/" + token};
      entry.is_complete = manifest_of_entry(files, entry.folder).has_value();
      entry.stores = stores_of(files, entry.folder);
      ORCH_ASSIGN(const auto content, files.list(entry.folder));
      for (const system::FileEntry& one : content) entry.bytes += one.bytes;
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

// A store that refers to the entry meanwhile either finds it gone, or is found by is_missed().
Result<bool> remove_shared(system::Files& files, const SharedEntry& entry) {
  std::string name = name_of(entry.folder);
  const std::string beside = entry.folder.substr(0, entry.folder.rfind('/') + 1);
  const bool is_rest = name.starts_with(k_removed);  // left by a removal that was killed
  if (is_rest) name.erase(0, k_removed.size());
  const std::string own = beside + name, aside = beside + std::string(k_removed) + name;
  if (!is_rest) {
    if (!stores_of(files, own).empty()) return false;
    ORCH_TRY(files.rename(own, aside));
    system::kill_point("shared-set-aside");
  }
  if (is_missed(files, aside) && !files.exists(own)) {
    ORCH_TRY(files.rename(aside, own));
    return false;
  }
  ORCH_TRY(files.remove_tree(aside));
  return true;
}

void Warnings::add(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!text.empty()) texts_.push_back(text);
}

void Warnings::add_failed(const Status& done) {
  if (!done) add(done.error().text());
}

void Warnings::tell() {
  std::vector<std::string> texts;
  {
    const std::lock_guard lock(mutex_);
    texts.swap(texts_);
  }
  for (const std::string& text : texts) warn_(text);
}

std::string SharedOutputs::entry(const plan::Stage& stage, const std::string& token) const {
  const std::lock_guard lock(mutex_);
  return root_.empty() ? "" : root_ + "/" + stage.id + "/" + token;
}

std::string SharedOutputs::entry_of(const Attempt& attempt) const {
  const std::string folder = layout_.attempt(attempt.token);
  if (!files_.exists(folder)) return entry(*attempt.stage, attempt.token);
  const auto recorded = files_.read_own(folder + "/shared", k_entry_path_bytes);
  const std::string end = "/" + attempt.stage->id + "/" + attempt.token;
  return recorded && recorded->ends_with(end) ? *recorded : "";
}

// From now on entry() returns "".
void SharedOutputs::give_up(const std::string& why) {
  const std::string root = [&] {
    const std::lock_guard lock(mutex_);
    return std::exchange(root_, "");
  }();
  if (!root.empty())
    warnings_.add(fmt::format("environments are made in the store, because {}", why));
}

Status SharedOutputs::begin(const Prepared& prepared) {
  const std::string& token = prepared.attempt.token;
  ORCH_TRY(files_.put(layout_.attempt(token) + "/shared", prepared.shared));
  if (take(*prepared.attempt.stage, token))
    return files_.put(
        prepared.launch.log,
        fmt::format("The output is already in the cache, at {}.\n", taken(token)->folder));
  const Status begun = create(prepared.shared);
  if (!begun) give_up(begun.error().text());
  system::kill_point("shared-begun");
  return begun;
}

Status SharedOutputs::create(const std::string& entry) {
  ORCH_TRY(files_.make_folder(entry + "/stores"));
  ORCH_TRY(files_.make_folder(entry + "/out"));
  return files_.put(entry + "/maker", layout_.store);
}

bool SharedOutputs::take(const plan::Stage& stage, const std::string& token) {
  const std::string own = entry(stage, token);
  if (own.empty()) return false;
  const std::string folder = own.substr(0, own.rfind('/'));
  for (const std::string& name : files_.names(folder).value_or({})) {
    const std::string entry = folder + "/" + name;
    const auto manifest = manifest_of_entry(files_, entry);
    if (!manifest || manifest->value("digest", json()) != stage.digest.hex()) continue;
    auto files = files_in(*manifest);
    if (!files || files->empty()) continue;
    const bool is_whole = std::ranges::all_of(*files, [&](const PublishedFile& file) {
      const auto facts = files_.stat(entry + "/out/" + file.path);
      return facts && facts->bytes == file.bytes;
    });
    if (!is_whole) continue;
    const std::lock_guard lock(mutex_);
    taken_[token] = {entry, std::move(*files)};
    return true;
  }
  return false;
}

std::optional<SharedOutputs::Found> SharedOutputs::taken(const std::string& token) const {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(token);
  return found == taken_.end() ? std::nullopt : std::optional(found->second);
}

// Fails if the entry was removed: its folder of references exists as long as the entry does.
Status SharedOutputs::refer(const std::string& entry, const Reference& by) {
  const Status noted = files_.write(entry + "/stores/" + by.token, by.store + "\n" + by.artifact);
  system::kill_point("shared-referred");
  if (noted && manifest_of_entry(files_, entry)) return {};
  if (!noted && files_.exists(manifest_in(entry))) return noted;
  return Error{ErrorKind::not_found, entry + " was removed"};
}

Status SharedOutputs::publish(const Prepared& prepared, const std::string& manifest) {
  const std::string& token = prepared.attempt.token;
  const auto found = taken(token);
  const std::string entry = found ? found->folder : prepared.shared;
  if (!found) {
    ORCH_TRY(files_.sync_tree(entry));
    system::kill_point("shared-synced");
    ORCH_TRY(files_.write(manifest_in(entry), manifest));
    system::kill_point("shared-completed");
  }
  ORCH_TRY(refer(
      entry,
      {.store = layout_.store, .artifact = Layout::artifact(prepared.artifact), .token = token}));
  const std::string artifact = layout_.attempt(token) + "/artifact";
  ORCH_TRY(files_.remove_tree(artifact));
  ORCH_TRY(files_.make_folder(artifact));
  return files_.link(entry + "/out", artifact + "/out");
}

Status SharedOutputs::remove_unfinished(const std::string& entry) {
  if (manifest_of_entry(files_, entry)) return {};
  return files_.remove_tree(entry);
}

void SharedOutputs::drop(const Prepared& prepared, bool is_full) {
  if (prepared.shared.empty() || taken(prepared.attempt.token)) return;
  warnings_.add_failed(remove_unfinished(prepared.shared));
  if (is_full) give_up("the disk of the cache is full");
}

void SharedOutputs::forget(const std::string& token) {
  const auto entry = files_.read_own(layout_.attempt(token) + "/shared", k_entry_path_bytes);
  if (!entry || !system::is_token(token) || !entry->ends_with("/" + token) ||
      entry->find("/orchestrate/environments/") == std::string::npos)
    return;
  warnings_.add_failed(remove_unfinished(*entry));
}

}  // namespace orch::attempt
