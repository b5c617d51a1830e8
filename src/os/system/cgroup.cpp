#include "os/system/cgroup.hpp"

#include "core/base/text.hpp"
#include "os/system/proc.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orch::system {

namespace {

// Where the cgroup2 file system is mounted, and which part of it.
struct Mount {
  std::string root;
  std::string point;
};

std::optional<Mount> cgroup2_mount() {
  for (const std::string& line : split(read_proc("/proc/self/mountinfo"), '\n')) {
    const std::vector<std::string> fields = split(line, ' ');
    const auto dash = std::ranges::find(fields, "-");
    if (fields.size() > 5 && fields.end() - dash > 1 && dash[1] == "cgroup2")
      return Mount{fields[3], fields[4]};
  }
  return std::nullopt;
}

// The folder of the cgroup of this process; "" when it is not visible here.
std::string own_cgroup() {
  const auto mount = cgroup2_mount();
  if (!mount) return "";
  for (const std::string& line : split(read_proc("/proc/self/cgroup"), '\n')) {
    if (!line.starts_with("0::/")) continue;
    std::string path = line.substr(3);
    if (mount->root != "/" && path.starts_with(mount->root)) path = path.substr(mount->root.size());
    if (path.find("/..") != std::string::npos) return "";  // above the mounted part
    return mount->point + (path == "/" ? "" : path);
  }
  return "";
}

bool write_to(const std::string& file, const char* text) {
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return out && ::write(out.get(), text, 1) == 1;
}

}  // namespace

std::string cgroup_of(const std::string& token) {
  static const std::string k_own = own_cgroup();
  return k_own.empty() || token.empty() ? "" : k_own + "/orchestrate-" + token;
}

Result<Descriptor> make_cgroup(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0755) != 0) return io_error("make the cgroup", folder, errno);
  Descriptor procs(::open((folder + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (procs) return procs;
  const int error = errno;
  remove_cgroup(folder);
  return io_error("enter the cgroup", folder, error);
}

bool cgroup_populated(const std::string& folder) {
  return read_proc(folder + "/cgroup.events").find("populated 1") != std::string::npos;
}

bool kill_cgroup(const std::string& folder) {
  if (write_to(folder + "/cgroup.kill", "1")) return true;
  write_to(folder + "/cgroup.freeze", "1");
  return false;
}

void remove_cgroup(const std::string& folder) {
  if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) return;
  DIR* names = ::opendir(folder.c_str());
  if (!names) return;
  while (const dirent* entry = ::readdir(names))
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
      remove_cgroup(folder + "/" + entry->d_name);
  ::closedir(names);
  ::rmdir(folder.c_str());
}

}  // namespace orch::system
