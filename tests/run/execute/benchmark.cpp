// The cost of a guardian, per containment: the time from the start of /bin/true to the report of
// its end, with the first guardian and with a warm one.
#include "os/system/clock.hpp"
#include "run/execute/real_executor.hpp"

#include <cstdio>

using namespace orch;
using namespace orch::execute;

namespace {

double round_trip_s(RealHost& host) {
  system::RealClock clock;
  Launch launch = host.launch("");
  launch.argv = {"/bin/true"};
  const double begin_s = clock.now_s();
  if (const auto handle = host.executor().start(launch); !handle) {
    std::fprintf(stderr, "%s\n", handle.error().text().c_str());
    std::exit(1);
  }
  host.wait_for(launch.token);
  return clock.now_s() - begin_s;
}

}  // namespace

int main() {
  for (const auto containment : {system::Containment::session, system::Containment::pid_namespace,
                                 system::Containment::cgroup}) {
    if (!system::is_available(containment)) continue;
    RealHost host(containment);
    const double first_s = round_trip_s(host);
    std::vector<double> times_s;
    for (int i = 0; i < 1000; ++i) times_s.push_back(round_trip_s(host));
    std::sort(times_s.begin(), times_s.end());
    std::printf("%-14s first %.2f ms   warm: median %.2f ms   p99 %.2f ms\n",
                std::string(to_string(containment)).c_str(), first_s * 1e3, times_s[500] * 1e3,
                times_s[990] * 1e3);
  }
}
