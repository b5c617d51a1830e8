#include "app/session/file_facts.hpp"

#include "app/session/identities/image_digests.hpp"
#include "core/base/text.hpp"
#include "os/system/launch.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/render/template.hpp"

namespace orch::session {

namespace {

// Why reading PATH failed with ERROR.
std::string why_unread(const std::string& path, const Error& error) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (status.type() == std::filesystem::file_type::not_found) return "there is no such file";
  if (code) return code.message();
  if (std::filesystem::is_directory(status)) return "it is a folder";
  return std::filesystem::is_regular_file(status) ? error.message : "it is not a regular file";
}

}  // namespace

Result<Digest> FileFacts::digest_of(const std::string& path) {
  ORCH_ASSIGN(const std::vector<Digest> digests, digests_of(std::vector<std::string>{path}));
  return digests.front();
}

// The digests of the files PATHS, from the store if it has them.
Result<std::vector<Digest>> FileFacts::digests_of(const std::vector<std::string>& paths) {
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

std::string FileFacts::changed_file(const std::string& path) {
  const auto taken = hashed_.find(path);
  if (taken == hashed_.end()) return "";
  auto& [stamp, digest] = taken->second;
  auto now = system::FileStamp::of(path);
  if (now && *now == stamp) return "";
  // Only the ctime changed. A new hard link to the file, which stages make of weights, is one
  // cause; after other causes, a new mode or owner, the content decides.
  const std::int64_t moved = now ? std::exchange(now->ctime_ns, stamp.ctime_ns) : 0;
  std::error_code code;
  const bool is_linked = std::filesystem::hard_link_count(path, code) > 1 && !code;
  if (now && *now == stamp && (is_linked || digest_of(path).value_or(Digest()) == digest)) {
    stamp.ctime_ns = moved;
    store_->remember_file(stamp, digest);
    return "";
  }
  return path + " changed after its content was hashed";
}

// Lists FOLDER with everything mounted in it: the folder is the user's, so mounts belong to its
// content.
Result<std::vector<system::FileEntry>> FileFacts::list_all(const std::string& folder) const {
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

std::string FileFacts::changed_folder(const std::string& folder) {
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

std::string FileFacts::changed(const std::vector<std::string>& inputs) {
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

Result<Digest> FileFacts::runner_file(const std::string& runner, const std::string& relative) {
  return digest_of(runner_path(runner, relative));
}

Result<std::string> FileFacts::template_text(const std::string& runner,
                                             const std::string& relative) {
  return files_.read(project_path(runner, relative));
}

Result<std::optional<std::string>> FileFacts::executable(const std::string& path) {
  std::error_code code;
  const std::string real = std::filesystem::canonical(path, code).string();
  if (code) return std::optional<std::string>();
  ORCH_ASSIGN(const Digest digest, digest_of(real));
  return std::optional(real + " sha256:" + digest.hex());
}

VersionQuestion version_question(const plan::Spec& spec, const attempt::Layout& layout) {
  const auto real = [&](const std::string& text) {
    return attempt::with_files(layout, spec.runner, text);
  };
  VersionQuestion question{
      .stage = spec.name, .where = spec.version->where, .inherit = spec.inherit};
  for (const std::string& word : spec.version->argv) question.argv.push_back(real(word));
  // Leaves out values with paths of the attempt, which are unknown before it exists.
  for (const auto& [name, value] : spec.env)
    if (const std::string text = real(value); render::symbols_of(text).empty())
      question.env[name] = text;
  return question;
}

Result<std::optional<std::string>> FileFacts::version(const plan::Spec& spec) {
  VersionQuestion question = version_question(spec, layout_);
  Components key;
  for (std::size_t i = 0; i < question.argv.size(); ++i) {
    std::string path = question.argv[i];
    key.add("word", path);
    if (i == 0) path = system::find_program(path, {{"PATH", search_path_}}).value_or("");
    std::error_code code;
    if (!path.starts_with('/') || !std::filesystem::is_regular_file(path, code)) continue;
    ORCH_ASSIGN(const auto identity, executable(path));
    key.add("file", identity.value_or(""));
  }
  question.key = join(question.argv, " ") + " " + key.digest().hex();
  if (ask_version_) return ask_version_(question);
  if (!store_) return std::optional<std::string>();
  return store_->resolution(k_version_resolution, question.key);
}

Result<std::optional<std::string>> FileFacts::image(container::Engine engine,
                                                    const std::string& reference) {
  if (ask_image_) return ask_image_(engine, reference);
  if (!store_) return std::optional<std::string>();
  return store_->resolution(k_image_resolution, image_key(engine, reference));
}

// A digest over the paths and contents of the files below FOLDER. WHAT names it in messages.
Result<Digest> FileFacts::folder_digest(const std::string& folder, const std::string& what) {
  auto entries = list_all(folder);
  if (!entries)
    return not_found(fmt::format("{} '{}' cannot be read; correct its path", what, folder));
  if (entries->empty())
    return invalid(fmt::format("{} '{}' is empty; correct its path", what, folder));
  std::vector<std::string> paths;
  for (const system::FileEntry& entry : *entries) paths.push_back(folder + "/" + entry.path);
  ORCH_ASSIGN(const std::vector<Digest> digests, digests_of(paths));
  Components list;
  for (std::size_t i = 0; i < paths.size(); ++i) list.add((*entries)[i].path, digests[i]);
  return list.digest();
}

Result<std::optional<std::string>> FileFacts::model_source(const std::string& source,
                                                           const std::string& revision) {
  const std::string key = source + "@" + revision;
  if (const auto known = sources_.find(key); known != sources_.end())
    return std::optional(known->second);
  if (source.starts_with(matrix::k_generated_scheme)) return std::optional(sources_[key] = source);
  if (const auto path = matrix::local_source_path(source)) {
    ORCH_ASSIGN(const Digest digest, folder_digest(*path, "the model folder"));
    return std::optional(sources_[key] = "local:sha256:" + digest.hex());
  }
  if (matrix::is_pinned(revision)) return std::optional(sources_[key] = key);
  if (!store_) return std::optional<std::string>();
  ORCH_ASSIGN(const auto resolved,
              store_->resolution(k_model_resolution, matrix::mutable_revision(source, revision)));
  if (!resolved) return std::optional<std::string>();
  return std::optional(sources_[key] = source + "@" + *resolved);
}

std::optional<std::string> FileFacts::server_says(const std::string& question) {
  if (!store_ || silent_servers_.contains(question)) return std::nullopt;
  const auto known = store_->resolution(k_server_resolution, question);
  return known ? *known : std::nullopt;
}

std::optional<std::string> FileFacts::revision_to_get(const std::string& source,
                                                      const std::string& revision) {
  if (!matrix::needs_resolving(source, revision)) return revision;
  if (!store_) return std::nullopt;
  const auto resolved =
      store_->resolution(k_model_resolution, matrix::mutable_revision(source, revision));
  return resolved ? *resolved : std::nullopt;
}

Result<std::string> FileFacts::dataset_source(const std::string& source) {
  const std::string path = matrix::local_source_path(source).value_or(source);
  auto digest = digest_of(path);
  if (!digest)
    return not_found(fmt::format("the dataset '{}' cannot be read: {}; correct its path", path,
                                 why_unread(path, digest.error())));
  if (*digest == sha256(""))
    return invalid(fmt::format("the dataset '{}' is empty; correct its path", path));
  return "sha256:" + digest->hex();
}

std::string FileFacts::local_path(const std::string& text) {
  std::error_code code;
  const std::filesystem::path written = std::filesystem::path(paths_) / text;
  std::filesystem::path path = std::filesystem::weakly_canonical(written, code);
  if (code || !std::filesystem::exists(path, code)) return "";
  // A link to a file is not followed: the interpreter of a virtual environment is a link, and the
  // environment is at the place of the link.
  if (std::filesystem::is_regular_file(path, code) && written.has_filename())
    path = std::filesystem::weakly_canonical(written.parent_path(), code) / written.filename();
  return path.string();
}

Result<Digest> FileFacts::provided(const std::string& path) {
  if (const auto known = provided_.find(path); known != provided_.end()) return known->second;
  std::error_code code;
  Result<Digest> digest = std::filesystem::is_directory(path, code)
                              ? folder_digest(path, "the folder")
                              : digest_of(path);
  if (!digest && digest.error().kind == ErrorKind::io)
    return not_found(fmt::format("the file '{}' cannot be read; correct its path", path));
  if (digest) provided_[path] = *digest;
  return digest;
}

Result<std::string> FileFacts::provided_text(const std::string& path, const std::string& file) {
  return files_.read_text(path + "/" + file, 16 << 20);
}

}  // namespace orch::session
