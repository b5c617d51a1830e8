#include "execute/handle.hpp"

#include "base/json_text.hpp"

#include <nlohmann/json.hpp>

namespace orch::execute {

using Json = nlohmann::json;

namespace {

Json json_of(const system::ProcessId& process) {
  return {{"pid", process.pid}, {"start_ticks", process.start_ticks}};
}

system::ProcessId process_of(const Json& json) {
  return {json.at("pid").get<int>(), json.at("start_ticks").get<std::uint64_t>()};
}

}  // namespace

std::string to_json(const Handle& handle) {
  return dump(Json{{"token", handle.tree.token},
                   {"leader", json_of(handle.tree.leader)},
                   {"boot_id", handle.tree.boot_id},
                   {"containment", to_string(handle.tree.containment)},
                   {"cgroup", handle.tree.cgroup},
                   {"guardian", handle.guardian},
                   {"guardian_process", json_of(handle.guardian_process)}});
}

std::optional<Handle> parse_handle(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    const auto containment = system::parse_containment(json.at("containment").get<std::string>());
    if (!containment) return std::nullopt;
    return Handle{.tree = {.token = json.at("token"),
                           .leader = process_of(json.at("leader")),
                           .boot_id = json.at("boot_id"),
                           .containment = *containment,
                           .cgroup = json.at("cgroup")},
                  .guardian = json.at("guardian"),
                  .guardian_process = process_of(json.at("guardian_process"))};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace orch::execute
