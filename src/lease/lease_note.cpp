#include "lease/lease_note.hpp"

#include "system/process.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
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

std::string to_text(const LeaseNote& note) {
  return nlohmann::ordered_json{
             {"host", note.owner.host},         {"pid", note.owner.pid},
             {"job", note.owner.job},           {"since", note.owner.since},
             {"kernel", note.owner.kernel},     {"start_ticks", note.owner.start_ticks},
             {"nonce", note.owner.nonce},       {"silent_s", note.silent_s},
             {"is_released", note.is_released}, {"beat", note.beat}}
             .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

std::optional<LeaseNote> parse_lease_note(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    return LeaseNote{.owner = {.host = json.at("host"),
                               .kernel = json.at("kernel"),
                               .pid = json.at("pid"),
                               .start_ticks = json.at("start_ticks"),
                               .job = json.at("job"),
                               .since = json.at("since"),
                               .nonce = json.at("nonce")},
                     .silent_s = json.at("silent_s"),
                     .beat = json.at("beat"),
                     .is_released = json.at("is_released")};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
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
