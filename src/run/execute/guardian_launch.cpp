#include "run/execute/guardian_launch.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/text.hpp"
#include "os/system/kill_point.hpp"
#include "os/system/topology/cpus.hpp"
#include "spec/ranks/mpi_ranks.hpp"

#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orch::execute {

namespace {

constexpr std::size_t k_name_size = 16, k_most_card_bytes = 4096, k_most_cards = 10000;

bool is_name(std::string_view text) {
  return text.size() == k_name_size && text[0] == 'g' &&
         std::ranges::all_of(text, is_letter_or_digit);
}

// The text of a small regular file of this user; links are not followed.
std::optional<std::string> read_own(const std::string& path) {
  const system::Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid())
    return std::nullopt;
  std::string text(k_most_card_bytes, '\0');
  const ssize_t count = ::read(file.get(), text.data(), text.size());
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

// As sigabbrev_np(), which glibc has since 2.32.
std::string signal_name(int signal) {
  static constexpr std::pair<int, const char*> k_names[] = {
      {SIGTERM, "TERM"}, {SIGKILL, "KILL"}, {SIGINT, "INT"}, {SIGHUP, "HUP"}, {SIGCONT, "CONT"}};
  for (const auto& [number, name] : k_names)
    if (number == signal) return name;
  return fmt::format("signal {}", signal);
}

constexpr std::size_t k_diagnostic_bytes = 1 << 20;
constexpr double k_end_failed_launch_s = 1;  // during which the guardian answers no request

// A file system with less free space counts as full: a program that ran out of space has often
// freed some of it since, and a file system rarely allocates its last block.
constexpr std::uint64_t k_full_bytes = 1 << 20;
constexpr std::uint64_t k_full_share = 100;  // on a small file system: less than 1/100 of its size
constexpr std::uint64_t k_full_inodes = 4;

bool is_full(const system::FreeSpace& free) {
  const std::uint64_t least =
      free.total_bytes ? std::min(k_full_bytes, free.total_bytes / k_full_share) : k_full_bytes;
  return free.bytes < least || free.inodes < k_full_inodes;
}

// Makes a folder that only this user can read. An existing folder is an error: another process
// created it.
Status make_private_folder(system::Files& files, const std::string& path) {
  ORCH_TRY(files.make_folder(std::filesystem::path(path).parent_path().string()));
  if (::mkdir(path.c_str(), 0700) != 0) return io_error("make the temporary folder", path, errno);
  return {};
}

// Moves the hidden variables of LAUNCH from its environment to its `hidden_file`, as shell lines.
Status hide_variables(Launch& launch) {
  if (launch.hidden_file.empty()) return {};
  std::string text;
  for (const std::string& name : launch.hidden)
    if (const auto value = launch.env.find(name); value != launch.env.end()) {
      text += fmt::format("{}={}\n", name, shell_quote(value->second));
      launch.env.erase(value);
    }
  const system::Descriptor file(
      ::open(launch.hidden_file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return io_error("write", launch.hidden_file, errno);
  return {};
}

// Creates the private folders of LAUNCH and sets the variables that name them. After an error it
// leaves none that it created.
Status make_private_folders(system::Files& files, Launch& launch) {
  if (!launch.tmp.empty()) {
    ORCH_TRY(make_private_folder(files, launch.tmp));
    launch.env["TMPDIR"] = launch.tmp;
  }
  if (launch.shm_folder.empty()) return {};
  const Status made = make_private_folder(files, launch.shm_folder);
  if (!made && !launch.tmp.empty()) (void)files.remove_tree(launch.tmp).ok();
  for (const char* variable : ranks::k_shm_variables) launch.env[variable] = launch.shm_folder;
  return made;
}

}  // namespace

std::string new_guardian_name() { return "g" + system::new_token().substr(1); }

system::Tree tree_of(const GuardianCard& card) {
  return {.token = card.name,
          .leader = card.process,
          .boot_id = card.boot_id,
          .containment = system::Containment::session};
}

std::string folder_id(const std::string& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 ? fmt::format("{}:{}", status.st_dev, status.st_ino)
                                              : "";
}

Status write_card(system::Files& files, const std::string& folder, const GuardianCard& card) {
  GuardianCard written = card;
  written.folder_id = folder_id(folder);
  return files.replace(folder + "/" + card.name + ".json", to_json_text(written) + "\n");
}

std::string guardian_log(const std::string& folder, const std::string& name) {
  return folder + "/" + name + ".log";
}

void remove_card(system::Files& files, const std::string& folder, const std::string& name) {
  for (const char* end : {".json", ".json.tmp"})
    (void)files.remove_tree(folder + "/" + name + end).ok();
  struct stat status {};
  const std::string log = guardian_log(folder, name);
  // A non-empty log stays for the user.
  if (::lstat(log.c_str(), &status) == 0 && status.st_size == 0) (void)files.remove_tree(log).ok();
}

std::vector<GuardianCard> living_cards(system::Files& files, const std::string& folder) {
  std::vector<GuardianCard> cards;
  const auto names = files.names(folder);
  const std::string boot = system::boot_id();
  if (!names || boot.empty()) return cards;  // without /proc, dead guardians cannot be recognised
  for (const std::string& file : *names) {
    const std::string name = file.substr(0, file.rfind('.'));
    // Removes the log of a guardian that died before it wrote its card.
    if (file == name + ".log" && is_name(name) &&
        !std::binary_search(names->begin(), names->end(), name + ".json"))
      remove_card(files, folder, name);
    if (file != name + ".json" || cards.size() == k_most_cards) continue;
    const auto text = is_name(name) ? read_own(folder + "/" + file) : std::nullopt;
    const auto card = text ? from_json_text<GuardianCard>(*text).to_optional() : std::nullopt;
    if (!card || card->name != name) continue;
    if (card->boot_id == boot && system::is_running(card->process)) cards.push_back(*card);
    else remove_card(files, folder, name);
  }
  return cards;
}

std::string GuardianLaunch::diagnostics_beside(const std::string& log) {
  return std::filesystem::path(log).replace_extension(".guardian.log").string();
}

GuardianLaunch::GuardianLaunch(const system::Host& host, Launch launch, system::LogLevel level)
    : host_(host), launch_(std::move(launch)) {
  diagnostics_ = system::open_diagnostics({.path = diagnostics_beside(launch_.log),
                                           .level = level,
                                           .most_bytes = k_diagnostic_bytes,
                                           .kept = 1,
                                           .redact = secret::line_redactor(launch_.secrets)});
}

Result<std::unique_ptr<GuardianLaunch>> GuardianLaunch::spawn(const system::Host& host,
                                                              Launch launch,
                                                              system::Containment containment,
                                                              system::LogLevel level) {
  if (launch.argv.empty()) return invalid("there is no command to start");
  std::unique_ptr<GuardianLaunch> started(new GuardianLaunch(host, std::move(launch), level));
  if (const Status spawned = started->spawn_tree(containment); !spawned) {
    started->diagnostics_->log(system::LogLevel::error, "not started: {}", spawned.error().message);
    return spawned.error();
  }
  return started;
}

Status GuardianLaunch::spawn_tree(system::Containment containment) {
  // Restricts the guardian itself, because the tree inherits its CPU and memory restrictions.
  ORCH_TRY(system::bind_to({launch_.cpus.begin(), launch_.cpus.end()}, launch_.nodes));
  ORCH_TRY(make_private_folders(host_.files, launch_));
  Status spawned = spawn_in_folders(containment);
  if (!spawned) (void)remove_leftovers(host_, launch_).ok();
  return spawned;
}

Status GuardianLaunch::spawn_in_folders(system::Containment containment) {
  ORCH_TRY(hide_variables(launch_));
  ORCH_ASSIGN(log_, LogPipe::open(launch_.log, std::move(launch_.secrets)));
  ORCH_TRY(run_before(host_, launch_));
  oom_kills_ = OomKills();
  system::kill_point("guardian-before-spawn");
  since_s_ = host_.clock.now_s();
  auto tree = host_.processes.spawn({.argv = launch_.argv,
                                     .env = std::move(launch_.env),
                                     .work = launch_.work,
                                     .log = log_->write_end(),
                                     .token = launch_.token,
                                     .containment = containment});
  system::kill_point("guardian-after-spawn");
  log_->close_write_end();
  ORCH_ASSIGN(tree_, std::move(tree));
  diagnostics_->log(system::LogLevel::info, "spawned {}: pid {}, containment {}", launch_.token,
                    tree_.leader.pid, to_string(tree_.containment));
  return {};
}

void GuardianLaunch::signal(int signal) {
  diagnostics_->log(system::LogLevel::info, "sends {} to the tree", signal_name(signal));
  host_.processes.signal(tree_, signal);
}

std::string GuardianLaunch::full_disk() const {
  for (const std::string& path : {launch_.work, launch_.log, launch_.tmp}) {
    const auto space = host_.files.free_space(path);
    if (space && is_full(*space)) return path;
  }
  return "";
}

void GuardianLaunch::record_exit(const system::Exit& exit) {
  record_ = ExitRecord{.ended = {.token = launch_.token,
                                 .code = exit.code,
                                 .signal = exit.signal,
                                 .wall_s = running_s(),
                                 .cpu_s = exit.cpu_s,
                                 .max_rss_bytes = exit.max_rss_bytes},
                       .containment = tree_.containment,
                       .boot_id = tree_.boot_id};
  record_->ended.oom_killed = oom_kills_.any(tree_.cgroup);
  record_->ended.full_disk = full_disk();
  diagnostics_->log(
      system::LogLevel::info, "its first process ended after {:.3f} s: status {}, signal {}{}{}",
      record_->ended.wall_s, exit.code, exit.signal,
      record_->ended.oom_killed ? "; the OOM killer acted meanwhile" : "",
      record_->ended.full_disk.empty() ? "" : "; the disk is full at " + record_->ended.full_disk);
  system::kill_point("guardian-leader-ended");
}

std::optional<Ended> GuardianLaunch::finish(bool abandoned) {
  if (host_.processes.alive(tree_)) {
    if (!std::exchange(record_->left, true))
      diagnostics_->log(system::LogLevel::warning, "processes outlived the first one; ending them");
    if (!host_.processes.end(tree_, k_end_failed_launch_s)) return std::nullopt;
  }
  log_->finish();
  system::kill_point("guardian-tree-ended");
  record_->ended.abandoned = abandoned;
  record_->ended.log_error = log_->error();
  system::kill_point("guardian-before-exit-record");
  // Written before the leftovers are removed, because removing many files takes long; a reader of
  // the record removes what is left. On a full disk the record is lost, and only the message over
  // the socket reports the end.
  if (!launch_.exit_record.empty())
    if (const auto written =
            host_.files.replace(launch_.exit_record, to_json_text(*record_) + "\n");
        !written)
      diagnostics_->log(system::LogLevel::error, "cannot write the exit record: {}",
                        written.error().message);
  system::kill_point("guardian-after-exit-record");
  if (const Status removed = remove_leftovers(host_, launch_); !removed)
    diagnostics_->log(system::LogLevel::warning, "{}", removed.error().message);
  diagnostics_->log(system::LogLevel::info, "the tree has ended{}",
                    abandoned ? ": no orchestrator came back within the grace period" : "");
  return record_->ended;
}

}  // namespace orch::execute
