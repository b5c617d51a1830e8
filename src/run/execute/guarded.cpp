#include "run/execute/guarded.hpp"

#include "os/system/kill_point.hpp"
#include "os/system/tree_signal.hpp"
#include "run/execute/exit_record.hpp"
#include "run/execute/guardian_link.hpp"

#include <csignal>
#include <list>

#include <poll.h>
#include <sys/eventfd.h>

namespace orch::execute {

namespace {

constexpr double k_started_s = 60;  // how long a guardian may take to answer a start
constexpr double k_end_s = 10;
constexpr double k_quit_s = 2;

// The parts of LAUNCH that are needed when it ends.
Launch to_remember(const Launch& launch) {
  Launch kept = launch;
  kept.argv.clear();
  kept.env.clear();
  kept.secrets.clear();
  return kept;
}

class GuardedExecutor final : public Executor {
 public:
  GuardedExecutor(const system::Host& host, GuardedOptions options)
      : host_(host),
        options_(std::move(options)),
        containment_(options_.containment.value_or(system::strongest_containment())) {
    (void)living_cards(host_.files,
                       options_.folder);  // removes the cards of dead guardians
  }
  ~GuardedExecutor() override;

  Result<Handle> start(const Launch& launch) override {
    end_unclaimed_hanging();
    for (auto link = links_.begin(); link != links_.end();) {
      const auto here = link++;
      if (here->launch) continue;
      if (here->channel.fill()) return start_with(here, launch);
      drop(here);  // the guardian died while idle
    }
    ORCH_ASSIGN(GuardianLink link, start_guardian(host_, options_));
    links_.push_back(std::move(link));
    return start_with(std::prev(links_.end()), launch);
  }

  std::vector<Ended> poll(double wait_s) override {
    end_unclaimed_hanging();
    for (GuardianLink& link : links_) {
      receive(link);  // an end may have been read together with the answer to its start
      wait_s = std::min(wait_s, std::max(0.0, link.hangs_at_s - host_.clock.now_s()));
    }
    if (receive_all(ended_.empty() ? wait_s : 0))
      while (receive_all(0)) {
      }
    drop_hanging();
    return std::exchange(ended_, {});
  }

  void wake() override { ::eventfd_write(wake_.get(), 1); }
  void terminate(const std::string& token) override { signal(token, SIGTERM); }
  void kill(const std::string& token) override { signal(token, SIGKILL); }

  void hold(const Launch& launch, const std::optional<Handle>& on_record) override {
    if (!read_exit_record(host_.files, launch.exit_record, launch.token))
      (void)attach(launch, on_record);
  }

  Recovered recover(const Launch& launch, const std::optional<Handle>& on_record) override {
    auto ended = [&] {
      Recovered found{.fate = Recovered::Fate::ended,
                      .ended = read_exit_record(host_.files, launch.exit_record, launch.token)};
      if (found.ended)
        // The guardian may have died before it removed the leftovers.
        (void)remove_leftovers(host_, launch).ok();
      return found;
    };
    if (const auto early = take_ended(launch))
      return {.fate = Recovered::Fate::ended, .ended = early};
    if (holder_of(launch.token) == links_.end())
      if (const Recovered found = ended(); found.ended) return found;
    std::string held;
    if (attach(launch, on_record, &held)) {
      GuardianLink& link = *holder_of(launch.token);
      link.launch = to_remember(launch);
      return {.fate = Recovered::Fate::running,
              .handle = link.handle,
              .for_s = host_.clock.now_s() - link.since_s};
    }
    if (!held.empty()) return {.fate = Recovered::Fate::held, .why = held};
    // The guardian may have written the exit record meanwhile, before it quit or was ended.
    if (const Recovered found = ended(); found.ended) return found;
    return reap(launch, on_record);
  }

 private:
  using Links = std::list<GuardianLink>;

  Result<Handle> start_with(Links::iterator link, const Launch& launch) {
    system::kill_point("executor-before-start-sent");
    (void)link->channel.send(to_line(Start{launch, containment_of(launch), options_.log_level}));
    const auto line = link->channel.wait_line(host_.clock, k_started_s);
    const auto reply = line ? parse_reply(*line) : std::nullopt;
    system::kill_point("executor-after-start-answered");
    if (const auto* refused = reply ? std::get_if<Refused>(&*reply) : nullptr)
      return refused->error;
    link->launch = to_remember(launch);
    link->hangs_at_s = std::numeric_limits<double>::infinity();
    if (const auto* started = reply ? std::get_if<Started>(&*reply) : nullptr) {
      return link->handle = started->handle;
    }
    // The guardian is dead or hung, and may have started the launch, whose end poll() then reports.
    link->handle = {.tree = {.token = launch.token, .containment = containment_of(launch)},
                    .guardian = link->card.name,
                    .guardian_process = link->card.process};
    const Handle handle = link->handle;
    drop(link);
    return handle;
  }

  void signal(const std::string& token, int signal) {
    const auto link = holder_of(token);
    if (link == links_.end()) return;
    system::kill_point(signal == SIGTERM ? "executor-before-terminate" : "executor-before-kill");
    (void)link->channel.send(to_line(Signal{signal}));
    if (signal == SIGKILL)
      link->hangs_at_s = std::min(link->hangs_at_s, host_.clock.now_s() + options_.hangs_s);
  }

  system::Containment containment_of(const Launch& launch) const {
    return launch.containment.value_or(containment_);
  }

  // Handles the messages of LINK's guardian that have arrived.
  void receive(GuardianLink& link) {
    while (const auto line = link.channel.next_line()) {
      const auto reply = parse_reply(*line);
      const auto* over = reply ? std::get_if<Over>(&*reply) : nullptr;
      const Ended* ended = over ? &over->record.ended : nullptr;
      if (!ended || !link.launch || link.launch->token != ended->token) continue;
      ended_.push_back(*ended);
      link.launch.reset();
      link.hangs_at_s = std::numeric_limits<double>::infinity();
    }
  }

  // Reads and handles the messages of all guardians; waits up to WAIT_S for the first message or
  // for wake(). Returns whether anything arrived.
  bool receive_all(double wait_s) {
    std::vector<pollfd> waits;
    for (const GuardianLink& link : links_) waits.push_back({link.channel.descriptor(), POLLIN, 0});
    waits.push_back({wake_.get(), POLLIN, 0});
    const double wait_ms = std::min(wait_s * 1000, 3600e3);
    if (::poll(waits.data(), waits.size(), wait_ms > 0 ? static_cast<int>(wait_ms) + 1 : 0) <= 0)
      return false;
    if (waits.back().revents != 0) {
      eventfd_t wakes = 0;
      ::eventfd_read(wake_.get(), &wakes);
    }
    std::size_t at = 0;
    for (auto link = links_.begin(); link != links_.end();) {
      const auto here = link++;
      if (waits[at++].revents == 0) continue;
      const bool open = here->channel.fill();
      receive(*here);
      if (!open) drop(here);
    }
    return true;
  }

  // Does the remaining work of LINK's guardian, which is dead or hung; ends it if it is hung.
  void drop(Links::iterator link) {
    end_guardian(host_.processes, link->card);
    remove_card(host_.files, options_.folder, link->card.name);
    if (link->launch) {
      auto ended = read_exit_record(host_.files, link->launch->exit_record, link->launch->token);
      if (!ended) {
        end_tree(link->handle.tree);
        // Reaps the guardian's orphans, whose parent is now this process.
        (void)host_.processes.wait(0);
        ended = Ended{.token = link->launch->token, .guardian_lost = true};
      }
      (void)remove_leftovers(host_, *link->launch).ok();
      ended_.push_back(*ended);
    }
    links_.erase(link);
  }

  void drop_hanging() {
    for (auto link = links_.begin(); link != links_.end();) {
      const auto here = link++;
      if (host_.clock.now_s() >= here->hangs_at_s) drop(here);
    }
  }

  // Ends hung guardians that dead orchestrators left and that recovery has not claimed: their grace
  // periods would never end. This process holds the store's lock, so no live orchestrator can own
  // these guardians. The ends of their launches are not recorded.
  void end_unclaimed_hanging() {
    if (std::exchange(recovery_over_, true)) return;
    std::vector<GuardianCard> cards = living_cards(host_.files, options_.folder);
    std::erase_if(cards, [&, here = folder_id(options_.folder)](const GuardianCard& card) {
      return card.folder_id != here || is_ours(card);
    });
    for (const GuardianCard& card : unresponsive_guardians(host_.clock, cards)) {
      // Ends the guardian's children first: they cannot be found once it is gone.
      for (const std::string& token : system::tokens_of_children(card.process.pid))
        (void)host_.processes.end({.token = token, .containment = {}}, k_end_s);
      system::kill_point("executor-before-hanging-ended");
      end_guardian(host_.processes, card);
    }
    (void)living_cards(host_.files, options_.folder);  // removes their cards
  }

  // Ends TREE. Returns only once none of its processes is left, even if some hang in the kernel.
  void end_tree(const system::Tree& tree) {
    while (!host_.processes.end(tree, k_end_s)) {
    }
  }

  bool is_ours(const GuardianCard& card) const {
    return std::ranges::any_of(
        links_, [&](const GuardianLink& link) { return link.card.name == card.name; });
  }

  Links::iterator holder_of(const std::string& token) {
    return std::ranges::find_if(links_, [&](const GuardianLink& link) {
      return link.launch && link.launch->token == token;
    });
  }

  // Attaches to the guardian that runs LAUNCH. False: there is none, or another orchestrator is
  // attached to it; in the latter case sets HELD, if given, to a sentence. Asks every guardian that
  // may run LAUNCH, and ends those that hang.
  bool attach(const Launch& launch, const std::optional<Handle>& on_record,
              std::string* held = nullptr) {
    if (holder_of(launch.token) != links_.end()) return true;
    std::vector<GuardianCard> cards;
    if (on_record && on_record->tree.boot_id == system::boot_id() &&
        system::identify(on_record->guardian_process.pid) == on_record->guardian_process)
      cards.push_back({.name = on_record->guardian,
                       .process = on_record->guardian_process,
                       .boot_id = on_record->tree.boot_id,
                       .version = k_guardian_version});
    if (!on_record) cards = living_cards(host_.files, options_.folder);
    for (const GuardianCard& card : cards) {
      if (is_ours(card)) continue;
      AttachResult asked = attach_to_guardian(host_.clock, card, launch, options_.grace_s);
      if (asked.answer == AttachResult::Answer::busy) {
        if (held)
          *held = fmt::format("pid {} guards it for a run that is still alive", card.process.pid);
        return false;
      }
      if (asked.answer == AttachResult::Answer::hangs) {
        end_guardian(host_.processes, card);
        remove_card(host_.files, options_.folder, card.name);
      }
      if (asked.answer != AttachResult::Answer::attached) continue;
      system::kill_point("executor-recover-attached");
      asked.link.launch = to_remember(launch);
      links_.push_back(std::move(asked.link));
      return true;
    }
    return false;
  }

  // The end of LAUNCH, if it ended while it was held.
  std::optional<Ended> take_ended(const Launch& launch) {
    for (GuardianLink& link : links_) receive(link);
    while (receive_all(0)) {
    }
    const auto found =
        std::ranges::find_if(ended_, [&](const Ended& one) { return one.token == launch.token; });
    if (found == ended_.end()) return std::nullopt;
    const Ended ended = *found;
    ended_.erase(found);
    (void)remove_leftovers(host_, launch).ok();
    return ended;
  }

  Recovered reap(const Launch& launch, const std::optional<Handle>& on_record) {
    // Without a boot id, the processes and the cgroup of the tree are searched for by its token.
    system::Tree tree =
        on_record ? on_record->tree : system::Tree{.token = launch.token, .containment = {}};
    const bool another_boot = !tree.boot_id.empty() && tree.boot_id != system::boot_id();
    const bool left = !another_boot && host_.processes.alive(tree);
    if (left) end_tree(tree);
    (void)remove_leftovers(host_, launch).ok();
    system::kill_point("executor-recover-reaped");
    Recovered lost{.fate = Recovered::Fate::lost};
    if (another_boot) lost.why = "the host was rebooted since";
    else if (left)
      lost.why = "its guardian was gone or did not answer; its remaining processes have been ended";
    else
      lost.why = on_record ? "its guardian was gone, and none of its processes was left"
                           : "it was never started, or none of its processes was left";
    return lost;
  }

  system::Host host_;
  GuardedOptions options_;
  system::Containment containment_;
  Links links_;
  std::vector<Ended> ended_;    // not yet reported
  bool recovery_over_ = false;  // start() or poll() was called
  // Readable after wake(). If it cannot be created, wake() does not end a poll().
  const system::Descriptor wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

GuardedExecutor::~GuardedExecutor() {
  end_unclaimed_hanging();
  for (GuardianLink& link : links_)
    if (!link.launch) (void)link.channel.send(to_line(Quit{}));
  const double until_s = host_.clock.now_s() + k_quit_s;
  for (const GuardianLink& link : links_)
    if (!link.launch) wait_for_guardian(link.card, std::max(0.0, until_s - host_.clock.now_s()));
}

}  // namespace

std::unique_ptr<Executor> make_guarded_executor(const system::Host& host, GuardedOptions options) {
  return std::make_unique<GuardedExecutor>(host, std::move(options));
}

}  // namespace orch::execute
