#include "run/execute/guardian_link.hpp"

#include "core/base/text.hpp"
#include "core/secret/escapes.hpp"
#include "os/system/kill_point.hpp"
#include "run/execute/guardian.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace orch::execute {

namespace {

constexpr double k_welcome_s = 30;  // long, because the host may be busy
constexpr double k_answer_s = 2;
constexpr double k_last_ask_s = 0.5;  // the time reserved for an answer to the last request
constexpr double k_end_lost_guardian_s = 5;
constexpr double k_busy_s = 0.02;

// The arguments of posix_spawn.
struct SpawnPlan {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  SpawnPlan() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
};

// Gives the guardian a session of its own, so that terminal signals do not reach it, and lets it
// start with no signal blocked or ignored.
void detach(SpawnPlan& plan) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&plan.attributes, &none);
  ::posix_spawnattr_setsigdefault(&plan.attributes, &all);
  ::posix_spawnattr_setflags(&plan.attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

// The guardian itself closes all others that it inherits.
void lay_descriptors(SpawnPlan& plan, int control, const std::string& log) {
  ::posix_spawn_file_actions_adddup2(&plan.files, control, k_guardian_control);
  ::posix_spawn_file_actions_addopen(&plan.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&plan.files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&plan.files, STDERR_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
}

// ENTRY is NAME=VALUE.
bool may_inherit(std::string_view entry, const std::vector<std::string>& secrets) {
  const std::string_view name = entry.substr(0, entry.find('='));
  const std::string_view value = entry.substr(std::min(entry.size(), name.size() + 1));
  return name != system::k_token_variable && !secret::names_a_secret(name) &&
         !contains(secrets, value);
}

Result<int> spawn_guardian(const GuardedOptions& options, const std::string& name, int control) {
  SpawnPlan plan;
  detach(plan);
  const std::string log = guardian_log(options.folder, name);
  lay_descriptors(plan, control, log);
  std::string program = options.program, word = "guardian",
              mark = std::string(system::k_token_variable) + "=" + name;
  char* argv[] = {program.data(), word.data(), nullptr};
  std::vector<char*> env = {mark.data()};
  for (char** entry = environ; *entry; ++entry)
    if (may_inherit(*entry, options.secrets)) env.push_back(*entry);
  env.push_back(nullptr);
  pid_t pid = 0;
  if (const int error =
          ::posix_spawn(&pid, program.c_str(), &plan.files, &plan.attributes, argv, env.data());
      error != 0)
    return io_error("start a guardian with", program, error);
  return pid;
}

// A channel to the guardian of CARD. Not open if no process listens, or if the listener is not the
// process on CARD: any process can take a name, but not an identity.
Channel call(const GuardianCard& card) {
  auto socket = connect_to(card.name);
  if (!socket) return {};
  Channel channel(std::move(*socket));
  const Peer peer = channel.peer();
  return peer.uid == ::geteuid() && system::identify(peer.pid) == card.process ? std::move(channel)
                                                                               : Channel();
}

}  // namespace

Result<GuardianLink> start_guardian(const system::Host& host, const GuardedOptions& options) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return io_error("make a socket for", "a guardian", errno);
  system::Descriptor theirs(ends[1]);
  GuardianLink link{.card = {.name = new_guardian_name(),
                             .boot_id = system::boot_id(),
                             .version = k_guardian_version},
                    .channel = Channel(system::Descriptor(ends[0]))};
  system::kill_point("executor-before-guardian");
  ORCH_ASSIGN(const int pid, spawn_guardian(options, link.card.name, theirs.get()));
  system::kill_point("executor-after-guardian");
  theirs = {};
  link.card.process = system::identify(pid).value_or(system::ProcessId{});
  (void)link.channel.send(to_line(Hello{.version = k_guardian_version,
                                        .name = link.card.name,
                                        .folder = options.folder,
                                        .grace_s = options.grace_s}));
  const auto line = link.channel.wait_line(host.clock, k_welcome_s);
  const auto reply = line ? parse_reply(*line) : std::nullopt;
  if (reply && std::holds_alternative<Welcome>(*reply)) return link;
  ::kill(pid, SIGKILL);  // an unreaped child: its pid cannot have been reused
  ::waitpid(pid, nullptr, 0);
  remove_card(host.files, options.folder, link.card.name);
  return Error{ErrorKind::unavailable,
               fmt::format("guardian {} did not start; its errors, if any, are in {}",
                           link.card.name, guardian_log(options.folder, link.card.name))};
}

AttachResult attach_to_guardian(system::Clock& clock, const GuardianCard& card,
                                const Launch& launch, double grace_s) {
  GuardianLink link{.card = card, .channel = call(card)};
  if (!link.channel) return {};
  const double until_s = clock.now_s() + k_answer_s;
  bool busy = false;
  while (true) {
    (void)link.channel.send(
        to_line(Attach{.version = k_guardian_version, .token = launch.token, .grace_s = grace_s}));
    const auto line = link.channel.wait_line(clock, until_s - clock.now_s());
    const auto reply = line ? parse_reply(*line) : std::nullopt;
    if (reply && std::holds_alternative<NotHeld>(*reply))
      return {.answer = AttachResult::Answer::not_held};
    if (const auto* attached = reply ? std::get_if<Attached>(&*reply) : nullptr) {
      link.handle = attached->handle;
      link.since_s = clock.now_s() - attached->for_s;
      return {.answer = AttachResult::Answer::attached, .link = std::move(link)};
    }
    // A busy guardian may not have noticed yet that its orchestrator died.
    busy = reply && std::holds_alternative<Busy>(*reply);
    if (!busy || until_s - clock.now_s() < k_last_ask_s) break;
    clock.sleep_s(k_busy_s);
  }
  if (busy) return {.answer = AttachResult::Answer::busy};
  return {.answer = system::is_running(card.process) ? AttachResult::Answer::hangs
                                                     : AttachResult::Answer::nobody};
}

std::vector<GuardianCard> unresponsive_guardians(system::Clock& clock,
                                                 const std::vector<GuardianCard>& cards) {
  std::vector<std::pair<Channel, GuardianCard>> asked;
  for (const GuardianCard& card : cards) {
    Channel channel = call(card);
    if (channel && channel.send(to_line(Attach{}))) asked.emplace_back(std::move(channel), card);
  }
  const double until_s = clock.now_s() + k_answer_s;
  for (double left_s = k_answer_s; !asked.empty() && left_s > 0; left_s = until_s - clock.now_s()) {
    std::vector<pollfd> waits;
    for (const auto& [channel, card] : asked) waits.push_back({channel.descriptor(), POLLIN, 0});
    if (::poll(waits.data(), waits.size(), static_cast<int>(left_s * 1000) + 1) <= 0) continue;
    std::size_t at = 0;
    std::erase_if(asked, [&](const auto&) {
      return waits[at++].revents != 0;
    });  // a guardian that answers or closes the connection is not hung
  }
  std::vector<GuardianCard> unresponsive;
  for (auto& [channel, card] : asked) unresponsive.push_back(std::move(card));
  return unresponsive;
}

void end_guardian(system::Processes& processes, const GuardianCard& card) {
  if (system::is_running(card.process)) (void)processes.end(tree_of(card), k_end_lost_guardian_s);
  wait_for_guardian(card, k_end_lost_guardian_s);
}

void wait_for_guardian(const GuardianCard& card, double within_s) {
  system::wait_for_end(card.process, within_s);
  ::waitpid(card.process.pid, nullptr, WNOHANG);  // has an effect only on an unreaped child
}

}  // namespace orch::execute
