#include "os/system/own_cgroup.hpp"

#include "core/base/text.hpp"
#include "os/system/tree_signal.hpp"

namespace orch::system {

namespace {

// Where a file system of cgroups is mounted, and which part of it.
struct Mount {
  std::string root;
  std::string point;
};

// A line is "ID PARENT DEVICE ROOT POINT OPTIONS ... - TYPE SOURCE OPTIONS", and the last options
// of cgroup v1 name its controllers.
std::optional<Mount> mount_of(std::string_view controller, const std::string& proc) {
  for (const std::string& line : split(read_proc(proc + "/self/mountinfo"), '\n')) {
    const std::vector<std::string> fields = split(line, ' ');
    const auto dash = std::ranges::find(fields, "-");
    if (fields.size() <= 5 || fields.end() - dash <= 3) continue;
    if (controller.empty() ? dash[1] == "cgroup2"
                           : dash[1] == "cgroup" && contains(split(dash[3], ','), controller))
      return Mount{fields[3], fields[4]};
  }
  return std::nullopt;
}

// The path of the cgroup in its file system. A line is "NUMBER:CONTROLLERS:PATH", that of cgroup v2
// "0::PATH".
std::optional<std::string> path_of(std::string_view controller, const std::string& proc) {
  for (const std::string& line : split(read_proc(proc + "/self/cgroup"), '\n')) {
    const std::vector<std::string> fields = split(line, ':');
    if (fields.size() < 3 || !fields[2].starts_with('/')) continue;
    if (controller.empty() ? fields[0] == "0" && fields[1].empty()
                           : contains(split(fields[1], ','), controller))
      return line.substr(fields[0].size() + fields[1].size() + 2);
  }
  return std::nullopt;
}

}  // namespace

std::optional<OwnCgroup> own_cgroup(std::string_view controller, const std::string& proc) {
  const auto mount = mount_of(controller, proc);
  auto path = path_of(controller, proc);
  if (!mount || !path) return std::nullopt;
  if (mount->root != "/" && path->starts_with(mount->root)) path->erase(0, mount->root.size());
  if (path->find("/..") != std::string::npos) return std::nullopt;  // above the mounted part
  return OwnCgroup{mount->point, mount->point + (path == "/" ? "" : *path)};
}

}  // namespace orch::system
