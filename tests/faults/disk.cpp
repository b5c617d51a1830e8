#include "faults/disk.hpp"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

namespace orch::faults {

namespace fs = std::filesystem;

namespace {

constexpr auto k_shut_down_ext4 = _IOR('X', 125, std::uint32_t);
constexpr std::uint32_t k_without_its_log = 2;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

std::string options_of(const Tmpfs::Size& size) {
  return fmt::format("size={}k,nr_inodes={}", size.kilobytes, size.inodes);
}

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::string why_no_mounts() {
  static const std::string why = [] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr))
      return fmt::format("mounting is not permitted here: {}", std::strerror(errno));
    return std::string();
  }();
  return why;
}

Tmpfs::Tmpfs(const crash::World& world, const Size& size) : folder_(world.store()) {
  fs::create_directories(folder_);
  if (::mount("tmpfs", folder_.c_str(), "tmpfs", 0, options_of(size).c_str()) != 0)
    fail("mount a tmpfs at " + folder_);
}

Tmpfs::~Tmpfs() { ::umount2(folder_.c_str(), MNT_DETACH); }

void Tmpfs::resize(const Size& size) const {
  if (::mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT, options_of(size).c_str()) != 0)
    fail("resize " + folder_);
}

LoopDisk::LoopDisk(crash::World& world) : world_(world), image_(world.folder() + "/disk.img") {
  constexpr std::uintmax_t k_bytes = 48 << 20;
  fs::create_directories(world.store());
  std::ofstream(image_).close();
  fs::resize_file(image_, k_bytes);
  if (!command({"mkfs.ext4", "-q", image_}) || !mount())
    why_not_ = "no loop device with ext4: " + world_.last_stderr();
}

LoopDisk::~LoopDisk() { (void)unmount(); }

bool LoopDisk::command(const std::vector<std::string>& argv) {
  try {
    crash::World::Run run = world_.spawn(argv);
    return world_.finish(run).code == 0;
  } catch (const std::runtime_error&) {
    return false;  // the program is not installed
  }
}

bool LoopDisk::mount() { return command({"mount", "-o", "loop", image_, world_.store()}); }
bool LoopDisk::unmount() { return command({"umount", world_.store()}); }

void LoopDisk::make_read_only() const {
  if (::mount("none", world_.store().c_str(), nullptr, MS_REMOUNT, "abort") != 0)
    fail("make " + world_.store() + " read-only");
}

void LoopDisk::cut_power() const {
  const int folder = ::open(world_.store().c_str(), O_RDONLY | O_CLOEXEC);
  const int failed = ::ioctl(folder, k_shut_down_ext4, &k_without_its_log);
  ::close(folder);
  if (failed != 0) fail("shut down " + world_.store());
}

void LoopDisk::mount_again() {
  if (!crash::wait_for([&] { return unmount(); }, 20) || !mount())
    throw std::runtime_error("cannot mount the disk again: " + world_.last_stderr());
}

void kill_all_of(const crash::World& world) {
  for (bool found = true; found;) {
    found = false;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const int pid = std::atoi(entry.path().filename().c_str());
      if (pid <= 0 || pid == ::getpid() ||
          slurp(entry.path() / "environ").find(world.folder() + "/") == std::string::npos)
        continue;
      found = ::kill(pid, SIGKILL) == 0 || found;
    }
  }
}

}  // namespace orch::faults
