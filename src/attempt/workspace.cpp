#include "attempt/workspace.hpp"

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "execute/secret_forms.hpp"
#include "render/symbols.hpp"
#include "system/kill_point.hpp"

#include <nlohmann/json.hpp>

namespace orch::attempt {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t k_tmp_bytes = 4096;

bool matches_one(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return pattern.ends_with('*')
               ? name.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1))
               : name == pattern;
  });
}

// The caller's TMPDIR and not a folder of the store: paths of sockets must be short.
std::string temporary_folder(const std::map<std::string, std::string>& inherited) {
  const auto chosen = inherited.find("TMPDIR");
  if (chosen == inherited.end() || !chosen->second.starts_with('/')) return "/tmp";
  return chosen->second.substr(0, chosen->second.find_last_not_of('/') + 1);
}

}  // namespace

std::vector<std::string> secrets_of(const std::map<std::string, std::string>& inherited,
                                    const std::vector<std::string>& named) {
  std::vector<std::string> values;
  for (const auto& [name, value] : inherited)
    if (execute::names_a_secret(name) || matches_one(name, named)) values.push_back(value);
  return values;
}

std::map<std::string, std::string> stage_environment(
    const std::map<std::string, std::string>& inherited, const std::vector<std::string>& inherit,
    const std::map<std::string, std::string>& env) {
  static const std::vector<std::string> k_always = {"PATH",   "HOME", "USER",  "LANG",
                                                    "LC_ALL", "TZ",   "TMPDIR"};
  std::map<std::string, std::string> out = env;
  // The folders of scripts stay as they are: they may be installed ones.
  out.emplace("PYTHONDONTWRITEBYTECODE", "1");
  for (const auto& [name, value] : inherited)
    if (matches_one(name, k_always) || matches_one(name, inherit)) out.emplace(name, value);
  return out;
}

Provided provided_by(const plan::Plan& plan) {
  Provided provided;
  for (const plan::Stage& stage : plan.stages)
    if (!stage.provided.empty()) provided[stage.id] = stage.provided;
  return provided;
}

Workspace::Workspace(system::Files& files, Layout layout,
                     std::map<std::string, std::string> inherited, Provided provided)
    : files_(files),
      layout_(std::move(layout)),
      inherited_(std::move(inherited)),
      provided_(std::move(provided)) {}

std::string Workspace::output_of(const plan::StageId& id) const {
  const auto elsewhere = provided_.find(id);
  return elsewhere == provided_.end() ? layout_.artifact_out(id) : elsewhere->second;
}

std::optional<std::string> Workspace::symbol(const Prepared& prepared,
                                             std::string_view name) const {
  if (name == "out") return prepared.out;
  if (name == "work") return layout_.attempt(prepared.attempt.token) + "/work";
  if (name == "tmp") return prepared.launch.tmp;
  if (name == "jobs") return layout_.attempt(prepared.attempt.token) + "/jobs.json";
  if (name == "token") return prepared.attempt.token;
  if (name == "block") return std::to_string(prepared.attempt.block);
  if (name == "orchestrate") return layout_.orchestrate;
  if (name.starts_with("file:")) return layout_.runner_file(name.substr(5));
  if (name.starts_with("stage:")) return output_of(std::string(name.substr(6)));
  if (name.starts_with("port:")) {
    const auto port = prepared.attempt.ports.find(std::string(name.substr(5)));
    if (port != prepared.attempt.ports.end()) return std::to_string(port->second);
  }
  return std::nullopt;
}

std::string Workspace::resolve(const Prepared& prepared, std::string_view text) const {
  return render::replace_symbols(text,
                                 [&](std::string_view name) { return symbol(prepared, name); });
}

Prepared Workspace::describe(const Attempt& attempt) {
  const plan::Stage& stage = *attempt.stage;
  Prepared prepared;
  prepared.attempt = attempt;
  const std::string name = fmt::format("{}.{}", stage.id, attempt.number);
  prepared.artifact = stage.spec.kind == runner::Kind::task ? stage.id : name;
  prepared.log = Layout::log(name);
  prepared.out = stage.spec.in_place ? layout_.artifact_out(prepared.artifact)
                                     : layout_.attempt(attempt.token) + "/artifact/out";
  fill_launch(prepared);
  if (stage.spec.kind == runner::Kind::service) fill_probe(prepared);
  prepared.tool_version = read_versions(prepared);
  return prepared;
}

std::vector<Prepared> Workspace::describe(const std::vector<Attempt>& attempts) {
  std::vector<Prepared> prepared;
  for (const Attempt& attempt : attempts) {
    prepared.push_back(describe(attempt));
    prepared.back().launch = prepared.front().launch;
    prepared.back().log = prepared.front().log;
  }
  return prepared;
}

Status Workspace::lay_out(const std::vector<const Prepared*>& prepared) {
  system::kill_point("lay-out-begun");
  Json jobs = Json::array();
  for (const Prepared* one : prepared) {
    ORCH_TRY(lay_out(*one));
    Json job = {{"id", one->attempt.stage->id}};
    for (const auto& [name, value] : one->attempt.stage->spec.job) job[name] = resolve(*one, value);
    jobs.push_back(std::move(job));
  }
  if (prepared.front()->attempt.stage->spec.batch)
    ORCH_TRY(files_.put(layout_.attempt(prepared.front()->attempt.token) + "/jobs.json",
                        dump(jobs, 1) + "\n"));
  system::kill_point("lay-out-done");
  return {};
}

Status Workspace::lay_out(const Prepared& prepared) {
  const plan::StageId& id = prepared.attempt.stage->id;
  if (provided_.contains(id))
    return Error{ErrorKind::internal,
                 fmt::format("'{}' is provided at {}; it cannot be made", id, provided_.at(id)),
                 {}};
  // An unfinished in-place output of an earlier attempt is on no record.
  if (prepared.attempt.stage->spec.in_place)
    ORCH_TRY(files_.remove_tree(layout_.store + "/" + Layout::artifact(prepared.artifact)));
  ORCH_TRY(files_.make_folder(layout_.attempt(prepared.attempt.token) + "/work"));
  ORCH_TRY(files_.make_folder(prepared.out));
  if (prepared.launch.token == prepared.attempt.token)
    ORCH_TRY(files_.put(layout_.attempt(prepared.attempt.token) + "/tmp", prepared.launch.tmp));
  return write_files(prepared);
}

// A version that cannot be read is "unknown", and no error.
std::string Workspace::read_versions(const Prepared& prepared) {
  const auto& tools = prepared.attempt.stage->spec.tools;
  const auto text =
      tools ? files_.read(resolve(prepared, tools->from)) : Result<std::string>(std::string());
  const Json versions = text ? Json::parse(*text, nullptr, false) : Json();
  std::vector<std::string> words;
  if (!tools || !versions.is_object()) return "";
  for (const std::string& name : tools->names) {
    const auto version = versions.find(name);
    words.push_back(name + " " +
                    (version != versions.end() && version->is_string() ? version->get<std::string>()
                                                                       : "unknown"));
  }
  return join(words, ", ");
}

void Workspace::fill_launch(Prepared& prepared) {
  const auto& spec = prepared.attempt.stage->spec;
  const std::string& token = prepared.attempt.token;
  execute::Launch& launch = prepared.launch;
  launch.token = token;
  launch.tmp = temporary_folder(inherited_) + "/" + token;
  launch.shm_folder = "/dev/shm/" + token;
  for (const std::string& word : spec.argv) launch.argv.push_back(resolve(prepared, word));
  std::map<std::string, std::string> env;
  for (const auto& [name, value] : spec.env) env[name] = resolve(prepared, value);
  std::vector<std::string> inherit = spec.inherit;
  inherit.insert(inherit.end(), spec.secrets.begin(), spec.secrets.end());
  launch.env = stage_environment(inherited_, inherit, env);
  if (spec.kind == runner::Kind::measure)
    launch.env[execute::k_progress_variable] = layout_.progress(token);
  if (!prepared.attempt.gpus.empty()) {
    // NVML numbers GPUs in bus order; CUDA does so only with this variable.
    launch.env["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
    std::vector<std::string> names;
    for (const int gpu : prepared.attempt.gpus) {
      const auto name = gpu_names_.find(gpu);
      names.push_back(name == gpu_names_.end() ? std::to_string(gpu) : name->second);
    }
    launch.env["CUDA_VISIBLE_DEVICES"] = join(names, ",");
  }
  launch.work = layout_.attempt(token) + "/work";
  launch.log = layout_.store + "/" + prepared.log;
  launch.exit_record = layout_.attempt(token) + "/exit.json";
  launch.shm_prefix = resolve(prepared, spec.shm_prefix);
  launch.secrets = secrets_of(inherited_, spec.secrets);
  if (spec.kind == runner::Kind::service) launch.stop_s = spec.stop_s;
}

void Workspace::fill_probe(Prepared& prepared) {
  const auto& spec = prepared.attempt.stage->spec;
  auto url = [&](const std::string& port, const std::string& path) {
    return fmt::format("http://127.0.0.1:{}{}", prepared.attempt.ports.at(port), path);
  };
  if (spec.ready) {
    for (const std::string& port : plan::ports_called(spec, spec.ready->port))
      for (const std::string& path : spec.ready->get) prepared.probe.get.push_back(url(port, path));
    prepared.probe.timeout_s = spec.ready->timeout_s;
  }
  if (spec.smoke) {
    for (const std::string& port : plan::ports_called(spec, spec.smoke->port))
      prepared.probe.smoke.push_back(url(port, spec.smoke->post));
    prepared.probe.smoke_body = resolve(prepared, spec.smoke->body);
    prepared.probe.smoke_answer = spec.smoke->answer;
  }
}

Status Workspace::write_files(const Prepared& prepared) {
  const plan::Stage& stage = *prepared.attempt.stage;
  auto parent = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  for (const auto& [to, text] : stage.rendered) {
    const std::string path = prepared.out + "/" + to;
    ORCH_TRY(files_.make_folder(parent(path)));
    ORCH_TRY(files_.put(path, text));
  }
  for (const runner::Copy& copy : stage.spec.copy) {
    const std::string path = prepared.out + "/" + copy.to;
    ORCH_TRY(files_.make_folder(parent(path)));
    ORCH_TRY(files_.copy(layout_.runner_file(copy.from), path));
  }
  for (const runner::Place& one : stage.spec.place) ORCH_TRY(place(prepared, one));
  return {};
}

// Copies published text with real paths for other stages, which it names as {stage:ID} or, when it
// is made before they are, as {stage:NAME}.
Status Workspace::place(const Prepared& prepared, const runner::Place& place) {
  const std::string from = resolve(prepared, place.from);
  const std::string to = layout_.attempt(prepared.attempt.token) + "/work/" + place.to;
  ORCH_ASSIGN(const auto entries, files_.list(from));
  for (const system::FileEntry& entry : entries) {
    const std::string target = to + "/" + entry.path;
    ORCH_TRY(files_.make_folder(target.substr(0, target.rfind('/'))));
    ORCH_ASSIGN(const std::string text, files_.read(from + "/" + entry.path));
    ORCH_TRY(files_.put(target, render::replace_symbols(
                                    text, [&](std::string_view name) -> std::optional<std::string> {
                                      if (!name.starts_with("stage:")) return std::nullopt;
                                      const std::string named(name.substr(6));
                                      const auto need = prepared.attempt.stage->needs.find(named);
                                      const bool by_name =
                                          need != prepared.attempt.stage->needs.end() &&
                                          std::find(place.stages.begin(), place.stages.end(),
                                                    named) != place.stages.end();
                                      return output_of(by_name ? need->second : named);
                                    })));
  }
  return {};
}

void Workspace::discard(const Prepared& prepared, bool keep) {
  const std::string folder = layout_.attempt(prepared.attempt.token);
  system::kill_point("discard-begun");
  // The work folder of a failed attempt stays for inspection; incomplete outputs may be large.
  (void)files_.remove_tree(keep ? folder + "/artifact" : folder).ok();
  const std::string in_place = layout_.store + "/" + Layout::artifact(prepared.artifact);
  if (keep && prepared.attempt.stage->spec.in_place && !files_.exists(in_place + "/manifest.json"))
    (void)files_.remove_tree(in_place).ok();
}

execute::Launch Workspace::remnant(const std::string& token, const std::string& log) const {
  execute::Launch launch;
  launch.token = token;
  launch.work = layout_.attempt(token) + "/work";
  launch.log = layout_.store + "/" + log;
  launch.exit_record = layout_.attempt(token) + "/exit.json";
  launch.tmp = temporary_folder(inherited_) + "/" + token;
  launch.shm_folder = "/dev/shm/" + token;
  return launch;
}

void Workspace::forget(const std::string& token) {
  // The file "tmp" names the folder, because the run that died may have had another TMPDIR; the
  // attempt's process may have overwritten it.
  const auto recorded = files_.read_text(layout_.attempt(token) + "/tmp", k_tmp_bytes);
  const std::string tmp = recorded && recorded->ends_with("/" + token)
                              ? *recorded
                              : temporary_folder(inherited_) + "/" + token;
  (void)files_.remove_tree(tmp).ok();
  // A prefix contains the token; the prefix itself is unknown once the stage is not in the plan.
  const auto shared =
      system::is_token(token) ? files_.names("/dev/shm") : std::vector<std::string>();
  for (const std::string& name : shared ? *shared : std::vector<std::string>())
    if (name.find(token) != std::string::npos) (void)files_.remove_tree("/dev/shm/" + name).ok();
  (void)files_.remove_tree(layout_.attempt(token)).ok();
}

std::string Workspace::log_tail(const std::string& log, std::size_t lines) {
  static constexpr std::uint64_t k_tail_bytes = 64 << 10;
  const auto text = files_.read_tail(log, k_tail_bytes);
  if (!text) return "";
  const std::string_view all = trim(*text);
  std::size_t start = all.size();
  for (std::size_t i = 0; i < lines && start != std::string_view::npos && start > 0; ++i)
    start = all.rfind('\n', start - 1);
  return std::string(start == std::string_view::npos || start == 0 ? all : all.substr(start + 1));
}

}  // namespace orch::attempt
