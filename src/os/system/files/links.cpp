// The part of RealFiles that makes symbolic links.
#include "os/system/files.hpp"

#include <unistd.h>

#include <cerrno>

namespace orch::system {

Status RealFiles::link(const std::string& target, const std::string& path) {
  if (::symlink(target.c_str(), path.c_str()) != 0) return io_error("make the link", path, errno);
  return {};
}

}  // namespace orch::system
