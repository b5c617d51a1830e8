// The files of a model disk as the store uses them, step by step as the real ones.
#pragma once

#include "fakes/open_file_by_path.hpp"
#include "os/system/files.hpp"
#include "results/store/power/disk.hpp"

namespace orch::power {

class Files final : public system::Files {
 public:
  explicit Files(Disk& disk) : disk_(disk) {}

  bool exists(const std::string& path) override { return real_.exists(path); }
  bool is_link(const std::string& path) override { return real_.is_link(path); }
  std::optional<system::FileFacts> stat(const std::string& path) override {
    return real_.stat(path);
  }
  Result<std::string> read(const std::string& path) override { return real_.read(path); }
  Result<std::string> read_text(const std::string& path, std::uint64_t most) override {
    return real_.read_text(path, most);
  }
  Result<std::string> read_own(const std::string& path, std::uint64_t most) override {
    return real_.read_own(path, most);
  }
  Result<std::string> read_tail(const std::string& path, std::uint64_t bytes) override {
    return real_.read_tail(path, bytes);
  }
  Result<std::string> read_block(const std::string& path, std::uint64_t offset,
                                 std::size_t most) override {
    return real_.read_block(path, offset, most);
  }
  Status write(const std::string& path, std::string_view text) override {
    const std::string temporary = path + ".1.tmp";
    ORCH_TRY(put(temporary, text));
    ORCH_TRY(sync(temporary));
    return rename_over(temporary, path);
  }
  Status put(const std::string& path, std::string_view text) override {
    if (!disk_.covers(path)) return real_.put(path, text);
    ORCH_TRY(make(path));
    if (!disk_.truncate(path, 0)) return failed("write", path);
    ORCH_TRY(real_.truncate(path, 0));
    return append(path, text);
  }
  Status append(const std::string& path, std::string_view text) override {
    if (!disk_.covers(path)) return real_.append(path, text);
    ORCH_TRY(make(path));
    if (!disk_.append(path, text)) return failed("write", path);
    return real_.append(path, text);
  }
  Result<std::unique_ptr<system::OpenFile>> open(const std::string& path) override;
  Status truncate(const std::string& path, std::uint64_t bytes) override {
    if (disk_.covers(path) && !disk_.truncate(path, bytes)) return failed("truncate", path);
    return real_.truncate(path, bytes);
  }
  Status replace(const std::string& path, std::string_view text) override {
    ORCH_TRY(put(path + ".tmp", text));
    if (!disk_.rename(path + ".tmp", path)) return failed("rename", path);
    std::filesystem::rename(path + ".tmp", path);
    return {};
  }
  Result<bool> create_once(const std::string& path, std::string_view text) override {
    if (real_.exists(path)) return false;
    ORCH_TRY(put(path, text));
    return true;
  }
  system::FileSystem file_system(const std::string& path) override {
    return real_.file_system(path);
  }
  Status make_folder(const std::string& path) override { return real_.make_folder(path); }
  Status rename(const std::string& from, const std::string& to) override {
    if (real_.exists(to)) return io_error("rename to", to, EEXIST);
    return rename_over(from, to);
  }
  Status link(const std::string& target, const std::string& path) override {
    return real_.link(target, path);
  }
  Status remove_tree(const std::string& path) override {
    if (!disk_.covers(path) || !real_.exists(path)) return real_.remove_tree(path);
    if (!disk_.remove(path)) return failed("remove", path);
    return real_.remove_tree(path);
  }
  Status copy(const std::string& from, const std::string& to, system::LongWork&) override {
    ORCH_ASSIGN(const std::string text, read(from));
    return put(to, text);
  }
  Result<std::vector<system::FileEntry>> list(const std::string& folder) override {
    return real_.list(folder);
  }
  Result<std::vector<std::string>> names(const std::string& folder) override {
    return real_.names(folder);
  }
  Result<Digest> sha256(const std::string& path, system::LongWork& work) override {
    return real_.sha256(path, work);
  }
  Result<system::FreeSpace> free_space(const std::string& path) override {
    return real_.free_space(path);
  }
  Status sync(const std::string& path) override {
    return disk_.sync(path) ? Status() : failed("sync", path);
  }
  Status sync_tree(const std::string& folder) override { return sync(folder); }

 private:
  Error failed(std::string_view what, const std::string& path) {
    return io_error(what, path, disk_.number());
  }
  Status make(const std::string& path) {
    return disk_.create(path) ? real_.append(path, "") : Status(failed("open", path));
  }
  Status rename_over(const std::string& from, const std::string& to) {
    if (!disk_.rename(from, to)) return failed("rename", from);
    std::filesystem::rename(from, to);
    return sync(to.substr(0, to.rfind('/')));
  }

  system::RealFiles real_;
  Disk& disk_;
};

inline Result<std::unique_ptr<system::OpenFile>> Files::open(const std::string& path) {
  ORCH_TRY(make(path));
  return std::unique_ptr<system::OpenFile>(std::make_unique<fakes::OpenFileByPath>(*this, path));
}

}  // namespace orch::power
