#include "system/files/private_folder.hpp"

#include <sys/stat.h>
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
  return {};
}

}  // namespace orch::system
