// A file system in memory that keeps a diary and fails on request.
#pragma once

#include "fakes/open_file_by_path.hpp"
#include "os/system/files.hpp"
#include "os/system/work/long_work.hpp"

#include <map>
#include <set>
#include <string>

namespace orch::fakes {

class MemoryFiles final : public system::Files {
 public:
  std::map<std::string, std::string> files;
  std::set<std::string> folders = {"/"};
  system::FreeSpace space = {std::uint64_t{1} << 40, std::uint64_t{1} << 20};
  system::FileSystem on;           // the kind of all of it
  std::vector<std::string> diary;  // "rename a -> b", "remove c", ...
  std::string fail_on;             // the first operation whose diary line contains this fails, once

  bool exists(const std::string& path) override {
    return files.contains(path) || folders.contains(path);
  }

  bool is_link(const std::string&) override { return false; }

  std::optional<system::FileFacts> stat(const std::string& path) override {
    if (folders.contains(path)) return system::FileFacts{.is_folder = true};
    const auto file = files.find(path);
    if (file == files.end()) return std::nullopt;
    return system::FileFacts{.bytes = file->second.size(), .is_regular = true};
  }

  Result<std::string> read(const std::string& path) override {
    const auto file = files.find(path);
    if (file == files.end()) return io_error("open", path, ENOENT);
    return file->second;
  }

  Result<std::string> read_text(const std::string& path, std::uint64_t most) override {
    ORCH_ASSIGN(const std::string text, read(path));
    if (text.size() > most)
      return invalid(fmt::format("{} has {} bytes; at most {} are read", path, text.size(), most));
    return text;
  }

  Result<std::string> read_own(const std::string& path, std::uint64_t most) override {
    return read_text(path, most);
  }

  Result<std::string> read_tail(const std::string& path, std::uint64_t bytes) override {
    ORCH_ASSIGN(const std::string text, read(path));
    return text.size() > bytes ? text.substr(text.size() - bytes) : text;
  }

  Result<std::string> read_block(const std::string& path, std::uint64_t offset,
                                 std::size_t most) override {
    if (folders.contains(path)) return invalid(fmt::format("{} is not a regular file", path));
    ORCH_ASSIGN(const std::string text, read(path));
    return offset < text.size() ? text.substr(offset, most) : "";
  }

  Status write(const std::string& path, std::string_view text) override {
    return store("write " + path, path, text);
  }
  Status put(const std::string& path, std::string_view text) override {
    return store("put " + path, path, text);
  }
  Status replace(const std::string& path, std::string_view text) override {
    return store("replace " + path, path, text);
  }

  Result<bool> create_once(const std::string& path, std::string_view text) override {
    if (exists(path)) return false;
    ORCH_TRY(store("create " + path, path, text));
    return true;
  }

  Status append(const std::string& path, std::string_view text) override {
    const auto file = files.find(path);
    return store("append " + path, path,
                 (file == files.end() ? "" : file->second) + std::string(text));
  }

  Result<std::unique_ptr<system::OpenFile>> open(const std::string& path) override;
  Status truncate(const std::string& path, std::uint64_t bytes) override {
    ORCH_TRY(note(fmt::format("truncate {} {}", path, bytes)));
    if (!files.contains(path)) return io_error("truncate", path, ENOENT);
    files[path].resize(bytes);
    return {};
  }

  Status make_folder(const std::string& path) override {
    for (std::string folder = path; folder.size() > 1; folder = parent(folder))
      folders.insert(folder);
    return {};
  }

  Status rename(const std::string& from, const std::string& to) override {
    ORCH_TRY(note("rename " + from + " -> " + to));
    if (!exists(from)) return io_error("rename", from, ENOENT);
    if (exists(to)) return io_error("rename to", to, EEXIST);
    if (!folders.contains(parent(to))) return io_error("rename to", to, ENOENT);
    move_under(files, from, to);
    std::map<std::string, char> moved;
    for (const std::string& folder : folders) moved[folder] = 0;
    move_under(moved, from, to);
    folders.clear();
    for (const auto& [folder, unused] : moved) folders.insert(folder);
    return {};
  }

  Status link(const std::string&, const std::string& path) override {
    return io_error("make the link", path, ENOTSUP);
  }

  Status remove_tree(const std::string& path) override {
    ORCH_TRY(note("remove " + path));
    std::erase_if(files, [&](const auto& file) { return is_under(file.first, path); });
    std::erase_if(folders, [&](const auto& folder) { return is_under(folder, path); });
    return {};
  }

  Status copy(const std::string& from, const std::string& to, system::LongWork& work) override {
    ORCH_TRY(work.go_on());
    ORCH_ASSIGN(const std::string text, read(from));
    return store("copy " + to, to, text);
  }

  Result<std::vector<system::FileEntry>> list(const std::string& folder) override {
    if (!folders.contains(folder)) return io_error("list", folder, ENOENT);
    std::vector<system::FileEntry> entries;
    for (const auto& [path, text] : files)
      if (is_under(path, folder))
        entries.push_back({.path = path.substr(folder.size() + 1), .bytes = text.size()});
    return entries;
  }

  Result<std::vector<std::string>> names(const std::string& folder) override {
    if (!folders.contains(folder)) return io_error("list", folder, ENOENT);
    std::set<std::string> found;
    auto take = [&](const std::string& path) {
      if (path != folder && is_under(path, folder))
        found.insert(
            path.substr(folder.size() + 1, path.find('/', folder.size() + 1) - folder.size() - 1));
    };
    for (const auto& [path, text] : files) take(path);
    for (const std::string& path : folders) take(path);
    return std::vector<std::string>(found.begin(), found.end());
  }

  Result<Digest> sha256(const std::string& path, system::LongWork& work) override {
    ORCH_TRY(work.go_on());
    ORCH_ASSIGN(const std::string text, read(path));
    work.add(text.size());
    return orch::sha256(text);
  }

  system::FileSystem file_system(const std::string&) override { return on; }
  Result<system::FreeSpace> free_space(const std::string&) override { return space; }

  Status sync(const std::string& path) override {
    if (!exists(path)) return io_error("open", path, ENOENT);
    return note("sync " + path);
  }
  Status sync_tree(const std::string& folder) override { return note("sync " + folder); }

 private:
  static std::string parent(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == 0 ? "/" : path.substr(0, slash);
  }
  static bool is_under(const std::string& path, const std::string& folder) {
    return path == folder || path.starts_with(folder + "/");
  }

  template <class Map>
  static void move_under(Map& entries, const std::string& from, const std::string& to) {
    Map moved;
    for (auto& [path, value] : entries)
      moved[is_under(path, from) ? to + path.substr(from.size()) : path] = value;
    entries = std::move(moved);
  }

  Status note(std::string line) {
    diary.push_back(std::move(line));
    if (fail_on.empty() || diary.back().find(fail_on) == std::string::npos) return {};
    fail_on.clear();
    return io_error("do", diary.back(), ENOSPC);
  }

  Status store(std::string line, const std::string& path, std::string_view text) {
    ORCH_TRY(note(std::move(line)));
    if (!folders.contains(parent(path))) return io_error("open", path, ENOENT);
    files[path] = std::string(text);
    return {};
  }
};

inline Result<std::unique_ptr<system::OpenFile>> MemoryFiles::open(const std::string& path) {
  if (folders.contains(path)) return invalid(fmt::format("{} is not a regular file", path));
  if (!files.contains(path)) ORCH_TRY(put(path, ""));
  return std::unique_ptr<system::OpenFile>(std::make_unique<OpenFileByPath>(*this, path));
}

}  // namespace orch::fakes
