#include "run/attempt/workspace.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "os/system/kill_point.hpp"
#include "run/attempt/stage_environment.hpp"
#include "spec/render/template.hpp"

#include <nlohmann/json.hpp>

namespace orch::attempt {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t k_tmp_bytes = 4096;
// How many bytes are kept of a log that may have filled the disk.
constexpr std::uint64_t k_kept_log_bytes = 1 << 20;

WorkspaceConfig with_secrets(WorkspaceConfig config) {
  if (!config.secrets) config.secrets = secrets_of(config.inherited, {});
  return config;
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// How many bytes of TEXT can be written before more is read: its end may be an incomplete symbol.
std::size_t whole_symbols(std::string_view text) {
  static constexpr std::size_t k_longest_symbol = 4096;
  const std::size_t open = text.rfind('{');
  const bool is_cut = open != std::string_view::npos && text.size() - open < k_longest_symbol &&
                      text.find('}', open) == std::string_view::npos;
  return is_cut ? open : text.size();
}

struct CopiedFile {
  system::Files& files;
  std::string from, to;
};

// Copies a file of any size with its symbols replaced.
Status copy_replaced(const CopiedFile& file, const render::SymbolLookup& lookup,
                     system::LongWork& work) {
  static constexpr std::size_t k_block = 1 << 20;
  std::string text;  // read, but not written yet
  for (std::uint64_t at = 0;; at += k_block) {
    ORCH_TRY(work.go_on());
    ORCH_ASSIGN(const std::string block, file.files.read_block(file.from, at, k_block));
    text += block;
    const bool is_last = block.size() < k_block;
    const std::size_t end = is_last ? text.size() : whole_symbols(text);
    const std::string replaced = render::replace_symbols(text.substr(0, end), lookup);
    ORCH_TRY(at == 0 ? file.files.put(file.to, replaced) : file.files.append(file.to, replaced));
    text.erase(0, end);
    work.add(block.size());
    if (is_last) return {};
  }
}

Status copy(WorkspaceParts& in, const Prepared& prepared, const runner::Copy& copy,
            system::LongWork& work) {
  const std::string from = in.layout.runner_file(copy.from, prepared.attempt.stage->spec.runner),
                    to = prepared.out + "/" + copy.to;
  if (const auto facts = in.files.stat(from)) work.expect(facts->bytes);
  ORCH_TRY(in.files.make_folder(parent_of(to)));
  return in.files.copy(from, to, work);
}

// Copies published files and replaces their references to other stages by real paths: {stage:ID},
// or {stage:NAME} for stages that did not exist when the files were made.
Status place(WorkspaceParts& in, const Prepared& prepared, const runner::Place& place,
             system::LongWork& work) {
  const std::string from = filled(in, prepared, place.from);
  const std::string to = in.folder_of(prepared) + "/work/" + place.to;
  const auto lookup = [&](std::string_view name) -> std::optional<std::string> {
    if (!name.starts_with("stage:")) return std::nullopt;
    const std::string named(name.substr(6));
    const auto need = prepared.attempt.stage->needs.find(named);
    const bool by_name =
        need != prepared.attempt.stage->needs.end() && contains(place.stages, named);
    return output_of(in, by_name ? need->second : named);
  };
  ORCH_ASSIGN(const auto entries, in.files.list(from));
  for (const system::FileEntry& entry : entries) {
    const std::string target = to + "/" + entry.path;
    work.expect(entry.bytes);
    ORCH_TRY(in.files.make_folder(parent_of(target)));
    ORCH_TRY(copy_replaced({in.files, from + "/" + entry.path, target}, lookup, work));
  }
  return {};
}

Status write_files(WorkspaceParts& in, const Prepared& prepared, system::LongWork& work) {
  const plan::Stage& stage = *prepared.attempt.stage;
  for (const auto& [to, text] : stage.rendered) {
    const std::string path = prepared.out + "/" + to;
    ORCH_TRY(in.files.make_folder(parent_of(path)));
    ORCH_TRY(in.files.put(path, text));
  }
  for (const runner::Copy& one : stage.spec.copy) ORCH_TRY(copy(in, prepared, one, work));
  for (const runner::Place& one : stage.spec.place) ORCH_TRY(place(in, prepared, one, work));
  return {};
}

Status lay_out_one(WorkspaceParts& in, const Prepared& prepared, system::LongWork& work) {
  const plan::StageId& id = prepared.attempt.stage->id;
  if (in.config.provided.contains(id))
    return Error{ErrorKind::internal, fmt::format("'{}' is provided at {}; it cannot be made", id,
                                                  in.config.provided.at(id))};
  // Removes an unfinished in-place output of an earlier attempt: no record of it exists.
  if (prepared.attempt.stage->spec.in_place)
    ORCH_TRY(in.files.remove_tree(in.artifact_of(prepared)));
  ORCH_TRY(check_container(in, prepared));
  ORCH_TRY(in.files.make_folder(in.folder_of(prepared) + "/work"));
  if (!prepared.shared.empty()) ORCH_TRY(in.shared.begin(prepared));
  else ORCH_TRY(in.files.make_folder(prepared.out));
  if (prepared.launch.token == prepared.attempt.token)
    ORCH_TRY(in.files.put(in.folder_of(prepared) + "/tmp", prepared.launch.tmp));
  return write_files(in, prepared, work);
}

}  // namespace

WorkspaceParts::WorkspaceParts(system::Files& all_files, WorkspaceConfig given)
    : files(all_files),
      config(with_secrets(std::move(given))),
      layout(config.layout),
      redaction(std::make_shared<const secret::JsonSecrets>(*config.secrets)),
      warnings(config.warn),
      shared(files, layout, config.shared_root, warnings) {}

Status Workspace::lay_out(const std::vector<const Prepared*>& prepared, system::LongWork& work) {
  system::kill_point("lay-out-begun");
  Json jobs = Json::array();
  for (const Prepared* one : prepared) {
    ORCH_TRY(lay_out_one(parts_, *one, work));
    Json job = {{"id", one->attempt.stage->id}};
    for (const auto& [name, value] : one->attempt.stage->spec.job)
      job[name] = filled(parts_, *one, value);
    jobs.push_back(std::move(job));
  }
  if (prepared.front()->attempt.stage->spec.batch)
    ORCH_TRY(
        parts_.files.put(parts_.folder_of(*prepared.front()) + "/jobs.json", dump(jobs, 1) + "\n"));
  system::kill_point("lay-out-done");
  return {};
}

void Workspace::discard(const Prepared& prepared) {
  system::kill_point("discard-begun");
  remove(parts_.folder_of(prepared));
}

// Removes the outputs in any case, because unfinished ones may be large.
void Workspace::discard_failed(const Prepared& prepared, bool keep_work) {
  const std::string folder = parts_.folder_of(prepared);
  system::kill_point("discard-failed-begun");
  remove(keep_work ? folder + "/artifact" : folder);
  parts_.shared.drop(prepared, !keep_work);
  // is_published() compares tokens: a manifest that the stage itself wrote proves nothing.
  if (prepared.attempt.stage->spec.in_place && !is_published(parts_, prepared))
    remove(parts_.artifact_of(prepared));
  if (const auto log = parts_.files.stat(prepared.launch.log); log && !keep_work)
    (void)parts_.files.truncate(prepared.launch.log, std::min(log->bytes, k_kept_log_bytes)).ok();
}

void Workspace::remove_output(const plan::Stage& stage) {
  remove(layout().store + "/" + Layout::artifact(stage.id));
}

void Workspace::drop_outputs(const std::string& token) {
  (void)parts_.files.remove_tree(layout().attempt(token) + "/artifact").ok();
}

void Workspace::forget(const std::string& token) {
  // The file "tmp" names the temporary folder, because the run that died may have had another
  // TMPDIR. Its text is checked, because the attempt's process may have overwritten it.
  const auto recorded = parts_.files.read_own(layout().attempt(token) + "/tmp", k_tmp_bytes);
  const std::string tmp = recorded && recorded->ends_with("/" + token)
                              ? *recorded
                              : temporary_folder(parts_.config.inherited) + "/" + token;
  remove(tmp);
  parts_.shared.forget(token);
  // Searches for the token, which every prefix contains: the prefix itself is unknown once the
  // stage is no longer in the plan.
  if (system::is_token(token))
    for (const std::string& name : parts_.files.names("/dev/shm").value_or({}))
      if (name.find(token) != std::string::npos) remove("/dev/shm/" + name);
  remove(layout().attempt(token));
  tell_warnings();
}

Result<std::string> Workspace::log_tail(const std::string& log, std::size_t lines) {
  static constexpr std::uint64_t k_tail_bytes = 64 << 10;
  ORCH_ASSIGN(const std::string text, parts_.files.read_tail(log, k_tail_bytes));
  const std::string_view all = trim(text);
  std::size_t start = all.size();
  for (std::size_t i = 0; i < lines && start != std::string_view::npos && start > 0; ++i)
    start = all.rfind('\n', start - 1);
  return std::string(start == std::string_view::npos || start == 0 ? all : all.substr(start + 1));
}

}  // namespace orch::attempt
