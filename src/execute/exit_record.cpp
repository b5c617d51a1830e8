#include "execute/exit_record.hpp"

#include "base/json_text.hpp"

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
                   {"abandoned", ended.abandoned},
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
                                .abandoned = json.at("abandoned")},
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
  const auto text = files.read_text(path, k_most_record_bytes);
  if (!text) return std::nullopt;
  const auto record = parse_exit_record(*text);
  if (!record || record->ended.token != token || record->boot_id != system::boot_id())
    return std::nullopt;
  return record->ended;
}

void remove_leftovers(system::Files& files, const Launch& launch) {
  for (const std::string& folder : {launch.tmp, launch.shm_folder})
    if (!folder.empty()) (void)files.remove_tree(folder).ok();
  if (launch.shm_prefix.empty()) return;
  const auto names = files.names("/dev/shm");
  if (!names) return;
  for (const std::string& name : *names)
    if (name.starts_with(launch.shm_prefix)) (void)files.remove_tree("/dev/shm/" + name).ok();
}

}  // namespace orch::execute
