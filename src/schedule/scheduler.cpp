#include "schedule/scheduler.hpp"

#include "schedule/active.hpp"
#include "schedule/expect.hpp"
#include "schedule/graph.hpp"
#include "schedule/stage_state.hpp"

#include <csignal>

namespace orch::schedule {

namespace {

using runner::Kind;

constexpr double k_grace_s = 10;         // between TERM and KILL for tasks and measurements
constexpr double k_watch_s = 0.01;       // how often a server that starts or stops is looked at
constexpr double k_tick_s = 0.5;         // how often the status line is renewed
constexpr std::size_t k_tail_lines = 15;

}  // namespace

class Scheduler::Impl {
 public:
  Impl(const plan::Plan& plan, Tools tools, Options options)
      : plan_(plan), tools_(std::move(tools)), options_(std::move(options)), graph_(plan), expected_(options_.expected_s),
        states_(plan.stages.size(), [this](Index stage, State from, State to, const std::string& why) { moved(stage, from, to, why); }) {}

  Result<Outcome> run() {
    begin();
    while (true) {
      // Until nothing moves any more: what one step makes possible, the next one does at once.
      do {
        obey_interrupts();
        watch_services();
        enforce_deadlines();
        start_what_may();
        moving_ = dirty_ || !effects_.empty();
        if (const Status written = flush(); !written) {
          for (auto& [token, active] : active_)
            if (active.launched) tools_.executor.kill(active.handle);
          return written.error();
        }
      } while (moving_);
      if (active_.empty() && !anything_ready()) break;
      if (now() - last_tick_s_ >= k_tick_s) tick();
      for (const execute::Ended& ended : tools_.executor.poll(patience())) on_ended(ended);
    }
    tick();
    return outcome();
  }

 private:
  const plan::Stage& stage(Index i) const { return plan_.stages[i]; }
  Kind kind(Index i) const { return stage(i).spec.kind; }
  double now() { return tools_.clock.now_s(); }

  // --- telling ---------------------------------------------------------------------------------------------------

  void note(const Event& event) {
    tools_.journal.append(event);
    dirty_ = true;
    for (Observer* observer : tools_.observers) observer->on_event(event);
  }

  void moved(Index i, State from, State to, const std::string& why) {
    note(StageMoved{stage(i).id, from, to, why, tools_.clock.wall_s()});
    ready_[static_cast<std::size_t>(kind(i))].erase({stage(i).repeat, i});
    if (to == State::ready) ready_[static_cast<std::size_t>(kind(i))].insert({stage(i).repeat, i});
    const bool usable = to == State::reused || (to == State::done && kind(i) == Kind::task) || (to == State::running && kind(i) == Kind::service);
    if (usable) satisfied_.push_back(i);
    if (to == State::failed) ++failures_;
  }

  // What waited for stages that have become usable may now be ready.
  void settle() {
    while (!satisfied_.empty()) {
      const Index i = satisfied_.back();
      satisfied_.pop_back();
      for (const Index waiting : graph_.dependants[i]) {
        if (--missing_[waiting] > 0 || !in_run(waiting) || states_.get(waiting) != State::planned) continue;
        states_.set(waiting, draining_ ? State::cancelled : State::ready);
      }
    }
  }

  // EFFECT happens after everything noted so far is durable.
  void after_commit(std::function<void()> effect) { effects_.push_back(std::move(effect)); }

  Status flush() {
    while (dirty_ || !effects_.empty()) {
      if (dirty_) ORCH_TRY(tools_.journal.commit());
      dirty_ = false;
      for (const auto& effect : std::exchange(effects_, {})) effect();
      settle();
    }
    return {};
  }

  // --- beginning and end -----------------------------------------------------------------------------------------

  bool in_run(Index i) const { return stage(i).status == plan::Status::run; }

  void begin() {
    missing_.resize(plan_.stages.size());
    for (Index i = 0; i < plan_.stages.size(); ++i) {
      missing_[i] = graph_.needs[i].size();
      total_ += in_run(i);
    }
    for (Index i = 0; i < plan_.stages.size(); ++i) {
      if (stage(i).status == plan::Status::reuse) states_.set(i, State::reused, stage(i).why);
      else if (in_run(i) && missing_[i] == 0) states_.set(i, State::ready);
    }
    settle();
  }

  bool anything_ready() const {
    return std::any_of(std::begin(ready_), std::end(ready_), [](const auto& set) { return !set.empty(); });
  }

  Outcome outcome() const {
    Outcome outcome{.interrupted = obeyed_ > 0 && states_.count(State::cancelled) > 0, .done = states_.count(State::done), .reused = states_.count(State::reused),
                    .failed = states_.count(State::failed), .skipped = states_.count(State::skipped), .cancelled = states_.count(State::cancelled),
                    .failures_by_class = by_class_};
    return outcome;
  }

  // --- stopping --------------------------------------------------------------------------------------------------

  void drain(const std::string& why) {
    if (std::exchange(draining_, true)) return;
    for (Index i = 0; i < plan_.stages.size(); ++i)
      if (in_run(i) && (states_.get(i) == State::planned || states_.get(i) == State::ready)) states_.set(i, State::cancelled, why);
  }

  void obey_interrupts() {
    const int asked = tools_.interrupts.count();
    if (asked >= 1) drain("interrupted; what runs may end, a second Ctrl-C ends it, a third kills it");
    if (asked >= 2 && obeyed_ < 2)
      for (auto& [token, active] : active_) end(active, {"interrupted", "ended on request"});
    if (asked >= 3 && obeyed_ < 3)
      for (auto& [token, active] : active_) active.kill_at_s = 0;
    obeyed_ = std::max(obeyed_, asked);
    if (options_.fail_fast && failures_) drain("another stage failed and --fail-fast was given");
  }

  // Asks the tree to end; enforce_deadlines() kills it when it does not.
  void end(Active& active, Failure why) {
    if (active.ended_by_us) return;
    active.ended_by_us = std::move(why);
    const Index first = active.members.front().stage;
    active.deadline_s = k_never;
    active.kill_at_s = now() + (kind(first) == Kind::service ? stage(first).spec.stop_s : k_grace_s);
    if (kind(first) == Kind::service && states_.get(first) != State::stopping) states_.set(first, State::stopping, active.ended_by_us->message);
    after_commit([this, token = active.token()] {
      if (const auto found = active_.find(token); found != active_.end() && found->second.launched) tools_.executor.terminate(found->second.handle);
    });
  }

  void enforce_deadlines() {
    std::vector<std::string> over;
    for (auto& [token, active] : active_) {
      if (now() >= active.deadline_s)
        end(active, {"timeout", fmt::format("did not end within {:.0f} s", stage(active.members.front().stage).spec.timeout_s)});
      if (now() >= active.kill_at_s) {
        if (active.launched) tools_.executor.kill(active.handle);
        active.kill_at_s = now() + 1;  // until nothing is left
      }
      if (active.exited && tree_gone(active)) over.push_back(token);
    }
    for (const std::string& token : over) tree_over(token);
  }

  // A server's tree is looked for everywhere: what it leaves holds ports and memory.
  bool tree_gone(const Active& active) { return tools_.executor.gone(active.handle, kind(active.members.front().stage) == Kind::service); }

  // --- starting --------------------------------------------------------------------------------------------------

  std::size_t active_of(Kind wanted) const {
    return static_cast<std::size_t>(std::count_if(active_.begin(), active_.end(), [&](const auto& entry) { return kind(entry.second.members.front().stage) == wanted; }));
  }

  // Isolation `strict`: while a server lives nothing else of ours works on this host but the one measurement. Tasks
  // go first, so every server finds its prompts and no measurement waits for a build.
  void start_what_may() {
    auto& tasks = ready_[static_cast<std::size_t>(Kind::task)];
    auto& services = ready_[static_cast<std::size_t>(Kind::service)];
    auto& measures = ready_[static_cast<std::size_t>(Kind::measure)];
    while (!tasks.empty() && active_of(Kind::service) == 0 && active_of(Kind::task) < options_.jobs) {
      start_task(tasks.begin()->second);
      settle();
    }
    while (!services.empty() && !still_wanted(services.begin()->second)) states_.set(services.begin()->second, State::skipped, "nothing is left that it would serve");
    if (tasks.empty() && active_.empty() && !services.empty()) start({services.begin()->second});
    if (!measures.empty() && active_of(Kind::measure) == 0 && active_of(Kind::service) == 1) start({measures.begin()->second});
  }

  // A batch takes along every ready stage whose process would be started in the same words.
  void start_task(Index first) {
    std::vector<Index> together = {first};
    if (stage(first).spec.batch)
      for (const auto& [repeat, i] : ready_[static_cast<std::size_t>(Kind::task)])
        if (i != first && stage(i).spec.name == stage(first).spec.name && stage(i).spec.argv == stage(first).spec.argv) together.push_back(i);
    start(together);
  }

  Active* service_of(Index measurement) {
    for (auto& [token, active] : active_)
      for (const Index need : graph_.needs[measurement])
        if (active.members.front().stage == need) return &active;
    return nullptr;
  }

  void start(const std::vector<Index>& stages) {
    for (const Index i : stages) states_.set(i, State::intent);
    auto described = describe(stages);
    if (!described) {
      for (const Index i : stages) fail(i, {"no_ports", described.error().text()});
      return;
    }
    Active active = std::move(*described);
    for (const Active::Member& member : active.members) note(intended(member));
    const std::string token = active.token();
    active_.emplace(token, std::move(active));
    after_commit([this, token] { launch(token); });
  }

  // The attempts of one process; nothing is written yet.
  Result<Active> describe(const std::vector<Index>& stages) {
    Active active;
    execute::Ports ports;
    const plan::Stage& first = stage(stages.front());
    if (!first.spec.ports.empty()) {
      ORCH_ASSIGN(active.leases, tools_.ports.lease(first.spec.ports.size()));
      for (std::size_t p = 0; p < first.spec.ports.size(); ++p) ports[first.spec.ports[p]] = active.leases[p].port();
    }
    if (Active* service = first.spec.kind == Kind::measure ? service_of(stages.front()) : nullptr) {
      active.session = service->members.front().key;
      for (const auto& [name, port] : service->members.front().prepared.attempt.ports)
        ports[stage(service->members.front().stage).spec.name + "." + name] = port;
    }
    std::vector<execute::Attempt> attempts;
    for (const Index i : stages)
      attempts.push_back({.stage = &stage(i), .number = tools_.journal.next_attempt(stage(i).id), .token = tools_.make_token(), .ports = ports, .block = again_[i]});
    std::vector<execute::Prepared> prepared = tools_.workspace.describe(attempts);
    for (std::size_t m = 0; m < stages.size(); ++m)
      active.members.push_back({stages[m], {stage(stages[m]).id, attempts[m].number}, std::move(prepared[m])});
    return active;
  }

  AttemptIntended intended(const Active::Member& member) {
    const execute::Prepared& prepared = member.prepared;
    std::map<std::string, std::string> env;
    for (const auto& [name, value] : stage(member.stage).spec.env) env[name] = prepared.launch.env.at(name);
    return {.attempt = member.key, .token = prepared.attempt.token, .argv = prepared.launch.argv, .env = env, .work = prepared.launch.work,
            .log = prepared.log, .ports = prepared.attempt.ports, .tool_version = prepared.tool_version, .at = tools_.clock.wall_s()};
  }

  void launch(const std::string& token) {
    Active& active = active_.at(token);
    const Active::Member& first = active.members.front();
    active.started_s = now();
    std::vector<const execute::Prepared*> prepared;
    for (const Active::Member& member : active.members) prepared.push_back(&member.prepared);
    if (const Status laid_out = tools_.workspace.lay_out(prepared); !laid_out) return conclude(token, {}, Failure{"cannot_prepare", laid_out.error().text()});
    if (first.prepared.launch.argv.empty()) {  // files only
      for (const Active::Member& member : active.members) states_.set(member.stage, State::produced);
      after_commit([this, token] { publish(token, {}); });
      return;
    }
    auto handle = tools_.executor.start(first.prepared.launch);
    if (!handle) return conclude(token, {}, Failure{"cannot_start", handle.error().text()});
    active.handle = *handle;
    active.launched = true;
    const bool is_service = kind(first.stage) == Kind::service;
    // A batch has the time of all its stages.
    if (!is_service) active.deadline_s = active.started_s + stage(first.stage).spec.timeout_s * static_cast<double>(active.members.size());
    for (const Active::Member& member : active.members) {
      note(AttemptSpawned{member.key, handle->process.pid, handle->process.start_ticks, tools_.clock.wall_s()});
      states_.set(member.stage, is_service ? State::starting : State::running);
    }
    if (is_service) tools_.readiness.watch(token, first.prepared.probe);
  }

  // --- services --------------------------------------------------------------------------------------------------

  bool still_wanted(Index service) const {
    return std::any_of(graph_.dependants[service].begin(), graph_.dependants[service].end(), [&](Index i) { return in_run(i) && !is_final(states_.get(i)); });
  }

  void watch_services() {
    for (auto& [token, active] : active_) {
      const Index i = active.members.front().stage;
      if (kind(i) != Kind::service || active.exited) continue;
      if (states_.get(i) == State::starting && !still_wanted(i)) end(active, {"interrupted", "nobody waits for it any more"});
      if (states_.get(i) == State::starting) watch_start(active, i);
      if (states_.get(i) == State::running && !still_wanted(i)) end(active, {"", "all its measurements are over"});
    }
    settle();
  }

  void watch_start(Active& active, Index i) {
    const execute::HealthReport report = tools_.readiness.report(active.token());
    if (report.health == execute::Health::pending) return;
    tools_.readiness.forget(active.token());
    if (report.health == execute::Health::failed) return end(active, {"not_ready", report.why});
    note(ServiceReady{active.members.front().key, now() - active.started_s, tools_.clock.wall_s()});
    expected_.learn(stage(i).spec.name, now() - active.started_s);
    states_.set(i, State::running, "ready");
  }

  // Why a service whose leader is gone did not end as it should.
  void service_ended(Active& active, const execute::Ended& ended) {
    const Index i = active.members.front().stage;
    tools_.readiness.forget(active.token());
    if (active.ended_by_us) return;
    const bool was_starting = states_.get(i) == State::starting;
    active.ended_by_us = Failure{was_starting ? "died_starting" : "died_serving", how_it_ended(ended) + (was_starting ? " while starting" : " while serving")};
    skip_dependants(i, "its server died");
  }

  // --- ending ----------------------------------------------------------------------------------------------------

  static std::string how_it_ended(const execute::Ended& ended) {
    if (ended.signal) return fmt::format("was ended by signal {} ({})", ended.signal, ::strsignal(ended.signal));
    return fmt::format("ended with exit status {}", ended.code);
  }

  // The leader is gone. What is left of its tree goes next, and only then is anything made of its outputs.
  void on_ended(const execute::Ended& ended) {
    const auto found = active_.find(ended.token);
    if (found == active_.end()) return;
    Active& active = found->second;
    active.exited = true;
    active.deadline_s = k_never;
    active.kill_at_s = now();
    ending_[ended.token] = ended;
    if (kind(active.members.front().stage) == Kind::service) return service_ended(active, ended);
    if (tree_gone(active)) tree_over(ended.token);
  }

  // No process of the tree is left.
  void tree_over(const std::string& token) {
    Active& active = active_.at(token);
    const execute::Ended ended = ending_.at(token);
    ending_.erase(token);
    active.exited = active.launched = false;  // nothing is left to watch or to signal
    active.kill_at_s = k_never;
    if (kind(active.members.front().stage) == Kind::service) return conclude(token, ended, active.ended_by_us->klass.empty() ? std::nullopt : active.ended_by_us);
    if (active.ended_by_us) return conclude(token, ended, active.ended_by_us);
    if (ended.code == 0) {
      for (const Active::Member& member : active.members) states_.set(member.stage, State::produced);
      after_commit([this, token, ended] { publish(token, ended); });
      return;
    }
    const bool outside = ended.signal == SIGKILL || ended.signal == SIGTERM;
    conclude(token, ended, Failure{ended.signal ? (outside ? "killed_externally" : "crashed") : "exit_status", how_it_ended(ended)});
  }

  // The process ended well: its outputs become visible, or the stage fails for what is wrong with them.
  void publish(std::string token, execute::Ended ended) {
    Active active = std::move(active_.at(token));
    active_.erase(token);
    for (const Active::Member& member : active.members) {
      const auto files = tools_.workspace.check(member.prepared);
      if (!files) {
        finish(active, member, ended, Failure{"output_missing", files.error().message});
      } else if (const Status published = tools_.workspace.publish(member.prepared, *files); !published) {
        finish(active, member, ended, Failure{"cannot_publish", published.error().text()});
      } else {
        ArtifactPublished event{.attempt = member.key, .path = execute::Layout::artifact(member.prepared.artifact), .in_place = stage(member.stage).spec.in_place, .files = {}, .at = tools_.clock.wall_s()};
        for (const execute::PublishedFile& file : *files) event.files.push_back({file.path, file.bytes, file.sha256});
        note(event);
        finish(active, member, ended, std::nullopt);
      }
    }
  }

  // The attempt is over without outputs to publish.
  // By value: what a caller passes may live in the entry that ends here.
  void conclude(std::string token, execute::Ended ended, std::optional<Failure> failure) {
    Active active = std::move(active_.at(token));
    active_.erase(token);
    for (const Active::Member& member : active.members) finish(active, member, ended, failure);
  }

  void finish(const Active& active, const Active::Member& member, const execute::Ended& ended, std::optional<Failure> failure) {
    const double share = 1.0 / static_cast<double>(active.members.size());
    const double wall_s = (now() - active.started_s) * share;
    if (failure && failure->klass != "interrupted") {
      const std::string tail = tools_.workspace.log_tail(active.members.front().prepared.launch.log, k_tail_lines);
      if (!tail.empty()) failure->message += "\n" + tail;
    }
    note(AttemptEnded{.attempt = member.key, .ok = !failure, .exit_code = ended.code, .signal = ended.signal, .failure_class = failure ? failure->klass : "",
                      .message = failure ? failure->message : "", .wall_s = wall_s, .cpu_s = ended.cpu_s * share, .max_rss_bytes = ended.max_rss_bytes, .at = tools_.clock.wall_s()});
    after_commit([this, prepared = member.prepared, keep = failure.has_value()] { tools_.workspace.discard(prepared, keep); });
    if (failure && failure->klass == "interrupted") return cancel(member.stage, failure->message);
    if (failure) return fail(member.stage, *failure);
    if (kind(member.stage) != Kind::service) expected_.learn(stage(member.stage).spec.name, wall_s);
    if (kind(member.stage) == Kind::measure) return judge_later(member, active.session);
    states_.set(member.stage, State::done);
  }

  // A measurement counts when the record says that it is valid; else it is made again, on the same server.
  void judge_later(const Active::Member& member, const AttemptKey& session) {
    note(MeasurementProduced{.attempt = member.key, .session = session, .path = execute::Layout::artifact(member.prepared.artifact) + "/out",
                             .order = ++measured_[session], .at = tools_.clock.wall_s()});
    after_commit([this, i = member.stage, key = member.key] {
      const std::string reasons = tools_.journal.invalid_reasons(key);
      if (reasons.empty()) return states_.set(i, State::done);
      const Active* server = service_of(i);
      const bool server_lives = server && !server->exited && !server->ended_by_us;
      if (!server_lives && !draining_) return fail(i, {"died_serving", "its server died: " + reasons});
      if (again_[i] < options_.invalid_retries && server_lives && !draining_) {
        ++again_[i];
        return states_.set(i, State::ready, fmt::format("measured again, because the last one was invalid: {}", reasons));
      }
      fail(i, {"invalid_measurement", reasons});
    });
  }

  void fail(Index i, const Failure& failure) {
    ++by_class_[failure.klass];
    states_.set(i, State::failed, fmt::format("{}: {}", failure.klass, failure.message.substr(0, failure.message.find('\n'))));
    skip_dependants(i, fmt::format("{} failed ({})", stage(i).id, failure.klass));
  }

  void cancel(Index i, const std::string& why) {
    states_.set(i, State::cancelled, why);
    for (const Index dependant : graph_.dependants[i])
      if (in_run(dependant) && (states_.get(dependant) == State::planned || states_.get(dependant) == State::ready)) cancel(dependant, why);
  }

  void skip_dependants(Index i, const std::string& why) {
    for (const Index dependant : graph_.dependants[i]) {
      if (!in_run(dependant) || (states_.get(dependant) != State::planned && states_.get(dependant) != State::ready)) continue;
      states_.set(dependant, State::skipped, why);
      skip_dependants(dependant, why);
    }
  }

  // --- the status line -------------------------------------------------------------------------------------------

  double patience() {
    double until = k_tick_s;
    for (const auto& [token, active] : active_) {
      const State state = states_.get(active.members.front().stage);
      if (state == State::starting || state == State::stopping || active.exited) return k_watch_s;
      until = std::min({until, active.deadline_s - now(), active.kill_at_s - now()});
    }
    return std::max(0.0, until);
  }

  void tick() {
    last_tick_s_ = now();
    Progress progress{.total = total_, .finished = 0, .failed = failures_, .running = {}, .left_s = 0};
    for (Index i = 0; i < plan_.stages.size(); ++i) {
      if (!in_run(i)) continue;
      if (is_final(states_.get(i))) ++progress.finished;
      else if (const double expected = expected_.of(stage(i).spec.name); expected >= 0) progress.left_s += expected;
    }
    for (const auto& [token, active] : active_) {
      const double for_s = now() - active.started_s;
      for (const Active::Member& member : active.members) progress.running.push_back({stage(member.stage).id, states_.get(member.stage), for_s});
      progress.left_s -= std::min(for_s, std::max(0.0, expected_.of(stage(active.members.front().stage).spec.name)));
    }
    if (progress.left_s <= 0) progress.left_s = -1;
    for (Observer* observer : tools_.observers) observer->on_tick(progress);
  }

  const plan::Plan& plan_;
  Tools tools_;
  Options options_;
  Graph graph_;
  Expectations expected_;
  StageStates states_;
  std::vector<std::size_t> missing_;                        // per stage: needs that are not usable yet
  std::set<std::pair<std::int64_t, Index>> ready_[3];       // per kind; all loads once, then again
  std::vector<Index> satisfied_;
  std::map<std::string, Active> active_;                    // by token
  std::map<std::string, execute::Ended> ending_;            // by token: the leader is gone, others of its tree may not be
  std::map<AttemptKey, int> measured_;                      // measurements per server session
  std::map<Index, int> again_;                              // invalid measurements made so far
  std::map<std::string, std::size_t> by_class_;
  std::vector<std::function<void()>> effects_;
  bool dirty_ = false;
  bool moving_ = false;
  bool draining_ = false;
  int obeyed_ = 0;
  double last_tick_s_ = -k_never;
  std::size_t total_ = 0;
  std::size_t failures_ = 0;
};

Scheduler::Scheduler(const plan::Plan& plan, Tools tools, Options options) : impl_(std::make_unique<Impl>(plan, std::move(tools), std::move(options))) {}
Scheduler::~Scheduler() = default;
Result<Outcome> Scheduler::run() { return impl_->run(); }

}  // namespace orch::schedule
