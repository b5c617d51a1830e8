#include "os/system/files/walk.hpp"

#include "core/base/text.hpp"
#include "os/system/tree_signal.hpp"

#include <cerrno>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace orch::system {

namespace {

constexpr int k_enter = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

int open_on_this_mount(int parent, const std::string& name) {
  open_how how{};
  how.flags = k_enter;
  how.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH;
  return static_cast<int>(::syscall(SYS_openat2, parent, name.c_str(), &how, sizeof how));
}

std::optional<std::uint64_t> mount_by_statx(int file) {
  struct statx facts {};
  if (::statx(file, "", AT_EMPTY_PATH, STATX_MNT_ID, &facts) != 0 ||
      (facts.stx_mask & STATX_MNT_ID) == 0)
    return std::nullopt;
  return facts.stx_mnt_id;
}

std::optional<std::uint64_t> mount_by_fdinfo(int file) {
  constexpr std::string_view k_row = "mnt_id:";
  for (const std::string& line : split(read_proc(fmt::format("/proc/self/fdinfo/{}", file)), '\n'))
    if (line.starts_with(k_row))
      if (const auto id = to_integer(trim(std::string_view(line).substr(k_row.size()))))
        return static_cast<std::uint64_t>(*id);
  return std::nullopt;
}

// Whether the numbers of the mounts are the same; nullopt if they cannot be read.
std::optional<bool> have_same_number(int one, int other, MountCheck strongest) {
  if (strongest < MountCheck::fdinfo)
    if (const auto a = mount_by_statx(one), b = mount_by_statx(other); a && b) return *a == *b;
  if (strongest < MountCheck::device)
    if (const auto a = mount_by_fdinfo(one), b = mount_by_fdinfo(other); a && b) return *a == *b;
  return std::nullopt;
}

bool on_same_mount(int parent, int folder, MountCheck strongest) {
  if (const auto same = have_same_number(parent, folder, strongest)) return *same;
  struct stat above {
  }, below{};
  return ::fstat(parent, &above) == 0 && ::fstat(folder, &below) == 0 &&
         above.st_dev == below.st_dev;
}

Result<Descriptor> enter_as_is(int parent, const std::string& name, MountCheck strongest) {
  if (strongest == MountCheck::openat2) {
    Descriptor folder(open_on_this_mount(parent, name));
    if (folder) return folder;
    // EPERM: a seccomp filter older than the call.
    if (errno != ENOSYS && errno != EPERM) return io_error("open", name, errno);
  }
  Descriptor folder(::openat(parent, name.c_str(), k_enter));
  if (!folder) return io_error("open", name, errno);
  if (!on_same_mount(parent, folder.get(), strongest)) return io_error("open", name, EXDEV);
  return folder;
}

// Gives the owner of a folder, this user, any missing rights to it.
void take_rights(const Descriptor& folder) {
  struct stat status {};
  if (!folder || ::fstat(folder.get(), &status) != 0 || status.st_uid != ::geteuid() ||
      (status.st_mode & S_IRWXU) == S_IRWXU)
    return;
  // This name also works for a folder that could be opened only as a path.
  const std::string itself = fmt::format("/proc/self/fd/{}", folder.get());
  (void)::chmod(itself.c_str(), (status.st_mode & 07777) | S_IRWXU);
}

struct Identity {
  dev_t device = 0;
  ino_t inode = 0;

  bool operator==(const Identity&) const = default;
};

std::optional<Identity> identity_of(const Descriptor& folder) {
  struct stat status {};
  if (!folder || ::fstat(folder.get(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino};
}

class Walk {
 public:
  Walk(Visitor& visitor, const WalkOptions& options) : visitor_(visitor), options_(options) {}

  Status run(Descriptor top) {
    ORCH_TRY(read("", std::move(top)));
    while (true) {
      if (!levels_.back().folders.empty()) ORCH_TRY(descend());
      else if (levels_.size() > 1) ORCH_TRY(leave());
      else return {};
    }
  }

 private:
  struct Level {
    std::string name;
    Identity identity;
    std::vector<std::string> folders;  // subfolders not visited yet
  };

  // The path of the current folder.
  std::string here() const { return options_.top + "/" + path_.substr(0, prefix_); }

  Visited visited(const std::string& name) {
    path_.resize(prefix_);
    path_ += name;
    return {.folder = here_.get(), .name = name, .path = path_};
  }

  // Makes FOLDER the current one, visits its files and notes its subfolders.
  Status read(const std::string& name, Descriptor folder) {
    const auto identity = identity_of(folder);
    // The stream owns its own descriptor.
    const int copy = ::fcntl(folder.get(), F_DUPFD_CLOEXEC, 0);
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : ::fdopendir(copy),
                                                     ::closedir);
    if (!stream || !identity) {
      const int failed = errno;
      if (copy >= 0 && !stream) ::close(copy);
      return io_error("list", here(), failed);
    }
    here_ = std::move(folder);
    levels_.push_back({name, *identity, {}});
    while (true) {
      errno = 0;
      const dirent* entry = ::readdir(stream.get());
      if (!entry && errno == 0) return {};
      if (!entry) return io_error("list", here(), errno);
      const std::string found = entry->d_name;
      if (found == "." || found == "..") continue;
      if (is_folder(*entry)) levels_.back().folders.push_back(found);
      else ORCH_TRY(visitor_.file(visited(found)));
    }
  }

  bool is_folder(const dirent& entry) const {
    if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
    struct stat status {};
    return ::fstatat(here_.get(), entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(status.st_mode);
  }

  Status descend() {
    const std::string name = std::move(levels_.back().folders.back());
    levels_.back().folders.pop_back();
    auto folder = enter_folder(here_.get(), name, options_);
    const Visited one = visited(name);
    if (!folder) return visitor_.closed(one, folder.error());
    path_ += '/';
    prefix_ = path_.size();
    return read(name, *std::move(folder));
  }

  Status leave() {
    const Level done = std::move(levels_.back());
    levels_.pop_back();
    Descriptor up(::openat(here_.get(), "..", k_enter));
    // If the folder was moved meanwhile, do not follow it to another place.
    if (identity_of(up) != levels_.back().identity)
      return Error{ErrorKind::io, fmt::format("{} was moved while it was read", here())};
    here_ = std::move(up);
    prefix_ -= done.name.size() + 1;
    return visitor_.left(visited(done.name));
  }

  Visitor& visitor_;
  const WalkOptions& options_;
  Descriptor here_;
  std::vector<Level> levels_;
  std::string path_;        // of the visited entry
  std::size_t prefix_ = 0;  // the length in path_ of the current folder's path
};

// The middle of a very long path does not help a reader.
std::string shortened(const std::string& path) {
  static constexpr std::size_t k_shown = 300;
  if (path.size() <= 2 * k_shown) return path;
  return path.substr(0, k_shown) + "..." + path.substr(path.size() - k_shown);
}

// Removes what it visits and continues after an error. Keeps the first error about a mount point,
// or else the first.
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
    // The reason why a folder is not empty has already been noted.
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
  bool mounted_ = false;  // failed_ names a mount point
};

}  // namespace

Result<Descriptor> enter_folder(int parent, const std::string& name, const WalkOptions& options) {
  auto folder = enter_as_is(parent, name, options.strongest);
  if (!options.take_rights) return folder;
  if (folder) {
    take_rights(*folder);
  } else if (folder.error().number == EACCES) {
    const Descriptor path(::openat(parent, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!path || !on_same_mount(parent, path.get(), options.strongest)) return folder;
    take_rights(path);
    return enter_as_is(parent, name, options.strongest);
  }
  return folder;
}

Status walk_tree(Descriptor top, Visitor& visitor, const WalkOptions& options) {
  return Walk(visitor, options).run(std::move(top));
}

bool is_mount_point(int folder, const std::string& name, MountCheck strongest) {
  struct statx facts {};
  const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
  if (strongest < MountCheck::fdinfo &&
      ::statx(folder, name.c_str(), flags, STATX_TYPE, &facts) == 0 &&
      (facts.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0)
    return (facts.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  const Descriptor entry(::openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  return entry && !have_same_number(folder, entry.get(), strongest).value_or(true);
}

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
  Lister(std::string top, MountCheck strongest) : top_(std::move(top)), strongest_(strongest) {}

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
                       .is_mount = is_mount_point(one.folder, one.name, strongest_)});
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
  const MountCheck strongest_;
};

}  // namespace

Result<std::vector<FileEntry>> list_files(const std::string& folder, MountCheck strongest) {
  Descriptor top(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top) return io_error("list", folder, errno);
  Lister lister(folder, strongest);
  ORCH_TRY(walk_tree(std::move(top), lister, {.top = folder, .strongest = strongest}));
  std::ranges::sort(lister.entries,
                    [](const FileEntry& a, const FileEntry& b) { return a.path < b.path; });
  return std::move(lister.entries);
}

Status remove_path(const std::string& path, MountCheck strongest) {
  const std::string top = path.substr(0, path.find_last_not_of('/') + 1);
  const std::string name = top.substr(top.rfind('/') + 1);  // npos + 1 is 0
  const std::string above = top.substr(0, top.size() - name.size());
  if (name.empty() || name == "." || name == "..")
    return invalid(fmt::format("'{}' cannot be removed; name a file or folder", path));
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

Status check_private(const std::string& folder) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0) return io_error("look at", folder, errno);
  if (facts.st_uid != ::geteuid())
    return invalid(fmt::format("{} belongs to another user (uid {})", folder, facts.st_uid));
  if (facts.st_mode & S_IWOTH)
    return invalid(folder + " is writable by every user; run chmod o-w on it");
  struct statvfs mount {};
  if (::statvfs(folder.c_str(), &mount) == 0 && (mount.f_flag & ST_NOEXEC))
    return invalid(folder + " is on a disk from which nothing can be executed (noexec)");
  return {};
}

// The part of RealFiles that makes symbolic links.

Status RealFiles::link(const std::string& target, const std::string& path) {
  if (::symlink(target.c_str(), path.c_str()) != 0) return io_error("make the link", path, errno);
  return {};
}

}  // namespace orch::system
