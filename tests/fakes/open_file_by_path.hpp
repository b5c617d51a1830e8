// An open file of fakes whose files have no descriptors: each operation names the path again.
#pragma once

#include "os/system/files.hpp"

#include <string>

namespace orch::fakes {

class OpenFileByPath final : public system::OpenFile {
 public:
  // FILES must outlive it.
  OpenFileByPath(system::Files& files, std::string path) : files_(files), path_(std::move(path)) {}

  Result<std::uint64_t> size() override {
    const auto facts = files_.stat(path_);
    if (!facts) return io_error("open", path_, ENOENT);
    return facts->bytes;
  }
  Result<std::string> read(std::uint64_t offset, std::size_t most) override {
    return files_.read_block(path_, offset, most);
  }
  Status append(std::string_view text) override { return files_.append(path_, text); }
  Status truncate(std::uint64_t bytes) override { return files_.truncate(path_, bytes); }
  Status sync() override { return files_.sync(path_); }

 private:
  system::Files& files_;
  std::string path_;
};

}  // namespace orch::fakes
