#include "execute/exit_record.hpp"

#include "base/json_text.hpp"
#include "execute/around.hpp"

#include <nlohmann/json.hpp>

namespace orch::execute {

using Json = nlohmann::json;

namespace {

constexpr std::uint64_t k_most_record_bytes = 64 << 10;

}  // namespace

std::string to_json(const ExitRecord& record) {
  const Ended& ended = record.ended;
  return dump(Json{{"token", ended.token},
                   {"code", ended.code},
                   {"signal", ended.signal},
                   {"wall_s", ended.wall_s},
                   {"cpu_s", ended.cpu_s},
                   {"max_rss_bytes", ended.max_rss_bytes},
                   {"oom_killed", ended.oom_killed},
                   {"guardian_lost", ended.guardian_lost},
                   {"abandoned", ended.abandoned},
                   {"log_error", ended.log_error},
                   {"full_disk", ended.full_disk},
                   {"refused", ended.refused},
                   {"node", ended.node},
                   {"job", ended.job},
                   {"stopped_by_slurm", ended.stopped_by_slurm},
                   {"job_state", ended.job_state},
                   {"containment", to_string(record.containment)},
                   {"boot_id", record.boot_id},
                   {"left", record.left}});
}

std::optional<ExitRecord> parse_exit_record(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    const auto containment = system::parse_containment(json.at("containment").get<std::string>());
    if (!containment) return std::nullopt;
    return ExitRecord{.ended = {.token = json.at("token"),
                                .code = json.at("code"),
                                .signal = json.at("signal"),
                                .wall_s = json.at("wall_s"),
                                .cpu_s = json.at("cpu_s"),
                                .max_rss_bytes = json.at("max_rss_bytes"),
                                .oom_killed = json.at("oom_killed"),
                                .guardian_lost = json.value("guardian_lost", false),
                                .abandoned = json.at("abandoned"),
                                // A guardian of an older version writes none of these.
                                .log_error = json.value("log_error", 0),
                                .full_disk = json.value("full_disk", ""),
                                .refused = json.value("refused", ""),
                                .node = json.value("node", ""),
                                .job = json.value("job", ""),
                                .stopped_by_slurm = json.value("stopped_by_slurm", false),
                                .job_state = json.value("job_state", "")},
                      .containment = *containment,
                      .boot_id = json.at("boot_id"),
                      .left = json.at("left")};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::optional<Ended> read_exit_record(system::Files& files, const std::string& path,
                                      const std::string& token) {
  if (path.empty()) return std::nullopt;
  const auto text = files.read_own(path, k_most_record_bytes);
  if (!text) return std::nullopt;
  const auto record = parse_exit_record(*text);
  if (!record || record->ended.token != token || record->boot_id != system::boot_id())
    return std::nullopt;
  return record->ended;
}

Status remove_leftovers(const system::Host& host, const Launch& launch) {
  system::Files& files = host.files;
  Status all = take_back(host, launch);
  const auto remove = [&](const std::string& path) {
    if (Status removed = files.remove_tree(path); !removed && all.ok()) all = std::move(removed);
  };
  for (const std::string& folder : {launch.tmp, launch.shm_folder})
    if (!folder.empty()) remove(folder);
  if (launch.shm_prefix.empty()) return all;
  const auto names = files.names("/dev/shm");
  for (const std::string& name : names ? *names : std::vector<std::string>())
    if (name.starts_with(launch.shm_prefix)) remove("/dev/shm/" + name);
  return all;
}

}  // namespace orch::execute
