// Real file systems under the store of a world, in a mount namespace of this process: a tmpfs of a
// given size, and an ext4 on a loop device that can turn read-only or lose its power.
#pragma once

#include "crash/world.hpp"

#include <cstdint>
#include <string>

namespace orch::faults {

// Enters the namespace. The reason where mounting is not permitted; else "".
std::string why_no_mounts();

class Tmpfs {
 public:
  struct Size {
    std::uint64_t kilobytes = 0;
    std::uint64_t inodes = 0;  // 0: as many as there is memory for
  };
  Tmpfs(const crash::World& world, const Size& size);
  ~Tmpfs();
  Tmpfs(const Tmpfs&) = delete;
  Tmpfs& operator=(const Tmpfs&) = delete;
  void resize(const Size& size) const;

 private:
  std::string folder_;
};

class LoopDisk {
 public:
  explicit LoopDisk(crash::World& world);
  ~LoopDisk();
  LoopDisk(const LoopDisk&) = delete;
  LoopDisk& operator=(const LoopDisk&) = delete;
  // The reason where loop devices cannot be used; else "".
  const std::string& why_not() const { return why_not_; }
  // As the kernel does after an error: files that are open for writing do not prevent it.
  void make_read_only() const;
  // What was not synced is gone. Every later call fails until it is mounted again.
  void cut_power() const;
  // No process may use it any more.
  void mount_again();

 private:
  bool mount();
  bool unmount();
  bool command(const std::vector<std::string>& argv);

  crash::World& world_;
  std::string image_, why_not_;
};

// Ends all processes of WORLD at once, as the loss of power does.
void kill_all_of(const crash::World& world);

}  // namespace orch::faults
