// plan::Facts over a file system. Resolutions of mutable revisions come from the store. Does not
// resolve revisions.
#pragma once

#include "app/session/host/host_facts.hpp"
#include "app/session/input_digests.hpp"
#include "os/system/files.hpp"
#include "plan/graph/plan.hpp"
#include "results/store/store.hpp"
#include "run/attempt/layout.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orch::session {

// The `kind` under which the store keeps resolutions of models and datasets.
inline constexpr const char* k_model_resolution = "model";
// The `kind` under which the store keeps the answers of running servers to the last run that
// queried them.
inline constexpr const char* k_server_resolution = "server";

// The command that prints a version, and the key under which the store keeps the answer: the
// arguments, and the identities of the files that they name.
struct VersionQuestion {
  std::string stage;
  Location where;  // in the manifest
  std::vector<std::string> argv = {}, inherit;
  std::map<std::string, std::string> env = {};
  std::string key = {};
};
// The version command of SPEC, which must have one, with real paths; `key` is not set.
VersionQuestion version_question(const plan::Spec& spec, const attempt::Layout& layout);
// The `kind` under which the store keeps versions.
inline constexpr const char* k_version_resolution = "version";

struct Experiment;

// The queries that only a run makes, about versions of programs and digests of images. They return
// nullopt on failure. Where one is not set, the answers in the store are used.
struct Queries {
  std::function<Result<std::optional<std::string>>(const VersionQuestion&)> version;
  std::function<Result<std::optional<std::string>>(container::Engine, const std::string&)> image;
};

class FileFacts final : public plan::Facts {
 public:
  // The arguments must outlive this. Without a store no revision is known. Relative paths in
  // parameters are relative to the folder of the matrix.
  FileFacts(system::Files& files, const attempt::Layout& layout, const Experiment& experiment);

  void use(store::Store& store);
  void ask_by(Queries queries) { queries_ = std::move(queries); }
  InputDigests& digests() { return digests_; }
  // Forgets the identities of sources. Call after revisions have been resolved.
  void forget_sources() { sources_.clear(); }
  // Ignores the earlier answer of a running server that does not answer now.
  void mistrust_server(const std::string& question) { silent_servers_.insert(question); }

  Result<Digest> runner_file(const std::string& runner, const std::string& relative) override;
  std::string in_digests(const std::string& runner, const std::string& content) override;
  std::vector<std::string> files_read(const std::string& runner, const std::string& relative,
                                      const std::string& program) override;
  std::string runner_path(const std::string& runner, const std::string& relative) override {
    return layout_.runner_file(relative, runner);
  }
  std::string project_path(const std::string& runner, const std::string& relative) override {
    return layout_.folders_of(runner).project + "/" + relative;
  }
  Result<std::string> template_text(const std::string& runner,
                                    const std::string& relative) override;
  Result<std::optional<std::string>> executable(const std::string& path) override;
  Result<std::optional<std::string>> version(const plan::Spec& spec) override;
  Result<std::optional<std::string>> model_source(const std::string& source,
                                                  const std::string& revision) override;
  Result<std::optional<std::string>> image(container::Engine engine,
                                           const std::string& reference) override;
  std::optional<std::string> server_says(const std::string& question) override;
  std::optional<std::string> revision_to_get(const std::string& source,
                                             const std::string& revision) override;
  Result<std::string> dataset_source(const std::string& source) override;
  std::string local_path(const std::string& text) override;
  Result<Digest> provided(const std::string& path) override;
  Result<std::string> provided_text(const std::string& path, const std::string& file) override;
  std::string machine_class() override { return host_.machine_class; }
  std::optional<std::string> gpu_model() override { return host_.gpu_model; }

 private:
  system::Files& files_;
  const attempt::Layout& layout_;
  const HostFacts& host_;
  std::string paths_, search_path_;
  Queries queries_;
  store::Store* store_ = nullptr;
  InputDigests digests_;
  std::map<std::string, std::string> sources_;  // source@revision -> identity
  std::map<std::string, Digest> provided_;
  std::map<std::string, std::map<std::string, std::string>> equivalents_;  // file -> its contents
  std::set<std::string> silent_servers_;
};

}  // namespace orch::session
