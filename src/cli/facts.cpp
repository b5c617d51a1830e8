#include "cli/facts.hpp"

namespace orch::cli {

Result<Digest> FileFacts::digest_of(const std::string& path) {
  if (!store_) return files_.sha256(path);
  ORCH_ASSIGN(const store::FileStamp stamp, store::FileStamp::of(path));
  ORCH_ASSIGN(const auto known, store_->known_file(stamp));
  if (known) return *known;
  ORCH_ASSIGN(const Digest digest, files_.sha256(path));
  store_->remember_file(stamp, digest);
  return digest;
}

Result<Digest> FileFacts::runner_file(const std::string& relative) { return digest_of(layout_.runner + "/" + relative); }

Result<std::string> FileFacts::template_text(const std::string& relative) { return files_.read(layout_.project + "/" + relative); }

Result<std::optional<std::string>> FileFacts::executable(const std::string& path) {
  std::error_code code;
  const std::string real = std::filesystem::canonical(path, code).string();
  if (code) return Error{ErrorKind::not_found, fmt::format("the program '{}' that a stage needs is not installed", path), {}};
  ORCH_ASSIGN(const Digest digest, digest_of(real));
  return std::optional(real + " sha256:" + digest.hex());
}

Result<std::string> FileFacts::folder_identity(const std::string& folder) {
  auto entries = files_.list(folder);
  if (!entries) return Error{ErrorKind::not_found, fmt::format("the model folder '{}' cannot be read; correct `source:`", folder), {}};
  if (entries->empty()) return invalid(fmt::format("the model folder '{}' is empty; correct `source:`", folder));
  Components list;
  for (const system::FileEntry& entry : *entries) {
    ORCH_ASSIGN(const Digest digest, digest_of(folder + "/" + entry.path));
    list.add(entry.path, digest);
  }
  return "local:sha256:" + list.digest().hex();
}

Result<std::optional<std::string>> FileFacts::model_source(const std::string& source, const std::string& revision) {
  const std::string key = source + "@" + revision;
  if (const auto known = sources_.find(key); known != sources_.end()) return std::optional(known->second);
  std::string identity;
  if (source.starts_with("generate:")) {
    identity = source;
  } else if (source.starts_with("local:")) {
    ORCH_ASSIGN(identity, folder_identity(source.substr(6)));
  } else {
    return invalid(fmt::format("this version cannot get the model source '{}'; write local:PATH or generate:SHAPE", source));
  }
  return std::optional(sources_[key] = identity);
}

Result<std::string> FileFacts::dataset_source(const std::string& source) { return invalid("datasets: " + source); }
Result<Digest> FileFacts::provided(const std::string& path) { return digest_of(path); }
Result<std::string> FileFacts::provided_text(const std::string& path, const std::string& file) { return files_.read(path + "/" + file); }
std::optional<std::string> FileFacts::gpu_model() { return std::nullopt; }

std::string FileFacts::machine_class() { return fmt::format("{} x {}", machine_.cpu_model, machine_.cpus); }

}  // namespace orch::cli
