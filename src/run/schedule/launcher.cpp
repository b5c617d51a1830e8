#include "run/schedule/launcher.hpp"

#include "core/base/text.hpp"
#include "os/system/kill_point.hpp"
#include "run/schedule/outputs/publisher.hpp"

namespace orch::schedule {

using runner::Kind;

namespace {

// The resources in REQUEST of which the host may have too little, as text.
std::string asked_for(const resources::Request& request) {
  std::vector<std::string> words;
  if (request.gpus > 0) words.push_back(plural(request.gpus, "GPU"));
  if (request.which == resources::Request::Cores::counted)
    words.push_back(plural(request.cores, "core"));
  if (request.memory_gib > 0)
    words.push_back(fmt::format("{:g} GiB of memory", request.memory_gib));
  for (const auto& [name, count] : request.tokens)
    words.push_back(fmt::format("{} of the token {}", count, name));
  return join(words, ", ");
}

std::string what_there_is(const resources::Inventory& inventory) {
  std::string text =
      plural(inventory.gpus.size(), "GPU") + ", " + plural(inventory.cores.size(), "core");
  if (inventory.memory_gib > 0) text += fmt::format(", {:.1f} GiB of memory", inventory.memory_gib);
  for (const auto& [name, count] : inventory.tokens)
    text += fmt::format(", {} of the token {}", count, name);
  return text;
}

}  // namespace

void Launcher::start(const std::vector<Index>& stages, const Place& place) {
  if (!place.further)
    for (const Index stage : stages) run_.stages.set(stage, State::intent);
  if (const std::string why = lacks_room(stages); !why.empty())
    return refuse(stages, place, {FailureClass::disk_full, why});
  auto described = describe(stages, place);
  if (!described)
    return refuse(stages, place,
                  {described.error().kind == ErrorKind::unavailable ? FailureClass::port_in_use
                                                                    : FailureClass::no_ports,
                   described.error().text()});
  const ActiveProcess& process = run_.processes.add(std::move(*described));
  for (const ActiveProcess::Member& member : process.members)
    run_.log.note(intent_of(process, member));
  run_.log.after_commit([this, token = process.token] { launch(token); });
}

void Launcher::refuse(const std::vector<Index>& stages, const Place& place,
                      const AttemptFailure& why) {
  run_.host.give_back(place.holder);
  if (place.further) return;
  for (const Index stage : stages) retries_.failed(stage, why);
}

std::string Launcher::lacks_room(const std::vector<Index>& stages) {
  const auto free = run_.tools.workspace.free_space();
  std::uint64_t needed = 0;
  for (const Index stage : stages) needed += run_.stage(stage).estimate.needed_bytes;
  return free ? why_no_room(*free, needed, run_.tools.workspace.layout().store) : "";
}

resources::Grant Launcher::grant_of(Index stage, const ActiveProcess& process) const {
  resources::Grant grant = run_.host.held(process.holder);
  const ActiveProcess* server =
      run_.kind(stage) == Kind::measure ? run_.server_of(process.session) : nullptr;
  if (!server || !grant.cpus.empty()) return grant;
  const resources::Grant of_server = run_.host.held(server->holder);
  grant.cpus = of_server.client_cpus.empty() ? of_server.cpus : of_server.client_cpus;
  grant.nodes = of_server.nodes;
  return grant;
}

Result<ActiveProcess> Launcher::describe(const std::vector<Index>& stages, const Place& place) {
  ActiveProcess process;
  process.kind = run_.kind(stages.front());
  process.holder = place.holder;
  process.session = place.session;
  process.further = place.further;
  ORCH_ASSIGN(const attempt::Ports ports, find_ports(stages.front(), process));
  const resources::Grant grant = grant_of(stages.front(), process);
  std::vector<attempt::Attempt> attempts;
  for (const Index stage : stages)
    attempts.push_back({.stage = &run_.stage(stage),
                        .number = run_.tools.journal.next_attempt(run_.stage(stage).id).value_or(1),
                        .token = run_.tools.environment.new_token(),
                        .ports = ports,
                        .gpus = grant.gpus,
                        .cpus = grant.cpus,
                        .nodes = grant.nodes});
  std::vector<attempt::Prepared> prepared = run_.tools.workspace.describe(attempts);
  process.token = attempts.front().token;
  if (const ActiveProcess* server = run_.placement.joins_server && process.kind == Kind::measure
                                        ? run_.server_of(process.session)
                                        : nullptr) {
    execute::Place& placed = prepared.front().launch.place;
    placed.within = server->token;
    placed.port_prefix = run_.stage(server->stage()).spec.name + ".";
  }
  for (std::size_t m = 0; m < stages.size(); ++m)
    process.members.push_back(
        {stages[m], {run_.stage(stages[m]).id, attempts[m].number}, std::move(prepared[m])});
  return process;
}

Result<attempt::Ports> Launcher::lease_ports(const plan::Spec& spec,
                                             std::vector<system::PortLease>& leases) {
  std::map<std::string, int> pinned;
  for (const std::string& name : spec.ports)
    if (const auto number = plan::pinned_port(run_.plan, name)) pinned[name] = *number;
  ORCH_ASSIGN(leases, system::lease_named(run_.tools.host.ports, spec.ports, pinned));
  attempt::Ports ports;
  for (std::size_t i = 0; i < leases.size(); ++i) ports[spec.ports[i]] = leases[i].port();
  return ports;
}

Result<attempt::Ports> Launcher::find_ports(Index stage, ActiveProcess& process) {
  const plan::Spec& spec = run_.stage(stage).spec;
  attempt::Ports ports;
  if (!spec.ports.empty()) {
    ORCH_ASSIGN(ports, lease_ports(spec, process.leases));
    system::kill_point("ports-leased");
  }
  const ActiveProcess* server =
      spec.kind == Kind::measure ? run_.server_of(process.session) : nullptr;
  if (!server) return ports;
  for (const auto& [name, port] : server->first().prepared.attempt.ports)
    ports[run_.stage(server->stage()).spec.name + "." + name] = port;
  return ports;
}

AttemptIntended Launcher::intent_of(const ActiveProcess& process,
                                    const ActiveProcess::Member& member) {
  const attempt::Prepared& prepared = member.prepared;
  std::map<std::string, std::string> env;
  for (const auto& [name, value] : run_.stage(member.stage).spec.env)
    env[name] = prepared.launch.env.at(name);
  return {.attempt = member.key,
          .token = prepared.attempt.token,
          .process = process.token,
          .argv = prepared.launch.argv,
          .env = env,
          .work = prepared.launch.work,
          .log = prepared.log,
          .ports = prepared.attempt.ports,
          .gpus = prepared.attempt.gpus,
          .cpus = prepared.attempt.cpus,
          .tool_version = prepared.tool_version,
          .probe = plan::probe_text(run_.stage(member.stage).spec),
          .at = run_.wall()};
}

void Launcher::launch(const std::string& token) {
  system::kill_point("intent-recorded");
  ActiveProcess& process = *run_.processes.find(token);
  process.started_s = run_.now();
  std::vector<const attempt::Prepared*> prepared;
  for (const ActiveProcess::Member& member : process.members) prepared.push_back(&member.prepared);
  run_.file_work.start(token, [this, token, prepared](system::LongWork& work) -> FileWork::Next {
    return [this, token, begun = begin(prepared, work)] { spawn(token, begun); };
  });
}

std::optional<AttemptFailure> Launcher::begin(const std::vector<const attempt::Prepared*>& prepared,
                                              system::LongWork& work) {
  const Status laid_out = run_.tools.workspace.lay_out(prepared, work);
  if (!laid_out) return failure_to(FailureClass::cannot_prepare, laid_out.error());
  const plan::Stage& stage = *prepared.front()->attempt.stage;
  if (!stage.spec.version) return std::nullopt;
  const Status same = run_.tools.environment.check_version(stage, work);
  if (same) return std::nullopt;
  if (same.error().kind == ErrorKind::interrupted)
    return AttemptFailure{FailureClass::interrupted, same.error().message};
  return AttemptFailure{FailureClass::tool_mismatch, same.error().message};
}

void Launcher::spawn(const std::string& token, const std::optional<AttemptFailure>& unfit) {
  ActiveProcess& process = *run_.processes.find(token);
  // Waits for file work: the commit of the previous stage's end has started the removal of that
  // stage's folder.
  if (process.kind == Kind::measure && run_.is_alone(process.stage()) && !run_.file_work.empty())
    return run_.file_work.when_empty([this, token, unfit] { spawn(token, unfit); });
  if (process.stopped_for) return endings_.conclude(process, {}, process.stopped_for);
  if (unfit) return endings_.conclude(process, {}, unfit);
  const execute::Launch& launch = process.first().prepared.launch;
  // There is no process: the outputs are files that were just laid out, or are in the cache.
  if (launch.argv.empty() || run_.tools.workspace.is_taken(process.first().prepared)) {
    for (const ActiveProcess::Member& member : process.members)
      run_.stages.set(member.stage, State::produced);
    return endings_.publish(process, {.token = token, .code = 0});
  }
  process.started_s = run_.now();
  const auto handle = run_.tools.executor.start(launch);
  if (!handle) return endings_.conclude(process, {}, cannot_start(process, handle.error()));
  system::kill_point("spawned");
  launched(process, *handle);
}

AttemptFailure Launcher::cannot_start(const ActiveProcess& process, const Error& error) {
  AttemptFailure failure = failure_to(FailureClass::cannot_start, error);
  // On a full disk a guardian cannot write its card, and ends without reporting why.
  const std::string why =
      failure.failure_class == FailureClass::cannot_start ? lacks_room({process.stage()}) : "";
  if (!why.empty()) return {FailureClass::disk_full, fmt::format("{}; {}", failure.message, why)};
  return failure;
}

void Launcher::launched(ActiveProcess& process, const execute::Handle& handle) {
  const bool service = process.kind == Kind::service;
  process.launched = true;
  run_.meet(process);
  if (!service) process.deadline_s = run_.deadline_of(process);
  for (const ActiveProcess::Member& member : process.members) {
    run_.log.note(AttemptSpawned{member.key, handle, run_.wall()});
    if (process.further) continue;
    run_.stages.set(member.stage, service ? State::starting : State::running);
    ++run_.stages[member.stage].measured_here;
  }
  if (!service) return;
  // Resets the count of attempts on the server. A replica does not: the count is then too high for
  // it, which does no harm.
  if (!process.further)
    for (const Index measurement : run_.graph.dependants[process.stage()]) {
      run_.stages[measurement].measured_here = 0;
      run_.stages[measurement].server_is_stuck = false;
    }
  run_.tools.readiness.watch(process.token, process.first().prepared.probe);
}

Starter::Answer Starter::start(Index stage, const AttemptKey& session) {
  const std::string holder = fmt::format("{}#{}", run_.stage(stage).id, ++holders_);
  const std::vector<Index> batch = batch_of(stage);
  const Answer answer = acquire(batch, holder, session);
  if (answer != Answer::started) return answer;
  launcher_.start(batch, {.holder = holder, .session = session});
  run_.stages.settle();
  return answer;
}

resources::Request Starter::request_of(Index stage) const {
  return run_.demands.of(batch_of(stage));
}

bool Starter::start_further(Index service) {
  const std::string holder = fmt::format("{}#{}", run_.stage(service).id, ++holders_);
  if (!run_.host.ask(holder, run_.demands.of(service)).granted) return false;
  launcher_.start({service}, {.holder = holder, .further = true});
  return true;
}

Starter::Answer Starter::acquire(const std::vector<Index>& batch, const std::string& holder,
                                 const AttemptKey& session) {
  const Index stage = batch.front();
  const resources::Request request = run_.demands.of(batch);
  if (request.asks_nothing()) return Answer::started;
  const HostShare::Answer answer = run_.host.ask(holder, request);
  if (!answer.granted && !answer.dirty.empty()) return wait_for_clean_gpus(stage, answer);
  run_.stages.ready_data(stage).dirty_gpus_since_s.reset();
  if (answer.granted) return Answer::started;
  // For a measurement, its server, which outlives it; otherwise null.
  const ActiveProcess* server = run_.server_of(session);
  return run_.processes.empty() || !run_.host.can_ever_grant(request, server ? server->holder : "")
             ? refuse_for_ever(stage)
             : Answer::busy;
}

Starter::Answer Starter::wait_for_clean_gpus(Index stage, const HostShare::Answer& answer) {
  auto& since_s = run_.stages.ready_data(stage).dirty_gpus_since_s;
  if (!since_s) since_s = run_.now();
  if (run_.now() - *since_s < run_.options.dirty_gpu_s) return Answer::busy;
  run_.stages.set(stage, State::intent);
  retries_.failed(
      stage, {answer.missing ? FailureClass::gpu_missing : FailureClass::dirty_gpu, answer.dirty});
  return Answer::gone;
}

Starter::Answer Starter::refuse_for_ever(Index stage) {
  run_.stages.set(stage, State::intent);
  retries_.give_up(
      stage, {FailureClass::host_too_small,
              fmt::format("it asks for {}{}, and this host has {}; change `resources` of the "
                          "stage or the parameters that they read, or `tokens` of the site file",
                          asked_for(run_.demands.of(stage)),
                          run_.kind(stage) == runner::Kind::measure ? " beside its server" : "",
                          what_there_is(run_.host.ledger().inventory()))});
  return Answer::gone;
}

namespace {

using Contained = std::shared_ptr<const container::Settings>;

bool are_alike(const Contained& a, const Contained& b) { return a && b ? *a == *b : a == b; }

}  // namespace

std::vector<Index> Starter::batch_of(Index first) const {
  std::vector<Index> batch = {first};
  const plan::Spec& spec = run_.stage(first).spec;
  if (!spec.batch) return batch;
  for (const auto& [repeat, stage] : run_.stages.ready(runner::Kind::task).all) {
    const plan::Spec& other = run_.stage(stage).spec;
    if (stage != first && other.name == spec.name && other.runner == spec.runner &&
        other.argv == spec.argv && are_alike(other.container, spec.container))
      batch.push_back(stage);
  }
  return batch;
}

}  // namespace orch::schedule
