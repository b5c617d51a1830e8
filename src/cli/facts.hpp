// plan::Facts over the real file system; digests of files that have not changed, and what moving
// names mean, come from the store.
#pragma once

#include "cli/site.hpp"
#include "attempt/layout.hpp"
#include "plan/plan.hpp"
#include "store/store.hpp"
#include "system/files.hpp"

namespace orch::cli {

// The kind under which the store remembers what the revision of a model's source means.
inline constexpr const char* k_model_resolution = "model";

// A revision that always means the same: a commit's full hash.
bool is_pinned(std::string_view revision);
// "hf:Qwen/X@main": the name under which it is remembered.
std::string moving_name(const std::string& source, const std::string& revision);
// Sources that say what they are by themselves, or by files of this machine.
bool needs_no_resolving(const std::string& source, const std::string& revision);

class FileFacts final : public plan::Facts {
 public:
  // All must outlive this. Without a store every file is read, and nothing is resolved.
  // PATHS is the folder that relative paths of parameters begin at.
  FileFacts(system::Files& files, const attempt::Layout& layout, const Host& host,
            std::string paths)
      : files_(files), layout_(layout), host_(host), paths_(std::move(paths)) {}

  void use(store::Store& store) { store_ = &store; }
  // Which of INPUTS (files and folders, absolute) is no longer what it was when its content was
  // taken for a digest: in words, empty when none is.
  std::string changed(const std::vector<std::string>& inputs) const;
  // What moving names mean may have changed.
  void forget_sources() { sources_.clear(); }

  Result<Digest> runner_file(const std::string& relative) override;
  std::string runner_path(const std::string& relative) override {
    return layout_.runner_file(relative);
  }
  std::string project_path(const std::string& relative) override {
    return layout_.project + "/" + relative;
  }
  Result<std::string> template_text(const std::string& relative) override;
  Result<std::optional<std::string>> executable(const std::string& path) override;
  Result<std::optional<std::string>> model_source(const std::string& source,
                                                  const std::string& revision) override;
  std::string revision_to_get(const std::string& source, const std::string& revision) override;
  Result<std::string> dataset_source(const std::string& source) override;
  std::string local_path(const std::string& text) override;
  Result<Digest> provided(const std::string& path) override;
  Result<std::string> provided_text(const std::string& path, const std::string& file) override;
  std::string machine_class() override { return host_.machine_class; }
  std::optional<std::string> gpu_model() override { return host_.gpu_model; }

 private:
  std::string changed_file(const std::string& path) const;
  std::string changed_folder(const std::string& folder) const;
  Result<Digest> digest_of(const std::string& path);
  Result<Digest> folder_digest(const std::string& folder, const std::string& what);

  system::Files& files_;
  const attempt::Layout& layout_;
  const Host& host_;
  std::string paths_;
  store::Store* store_ = nullptr;
  std::map<std::string, std::string> sources_;  // identities found in this run
  std::map<std::string, Digest> provided_;
  std::map<std::string, system::FileStamp>
      taken_;  // of every file whose digest was asked for, from before it was read
};

}  // namespace orch::cli
