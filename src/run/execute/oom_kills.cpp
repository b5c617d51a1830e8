#include "run/execute/oom_kills.hpp"

#include "core/base/text.hpp"
#include "os/system/tree_signal.hpp"

namespace orch::execute {

namespace {

// The value of "oom_kill" in a file of lines "name number"; nullopt if it has no such line.
std::optional<std::uint64_t> kills_in(const std::string& path) {
  for (const std::string& line : split(system::read_proc(path), '\n'))
    if (line.starts_with("oom_kill "))
      return static_cast<std::uint64_t>(to_integer(line.substr(9)).value_or(0));
  return std::nullopt;
}

}  // namespace

OomKills::OomKills(std::string vmstat) : vmstat_(std::move(vmstat)), before_(kills_in(vmstat_)) {}

bool OomKills::any(const std::string& cgroup) const {
  if (!cgroup.empty())
    if (const auto own = kills_in(cgroup + "/memory.events")) return *own > 0;
  return kills_in(vmstat_) > before_;
}

}  // namespace orch::execute
