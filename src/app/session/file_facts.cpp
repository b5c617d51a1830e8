#include "app/session/file_facts.hpp"

#include "app/session/experiment.hpp"
#include "app/session/identities/image_digests.hpp"
#include "app/session/identities/runner_files.hpp"
#include "core/base/text.hpp"
#include "os/system/launch.hpp"
#include "os/system/machine.hpp"
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

std::string folder_of(const std::string& file) {
  std::error_code code;
  return std::filesystem::absolute(file, code).parent_path().string();
}

}  // namespace

FileFacts::FileFacts(system::Files& files, const attempt::Layout& layout,
                     const Experiment& experiment)
    : files_(files),
      layout_(layout),
      host_(experiment.host),
      paths_(folder_of(experiment.options.matrix_file)),
      search_path_(experiment.search_path),
      digests_(files) {}

void FileFacts::use(store::Store& store) {
  store_ = &store;
  digests_.use(store);
}

Result<Digest> FileFacts::runner_file(const std::string& runner, const std::string& relative) {
  return digests_.of_file(runner_path(runner, relative));
}

std::string FileFacts::in_digests(const std::string& runner, const std::string& content) {
  const std::string list =
      layout_.runner_file("common/../" + std::string(k_equivalent_files), runner);
  const auto [known, is_new] = equivalents_.try_emplace(list);
  if (is_new) known->second = read_equivalents(files_.read(list).value_or(""));
  const auto found = known->second.find(content);
  return found == known->second.end() ? content : found->second;
}

std::vector<std::string> FileFacts::files_read(const std::string& runner,
                                               const std::string& relative,
                                               const std::string& program) {
  if (!relative.ends_with(".lock")) return {relative};
  std::error_code code;
  const std::string folder =
      std::filesystem::path(runner_path(runner, relative)).parent_path().string();
  return locks_read(relative, files_.names(folder).value_or({}),
                    std::filesystem::canonical(program, code).string(), system::processor());
}

Result<std::string> FileFacts::template_text(const std::string& runner,
                                             const std::string& relative) {
  return files_.read(project_path(runner, relative));
}

Result<std::optional<std::string>> FileFacts::executable(const std::string& path) {
  std::error_code code;
  const std::string real = std::filesystem::canonical(path, code).string();
  if (code) return std::optional<std::string>();
  ORCH_ASSIGN(const Digest digest, digests_.of_file(real));
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
  if (queries_.version) return queries_.version(question);
  if (!store_) return std::optional<std::string>();
  return store_->resolution(k_version_resolution, question.key);
}

Result<std::optional<std::string>> FileFacts::image(container::Engine engine,
                                                    const std::string& reference) {
  if (queries_.image) return queries_.image(engine, reference);
  if (!store_) return std::optional<std::string>();
  return store_->resolution(k_image_resolution, image_key(engine, reference));
}

Result<std::optional<std::string>> FileFacts::model_source(const std::string& source,
                                                           const std::string& revision) {
  const std::string key = source + "@" + revision;
  if (const auto known = sources_.find(key); known != sources_.end())
    return std::optional(known->second);
  if (source.starts_with(matrix::k_generated_scheme)) return std::optional(sources_[key] = source);
  if (const auto path = matrix::local_source_path(source)) {
    ORCH_ASSIGN(const Digest digest, digests_.of_folder(*path, "the model folder"));
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
  auto digest = digests_.of_file(path);
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
  // environment is where the link is.
  if (std::filesystem::is_regular_file(path, code) && written.has_filename())
    path = std::filesystem::weakly_canonical(written.parent_path(), code) / written.filename();
  return path.string();
}

Result<Digest> FileFacts::provided(const std::string& path) {
  if (const auto known = provided_.find(path); known != provided_.end()) return known->second;
  std::error_code code;
  Result<Digest> digest = std::filesystem::is_directory(path, code)
                              ? digests_.of_folder(path, "the folder")
                              : digests_.of_file(path);
  if (!digest && digest.error().kind == ErrorKind::io)
    return not_found(fmt::format("the file '{}' cannot be read; correct its path", path));
  if (digest) provided_[path] = *digest;
  return digest;
}

Result<std::string> FileFacts::provided_text(const std::string& path, const std::string& file) {
  return files_.read_text(path + "/" + file, 16 << 20);
}

}  // namespace orch::session
