#include "os/system/files.hpp"

#include "os/system/files/walk.hpp"
#include "os/system/process.hpp"
#include "os/system/work/long_work.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <limits>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace orch::system {

namespace fs = std::filesystem;

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Status write_all(int fd, std::string_view text, std::string_view what, std::string_view thing) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_error(what, thing, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

namespace {

Result<Descriptor> open_file(const std::string& path, int flags, mode_t mode = 0) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (fd < 0) return io_error("open", path, errno);
  return Descriptor(fd);
}

Status sync_one(const std::string& path) {
  ORCH_ASSIGN(const Descriptor file, open_file(path, O_RDONLY | O_NONBLOCK));
  if (::fsync(file.get()) != 0) return io_error("sync", path, errno);
  return {};
}

std::string parent_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// Calls USE with each block of the file.
template <class Use>
Status read_blocks(const Descriptor& file, const std::string& path, Use&& use) {
  std::vector<char> block(1 << 20);
  while (true) {
    const ssize_t count = ::read(file.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_error("read", path, errno);
    if (count == 0) return {};
    use(std::string_view(block.data(), static_cast<std::size_t>(count)));
  }
}

Status rename_over(const std::string& temporary, const std::string& path) {
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    return io_error("rename", temporary, errno);
  return {};
}

Result<std::string> read_at(int fd, const std::string& path, std::uint64_t offset,
                            std::size_t most) {
  // A block larger than the file would be cleared for nothing. Files of the kernel report size 0.
  struct stat status {};
  if (::fstat(fd, &status) == 0 && status.st_size > 0) {
    const auto end = static_cast<std::uint64_t>(status.st_size);
    most = static_cast<std::size_t>(std::min<std::uint64_t>(most, end - std::min(end, offset)));
  }
  std::string block(most, '\0');
  std::size_t size = 0;
  while (size < most) {
    const ssize_t count =
        ::pread(fd, block.data() + size, most - size, static_cast<off_t>(offset + size));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_error("read", path, errno);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  block.resize(size);
  return block;
}

// Rejects anything but a regular file; with O_NOFOLLOW also a link.
Result<Descriptor> open_regular(const std::string& path, int flags, mode_t mode = 0) {
  // Without O_NONBLOCK, opening a pipe would wait for its other end.
  auto file = open_file(path, flags | O_NONBLOCK, mode);
  if (!file) {
    if (file.error().number == ELOOP && (flags & O_NOFOLLOW))
      return invalid(fmt::format("{} is a link; put a regular file in its place", path));
    // A socket, or a pipe without a reader.
    if (file.error().number == ENXIO) return invalid(fmt::format("{} is not a regular file", path));
    return file;
  }
  struct stat status {};
  if (::fstat(file->get(), &status) != 0) return io_error("read", path, errno);
  if (!S_ISREG(status.st_mode)) return invalid(fmt::format("{} is not a regular file", path));
  return file;
}

Result<std::string> read_most(const std::string& path, int flags, std::uint64_t most) {
  ORCH_ASSIGN(const Descriptor file, open_regular(path, O_RDONLY | flags));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return io_error("read", path, errno);
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (bytes > most)
    return invalid(fmt::format("{} has {} bytes; at most {} are read", path, bytes, most));
  ORCH_ASSIGN(std::string text, read_at(file.get(), path, 0, static_cast<std::size_t>(bytes)));
  while (true) {  // it may grow, and some file systems report no sizes
    ORCH_ASSIGN(const std::string more, read_at(file.get(), path, text.size(), 4096));
    if (more.empty()) return text;
    text += more;
    if (text.size() > most)
      return invalid(fmt::format("{} has more than {} bytes; no more are read", path, most));
  }
}

// Creates a file at PATH. Anything that another process put there is removed, and neither followed
// nor waited for.
Result<Descriptor> make_file(const std::string& path) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL;
  auto file = open_file(path, flags, 0644);
  if (file || file.error().number != EEXIST) return file;
  ORCH_TRY(remove_path(path));
  return open_file(path, flags, 0644);
}

Error from(const std::error_code& code, std::string_view what, const std::string& path) {
  return io_error(what, path, code.value());
}

}  // namespace

namespace {

class RealOpenFile final : public OpenFile {
 public:
  RealOpenFile(Descriptor file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}

  Result<std::uint64_t> size() override {
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) return io_error("read", path_, errno);
    return static_cast<std::uint64_t>(status.st_size);
  }
  Result<std::string> read(std::uint64_t offset, std::size_t most) override {
    return read_at(file_.get(), path_, offset, most);
  }
  Status append(std::string_view text) override {
    return write_all(file_.get(), text, "write", path_);
  }
  Status truncate(std::uint64_t bytes) override {
    if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0)
      return io_error("truncate", path_, errno);
    return {};
  }
  Status sync() override {
    if (::fdatasync(file_.get()) != 0) return io_error("sync", path_, errno);
    return {};
  }

 private:
  Descriptor file_;
  std::string path_;
};

}  // namespace

bool RealFiles::is_link(const std::string& path) {
  std::error_code ignored;
  return fs::is_symlink(fs::symlink_status(path, ignored));
}

bool RealFiles::exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

std::optional<FileFacts> RealFiles::stat(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileFacts{.bytes = static_cast<std::uint64_t>(status.st_size),
                   .is_regular = S_ISREG(status.st_mode),
                   .is_folder = S_ISDIR(status.st_mode)};
}

Result<std::string> RealFiles::read(const std::string& path) {
  ORCH_ASSIGN(const Descriptor file, open_file(path, O_RDONLY));
  std::string text;
  std::error_code unknown;  // a pipe has no size
  if (const auto bytes = fs::file_size(path, unknown); !unknown)
    text.reserve(std::min<std::uintmax_t>(bytes, 1 << 30));
  ORCH_TRY(read_blocks(file, path, [&](std::string_view block) { text += block; }));
  return text;
}

Result<std::string> RealFiles::read_text(const std::string& path, std::uint64_t most) {
  return read_most(path, 0, most);
}

Result<std::string> RealFiles::read_own(const std::string& path, std::uint64_t most) {
  return read_most(path, O_NOFOLLOW, most);
}

Result<std::string> RealFiles::read_tail(const std::string& path, std::uint64_t bytes) {
  ORCH_ASSIGN(const Descriptor file, open_regular(path, O_RDONLY | O_NOFOLLOW));
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  if (size < 0) return io_error("read", path, errno);
  const std::uint64_t start =
      static_cast<std::uint64_t>(size) - std::min(bytes, static_cast<std::uint64_t>(size));
  return read_at(file.get(), path, start, static_cast<std::size_t>(bytes));
}

Result<std::string> RealFiles::read_block(const std::string& path, std::uint64_t offset,
                                          std::size_t most) {
  ORCH_ASSIGN(const Descriptor file, open_regular(path, O_RDONLY));
  return read_at(file.get(), path, offset, most);
}

Result<std::unique_ptr<OpenFile>> RealFiles::open(const std::string& path) {
  ORCH_ASSIGN(Descriptor file, open_regular(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0644));
  return std::unique_ptr<OpenFile>(std::make_unique<RealOpenFile>(std::move(file), path));
}

Status RealFiles::write(const std::string& path, std::string_view text) {
  // A rename would replace a device such as /dev/null with a file, for every program.
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode) &&
      !S_ISDIR(status.st_mode))
    return invalid(fmt::format("{} is a device, pipe or socket, which is not replaced", path));
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  {
    ORCH_ASSIGN(const Descriptor file, make_file(temporary));
    ORCH_TRY(write_all(file.get(), text, "write", temporary));
    if (::fsync(file.get()) != 0) return io_error("sync", temporary, errno);
  }
  ORCH_TRY(rename_over(temporary, path));
  return sync_one(parent_of(path));
}

Status replace_text(const std::string& path, std::string_view text) {
  std::error_code code;
  const std::string target = fs::canonical(path, code).string();
  if (code) return from(code, "open", path);
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0) return io_error("open", path, errno);
  if (!S_ISREG(status.st_mode)) return invalid(fmt::format("{} is not a regular file", path));
  if (::access(target.c_str(), W_OK) != 0) return io_error("write", path, errno);
  std::string temporary = target + ".XXXXXX";
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) return io_error("make a file beside", path, errno);
  const auto fill = [&]() -> Status {
    ORCH_TRY(write_all(file.get(), text, "write", temporary));
    // If this process may not change owners (EPERM), the file of another user becomes this user's.
    if (::fchown(file.get(), status.st_uid, status.st_gid) != 0 && errno != EPERM)
      return io_error("set the owner of", temporary, errno);
    if (::fchmod(file.get(), status.st_mode & 07777) != 0)
      return io_error("set the mode of", temporary, errno);
    if (::fsync(file.get()) != 0) return io_error("sync", temporary, errno);
    return rename_over(temporary, target);
  };
  if (Status filled = fill(); !filled) {
    ::unlink(temporary.c_str());
    return filled;
  }
  return sync_one(parent_of(target));
}

Status RealFiles::put(const std::string& path, std::string_view text) {
  ORCH_ASSIGN(const Descriptor file, make_file(path));
  return write_all(file.get(), text, "write", path);
}

Status RealFiles::append(const std::string& path, std::string_view text) {
  ORCH_ASSIGN(const Descriptor file, open_for_appending(path));
  return write_all(file.get(), text, "write", path);
}

Result<std::string> temporary_folder() {
  std::error_code code;
  const fs::path folder = fs::temp_directory_path(code);
  if (!code) return folder.string();
  const char* chosen = std::getenv("TMPDIR");
  return Error{ErrorKind::io,
               fmt::format("temporary files need a folder, and '{}' is none; set TMPDIR to one",
                           chosen ? chosen : "/tmp")};
}

Status RealFiles::truncate(const std::string& path, std::uint64_t bytes) {
  const auto file = open_regular(path, O_WRONLY | O_NOFOLLOW);
  if (!file && file.error().number != 0) return io_error("truncate", path, file.error().number);
  if (!file) return file.error();
  if (::ftruncate(file->get(), static_cast<off_t>(bytes)) != 0)
    return io_error("truncate", path, errno);
  return {};
}

Status RealFiles::replace(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".tmp";
  ORCH_TRY(put(temporary, text));
  return rename_over(temporary, path);
}

// link() fails if PATH exists, and raises the file's link count, which reveals the outcome if a
// server's reply is lost.
Result<bool> RealFiles::create_once(const std::string& path, std::string_view text) {
  const std::string aside = path + "." + new_token();
  ORCH_TRY(put(aside, text));
  const int failed = ::link(aside.c_str(), path.c_str()) == 0 ? 0 : errno;
  struct stat status {};
  const bool is_linked = ::stat(aside.c_str(), &status) == 0 && status.st_nlink == 2;
  ::unlink(aside.c_str());
  if (failed == 0 || is_linked) return true;
  if (failed == EEXIST) return false;
  if (failed != EPERM && failed != EOPNOTSUPP && failed != ENOSYS && failed != EMLINK)
    return io_error("link to", path, failed);
  // Hard links are not supported here; such file systems create exclusively.
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file && errno == EEXIST) return false;
  if (!file) return io_error("create", path, errno);
  ORCH_TRY(write_all(file.get(), text, "write", path));
  return true;
}

Status RealFiles::make_folder(const std::string& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code) return from(code, "make the folder", path);
  return {};
}

Status RealFiles::rename(const std::string& from_path, const std::string& to) {
  // Never replaces a folder, which may be published work. Network file systems lack the flag, and
  // some sandboxes the call.
  int failed = ::renameat2(AT_FDCWD, from_path.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0
                   ? 0
                   : errno;
  if (failed == EINVAL || failed == ENOSYS)
    failed = exists(to) ? EEXIST : std::rename(from_path.c_str(), to.c_str()) == 0 ? 0 : errno;
  if (failed) return io_error("rename to", to, failed);
  Status synced = sync_one(parent_of(to));
  // Undo it, because after an error the caller would not know of the new name.
  if (!synced) (void)std::rename(to.c_str(), from_path.c_str());
  return synced;
}

Status RealFiles::remove_tree(const std::string& path) { return remove_path(path); }

Status RealFiles::copy(const std::string& from_path, const std::string& to, LongWork& work) {
  ORCH_ASSIGN(const Descriptor source, open_regular(from_path, O_RDONLY));
  ORCH_TRY(remove_path(to));
  ORCH_ASSIGN(const Descriptor target, open_file(to, O_WRONLY | O_CREAT | O_EXCL, 0600));
  struct stat status {};
  if (::fstat(source.get(), &status) != 0) return io_error("read", from_path, errno);
  ORCH_TRY(copy_content({.from = source.get(), .to = target.get()}, from_path, work));
  if (::fchmod(target.get(), status.st_mode & 07777) != 0)
    return io_error("set the mode of", to, errno);
  return {};
}

Result<std::vector<FileEntry>> RealFiles::list(const std::string& folder) {
  return list_files(folder);
}

Result<std::vector<std::string>> RealFiles::names(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator walk(folder, code), end; !code && walk != end; walk.increment(code))
    names.push_back(walk->path().filename().string());
  if (code) return from(code, "list", folder);
  std::ranges::sort(names);
  return names;
}

Result<Digest> RealFiles::sha256(const std::string& path, LongWork& work) {
  // A pipe or device has no permanent content, and may never end.
  ORCH_ASSIGN(const Descriptor file, open_regular(path, O_RDONLY));
  return hash_content(file.get(), path, work);
}

FileSystem RealFiles::file_system(const std::string& path) {
  struct statfs facts {};
  if (::statfs(path.c_str(), &facts) != 0) return {};
  return file_system_of(static_cast<std::uint32_t>(facts.f_type));
}

Result<FreeSpace> RealFiles::free_space(const std::string& path) {
  struct statvfs facts {};
  if (::statvfs(path.c_str(), &facts) != 0) return io_error("read the free space at", path, errno);
  constexpr std::uint64_t k_unlimited = std::numeric_limits<std::uint64_t>::max();
  const bool limited = facts.f_files > 0;  // btrfs, for example, has no fixed number
  const bool sized = facts.f_blocks > 0;   // a kernel or FUSE file system may have no size
  return FreeSpace{.bytes = sized ? std::uint64_t{facts.f_bavail} * facts.f_frsize : k_unlimited,
                   .inodes = limited ? facts.f_favail : k_unlimited,
                   .total_bytes = std::uint64_t{facts.f_blocks} * facts.f_frsize};
}

Result<Descriptor> open_for_appending(const std::string& path) {
  struct stat status {};
  // A log may go to /dev/null.
  if (::lstat(path.c_str(), &status) == 0 && S_ISCHR(status.st_mode))
    return open_file(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  return open_regular(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0644);
}

Status RealFiles::sync(const std::string& path) { return sync_one(path); }

// Syncs in parallel, because a journalling file system makes several files durable with one journal
// write.
static Status sync_together(const std::vector<std::string>& paths) {
  static constexpr std::size_t k_at_once = 8;
  std::vector<std::future<Status>> syncs;
  std::atomic<std::size_t> next = 0;
  const auto sync_some = [&]() -> Status {
    for (std::size_t i = next++; i < paths.size(); i = next++) ORCH_TRY(sync_one(paths[i]));
    return {};
  };
  try {
    while (syncs.size() + 1 < std::min(k_at_once, paths.size()))
      syncs.push_back(std::async(std::launch::async, sync_some));
  } catch (const std::system_error&) {
    // No more threads can be created: fewer do the work.
  }
  Status all = sync_some();
  for (std::future<Status>& one : syncs)
    if (Status status = one.get(); !status && all.ok()) all = std::move(status);
  return all;
}

Status RealFiles::sync_tree(const std::string& folder) {
  // syncfs() also waits for other processes' writes, so it pays off only for many files.
  static constexpr std::size_t k_many = 64;
  ORCH_ASSIGN(const auto entries, list(folder));
  if (entries.size() > k_many) {
    ORCH_ASSIGN(const Descriptor root, open_file(folder, O_RDONLY));
    if (::syncfs(root.get()) != 0) return io_error("sync", folder, errno);
    return {};
  }
  std::set<std::string> all = {folder};
  for (const FileEntry& entry : entries) {
    const std::string path = folder + "/" + entry.path;
    if (!entry.is_link && !entry.is_other) all.insert(path);
    for (std::string parent = parent_of(path); parent.size() > folder.size();
         parent = parent_of(parent))
      all.insert(parent);
  }
  return sync_together({all.begin(), all.end()});
}

}  // namespace orch::system
