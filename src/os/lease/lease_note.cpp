#include "os/lease/lease_note.hpp"

#include "os/system/process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>

namespace orch::lease {

namespace {

std::string utc(double wall_s) {
  const auto now = static_cast<std::time_t>(wall_s);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "?";
  return name.data();
}

std::string pid_namespace() {
  std::array<char, 64> name{};
  const ssize_t size = readlink("/proc/self/ns/pid", name.data(), name.size());
  return size > 0 ? std::string(name.data(), static_cast<std::size_t>(size)) : "";
}

}  // namespace

std::string Owner::text() const {
  if (pid == 0) return "a process that has just started";
  return fmt::format("pid {} on {}{} since {}", pid, host,
                     job.empty() ? "" : fmt::format(" (job {} of Slurm)", job), since);
}

Owner this_process(double wall_s) {
  const int pid = getpid();
  const auto identity = system::identify(pid);
  const char* job = std::getenv("SLURM_JOB_ID");
  return {.host = host_name(),
          .kernel = system::boot_id() + " " + pid_namespace(),
          .pid = pid,
          .start_ticks = identity ? identity->start_ticks : 0,
          .job = job ? job : "",
          .since = utc(wall_s),
          .nonce = system::new_token()};
}

// Two hosts may have equal names, and two names may stand for one kernel (containers).
bool is_near(const Owner& holder, const Owner& self) {
  return holder.host == self.host && holder.kernel == self.kernel && holder.start_ticks != 0;
}

}  // namespace orch::lease
