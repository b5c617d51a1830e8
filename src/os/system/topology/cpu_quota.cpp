#include "os/system/topology/cpu_quota.hpp"

#include "core/base/text.hpp"
#include "os/system/own_cgroup.hpp"
#include "os/system/topology/cpus.hpp"
#include "os/system/tree_signal.hpp"

namespace orch::system {

namespace {

std::optional<double> ratio(std::string_view time, std::string_view period) {
  const auto allowed = to_integer(trim(time)), within = to_integer(trim(period));
  if (!allowed || !within || *allowed <= 0 || *within <= 0) return std::nullopt;  // "max", -1
  return static_cast<double>(*allowed) / static_cast<double>(*within);
}

// Of one cgroup, v2 or v1.
std::optional<double> quota_of(const std::string& folder) {
  if (const std::string both = read_proc(folder + "/cpu.max"); !both.empty()) {
    const std::size_t space = both.find(' ');
    return ratio(both.substr(0, space), both.substr(std::min(space, both.size())));
  }
  return ratio(read_proc(folder + "/cpu.cfs_quota_us"), read_proc(folder + "/cpu.cfs_period_us"));
}

}  // namespace

std::optional<double> cpu_quota(const std::string& proc) {
  std::optional<double> least;
  for (const char* controller : {"", "cpu"}) {
    const auto own = own_cgroup(controller, proc);
    if (!own) continue;
    for (std::string folder = own->folder; folder.starts_with(own->mount);
         folder.resize(folder.rfind('/'))) {
      const auto quota = quota_of(folder);
      if (quota && (!least || *quota < *least)) least = quota;
    }
  }
  return least;
}

int usable_cpus() {
  const auto visible = static_cast<int>(own_cpus().size());
  const auto quota = cpu_quota();
  return std::max(1, quota && *quota < visible ? static_cast<int>(*quota) : visible);
}

}  // namespace orch::system
