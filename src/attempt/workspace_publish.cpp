// The part of Workspace that checks and publishes an attempt's outputs after it has ended.
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "attempt/workspace.hpp"
#include "system/kill_point.hpp"

#include <nlohmann/json.hpp>

namespace orch::attempt {

using Json = nlohmann::ordered_json;

namespace {

// Empty when ENTRY does not have the form that publish() writes.
std::optional<PublishedFile> file_of(const Json& entry) {
  if (!entry.is_object() || !entry.contains("path") || !entry["path"].is_string() ||
      !entry.contains("bytes") || !entry["bytes"].is_number_unsigned() ||
      !entry.contains("sha256") || !entry["sha256"].is_string())
    return std::nullopt;
  return PublishedFile{entry["path"], entry["bytes"], entry["sha256"]};
}

}  // namespace

// The outputs of an attempt that was published before a crash between rename and commit: they are
// in artifacts/, and its own folder is empty. In-place outputs are checked and recorded again,
// because their manifest does not prove that they reached the disk.
std::optional<std::vector<PublishedFile>> Workspace::published_before(const Prepared& prepared) {
  if (prepared.attempt.stage->spec.in_place) return std::nullopt;
  const auto text =
      files_.read(layout_.store + "/" + Layout::artifact(prepared.artifact) + "/manifest.json");
  const Json manifest = text ? Json::parse(*text, nullptr, false) : Json();
  if (!manifest.is_object() || manifest.value("token", Json()) != prepared.attempt.token ||
      !manifest.contains("files"))
    return std::nullopt;
  std::vector<PublishedFile> files;
  for (const Json& entry : manifest["files"]) {
    auto file = file_of(entry);
    if (!file) return std::nullopt;
    files.push_back(std::move(*file));
  }
  return files;
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

Result<std::vector<PublishedFile>> Workspace::check(const Prepared& prepared) {
  if (auto files = published_before(prepared)) return *std::move(files);
  if (files_.is_link(prepared.out))
    return invalid(
        fmt::format("{} was replaced by a link; write into the original folder", prepared.out));
  ORCH_ASSIGN(const auto entries, files_.list(prepared.out));
  ORCH_TRY(check_links(prepared, entries));
  for (const std::string& output : prepared.attempt.stage->spec.outputs) {
    const bool there =
        std::any_of(entries.begin(), entries.end(), [&](const system::FileEntry& entry) {
          if (entry.is_link && output.starts_with(entry.path + "/"))
            return files_.exists(prepared.out + "/" + output);
          return entry.path.starts_with(output + "/") ||
                 (entry.path == output && (entry.bytes > 0 || entry.is_link));
        });
    if (!there) return invalid(fmt::format("the output '{}' is missing or empty", output));
  }
  std::vector<PublishedFile> files;
  for (const system::FileEntry& entry : entries) {
    if (entry.is_other)
      return invalid(
          fmt::format("'{}' is not a regular file; remove the pipe, socket or device", entry.path));
    if (find_not_utf8(entry.path) != std::string_view::npos)
      return invalid("an output's name is not UTF-8; rename it");
    if (entry.is_link) continue;
    ORCH_ASSIGN(const Digest digest, files_.sha256(prepared.out + "/" + entry.path));
    files.push_back({entry.path, entry.bytes, digest.hex()});
  }
  return files;
}

Status Workspace::publish(const Prepared& prepared, const std::vector<PublishedFile>& files) {
  if (published_before(prepared)) return {};
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
  const std::string source =
      stage.spec.in_place ? target : layout_.attempt(prepared.attempt.token) + "/artifact";
  ORCH_TRY(files_.put(source + "/manifest.json", dump(manifest, 1) + "\n"));
  system::kill_point("publish-manifest-written");
  ORCH_TRY(files_.sync_tree(source));
  system::kill_point("publish-synced");
  if (stage.spec.in_place) return {};
  // An unrecorded folder of that name was left by a crash between rename and commit.
  ORCH_TRY(files_.remove_tree(target));
  system::kill_point("publish-target-removed");
  ORCH_TRY(files_.rename(source, target));
  system::kill_point("publish-renamed");
  return {};
}

}  // namespace orch::attempt
