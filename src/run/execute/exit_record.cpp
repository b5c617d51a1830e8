#include "run/execute/exit_record.hpp"

#include "core/base/fields_json.hpp"
#include "run/execute/around.hpp"

namespace orch::execute {

namespace {

constexpr std::uint64_t k_most_record_bytes = 64 << 10;

}  // namespace

std::optional<Ended> read_exit_record(system::Files& files, const std::string& path,
                                      const std::string& token) {
  if (path.empty()) return std::nullopt;
  const auto text = files.read_own(path, k_most_record_bytes);
  if (!text) return std::nullopt;
  const auto record = from_json_text<ExitRecord>(*text);
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
