#include "os/system/files/listing.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace orch::system {

namespace fs = std::filesystem;

namespace {

// Whether the final target of LINK, through all intermediate links, is outside FOLDER. A missing
// target counts as if it existed.
bool leads_out_of(const fs::path& link, const fs::path& folder) {
  std::error_code code;
  const fs::path target = fs::read_symlink(link, code);
  if (code || target.is_absolute()) return true;
  const fs::path real = fs::weakly_canonical(link.parent_path() / target, code),
                 within = code ? folder : fs::canonical(folder, code);
  return code || std::mismatch(within.begin(), within.end(), real.begin(), real.end()).first !=
                     within.end();
}

class Lister final : public Visitor {
 public:
  explicit Lister(std::string top) : top_(std::move(top)) {}

  Status file(const Visited& one) override {
    struct stat status {};
    if (::fstatat(one.folder, one.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      return io_error("list", top_, errno);
    const bool is_link = S_ISLNK(status.st_mode), is_regular = S_ISREG(status.st_mode);
    entries.push_back({.path = one.path,
                       .bytes = is_regular ? static_cast<std::uint64_t>(status.st_size) : 0,
                       .is_link = is_link,
                       .leads_out = is_link && leads_out_of(fs::path(top_) / one.path, top_),
                       .is_other = !is_link && !is_regular,
                       .is_mount = is_mount_point(one.folder, one.name)});
    return {};
  }
  Status closed(const Visited& one, const Error& error) override {
    if (error.number != EXDEV) return io_error("list", top_ + "/" + one.path, error.number);
    entries.push_back({.path = one.path, .is_other = true, .is_mount = true});
    return {};
  }
  Status left(const Visited&) override { return {}; }

  std::vector<FileEntry> entries;

 private:
  const std::string top_;
};

}  // namespace

Result<std::vector<FileEntry>> list_files(const std::string& folder, MountCheck strongest) {
  Descriptor top(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top) return io_error("list", folder, errno);
  Lister lister(folder);
  ORCH_TRY(walk_tree(std::move(top), lister, {.top = folder, .strongest = strongest}));
  std::ranges::sort(lister.entries,
                    [](const FileEntry& a, const FileEntry& b) { return a.path < b.path; });
  return std::move(lister.entries);
}

}  // namespace orch::system
