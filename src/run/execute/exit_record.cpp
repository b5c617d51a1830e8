#include "run/execute/exit_record.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/text.hpp"
#include "os/system/kill_point.hpp"
#include "os/system/run_to_end.hpp"

namespace orch::execute {

namespace {

constexpr std::uint64_t k_most_record_bytes = 64 << 10;

constexpr double k_command_s = 20;  // nvidia-smi takes seconds on a host with eight GPUs
constexpr std::uint64_t k_most_list_bytes = 1 << 20;
constexpr const char* k_variables[] = {"PATH",
                                       "HOME",
                                       "USER",
                                       "XDG_RUNTIME_DIR",
                                       "XDG_DATA_HOME",
                                       "XDG_CONFIG_HOME",
                                       "DOCKER_HOST",
                                       "DOCKER_CONFIG",
                                       "DOCKER_CONTEXT",
                                       "CONTAINER_HOST",
                                       "CONTAINERS_CONF",
                                       "CONTAINERS_STORAGE_CONF"};

using Environment = std::map<std::string, std::string>;

Environment environment_of(const Launch& launch) {
  Environment env;
  for (const char* name : k_variables)
    if (const auto found = launch.env.find(name); found != launch.env.end()) env.insert(*found);
  return env;
}

// Runs a command whose processes are marked with TOKEN, so that they are ended with the launch if
// the guardian dies meanwhile. TOKEN "": they get a new one.
Status run(const system::Host& host, const std::vector<std::string>& argv, const Environment& env,
           const std::string& token) {
  const auto ran =
      system::run_to_end(host.processes, host.clock,
                         {.argv = argv, .env = env, .token = token, .timeout_s = k_command_s});
  const std::string command = join(argv, " ");
  if (!ran) return Error{ran.error().kind, fmt::format("{}: {}", command, ran.error().message)};
  if (ran->end != system::CommandResult::End::exited)
    return Error{ErrorKind::unavailable,
                 fmt::format("{}: it did not end within {:g} s", command, k_command_s)};
  if (ran->code == 0) return {};
  const std::string reason = ran->reason();
  return Error{ErrorKind::io,
               fmt::format("{}: {}", command,
                           reason.empty() ? fmt::format("exit status {}", ran->code) : reason)};
}

// The content of a launch's `undo` file.
struct UndoList {
  std::string token, boot_id;
  Environment env;
  std::vector<std::vector<std::string>> commands;
};
constexpr auto fields_of(Tag<UndoList>) {
  return rows_of(required<&UndoList::token>("token"), required<&UndoList::boot_id>("boot_id"),
                 required<&UndoList::env>("env"), required<&UndoList::commands>("commands"));
}

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
  for (const std::string& name : files.names("/dev/shm").value_or({}))
    if (name.starts_with(launch.shm_prefix)) remove("/dev/shm/" + name);
  return all;
}

Status run_before(const system::Host& host, const Launch& launch) {
  if (!launch.after.empty()) {
    const UndoList list{launch.token, system::boot_id(), environment_of(launch), launch.after};
    ORCH_TRY(host.files.replace(launch.undo, to_json_text(list) + "\n"));
  }
  system::kill_point("undo-recorded");
  const Environment env = environment_of(launch);
  for (const std::vector<std::string>& argv : launch.before) {
    Status ran = run(host, argv, env, launch.token);
    system::kill_point("before-launch-done");
    if (ran) continue;
    (void)take_back(host, launch).ok();
    return ran;
  }
  return {};
}

Status take_back(const system::Host& host, const Launch& launch) {
  if (launch.undo.empty()) return {};
  const auto text = host.files.read_own(launch.undo, k_most_list_bytes);
  if (!text) return {};
  const auto list = from_json_text<UndoList>(*text);
  if (!list || list->token != launch.token || list->boot_id != system::boot_id()) return {};
  Status all;
  for (const std::vector<std::string>& command : list->commands)
    if (Status ran = run(host, command, list->env, ""); !ran && all.ok()) all = std::move(ran);
  system::kill_point("undo-done");
  if (all) all = host.files.remove_tree(launch.undo);
  return all;
}

}  // namespace orch::execute
