#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "os/system/kill_point.hpp"
#include "os/system/work/long_work.hpp"
#include "run/attempt/record_redaction.hpp"
#include "run/attempt/workspace_parts.hpp"

#include <cerrno>

#include <nlohmann/json.hpp>

namespace orch::attempt {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t k_most_manifest_bytes = 1 << 30;

std::string manifest_of(const Layout& layout, const std::string& artifact) {
  return layout.store + "/" + Layout::artifact(artifact) + "/manifest.json";
}

// The manifest at PATH if the attempt TOKEN wrote it, else null. Fails only on an I/O error.
Result<Json> read_manifest(system::Files& files, const std::string& path,
                           const std::string& token) {
  const auto text = files.read_own(path, k_most_manifest_bytes);
  if (!text && text.error().kind == ErrorKind::io) return text.error();
  Json manifest = text ? Json::parse(*text, nullptr, false) : Json();
  const bool known = manifest.is_object() && manifest.value("token", Json()) == token;
  return known ? manifest : Json();
}

// Fails if ENTRY is a link that cannot be published. IN_PLACE outputs, such as environments, stay
// where they are and may link to files of the system; the links of other outputs may not lead out,
// because their targets are neither hashed nor moved.
Status check_link(const system::FileEntry& entry, bool in_place) {
  if (in_place || !entry.leads_out) return {};
  return invalid(
      fmt::format("{} is a link that points outside the output or has an absolute target; copy its "
                  "target, or use a relative link",
                  quoted(entry.path)));
}

Status check_kind(const system::FileEntry& entry) {
  if (entry.is_mount)
    return invalid(fmt::format(
        "'{}' is a mount point; unmount it, and write its files into the output", entry.path));
  if (entry.is_other)
    return invalid(
        fmt::format("'{}' is not a regular file; remove the pipe, socket or device", entry.path));
  if (find_not_utf8(entry.path) != std::string_view::npos)
    return invalid("an output's name is not UTF-8; rename it");
  return {};
}

Json manifest_json(const Prepared& prepared, const std::vector<PublishedFile>& files) {
  const plan::Stage& stage = *prepared.attempt.stage;
  Json list = Json::array(), components = Json::array();
  for (const PublishedFile& file : files)
    list.push_back({{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  for (const Component& component : stage.components.list())
    components.push_back({component.name, component.value});
  return {{"schema", 1},
          {"stage", stage.id},
          {"digest", stage.digest.hex()},
          {"attempt", prepared.attempt.number},
          {"token", prepared.attempt.token},
          {"argv", prepared.launch.argv},
          {"components", components},
          {"files", list}};
}

// The outputs of an attempt that was published before a crash between rename and commit: they are
// in artifacts/, and its own folder is empty. In-place outputs are checked and recorded again,
// because their manifest does not prove that they reached the disk.
Result<std::optional<std::vector<PublishedFile>>> published_before(const WorkspaceParts& in,
                                                                   const Prepared& prepared) {
  if (prepared.attempt.stage->spec.in_place) return std::optional<std::vector<PublishedFile>>();
  ORCH_ASSIGN(
      const Json manifest,
      read_manifest(in.files, manifest_of(in.layout, prepared.artifact), prepared.attempt.token));
  return manifest.is_null() ? std::nullopt : files_of_manifest(dump(manifest));
}

Result<std::vector<system::FileEntry>> list_outputs(const WorkspaceParts& in,
                                                    const Prepared& prepared) {
  if (in.files.is_link(prepared.out))
    return invalid(
        fmt::format("{} was replaced by a link; write into the original folder", prepared.out));
  if (prepared.attempt.stage->spec.kind == runner::Kind::measure)
    ORCH_TRY(redact_record(in.files, prepared.out, *in.redaction));
  auto entries = in.files.list(prepared.out);
  if (entries || entries.error().kind != ErrorKind::not_found) return entries;
  // A program may have removed its outputs. If the folder around them is gone as well, the attempt
  // was discarded.
  ORCH_TRY(in.files.names(prepared.out.substr(0, prepared.out.rfind('/'))));
  return invalid(fmt::format("{} was removed; write the outputs there", prepared.out));
}

// Whether the file or folder at PATH, which may be a link, exists and is not empty.
Result<bool> has_content(const WorkspaceParts& in, const std::string& path) {
  const auto first = in.files.read_block(path, 0, 1);
  if (first) return !first->empty();
  const Error& error = first.error();
  const bool leads_nowhere =
      error.kind == ErrorKind::not_found || error.number == ENOTDIR || error.number == ELOOP;
  if (leads_nowhere) return false;
  if (error.kind != ErrorKind::invalid) return error;
  const auto names = in.files.names(path);
  return names && !names->empty();
}

// Whether ENTRIES contain the declared OUTPUT, and it is not empty.
Result<bool> is_output(const WorkspaceParts& in, const Prepared& prepared,
                       const std::string& output, const std::vector<system::FileEntry>& entries) {
  for (const system::FileEntry& entry : entries) {
    const bool below = entry.path.starts_with(output + "/");
    if (!entry.is_link) {
      if (below || (entry.path == output && entry.bytes > 0)) return true;
      continue;
    }
    // The entry is a link in the output or on the path to it.
    const bool above = (output + "/").starts_with(entry.path + "/");
    if (!below && !above) continue;
    ORCH_ASSIGN(const bool there,
                has_content(in, prepared.out + "/" + (below ? entry.path : output)));
    if (there) return true;
  }
  return false;
}

Result<std::vector<PublishedFile>> hash(const WorkspaceParts& in, const Prepared& prepared,
                                        const std::vector<system::FileEntry>& entries,
                                        system::LongWork& work) {
  std::vector<PublishedFile> files;
  std::vector<system::FileToHash> to_hash;
  for (const system::FileEntry& entry : entries) {
    if (entry.is_link) continue;
    files.push_back({entry.path, entry.bytes, ""});
    to_hash.push_back({prepared.out + "/" + entry.path, entry.bytes});
  }
  const std::vector<Result<Digest>> digests = system::sha256_each(in.files, to_hash, work);
  for (std::size_t f = 0; f < files.size(); ++f) {
    ORCH_ASSIGN(const Digest digest, digests[f]);
    files[f].sha256 = digest.hex();
  }
  return files;
}

}  // namespace

bool is_published(const WorkspaceParts& in, const Prepared& prepared) {
  const auto manifest =
      read_manifest(in.files, manifest_of(in.layout, prepared.artifact), prepared.attempt.token);
  return !manifest || !manifest->is_null();
}

Result<std::vector<PublishedFile>> check_outputs(const WorkspaceParts& in, const Prepared& prepared,
                                                 system::LongWork& work) {
  ORCH_ASSIGN(auto before, published_before(in, prepared));
  if (before) return *std::move(before);
  if (auto taken = in.shared.taken(prepared.attempt.token)) return std::move(taken->files);
  ORCH_ASSIGN(const auto entries, list_outputs(in, prepared));
  const plan::Spec& spec = prepared.attempt.stage->spec;
  for (const system::FileEntry& entry : entries) ORCH_TRY(check_link(entry, spec.in_place));
  for (const std::string& output : spec.outputs) {
    ORCH_ASSIGN(const bool there, is_output(in, prepared, output, entries));
    if (!there) return invalid(fmt::format("the output '{}' is missing or empty", output));
  }
  for (const system::FileEntry& entry : entries) ORCH_TRY(check_kind(entry));
  return hash(in, prepared, entries, work);
}

Status publish_outputs(WorkspaceParts& in, const Prepared& prepared,
                       const std::vector<PublishedFile>& files, system::LongWork& work) {
  ORCH_ASSIGN(const auto before, published_before(in, prepared));
  if (before) return {};
  system::kill_point("publish-checked");
  const std::string manifest = dump(manifest_json(prepared, files), 1) + "\n";
  const std::string target = in.artifact_of(prepared);
  const bool in_store = prepared.attempt.stage->spec.in_place && prepared.shared.empty();
  const std::string source = in_store ? target : in.folder_of(prepared) + "/artifact";
  if (!prepared.shared.empty()) ORCH_TRY(in.shared.publish(prepared, manifest));
  ORCH_TRY(in.files.put(source + "/manifest.json", manifest));
  system::kill_point("publish-manifest-written");
  ORCH_TRY(work.go_on());
  const Status synced = in.files.sync_tree(source);
  if (!synced && in_store)  // this file marks the artifact as published
    in.warnings.add_failed(in.files.remove_tree(source + "/manifest.json"));
  ORCH_TRY(synced);
  system::kill_point("publish-synced");
  ORCH_TRY(work.go_on());
  if (in_store) return {};
  // A crash between rename and commit may have left an unrecorded folder of that name.
  ORCH_TRY(in.files.remove_tree(target));
  system::kill_point("publish-target-removed");
  ORCH_TRY(in.files.rename(source, target));
  system::kill_point("publish-renamed");
  return {};
}

std::string damage_of(const WorkspaceParts& in, const plan::Stage& stage) {
  if (const auto elsewhere = in.config.provided.find(stage.id);
      elsewhere != in.config.provided.end())
    return in.files.stat(elsewhere->second) ? "" : elsewhere->second + " is gone";
  const std::string out = in.layout.artifact_out(stage.id);
  const auto text = in.files.read_own(manifest_of(in.layout, stage.id), k_most_manifest_bytes);
  if (!text) return text.error().message;
  // Only the folder is checked: the files of an environment change when its programs run.
  if (stage.spec.in_place)
    return in.files.stat(out) &&
                   (!in.files.is_link(out) || in.files.stat(out + "/../manifest.json"))
               ? ""
               : out + " is gone";
  const auto files = files_of_manifest(*text);
  if (!files) return manifest_of(in.layout, stage.id) + " is damaged";
  for (const PublishedFile& file : *files) {
    const auto facts = in.files.stat(out + "/" + file.path);
    if (!facts) return fmt::format("{}/{} is gone", out, file.path);
    if (facts->bytes != file.bytes)
      return fmt::format("{}/{} has {} bytes instead of {}", out, file.path, facts->bytes,
                         file.bytes);
  }
  return "";
}

}  // namespace orch::attempt
