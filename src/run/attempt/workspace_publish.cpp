#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "os/system/kill_point.hpp"
#include "os/system/work/long_work.hpp"
#include "run/attempt/record_redaction.hpp"
#include "run/attempt/workspace.hpp"

#include <cerrno>
#include <nlohmann/json.hpp>

namespace orch::attempt {

using Json = nlohmann::ordered_json;

namespace {

// The part of Workspace that checks and publishes an attempt's outputs after it has ended.

constexpr std::uint64_t k_most_manifest_bytes = 1 << 30;

std::string manifest_of(const Layout& layout, const std::string& artifact) {
  return layout.store + "/" + Layout::artifact(artifact) + "/manifest.json";
}

// The manifest at PATH if TOKEN wrote it, else null. An error: the disk failed.
Result<Json> read_manifest(system::Files& files, const std::string& path,
                           const std::string& token) {
  const auto text = files.read_own(path, k_most_manifest_bytes);
  if (!text && text.error().kind == ErrorKind::io) return text.error();
  Json manifest = text ? Json::parse(*text, nullptr, false) : Json();
  const bool known = manifest.is_object() && manifest.value("token", Json()) == token;
  return known ? manifest : Json();
}

// The part of Workspace that makes outputs in the cache of the user and links them into the store.

constexpr std::uint64_t k_entry_path_bytes = 4096;

}  // namespace

bool Workspace::is_published(const Prepared& prepared) {
  const auto manifest =
      read_manifest(files_, manifest_of(layout_, prepared.artifact), prepared.attempt.token);
  return !manifest || !manifest->is_null();
}

// The outputs of an attempt that was published before a crash between rename and commit: they are
// in artifacts/, and its own folder is empty. In-place outputs are checked and recorded again,
// because their manifest does not prove that they reached the disk.
Result<std::optional<std::vector<PublishedFile>>> Workspace::published_before(
    const Prepared& prepared) {
  if (prepared.attempt.stage->spec.in_place) return std::optional<std::vector<PublishedFile>>();
  ORCH_ASSIGN(const Json manifest, read_manifest(files_, manifest_of(layout_, prepared.artifact),
                                                 prepared.attempt.token));
  return manifest.is_null() ? std::nullopt : files_of_manifest(dump(manifest));
}

std::string Workspace::damage(const plan::Stage& stage) {
  if (const auto elsewhere = provided_.find(stage.id); elsewhere != provided_.end())
    return files_.stat(elsewhere->second) ? "" : elsewhere->second + " is gone";
  const std::string out = layout_.artifact_out(stage.id);
  const auto text = files_.read_own(manifest_of(layout_, stage.id), k_most_manifest_bytes);
  if (!text) return text.error().message;
  // The files of an environment change when its programs run.
  if (stage.spec.in_place)
    return files_.stat(out) && (!files_.is_link(out) || files_.stat(out + "/../manifest.json"))
               ? ""
               : out + " is gone";
  const auto files = files_of_manifest(*text);
  if (!files) return manifest_of(layout_, stage.id) + " is damaged";
  for (const PublishedFile& file : *files) {
    const auto facts = files_.stat(out + "/" + file.path);
    if (!facts) return fmt::format("{}/{} is gone", out, file.path);
    if (facts->bytes != file.bytes)
      return fmt::format("{}/{} has {} bytes instead of {}", out, file.path, facts->bytes,
                         file.bytes);
  }
  return "";
}

// The target of a link is neither hashed nor moved. In-place outputs, such as environments, stay
// where they are and may link to the system.
Status Workspace::check_links(const Prepared& prepared,
                              const std::vector<system::FileEntry>& entries) {
  if (prepared.attempt.stage->spec.in_place) return {};
  for (const system::FileEntry& entry : entries)
    if (entry.leads_out)
      return invalid(
          fmt::format("{} is a link that leaves the output or has an absolute target; copy its "
                      "target, or use a relative link",
                      quoted(entry.path)));
  return {};
}

Result<std::vector<system::FileEntry>> Workspace::list_outputs(const Prepared& prepared) {
  if (files_.is_link(prepared.out))
    return invalid(
        fmt::format("{} was replaced by a link; write into the original folder", prepared.out));
  if (prepared.attempt.stage->spec.kind == runner::Kind::measure)
    ORCH_TRY(redact_record(files_, prepared.out, *redaction_));
  auto entries = files_.list(prepared.out);
  if (entries || entries.error().kind != ErrorKind::not_found) return entries;
  // A program may remove its outputs. The folder around them goes with a discarded attempt.
  ORCH_TRY(files_.names(prepared.out.substr(0, prepared.out.rfind('/'))));
  return invalid(fmt::format("{} was removed; write the outputs there", prepared.out));
}

// PATH may be a link.
Result<bool> Workspace::has_content(const std::string& path) {
  const auto first = files_.read_block(path, 0, 1);
  if (first) return !first->empty();
  const Error& error = first.error();
  const bool leads_nowhere =
      error.kind == ErrorKind::not_found || error.number == ENOTDIR || error.number == ELOOP;
  if (leads_nowhere) return false;
  if (error.kind != ErrorKind::invalid) return error;
  const auto names = files_.names(path);
  return names && !names->empty();
}

// Whether something of ENTRIES, with content, is the declared OUTPUT.
Result<bool> Workspace::is_output(const Prepared& prepared, const std::string& output,
                                  const std::vector<system::FileEntry>& entries) {
  for (const system::FileEntry& entry : entries) {
    const bool below = entry.path.starts_with(output + "/");
    if (!entry.is_link) {
      if (below || (entry.path == output && entry.bytes > 0)) return true;
      continue;
    }
    // A link in the output, or one on the way to it.
    const bool above = (output + "/").starts_with(entry.path + "/");
    if (!below && !above) continue;
    ORCH_ASSIGN(const bool there, has_content(prepared.out + "/" + (below ? entry.path : output)));
    if (there) return true;
  }
  return false;
}

Result<std::vector<PublishedFile>> Workspace::check(const Prepared& prepared,
                                                    system::LongWork& work) {
  ORCH_ASSIGN(auto before, published_before(prepared));
  if (before) return *std::move(before);
  if (auto taken = shared_->taken(prepared.attempt.token)) return std::move(taken->files);
  ORCH_ASSIGN(const auto entries, list_outputs(prepared));
  ORCH_TRY(check_links(prepared, entries));
  for (const std::string& output : prepared.attempt.stage->spec.outputs) {
    ORCH_ASSIGN(const bool there, is_output(prepared, output, entries));
    if (!there) return invalid(fmt::format("the output '{}' is missing or empty", output));
  }
  std::vector<PublishedFile> files;
  std::vector<system::FileToHash> to_hash;
  for (const system::FileEntry& entry : entries) {
    if (entry.is_mount)
      return invalid(fmt::format(
          "'{}' is a mount point; unmount it, and write its files into the output", entry.path));
    if (entry.is_other)
      return invalid(
          fmt::format("'{}' is not a regular file; remove the pipe, socket or device", entry.path));
    if (find_not_utf8(entry.path) != std::string_view::npos)
      return invalid("an output's name is not UTF-8; rename it");
    if (entry.is_link) continue;
    files.push_back({entry.path, entry.bytes, ""});
    to_hash.push_back({prepared.out + "/" + entry.path, entry.bytes});
  }
  const std::vector<Result<Digest>> digests = system::sha256_each(files_, to_hash, work);
  for (std::size_t f = 0; f < files.size(); ++f) {
    ORCH_ASSIGN(const Digest digest, digests[f]);
    files[f].sha256 = digest.hex();
  }
  return files;
}

Status Workspace::publish(const Prepared& prepared, const std::vector<PublishedFile>& files,
                          system::LongWork& work) {
  ORCH_ASSIGN(const auto before, published_before(prepared));
  if (before) return {};
  system::kill_point("publish-checked");
  const plan::Stage& stage = *prepared.attempt.stage;
  Json list = Json::array();
  for (const PublishedFile& file : files)
    list.push_back({{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  Json components = Json::array();
  for (const Component& component : stage.components.list())
    components.push_back({component.name, component.value});
  const Json manifest = {{"schema", 1},
                         {"stage", stage.id},
                         {"digest", stage.digest.hex()},
                         {"attempt", prepared.attempt.number},
                         {"token", prepared.attempt.token},
                         {"argv", prepared.launch.argv},
                         {"components", components},
                         {"files", list}};
  const std::string target = layout_.store + "/" + Layout::artifact(prepared.artifact);
  const bool in_store = stage.spec.in_place && prepared.shared.empty();
  const std::string source =
      in_store ? target : layout_.attempt(prepared.attempt.token) + "/artifact";
  if (!prepared.shared.empty()) ORCH_TRY(publish_shared(prepared, dump(manifest, 1) + "\n"));
  ORCH_TRY(files_.put(source + "/manifest.json", dump(manifest, 1) + "\n"));
  system::kill_point("publish-manifest-written");
  ORCH_TRY(work.go_on());
  const Status synced = files_.sync_tree(source);
  if (!synced && in_store) remove(source + "/manifest.json");  // it says: published
  ORCH_TRY(synced);
  system::kill_point("publish-synced");
  ORCH_TRY(work.go_on());
  if (in_store) return {};
  // An unrecorded folder of that name was left by a crash between rename and commit.
  ORCH_TRY(files_.remove_tree(target));
  system::kill_point("publish-target-removed");
  ORCH_TRY(files_.rename(source, target));
  system::kill_point("publish-renamed");
  return {};
}

void Workspace::share_in(const std::string& root) {
  shared_ = std::make_unique<SharedOutputs>(files_, root);
}

bool Workspace::is_taken(const Prepared& prepared) const {
  return shared_->taken(prepared.attempt.token).has_value();
}

// An attempt that was laid out by a run before has its entry where that run made it.
std::string Workspace::shared_entry_of(const Attempt& attempt) {
  const std::string folder = layout_.attempt(attempt.token);
  if (!files_.exists(folder)) return shared_->entry(*attempt.stage, attempt.token);
  const auto recorded = files_.read_own(folder + "/shared", k_entry_path_bytes);
  const std::string end = "/" + attempt.stage->id + "/" + attempt.token;
  return recorded && recorded->ends_with(end) ? *recorded : "";
}

// After an error, the next attempt makes its output in the store.
Status Workspace::begin_shared(const Prepared& prepared) {
  const std::string& token = prepared.attempt.token;
  ORCH_TRY(files_.put(layout_.attempt(token) + "/shared", prepared.shared));
  if (shared_->take(*prepared.attempt.stage, token))
    return files_.put(prepared.launch.log, fmt::format("It is in the cache already, at {}.\n",
                                                       shared_->taken(token)->folder));
  const Status begun = shared_->begin(prepared.shared, layout_.store);
  if (!begun) warn_later(shared_->give_up(begun.error().text()));
  system::kill_point("shared-begun");
  return begun;
}

// Leaves in the folder of the attempt a link to the entry, to be published as its output.
Status Workspace::publish_shared(const Prepared& prepared, const std::string& manifest) {
  const std::string& token = prepared.attempt.token;
  const auto taken = shared_->taken(token);
  const std::string entry = taken ? taken->folder : prepared.shared;
  if (!taken) ORCH_TRY(shared_->complete(entry, manifest));
  ORCH_TRY(shared_->refer(
      entry,
      {.store = layout_.store, .artifact = Layout::artifact(prepared.artifact), .token = token}));
  const std::string artifact = layout_.attempt(token) + "/artifact";
  ORCH_TRY(files_.remove_tree(artifact));
  ORCH_TRY(files_.make_folder(artifact));
  return files_.link(entry + "/out", artifact + "/out");
}

// IS_FULL: the attempt failed because a disk is full, which may be that of the cache.
void Workspace::drop_shared(const Prepared& prepared, bool is_full) {
  if (prepared.shared.empty() || is_taken(prepared)) return;
  const Status dropped = shared_->drop(prepared.shared);
  if (!dropped) warn_later(dropped.error().text());
  if (!is_full) return;
  if (const std::string why = shared_->give_up("the disk of the cache is full"); !why.empty())
    warn_later(why);
}

void Workspace::forget_shared(const std::string& token) {
  const auto entry = files_.read_own(layout_.attempt(token) + "/shared", k_entry_path_bytes);
  if (!entry || !system::is_token(token) || !entry->ends_with("/" + token) ||
      entry->find("/orchestrate/environments/") == std::string::npos)
    return;
  if (const Status dropped = shared_->drop(*entry); !dropped) warn_later(dropped.error().text());
}

}  // namespace orch::attempt
