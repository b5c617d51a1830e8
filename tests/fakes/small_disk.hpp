// A file system of a few MiB in memory, for tests of full disks. Needs the right to mount.
#pragma once

#include "fakes/temp_folder.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <sys/mount.h>

namespace orch::fakes {

class SmallDisk {
 public:
  // SIZE as mount(8) takes it: "5m".
  explicit SmallDisk(const std::string& size) { mount(size, 0); }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (why_not_.empty()) ::umount2(path().c_str(), MNT_DETACH);
  }

  // Why it is not mounted, to skip a test with; "" when it is.
  const std::string& why_not() const { return why_not_; }
  std::string path() const { return folder_.path().string(); }
  std::string file(const std::string& name) const { return folder_.file(name); }
  void resize(const std::string& size) { mount(size, MS_REMOUNT); }

 private:
  void mount(const std::string& size, unsigned long flags) {
    if (::mount("tmpfs", path().c_str(), "tmpfs", flags, ("size=" + size).c_str()) != 0)
      why_not_ = std::string("a tmpfs cannot be mounted: ") + std::strerror(errno);
  }

  TempFolder folder_;
  std::string why_not_;
};

}  // namespace orch::fakes
