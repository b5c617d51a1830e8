#include "os/system/files/removal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace orch::system {

namespace {

// The middle of a very long path is of no use to a reader.
std::string shortened(const std::string& path) {
  static constexpr std::size_t k_shown = 300;
  if (path.size() <= 2 * k_shown) return path;
  return path.substr(0, k_shown) + "..." + path.substr(path.size() - k_shown);
}

// Removes what it visits and goes on after an error; the first one is kept.
class Remover final : public Visitor {
 public:
  explicit Remover(std::string top) : top_(std::move(top)) {}

  Status file(const Visited& one) override { return remove(one, 0); }
  Status left(const Visited& one) override { return remove(one, AT_REMOVEDIR); }
  Status closed(const Visited& one, const Error& error) override {
    if (error.number != ENOENT) note(one, error.number);
    return {};
  }
  // ONE is a file or an empty folder.
  Status remove(const Visited& one, int flags) {
    if (::unlinkat(one.folder, one.name.c_str(), flags) == 0 || errno == ENOENT) return {};
    // What is left in a folder is already noted.
    if (failed_ && (errno == ENOTEMPTY || errno == EEXIST)) return {};
    note(one, errno);
    return {};
  }
  void note(const Visited& one, int error_number) {
    const std::string path = one.path.empty() ? top_ : top_ + "/" + one.path;
    const bool mounted =
        error_number == EXDEV || (error_number == EBUSY && is_mount_point(one.folder, one.name));
    if (failed_ && (mounted_ || !mounted)) return;
    mounted_ = mounted;
    failed_ = io_error("remove", shortened(path), mounted ? EBUSY : error_number);
    if (mounted)
      failed_->message = fmt::format(
          "cannot remove {}: it is a mount point, and what is mounted there was left alone; "
          "unmount it, then repeat the command",
          shortened(path));
  }
  Status result() && { return failed_ ? Status(*std::move(failed_)) : Status(); }

 private:
  const std::string top_;
  std::optional<Error> failed_;
  bool mounted_ = false;  // FAILED_ names a mount point
};

}  // namespace

Status remove_path(const std::string& path, MountCheck strongest) {
  const std::string top = path.substr(0, path.find_last_not_of('/') + 1);
  const std::string name = top.substr(top.rfind('/') + 1);  // npos + 1 is 0
  const std::string above = top.substr(0, top.size() - name.size());
  if (name.empty() || name == "." || name == "..")
    return invalid(fmt::format("'{}' has no name to remove; name a file or a folder", path));
  const Descriptor parent(
      ::open(above.empty() ? "." : above.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat status {};
  if (!parent || ::fstatat(parent.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return io_error("remove", path, errno);
  }
  const WalkOptions options{.top = top, .strongest = strongest, .take_rights = true};
  Remover remover(top);
  const Visited one{.folder = parent.get(), .name = name, .path = ""};
  if (!S_ISDIR(status.st_mode)) {
    ORCH_TRY(remover.file(one));
    return std::move(remover).result();
  }
  if (auto folder = enter_folder(parent.get(), name, options); !folder) {
    remover.note(one, folder.error().number);
  } else {
    ORCH_TRY(walk_tree(*std::move(folder), remover, options));
    ORCH_TRY(remover.left(one));
  }
  return std::move(remover).result();
}

}  // namespace orch::system
