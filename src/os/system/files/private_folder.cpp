#include "os/system/files/private_folder.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

namespace orch::system {

Status check_private(const std::string& folder) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0) return io_error("look at", folder, errno);
  if (facts.st_uid != ::geteuid())
    return invalid(fmt::format("{} belongs to another user (uid {})", folder, facts.st_uid));
  if (facts.st_mode & S_IWOTH)
    return invalid(folder + " can be written to by every user; run chmod o-w on it");
  struct statvfs mount {};
  if (::statvfs(folder.c_str(), &mount) == 0 && (mount.f_flag & ST_NOEXEC))
    return invalid(folder + " is on a disk from which nothing can be executed (noexec)");
  return {};
}

}  // namespace orch::system
