#include "core/base/text.hpp"
#include "plan/graph/containers.hpp"
#include "run/attempt/stage_environment.hpp"
#include "run/attempt/workspace_parts.hpp"

#include <nlohmann/json.hpp>

namespace orch::attempt {

namespace {

constexpr std::uint64_t k_versions_bytes = 1 << 20;

std::vector<std::string> secrets_for(const WorkspaceParts& in, const plan::Stage& stage) {
  const std::vector<std::string> own = secrets_of(in.config.inherited, stage.spec.secrets);
  std::set<std::string> secrets(in.config.secrets->begin(), in.config.secrets->end());
  secrets.insert(own.begin(), own.end());
  return {secrets.begin(), secrets.end()};
}

// Sets the variables that choose the GPUs; a cluster sets those of jobs that have GPUs.
void show_gpus(const WorkspaceParts& in, Prepared& prepared) {
  const plan::Stage& stage = *prepared.attempt.stage;
  Variables& env = prepared.launch.env;
  const std::vector<std::string> names = gpus_of(in, prepared.attempt);
  if (in.config.places ? stage.gpus > 0 : names.empty() && !in.config.hides_gpus) return;
  if (names.empty()) {
    if (!plan::chooses_gpus(stage.spec)) env[container::k_visible_gpus] = "";
    return;
  }
  // NVML numbers GPUs in bus order; CUDA does so only with this variable.
  env["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  env[container::k_visible_gpus] = join(names, ",");
}

void lock_clocks(const WorkspaceParts& in, Prepared& prepared) {
  execute::Launch& launch = prepared.launch;
  const runner::Kind kind = prepared.attempt.stage->spec.kind;
  if (kind == runner::Kind::measure)
    launch.env[execute::k_gpu_clock_variable] = std::to_string(in.config.clock_mhz);
  const bool has_gpus =
      in.config.places ? prepared.attempt.stage->gpus > 0 : !prepared.attempt.gpus.empty();
  if (kind != runner::Kind::service || !has_gpus) return;
  std::vector<std::string> lock = in.config.clock_command;
  lock.insert(lock.end(), {"-i", in.config.places ? std::string(execute::k_gpus_of_job)
                                                  : join(gpus_of(in, prepared.attempt), ",")});
  std::vector<std::string> restore = lock;
  lock.insert(lock.end(), {"-lgc", fmt::format("{0},{0}", in.config.clock_mhz)});
  restore.emplace_back("-rgc");
  launch.before.push_back(std::move(lock));
  launch.after.push_back(std::move(restore));
}

void fill_place(const WorkspaceParts& in, Prepared& prepared) {
  static const plan::Plan k_no_plan;
  const plan::Stage& stage = *prepared.attempt.stage;
  execute::Place& place = prepared.launch.place;
  place = place_of(in.config.plan ? *in.config.plan : k_no_plan, stage, *in.config.places);
  for (const std::string& name : place.ports)
    if (const auto port = prepared.attempt.ports.find(name);
        port != prepared.attempt.ports.end() && port->second != 0)
      place.pinned.insert(*port);
  for (const auto& [name, value] : prepared.launch.env)
    if (in.config.inherited.contains(name) && !stage.spec.env.contains(name))
      place.inherited.push_back(name);
}

std::string url_of(const WorkspaceParts& in, const Prepared& prepared, const std::string& port,
                   const std::string& path) {
  if (const auto& server = prepared.attempt.stage->spec.server)
    return server->url_of(port)->text() + path;
  const int number = prepared.attempt.ports.at(port);
  return fmt::format("http://{}:{}{}", system::address_to_call(in.layout.bind),
                     number != 0 ? std::to_string(number) : fmt::format("{{port:{}}}", port), path);
}

Probe probe_of(const WorkspaceParts& in, const Prepared& prepared) {
  const plan::Spec& spec = prepared.attempt.stage->spec;
  Probe probe;
  if (spec.ready) {
    for (const std::string& port : plan::ports_called(spec, spec.ready->port))
      for (const std::string& path : spec.ready->get)
        probe.get.push_back(url_of(in, prepared, port, path));
    probe.timeout_s = spec.ready->timeout_s;
  }
  if (spec.smoke) {
    for (const std::string& port : plan::ports_called(spec, spec.smoke->port))
      probe.smoke.push_back(url_of(in, prepared, port, spec.smoke->post));
    probe.smoke_body = filled(in, prepared, spec.smoke->body);
    probe.smoke_answer = spec.smoke->answer;
  }
  if (spec.server) {
    probe.identity = identity_question(*spec.server, in.config.inherited);
    probe.says = spec.server->says;
  }
  probe.redact = [secrets = in.redaction->in_strings](std::string_view text) {
    return secret::redacted(*secrets, text);
  };
  return probe;
}

// "tritonserver 2.51.0, openvino-genai 2026.4.1.0". A version that the file lacks becomes
// "unknown". "" if the stage names no tools or the file cannot be read.
std::string versions_of(const WorkspaceParts& in, const Prepared& prepared) {
  const auto& tools = prepared.attempt.stage->spec.tools;
  if (!tools) return "";
  const auto text = in.files.read_text(filled(in, prepared, tools->from), k_versions_bytes);
  const auto versions = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  if (!versions.is_object()) return "";
  std::vector<std::string> words;
  for (const std::string& name : tools->names) {
    const auto version = versions.find(name);
    words.push_back(name + " " +
                    (version != versions.end() && version->is_string() ? version->get<std::string>()
                                                                       : "unknown"));
  }
  return secret::redacted(*in.redaction->in_strings, join(words, ", "));
}

void fill_launch(const WorkspaceParts& in, Prepared& prepared) {
  const plan::Spec& spec = prepared.attempt.stage->spec;
  execute::Launch& launch = prepared.launch;
  launch = launch_of(in, prepared.attempt.token, prepared.log);
  for (const std::string& word : spec.argv) launch.argv.push_back(filled(in, prepared, word));
  Variables env;
  for (const auto& [name, value] : spec.env) env[name] = filled(in, prepared, value);
  std::vector<std::string> inherit = spec.inherit;
  inherit.insert(inherit.end(), spec.secrets.begin(), spec.secrets.end());
  launch.env = stage_environment(in.config.inherited, inherit, env);
  if (spec.kind == runner::Kind::measure)
    launch.env[execute::k_progress_variable] = in.layout.progress(launch.token);
  show_gpus(in, prepared);
  if (in.config.clock_mhz > 0) lock_clocks(in, prepared);
  if (in.config.places) fill_place(in, prepared);
  launch.cpus = prepared.attempt.cpus;
  launch.nodes = {prepared.attempt.nodes.begin(), prepared.attempt.nodes.end()};
  launch.shm_prefix = filled(in, prepared, spec.shm_prefix);
  launch.secrets = secrets_for(in, *prepared.attempt.stage);
  if (spec.kind == runner::Kind::service) launch.stop_s = spec.stop_s;
}

Prepared describe_one(const WorkspaceParts& in, const Attempt& attempt) {
  const plan::Stage& stage = *attempt.stage;
  const std::string name = fmt::format("{}.{}", stage.id, attempt.number);
  Prepared prepared;
  prepared.attempt = attempt;
  prepared.artifact = stage.spec.kind == runner::Kind::task ? stage.id : name;
  prepared.log = Layout::log(name);
  prepared.shared = stage.spec.shared ? in.shared.entry_of(attempt) : "";
  prepared.out = !prepared.shared.empty() ? prepared.shared + "/out"
                 : stage.spec.in_place    ? in.layout.artifact_out(prepared.artifact)
                                          : in.layout.attempt(attempt.token) + "/artifact/out";
  fill_launch(in, prepared);
  if (stage.spec.kind == runner::Kind::service) prepared.probe = probe_of(in, prepared);
  prepared.tool_version = versions_of(in, prepared);
  if (stage.spec.version)
    prepared.tool_version +=
        (prepared.tool_version.empty() ? "" : ", ") + stage.spec.version->answer;
  return prepared;
}

}  // namespace

execute::Launch launch_of(const WorkspaceParts& in, const std::string& token,
                          const std::string& log) {
  const std::string folder = in.layout.attempt(token);
  execute::Launch launch;
  launch.token = token;
  launch.work = folder + "/work";
  launch.log = in.layout.store + "/" + log;
  launch.exit_record = folder + "/exit.json";
  launch.undo = folder + "/undo.json";
  launch.tmp = temporary_folder(in.config.inherited) + "/" + token;
  launch.shm_folder = "/dev/shm/" + token;
  return launch;
}

std::vector<Prepared> describe(const WorkspaceParts& in, const std::vector<Attempt>& attempts) {
  std::vector<Prepared> prepared;
  for (const Attempt& attempt : attempts) prepared.push_back(describe_one(in, attempt));
  if (prepared.empty()) return prepared;
  enter_container(in, prepared);
  // A batch gets the time of all its stages.
  if (prepared.front().attempt.stage->spec.kind == runner::Kind::task)
    prepared.front().launch.place.seconds *= static_cast<double>(prepared.size());
  for (Prepared& one : prepared) {
    one.launch = prepared.front().launch;
    one.log = prepared.front().log;
  }
  return prepared;
}

}  // namespace orch::attempt
