#include "execute/guardian_charge.hpp"

#include "base/text.hpp"
#include "execute/private_folders.hpp"
#include "system/kill_point.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orch::execute {

namespace {

constexpr double k_end_s = 1;  // how long others may have to wait for an answer meanwhile

// The number behind "oom_kill" in a file of lines "name number".
std::uint64_t oom_kills_in(const std::string& path) {
  const system::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(16 << 10, '\0');
  const ssize_t count = file ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  for (const std::string& line : split(text, '\n'))
    if (line.starts_with("oom_kill "))
      return static_cast<std::uint64_t>(to_integer(line.substr(9)).value_or(0));
  return 0;
}

// Nobody else may look into it, nor have made it first.
Status make_private_folder(system::Files& files, const std::string& path) {
  ORCH_TRY(files.make_folder(std::filesystem::path(path).parent_path().string()));
  if (::mkdir(path.c_str(), 0700) != 0) return io_error("make the temporary folder", path, errno);
  return {};
}

// The folders that LAUNCH has for itself, and the variables that say so. An error means that none
// of them was made.
Status make_private_folders(system::Files& files, Launch& launch) {
  if (!launch.tmp.empty()) {
    ORCH_TRY(make_private_folder(files, launch.tmp));
    launch.env["TMPDIR"] = launch.tmp;
  }
  if (launch.shm_folder.empty()) return {};
  const Status made = make_private_folder(files, launch.shm_folder);
  if (!made && !launch.tmp.empty()) (void)files.remove_tree(launch.tmp).ok();
  for (const char* variable : k_shm_variables) launch.env[variable] = launch.shm_folder;
  return made;
}

}  // namespace

Result<std::unique_ptr<Charge>> Charge::spawn(const Host& host, Launch launch,
                                              system::Containment containment) {
  std::unique_ptr<Charge> charge(new Charge(host, std::move(launch)));
  Launch& asked = charge->launch_;
  if (asked.argv.empty()) return invalid("there is no command to start");
  ORCH_TRY(make_private_folders(host.files, asked));
  auto log = LogPipe::open(asked.log, std::move(asked.secrets));
  if (!log) {
    remove_traces(host.files, asked);
    return std::move(log).error();
  }
  charge->log_ = std::move(*log);
  charge->oom_kills_before_ = containment == system::Containment::cgroup ? 0 : charge->oom_kills();
  system::kill_point("guardian-before-spawn");
  charge->since_s_ = host.clock.now_s();
  auto tree = host.processes.spawn({.argv = asked.argv,
                                    .env = std::move(asked.env),
                                    .work = asked.work,
                                    .log = charge->log_->write_end(),
                                    .token = asked.token,
                                    .containment = containment});
  system::kill_point("guardian-after-spawn");
  charge->log_->close_write_end();
  if (!tree) {
    remove_traces(host.files, asked);
    return std::move(tree).error();
  }
  charge->tree_ = std::move(*tree);
  return charge;
}

std::uint64_t Charge::oom_kills() const {
  return oom_kills_in(tree_.cgroup.empty() ? "/proc/vmstat" : tree_.cgroup + "/memory.events");
}

void Charge::leader_ended(const system::Exit& exit) {
  record_ = ExitRecord{.ended = {.token = launch_.token,
                                 .code = exit.code,
                                 .signal = exit.signal,
                                 .wall_s = for_s(),
                                 .cpu_s = exit.cpu_s,
                                 .max_rss_bytes = exit.max_rss_bytes},
                       .containment = tree_.containment,
                       .boot_id = tree_.boot_id};
  record_->ended.oom_killed = oom_kills() > oom_kills_before_;
  system::kill_point("guardian-leader-ended");
}

std::optional<Ended> Charge::finish(bool abandoned) {
  if (host_.processes.alive(tree_)) {
    record_->left = true;
    if (!host_.processes.end(tree_, k_end_s)) return std::nullopt;
  }
  log_->finish();
  system::kill_point("guardian-tree-ended");
  record_->ended.abandoned = abandoned;
  system::kill_point("guardian-before-exit-record");
  // Before the traces: to remove many takes long, and whoever reads the record removes what is
  // left. A full disk loses the record: then the word that goes over the socket is all there is.
  if (!launch_.exit_record.empty())
    (void)host_.files.replace(launch_.exit_record, to_json(*record_) + "\n").ok();
  system::kill_point("guardian-after-exit-record");
  remove_traces(host_.files, launch_);
  return record_->ended;
}

}  // namespace orch::execute
