#include "os/system/host_use.hpp"

#include <unistd.h>

#include <ctime>

#include "core/base/text.hpp"
#include "os/system/launch.hpp"
#include "os/system/proc.hpp"

namespace orch::system {
namespace {

constexpr double k_least_interval_s = 0.05;  // CPU time is counted in hundredths of a second

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// The numbers after the first word.
std::vector<double> numbers_of(std::string_view line) {
  std::vector<double> out;
  const std::vector<std::string> words = split(line, ' ');
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].empty()) continue;
    const auto number = to_integer(words[i]);
    if (!number) return {};
    out.push_back(static_cast<double>(*number));
  }
  return out;
}

}  // namespace

std::optional<HostTimes> parse_host_times(std::string_view stat, double ticks) {
  enum Column : std::size_t { user, nice, system, idle, iowait, irq, softirq, steal, columns };
  std::optional<HostTimes> out;
  int cpus = 0;
  for (const std::string& line : split(stat, '\n')) {
    if (!line.starts_with("cpu")) break;  // the lines of CPUs come first
    if (!line.starts_with("cpu ")) {
      ++cpus;
      continue;
    }
    const std::vector<double> spent = numbers_of(line);
    if (spent.size() < columns) return {};
    // The columns of guests are left out: user and nice include them.
    out = HostTimes{
        .cpus = 0,
        .busy_s = (spent[user] + spent[nice] + spent[system] + spent[irq] + spent[softirq]) / ticks,
        .steal_s = spent[steal] / ticks};
  }
  if (!out || cpus == 0) return {};
  out->cpus = cpus;
  return out;
}

HostLook look_at_host() {
  static const auto k_ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return {.at_s = seconds_of(CLOCK_MONOTONIC),
          .own_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID),
          .times = parse_host_times(read_proc(host_proc() + "/stat"), k_ticks)};
}

std::optional<HostUse> host_use(const HostLook& before, const HostLook& after,
                                std::optional<double> servers_s) {
  if (!before.times || !after.times || after.at_s - before.at_s < k_least_interval_s) return {};
  HostUse use{.cpus = after.times->cpus,
              .wall_s = after.at_s - before.at_s,
              .busy_s = after.times->busy_s - before.times->busy_s,
              .steal_s = after.times->steal_s - before.times->steal_s};
  // The clocks differ slightly, so the difference may be below 0.
  if (servers_s)
    use.others_s = std::max(0.0, use.busy_s - (after.own_s - before.own_s) - *servers_s);
  return use;
}

}  // namespace orch::system
