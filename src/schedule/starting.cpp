#include "schedule/driver.hpp"
#include "system/kill_point.hpp"

namespace orch::schedule {

std::size_t Scheduler::Impl::active_of(Kind wanted) const {
  return static_cast<std::size_t>(
      std::count_if(active_.begin(), active_.end(),
                    [&](const auto& entry) { return kind(entry.second.first()) == wanted; }));
}

// Isolation `strict`: while something is measured nothing else of ours works on this host. Tasks go
// first, so every server finds its prompts and no measurement waits for a build. A server that was
// taken over from a dead run, or was started while a task waited to be tried again, may be up while
// tasks are left; they run between its measurements.
void Scheduler::Impl::start_what_may() {
  const auto& tasks = queue_.ready(Kind::task);
  const auto& services = queue_.ready(Kind::service);
  const auto& measures = queue_.ready(Kind::measure);
  if (!measures.empty() && active_of(Kind::measure) == 0 && active_of(Kind::task) == 0 &&
      active_of(Kind::service) == 1)
    measure(measures.begin()->second);
  while (!tasks.empty() && active_of(Kind::measure) == 0 && active_of(Kind::task) < options_.jobs) {
    const auto task = first_with_gpus(tasks);
    if (!task) break;
    start(batch_of(*task));
    queue_.settle();
  }
  while (!services.empty() && !queue_.still_wanted(services.begin()->second)) {
    const Index service = services.begin()->second;
    if (queue_.has_served(service))
      queue_.set(service, State::reused, "all its measurements are there already");
    else queue_.set(service, State::skipped, "nothing is left that it would serve");
  }
  make_way_for_tasks();
  if (!tasks.empty() || !active_.empty() || services.empty()) return;
  if (const auto service = first_with_gpus(services)) start({*service});
}

// On a server that has seen all the prompts there are nothing more can be measured: it would know
// them.
void Scheduler::Impl::measure(Index i) {
  Active* server = service_of(i);
  if (!server || block_[i] < plan::k_prompt_blocks) return start({i});
  if (!server->ended_by_us) end(*server, {"", "started anew, because it has seen all prompts"});
}

// A server that was taken over may hold the GPUs that its own prompts or engines are still to be
// made on.
void Scheduler::Impl::make_way_for_tasks() {
  if (queue_.ready(Kind::task).empty() || !queue_.ready(Kind::measure).empty() ||
      active_of(Kind::task) + active_of(Kind::measure) > 0)
    return;
  for (auto& [token, active] : active_)
    if (queue_.get(active.first()) == State::running && stage(active.first()).gpus > 0)
      end(active, {"", "started anew later, because its GPUs are needed first"});
}

std::optional<Index> Scheduler::Impl::first_with_gpus(const StageQueue::Ready& ready) {
  double too_many = k_never;  // when so many cannot be had, more cannot either
  for (const auto& entry : ready) {
    const Index i = entry.second;  // has_gpus() may take the entry out of the set
    if (stage(i).gpus >= too_many || (kind(i) == Kind::service && !queue_.can_serve(i))) continue;
    if (has_gpus(i)) return i;
    if (queue_.get(i) != State::ready)
      return std::nullopt;  // given up: the set has changed under us
    too_many = stage(i).gpus;
  }
  return std::nullopt;
}

bool Scheduler::Impl::has_gpus(Index i) {
  if (stage(i).gpus <= 0) return true;
  const GpuSlots::Answer answer = gpus_.ask(stage(i).id, static_cast<std::size_t>(stage(i).gpus));
  if (answer.granted || answer.dirty.empty()) {
    dirty_since_s_.erase(i);
    return answer.granted;
  }
  const double since_s = dirty_since_s_.try_emplace(i, now()).first->second;
  if (now() - since_s < options_.dirty_gpu_s) return false;
  dirty_since_s_.erase(i);
  queue_.set(i, State::intent);
  failed(i, {"dirty_gpu", answer.dirty});
  return false;
}

// A batch takes along every ready stage whose process would be started in the same words.
std::vector<Index> Scheduler::Impl::batch_of(Index first) const {
  std::vector<Index> together = {first};
  if (!stage(first).spec.batch) return together;
  for (const auto& [repeat, i] : queue_.ready(Kind::task))
    if (i != first && stage(i).spec.name == stage(first).spec.name &&
        stage(i).spec.argv == stage(first).spec.argv)
      together.push_back(i);
  return together;
}

void Scheduler::Impl::start(const std::vector<Index>& stages) {
  for (const Index i : stages) queue_.set(i, State::intent);
  auto described = describe(stages);
  if (!described) {
    gpus_.give_back(stage(stages.front()).id);
    for (const Index i : stages) failed(i, {"no_ports", described.error().text()});
    return;
  }
  Active active = std::move(*described);
  for (const Active::Member& member : active.members) note(intended(active, member));
  const std::string token = active.token;
  active_.emplace(token, std::move(active));
  after_commit([this, token] { launch(token); });
}

// The attempts of one process; nothing is written yet.
Result<Active> Scheduler::Impl::describe(const std::vector<Index>& stages) {
  Active active;
  execute::Ports ports;
  const plan::Stage& first = stage(stages.front());
  if (!first.spec.ports.empty()) {
    ORCH_ASSIGN(active.leases, tools_.ports.lease(first.spec.ports.size()));
    for (std::size_t p = 0; p < first.spec.ports.size(); ++p)
      ports[first.spec.ports[p]] = active.leases[p].port();
    system::kill_point("ports-leased");
  }
  if (Active* service = first.spec.kind == Kind::measure ? service_of(stages.front()) : nullptr) {
    active.session = service->members.front().key;
    for (const auto& [name, port] : service->members.front().prepared.attempt.ports)
      ports[stage(service->first()).spec.name + "." + name] = port;
  }
  std::vector<execute::Attempt> attempts;
  for (const Index i : stages)
    attempts.push_back({.stage = &stage(i),
                        .number = tools_.journal.next_attempt(stage(i).id),
                        .token = tools_.make_token(),
                        .ports = ports,
                        .gpus = gpus_.held(first.id),
                        .block = block_[i]});
  std::vector<execute::Prepared> prepared = tools_.workspace.describe(attempts);
  active.token = attempts.front().token;
  for (std::size_t m = 0; m < stages.size(); ++m)
    active.members.push_back(
        {stages[m], {stage(stages[m]).id, attempts[m].number}, std::move(prepared[m])});
  return active;
}

AttemptIntended Scheduler::Impl::intended(const Active& active, const Active::Member& member) {
  const execute::Prepared& prepared = member.prepared;
  std::map<std::string, std::string> env;
  for (const auto& [name, value] : stage(member.stage).spec.env)
    env[name] = prepared.launch.env.at(name);
  return {.attempt = member.key,
          .token = prepared.attempt.token,
          .process = active.token,
          .argv = prepared.launch.argv,
          .env = env,
          .work = prepared.launch.work,
          .log = prepared.log,
          .ports = prepared.attempt.ports,
          .gpus = prepared.attempt.gpus,
          .tool_version = prepared.tool_version,
          .at = wall()};
}

void Scheduler::Impl::launch(const std::string& token) {
  system::kill_point("intent-recorded");
  Active& active = active_.at(token);
  const Active::Member& first = active.members.front();
  active.started_s = now();
  std::vector<const execute::Prepared*> prepared;
  for (const Active::Member& member : active.members) prepared.push_back(&member.prepared);
  if (const Status laid_out = tools_.workspace.lay_out(prepared); !laid_out)
    return conclude(token, {}, Failure{"cannot_prepare", laid_out.error().text()});
  if (first.prepared.launch.argv.empty()) {  // files only
    for (const Active::Member& member : active.members) queue_.set(member.stage, State::produced);
    return publish(token, {.token = token, .code = 0});
  }
  auto handle = tools_.executor.start(first.prepared.launch);
  if (!handle) return conclude(token, {}, Failure{"cannot_start", handle.error().text()});
  system::kill_point("spawned");
  active.launched = true;
  const bool is_service = kind(first.stage) == Kind::service;
  // A batch has the time of all its stages.
  if (!is_service)
    active.deadline_s = active.started_s + stage(first.stage).spec.timeout_s *
                                               static_cast<double>(active.members.size());
  for (const Active::Member& member : active.members) {
    note(AttemptSpawned{member.key, *handle, wall()});
    queue_.set(member.stage, is_service ? State::starting : State::running);
    ++block_[member.stage];
  }
  if (is_service)
    for (const Index measure : graph_.dependants[first.stage]) block_[measure] = 0;
  if (is_service) tools_.readiness.watch(token, first.prepared.probe);
}

void Scheduler::Impl::adopt(std::vector<Adopted>& adopted) {
  std::erase_if(adopted, [this](const Adopted& one) {
    const bool ours =
        std::all_of(one.members.begin(), one.members.end(), [this](const Unfinished& member) {
          const auto i = graph_.index.find(member.attempt.stage);
          return i != graph_.index.end() && queue_.in_run(i->second);
        });
    if (!ours) return false;
    const bool ended_server = one.found.fate == execute::Recovered::Fate::ended &&
                              one.members.front().kind == Kind::service;
    if (!ended_server) return take_over(one), true;
    for (const Unfinished& member : one.members)
      note(AttemptLost{member.token, "its server ended", wall()});
    return true;
  });
}

void Scheduler::Impl::take_over(const Adopted& one) {
  const bool lives = one.found.fate == execute::Recovered::Fate::running;
  std::vector<execute::Attempt> attempts;
  for (const Unfinished& member : one.members)
    attempts.push_back({.stage = &stage(graph_.index.at(member.attempt.stage)),
                        .number = member.attempt.number,
                        .token = member.token,
                        .ports = member.ports,
                        .gpus = member.gpus});
  std::vector<execute::Prepared> prepared = tools_.workspace.describe(attempts);
  Active active;
  active.token = one.token();
  active.adopted = true;
  active.launched = lives;
  active.started_s = now() - one.found.for_s;
  for (std::size_t m = 0; m < one.members.size(); ++m) {
    const Unfinished& member = one.members[m];
    const Index i = graph_.index.at(member.attempt.stage);
    note(AttemptAdopted{member.attempt, member.token, wall()});
    if (lives && !member.handle) note(AttemptSpawned{member.attempt, one.found.handle, wall()});
    queue_.set(i, kind(i) == Kind::service ? State::starting : State::running,
               "taken over from a run that died");
    active.members.push_back({i, member.attempt, std::move(prepared[m])});
  }
  const Unfinished& first = one.members.front();
  active.session = first.session;
  if (!first.session.stage.empty())
    measured_[first.session] = std::max(measured_[first.session], first.session_measured);
  for (const auto& [name, port] : first.ports)
    if (auto lease = tools_.ports.retake(port); kind(active.first()) == Kind::service && lease)
      active.leases.push_back(std::move(*lease));
  gpus_.hold(first.attempt.stage, first.gpus);
  if (kind(active.first()) == Kind::service) {
    active.was_ready = first.ready;
    measured_[first.attempt] = first.measured;
    for (const auto& [id, count] : first.attempts)
      if (const auto measure = graph_.index.find(id); measure != graph_.index.end())
        block_[measure->second] = count;
    tools_.readiness.watch(active.token, active.members.front().prepared.probe);
  } else if (lives) {
    active.deadline_s = active.started_s + stage(active.first()).spec.timeout_s *
                                               static_cast<double>(active.members.size());
  }
  active_.emplace(one.token(), std::move(active));
  if (!lives) later(0, [this, ended = *one.found.ended] { on_ended(ended); });
}

}  // namespace orch::schedule
