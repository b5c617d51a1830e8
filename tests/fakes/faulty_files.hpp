// Passes every call on to other Files, unless a fault is injected for it.
#pragma once

#include "os/system/files.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace orch::fakes {

class FaultyFiles final : public system::Files {
 public:
  explicit FaultyFiles(system::Files& files) : files_(files) {}

  // Called with the name of the verb and its path before each call that can fail; an error is
  // returned in place of the call.
  std::function<Status(std::string_view verb, const std::string& path)> fault =
      [](std::string_view, const std::string&) { return Status(); };

  bool exists(const std::string& path) override { return files_.exists(path); }
  bool is_link(const std::string& path) override { return files_.is_link(path); }
  std::optional<system::FileFacts> stat(const std::string& path) override {
    return fault("stat", path).ok() ? files_.stat(path) : std::nullopt;
  }
  Result<std::string> read(const std::string& path) override {
    ORCH_TRY(fault("read", path));
    return files_.read(path);
  }
  Result<std::string> read_text(const std::string& path, std::uint64_t most) override {
    ORCH_TRY(fault("read_text", path));
    return files_.read_text(path, most);
  }
  Result<std::string> read_own(const std::string& path, std::uint64_t most) override {
    ORCH_TRY(fault("read_own", path));
    return files_.read_own(path, most);
  }
  Result<std::string> read_tail(const std::string& path, std::uint64_t bytes) override {
    ORCH_TRY(fault("read_tail", path));
    return files_.read_tail(path, bytes);
  }
  Result<std::string> read_block(const std::string& path, std::uint64_t offset,
                                 std::size_t most) override {
    ORCH_TRY(fault("read_block", path));
    return files_.read_block(path, offset, most);
  }
  Status write(const std::string& path, std::string_view text) override {
    ORCH_TRY(fault("write", path));
    return files_.write(path, text);
  }
  Status put(const std::string& path, std::string_view text) override {
    ORCH_TRY(fault("put", path));
    return files_.put(path, text);
  }
  Status replace(const std::string& path, std::string_view text) override {
    ORCH_TRY(fault("replace", path));
    return files_.replace(path, text);
  }
  Result<bool> create_once(const std::string& path, std::string_view text) override {
    ORCH_TRY(fault("create_once", path));
    return files_.create_once(path, text);
  }
  Status append(const std::string& path, std::string_view text) override {
    ORCH_TRY(fault("append", path));
    return files_.append(path, text);
  }
  Result<std::unique_ptr<system::OpenFile>> open(const std::string& path) override;
  Status truncate(const std::string& path, std::uint64_t bytes) override {
    ORCH_TRY(fault("truncate", path));
    return files_.truncate(path, bytes);
  }
  Status make_folder(const std::string& path) override {
    ORCH_TRY(fault("make_folder", path));
    return files_.make_folder(path);
  }
  Status rename(const std::string& from, const std::string& to) override {
    ORCH_TRY(fault("rename", from));
    ORCH_TRY(files_.rename(from, to));
    Status synced = fault("sync_rename", to);
    if (!synced) (void)files_.rename(to, from).ok();
    return synced;
  }
  Status link(const std::string& target, const std::string& path) override {
    ORCH_TRY(fault("link", path));
    return files_.link(target, path);
  }
  Status remove_tree(const std::string& path) override {
    ORCH_TRY(fault("remove_tree", path));
    return files_.remove_tree(path);
  }
  Status copy(const std::string& from, const std::string& to, system::LongWork& work) override {
    ORCH_TRY(fault("copy", from));
    return files_.copy(from, to, work);
  }
  Result<std::vector<system::FileEntry>> list(const std::string& folder) override {
    ORCH_TRY(fault("list", folder));
    return files_.list(folder);
  }
  Result<std::vector<std::string>> names(const std::string& folder) override {
    ORCH_TRY(fault("names", folder));
    return files_.names(folder);
  }
  Result<Digest> sha256(const std::string& path, system::LongWork& work) override {
    ORCH_TRY(fault("sha256", path));
    return files_.sha256(path, work);
  }
  Result<system::FreeSpace> free_space(const std::string& path) override {
    ORCH_TRY(fault("free_space", path));
    return files_.free_space(path);
  }
  // What a test states, or that of the files behind.
  std::optional<system::FileSystem> stated_file_system;
  system::FileSystem file_system(const std::string& path) override {
    return stated_file_system ? *stated_file_system : files_.file_system(path);
  }
  Status sync(const std::string& path) override {
    ORCH_TRY(fault("sync", path));
    return files_.sync(path);
  }
  Status sync_tree(const std::string& folder) override {
    ORCH_TRY(fault("sync_tree", folder));
    return files_.sync_tree(folder);
  }

 private:
  system::Files& files_;
};

// The same verbs, "append", "truncate" and "sync", as by path.
class FaultyOpenFile final : public system::OpenFile {
 public:
  FaultyOpenFile(FaultyFiles& files, std::unique_ptr<system::OpenFile> file, std::string path)
      : files_(files), file_(std::move(file)), path_(std::move(path)) {}

  Result<std::uint64_t> size() override { return file_->size(); }
  Result<std::string> read(std::uint64_t offset, std::size_t most) override {
    ORCH_TRY(files_.fault("read_block", path_));
    return file_->read(offset, most);
  }
  Status append(std::string_view text) override {
    ORCH_TRY(files_.fault("append", path_));
    return file_->append(text);
  }
  Status truncate(std::uint64_t bytes) override {
    ORCH_TRY(files_.fault("truncate", path_));
    return file_->truncate(bytes);
  }
  Status sync() override {
    ORCH_TRY(files_.fault("sync", path_));
    return file_->sync();
  }

 private:
  FaultyFiles& files_;
  std::unique_ptr<system::OpenFile> file_;
  std::string path_;
};

inline Result<std::unique_ptr<system::OpenFile>> FaultyFiles::open(const std::string& path) {
  ORCH_TRY(fault("open", path));
  ORCH_ASSIGN(auto file, files_.open(path));
  return std::unique_ptr<system::OpenFile>(
      std::make_unique<FaultyOpenFile>(*this, std::move(file), path));
}

}  // namespace orch::fakes
