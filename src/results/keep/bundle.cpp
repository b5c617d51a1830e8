#include "results/keep/bundle.hpp"

#include "core/base/digest.hpp"
#include "core/base/fields_json.hpp"
#include "core/base/text.hpp"
#include "os/system/work/long_work.hpp"

#include <algorithm>
#include <set>

namespace orch::keep {

namespace {

constexpr std::uint64_t k_list_bytes = 256 << 20;
constexpr std::size_t k_uid_digits = 32, k_sha256_digits = 64;

std::string list_path(const std::string& folder) { return folder + "/export.json"; }

bool is_hexadecimal(const std::string& text, std::size_t digits) {
  return text.size() == digits &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

Error bad(const std::string& why) { return invalid(fmt::format("export.json: {}", why)); }

Status check_run(const BundledRun& run) {
  if (!is_hexadecimal(run.uid, k_uid_digits))
    return bad(fmt::format("{} is no uid of a run", quoted(run.uid)));
  if (!is_hexadecimal(run.facts, k_sha256_digits))
    return bad(fmt::format("{} is no sha256", quoted(run.facts)));
  for (const BundledRecord& record : run.records)
    for (const auto& [name, sha256] : record.files) {
      if (std::ranges::find(k_record_files, name) == std::end(k_record_files))
        return bad(fmt::format("a record has no file {}", quoted(name)));
      if (!is_hexadecimal(sha256, k_sha256_digits))
        return bad(fmt::format("{} is no sha256", quoted(sha256)));
    }
  return {};
}

// An object is a regular file: a link could lead anywhere.
Status check_object(system::Files& files, const std::string& folder, const std::string& sha256) {
  const std::string path = object_path(folder, sha256);
  const auto facts = files.stat(path);
  if (facts && facts->is_regular && !files.is_link(path)) return {};
  return invalid(fmt::format("{} {}: the export is not complete", path,
                             facts ? "is no regular file" : "is missing"));
}

Status check_objects(system::Files& files, const std::string& folder, const Bundle& bundle) {
  if (files.is_link(folder + "/objects")) return invalid(folder + "/objects is a link");
  for (const BundledRun& run : bundle.runs) {
    ORCH_TRY(check_object(files, folder, run.facts));
    for (const BundledRecord& record : run.records)
      for (const auto& [name, sha256] : record.files) ORCH_TRY(check_object(files, folder, sha256));
  }
  return {};
}

}  // namespace

std::string object_path(const std::string& folder, const std::string& sha256) {
  return folder + "/objects/" + sha256;
}

Result<std::string> put_object(system::Files& files, const std::string& folder,
                               const std::string& text) {
  const std::string name = sha256(text).hex();
  const std::string path = object_path(folder, name);
  const auto there = files.stat(path);
  if (!there || there->bytes != text.size()) ORCH_TRY(files.write(path, text));
  return name;
}

Result<std::string> put_object_of(system::Files& files, const std::string& folder,
                                  const std::string& path) {
  system::LongWork work;
  ORCH_ASSIGN(const Digest digest, files.sha256(path, work));
  const std::string object = object_path(folder, digest.hex());
  const auto there = files.stat(object), here = files.stat(path);
  if (there && here && there->bytes == here->bytes) return digest.hex();
  const std::string aside = object + ".part";
  ORCH_TRY(files.copy(path, aside, work));
  ORCH_TRY(files.sync(aside));
  ORCH_TRY(files.remove_tree(object));
  ORCH_TRY(files.rename(aside, object));
  return digest.hex();
}

Status write_bundle(system::Files& files, const std::string& folder, const Bundle& bundle) {
  return files.write(list_path(folder), to_json_text(bundle) + "\n");
}

Result<Bundle> read_bundle(system::Files& files, const std::string& folder) {
  if (!files.stat(list_path(folder)))
    return Error{.kind = ErrorKind::not_found,
                 .message = fmt::format("{} has no export.json; name a folder that `orchestrate "
                                        "export` has written",
                                        folder),
                 .where = {}};
  ORCH_ASSIGN(const std::string text, files.read_own(list_path(folder), k_list_bytes));
  auto read = from_json_text<Bundle>(text);
  if (!read) return bad(read.error().message);
  Bundle bundle = *std::move(read);
  if (bundle.format != Bundle().format) return bad("it is no list of an export");
  if (bundle.version != Bundle().version)
    return bad(
        fmt::format("its version is {}; this program reads {}", bundle.version, Bundle().version));
  std::set<std::string> uids;
  for (const BundledRun& run : bundle.runs) {
    ORCH_TRY(check_run(run));
    if (!uids.insert(run.uid).second) return bad(fmt::format("it lists run {} twice", run.uid));
  }
  ORCH_TRY(check_objects(files, folder, bundle));
  return bundle;
}

}  // namespace orch::keep
