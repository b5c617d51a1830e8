// plan::Facts over the real file system; digests of files that have not changed come from the store.
#pragma once

#include "execute/layout.hpp"
#include "plan/plan.hpp"
#include "store/store.hpp"
#include "system/files.hpp"
#include "system/machine.hpp"

namespace orch::cli {

class FileFacts final : public plan::Facts {
 public:
  // All must outlive this. STORE may be null: then every file is read.
  FileFacts(system::Files& files, const execute::Layout& layout, const system::Machine& machine, store::Store* store)
      : files_(files), layout_(layout), machine_(machine), store_(store) {}

  Result<Digest> runner_file(const std::string& relative) override;
  Result<std::string> template_text(const std::string& relative) override;
  Result<std::optional<std::string>> executable(const std::string& path) override;
  Result<std::optional<std::string>> model_source(const std::string& source, const std::string& revision) override;
  Result<std::string> dataset_source(const std::string& source) override;
  Result<Digest> provided(const std::string& path) override;
  Result<std::string> provided_text(const std::string& path, const std::string& file) override;
  std::string machine_class() override;
  std::optional<std::string> gpu_model() override;

 private:
  Result<Digest> digest_of(const std::string& path);
  Result<std::string> folder_identity(const std::string& folder);

  system::Files& files_;
  const execute::Layout& layout_;
  const system::Machine& machine_;
  store::Store* store_;
  std::map<std::string, std::string> sources_;  // identities found in this run
};

}  // namespace orch::cli
