#include "os/system/file_lock.hpp"

#include "core/base/text.hpp"

#include <cerrno>
#include <iterator>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orch::system {

namespace {

constexpr double k_settled_s = 0.1;

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

constexpr std::size_t k_block_bytes = 1 << 20;

struct SharedType {
  std::uint32_t type;  // from statfs(2) and the kernel's linux/magic.h
  const char* name;
};

// FUSE and 9P count as shared, because they may be the files of another host.
constexpr SharedType k_shared_types[] = {
    {0x6969, "NFS"},        {0x517b, "SMB"},        {0xfe534d42, "SMB"},
    {0xff534d42, "CIFS"},   {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"}, {0x00c36400, "CephFS"}, {0x5346414f, "AFS"},
    {0x6b414653, "AFS"},    {0x01021997, "9P"},     {0x65735546, "FUSE"},
    {0x01161970, "GFS2"},   {0x7461636f, "OCFS2"},  {0x20030528, "OrangeFS"},
    {0x73757245, "Coda"},   {0xaad7aaea, "PanFS"},  {0x786f4256, "a shared folder of VirtualBox"},
};

}  // namespace

Result<std::optional<FileLock>> FileLock::try_open(const std::string& path, int flags) {
  Descriptor descriptor(::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644));
  if (!descriptor && errno == ELOOP) return invalid(fmt::format("{} is a link; remove it", path));
  if (!descriptor) return io_error("open", path, errno);
  while (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::optional<FileLock>();
    if (errno != EINTR) return io_error("lock", path, errno);
  }
  return std::optional(FileLock(std::move(descriptor)));
}

Result<std::optional<FileLock>> FileLock::try_file(const std::string& path) {
  return try_open(path, O_RDWR | O_CREAT);
}

Result<std::optional<FileLock>> FileLock::try_folder(const std::string& path) {
  return try_open(path, O_RDONLY | O_DIRECTORY);
}

bool FileLock::is_held(const std::string& path) {
  const auto taken = try_open(path, O_RDONLY);
  return taken && !*taken;
}

Result<FileStamp> FileStamp::of(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return io_error("read", path, errno);
  return FileStamp{.path = std::filesystem::absolute(path).lexically_normal().string(),
                   .size = facts.st_size,
                   .mtime_ns = nanoseconds(facts.st_mtim),
                   .ctime_ns = nanoseconds(facts.st_ctim),
                   .inode = static_cast<std::int64_t>(facts.st_ino)};
}

bool FileStamp::is_settled(double wall_s) const {
  return wall_s - static_cast<double>(std::max(mtime_ns, ctime_ns)) / 1e9 >= k_settled_s;
}

Error Lines::too_long() const {
  const auto facts = files_.stat(path_);
  return invalid(fmt::format("{} has {}, and its line at byte {} is longer than {}", path_,
                             human_bytes(facts ? facts->bytes : 0), position_,
                             human_bytes(longest_)));
}

Result<bool> Lines::next(std::string& line) {
  line.clear();
  terminated_ = false;
  while (true) {
    const std::size_t end = block_.find('\n', begin_);
    terminated_ = end != std::string::npos;
    line.append(block_, begin_, terminated_ ? end - begin_ : std::string::npos);
    if (line.size() > longest_) return too_long();
    if (terminated_) {
      begin_ = end + 1;
      position_ += line.size() + 1;
      return true;
    }
    ORCH_ASSIGN(block_, files_.read_block(path_, read_to_, k_block_bytes));
    begin_ = 0;
    read_to_ += block_.size();
    if (block_.empty()) {
      position_ += line.size();
      return !line.empty();
    }
  }
}

FileSystem file_system_of(std::uint32_t type) {
  const auto known = std::ranges::find(k_shared_types, type, &SharedType::type);
  if (known == std::end(k_shared_types)) return {};
  return {.name = known->name, .is_shared = true};
}

bool is_writable(const std::string& folder) { return ::access(folder.c_str(), W_OK) == 0; }

}  // namespace orch::system
