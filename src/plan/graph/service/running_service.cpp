#include "plan/graph/service/running_service.hpp"

#include "core/base/text.hpp"
#include "plan/graph/stage_draft.hpp"

namespace orch::plan {

namespace {

constexpr std::string_view k_connect = "{connect}";
constexpr std::string_view k_hosts[] = {k_connect, "127.0.0.1", "localhost"};
constexpr std::string_view k_schemes[] = {"http", "https", "grpc", "grpcs"};
constexpr double k_most_ready_s = 60;  // it is already running
constexpr double k_stop_s = 5;         // of the process that watches it

// If one of NAMES and then MARK precede BEGIN in TEXT, moves BEGIN before both and returns the
// name; otherwise "".
std::string_view take_before(std::string_view text, std::size_t& begin,
                             std::span<const std::string_view> names, std::string_view mark) {
  const std::string_view before = text.substr(0, begin);
  if (!before.ends_with(mark)) return "";
  const std::string_view name = before.substr(0, before.size() - mark.size());
  std::string_view longest;
  for (const std::string_view one : names)
    if (name.ends_with(one) && one.size() > longest.size()) longest = one;
  if (!longest.empty()) begin -= longest.size() + mark.size();
  return longest;
}

// URL for an argument that is written with SCHEME: gRPC has its own schemes.
std::string in_scheme(matrix::ServerUrl url, std::string_view scheme) {
  const bool grpc = scheme.starts_with("grpc");
  url.scheme = fmt::format("{}{}", grpc ? "grpc" : "http", url.tls() ? "s" : "");
  return url.text();
}

std::string none_of(const RunningService& service, std::string_view port) {
  return fmt::format(
      "its port '{0}' is needed, but service does not state it; write ports: {{{0}: NUMBER}} "
      "under service, beside url: {1}",
      port, service.server.url.text());
}

// The name and the index of PORT: "http" 0, "http.2" 1.
std::pair<std::string_view, std::size_t> parts_of(std::string_view port) {
  const std::size_t dot = port.find('.');
  if (dot == std::string_view::npos) return {port, 0};
  const auto number = to_integer(port.substr(dot + 1)).value_or(1);
  return {port.substr(0, dot), static_cast<std::size_t>(number - 1)};
}

std::set<std::string> ports_of(const runner::Manifest& manifest) {
  std::set<std::string> names;
  for (const runner::StageKind& stage : manifest.stages)
    names.insert(stage.ports.begin(), stage.ports.end());
  return names;
}

// The number of SPEC's ports called NAME.
std::size_t count_of(const Spec& spec, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      spec.ports, [&](const std::string& port) { return parts_of(port).first == name; }));
}

void refuse_too_many(const Plan& plan, const std::string& name, const matrix::PinnedPorts& pinned,
                     Errors& errors) {
  for (const Stage& stage : plan.stages) {
    const std::size_t count = count_of(stage.spec, name);
    if (count <= pinned.numbers.size()) continue;
    std::vector<int> numbers = pinned.numbers;
    while (numbers.size() < count) numbers.push_back(numbers.back() + 10);
    errors.push_back(invalid(
        fmt::format("port '{}' is pinned to {}, but point {} has {} servers; pin a port for each, "
                    "such as {}: [{}], or remove it",
                    name, fmt::join(pinned.numbers, ", "),
                    plan.points[stage.points.front()].point.name, count, name,
                    fmt::join(numbers, ", ")),
        pinned.where));
    return;
  }
}

}  // namespace

const matrix::ServerUrl* RunningService::url_of(std::string_view port) const {
  const std::size_t dot = port.find('.');
  if (dot != std::string_view::npos && port.substr(dot) != ".1") return nullptr;
  const auto further = server.ports.find(port.substr(0, dot));
  if (further != server.ports.end()) return &further->second;
  return port.substr(0, dot) == ready_port ? &server.url : nullptr;
}

std::shared_ptr<const RunningService> running_service(const runner::StageKind& kind,
                                                      const runner::Ready& ready,
                                                      const matrix::RunningServer& server) {
  auto service = std::make_shared<RunningService>();
  service->server = server;
  service->ready_port = ready.port;
  const std::vector<std::string>& paths = kind.identity ? kind.identity->get : ready.get;
  const matrix::ServerUrl* url = service->url_of(service->ready_port);
  for (const std::string& path : paths)
    service->asks.push_back((url ? url->text() : server.url.text()) + path);
  if (kind.identity) service->without = kind.identity->without;
  service->question =
      fmt::format("{}{} {}", k_server_question, server.url.text(), join(paths, " "));
  return service;
}

Result<std::string> with_addresses(const std::string& text, const std::string& stage,
                                   const RunningService& service) {
  const std::string symbol = fmt::format("{{port:{}.", stage);
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find(symbol); at != std::string::npos; at = text.find(symbol, done)) {
    const std::size_t end = text.find('}', at);
    const std::string port = text.substr(at + symbol.size(), end - at - symbol.size());
    const matrix::ServerUrl* url = service.url_of(port);
    if (!url) return invalid(none_of(service, port));
    std::size_t begin = at;
    const bool has_host = !take_before(text, begin, k_hosts, ":").empty();
    const auto scheme = has_host ? take_before(text, begin, k_schemes, "://") : std::string_view();
    out += text.substr(done, begin - done);
    if (!scheme.empty()) out += in_scheme(*url, scheme);
    else if (!has_host) out += std::to_string(url->port);
    else if (!url->tls() && url->path.empty()) out += url->authority();
    else
      return invalid(fmt::format(
          "one of its arguments is HOST:PORT, which cannot express {}; use a URL without "
          "TLS or path, or another tool",
          url->text()));
    done = end + 1;
  }
  out += text.substr(done);
  for (std::size_t at = out.find(k_connect); at != std::string::npos; at = out.find(k_connect))
    out.replace(at, k_connect.size(), service.server.url.host);
  return out;
}

namespace {

void list_running(RunnerContext& context, StageDraft& draft, const RunningService& service) {
  Components& list = draft.stage.components;
  list.add("schema", k_schema);
  list.add("kind", "running service");
  list.add("stage", draft.from.kind.name);
  list.add("service.url", service.server.url.text());
  for (const auto& [port, url] : service.server.ports) list.add("service.port." + port, url.text());
  for (const auto& [name, value] : service.server.headers)
    if (const auto variables = header_variables(name, value); variables && variables->empty())
      list.add("service.header." + lower(name), value);
  const auto says = context.facts.server_says(service.question);
  list.add("service.says", says.value_or(fmt::format("{{{}}}", service.question)));
  if (!says) draft.miss(service.question);
  if (draft.from.repeats.serve > 0)
    list.add("serve_repeat", std::to_string(draft.from.repeats.serve));
  auto described = std::make_shared<RunningService>(service);
  described->says = says.value_or("");
  draft.stage.spec.server = std::move(described);
}

// Reports ports that no server of the runner has, and ports of smoke requests without a URL.
void refuse_running(RunnerContext& context, const StageDraft& draft,
                    const RunningService& service) {
  const runner::StageKind& kind = draft.from.kind;
  std::vector<std::string> known;
  for (const runner::StageKind& one : context.manifest.stages)
    known.insert(known.end(), one.ports.begin(), one.ports.end());
  for (const auto& [port, url] : service.server.ports) {
    if (contains(known, port)) continue;
    const std::string near = did_you_mean(port, known);
    context.complaints.add(
        "service port " + port,
        invalid(fmt::format("service: no server of runner '{}' has a port {}{}",
                            context.manifest.name, quoted(port),
                            near.empty() ? "; its ports are: " + join(known, ", ") : near),
                service.server.where));
  }
  for (const runner::Smoke& smoke : kind.smoke)
    if (!service.url_of(smoke.port))
      context.complaints.add(
          "service smoke " + smoke.port,
          invalid(fmt::format("service: {}", none_of(service, smoke.port)), service.server.where));
}

void warn_of_running(RunnerContext& context, const Instance& from) {
  const std::string url = from.server->url.text();
  context.complaints.warn(fmt::format(
      "{} under 'service' is already running: its prefix cache, its other users and the "
      "parameters that it was started with are not under control; {}",
      url,
      from.server->reuse ? "earlier measurements of it are reused (reuse: true)"
                         : "every run measures it anew"));
  if (from.server->machine.empty())
    context.complaints.warn(
        fmt::format("the machine of {} is not stated; write machine: TEXT under service", url));
  if (context.matrix.measure.serve_repeats > 1)
    context.complaints.warn(
        fmt::format("repeats.serve is {}: {} is not restarted for each repeat, only "
                    "asked again whether it is ready",
                    context.matrix.measure.serve_repeats, url));
}

}  // namespace

// The stage that replaces a service: a process that watches the server and starts nothing.
Stage make_running(RunnerContext& context, const Instance& from) {
  const runner::StageKind& kind = from.kind;
  StageDraft draft{.from = from};
  Stage& stage = draft.stage;
  stage.session = from.repeats.build * context.matrix.measure.serve_repeats + from.repeats.serve;
  const SymbolValues values = symbol_values(context, draft);
  stage.parameters.clear();
  fill_ready(draft, values, k_most_ready_s);
  const auto service = running_service(kind, *stage.spec.ready, *from.server);
  stage.spec.name = kind.name;
  stage.spec.runner = context.manifest.name;
  stage.spec.kind = kind.kind;
  stage.spec.argv = {"{orchestrate}", "watch-server", from.server->url.text()};
  stage.spec.stop_s = k_stop_s;
  stage.spec.secrets = matrix::secret_variables(*from.server);
  fill_smoke(draft, values);
  list_running(context, draft, *service);
  take_key(stage);
  refuse_running(context, draft, *service);
  warn_of_running(context, from);
  return std::move(draft.stage);
}

// Makes the arguments of a measurement address its running server.
void point_at_running(RunnerContext& context, StageDraft& draft) {
  const Stage* served = nullptr;
  for (std::size_t i = 0; i < draft.from.needs.size(); ++i)
    if (const Stage* need = draft.from.needs[i]; need && need->spec.server) served = need;
  if (!served || draft.from.kind.kind != runner::Kind::measure) return;
  const RunningService& service = *served->spec.server;
  Spec& spec = draft.stage.spec;
  for_each_text(spec, [&](std::string& text) {
    auto replaced = with_addresses(text, served->spec.name, service);
    if (replaced) text = std::move(*replaced);
    else
      context.complaints.add(
          spec.name + replaced.error().message,
          invalid(fmt::format("service: stage '{}' measures {}: {}", spec.name,
                              service.server.url.text(), replaced.error().message),
                  service.server.where));
  });
  draft.stage.running = served->spec.server;
  spec.inherit.insert(spec.inherit.end(), {"SSL_CERT_FILE", "SSL_CERT_DIR"});
  const auto ours = std::ranges::find(spec.argv, "{orchestrate}");
  if (std::distance(ours, spec.argv.end()) < 2) return;
  const bool native = *(ours + 1) == "bench";
  if (!native && *(ours + 1) != "convert-results") return;
  std::vector<std::string> words = {"--running-server"};
  if (native) {
    const matrix::RunningServer& server = service.server;
    if (!server.token_env.empty()) words.insert(words.end(), {"--token-env", server.token_env});
    for (const auto& [name, value] : server.headers)
      words.insert(words.end(), {"--header", fmt::format("{}: {}", name, value)});
    const auto secrets = matrix::secret_variables(server);
    spec.secrets.insert(spec.secrets.end(), secrets.begin(), secrets.end());
  }
  spec.argv.insert(ours + 2, words.begin(), words.end());
}

PinnedPorts pinned_ports(const matrix::Matrix& matrix) {
  PinnedPorts ports;
  for (const auto& [name, pinned] : matrix.ports) ports.emplace(name, pinned.numbers);
  return ports;
}

std::optional<int> pinned_port(const Plan& plan, std::string_view port) {
  const auto [name, index] = parts_of(port);
  const auto pinned = plan.ports.find(name);
  if (pinned == plan.ports.end() || index >= pinned->second.size()) return std::nullopt;
  return pinned->second[index];
}

void check_pinned_ports(const Plan& plan, std::span<const Inputs> all, Errors& errors) {
  std::set<std::string> known;
  for (const Inputs& inputs : all) known.merge(ports_of(inputs.manifest));
  for (const auto& [name, pinned] : all.front().matrix.ports) {
    if (known.contains(name)) {
      refuse_too_many(plan, name, pinned, errors);
      continue;
    }
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string near = did_you_mean(name, names);
    errors.push_back(invalid(
        fmt::format("'ports' has {}, but no server of runner '{}' has a port of this name{}",
                    quoted(name), join(plan.runners, "' or '"),
                    near.empty() ? "; its ports are: " + join(names, ", ") : near),
        pinned.where));
  }
}

}  // namespace orch::plan
