#include "run/attempt/workspace.hpp"

#include "core/base/text.hpp"
#include "core/base/json_scan.hpp"
#include "plan/graph/containers.hpp"
#include "core/secret/escapes.hpp"
#include "spec/render/template.hpp"
#include "os/system/kill_point.hpp"

#include <nlohmann/json.hpp>

namespace orch::attempt {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t k_tmp_bytes = 4096;
constexpr std::uint64_t k_versions_bytes = 1 << 20;
constexpr std::uint64_t k_kept_log_bytes = 1 << 20;  // where a log may be what filled the disk

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// How much of TEXT can be written before more of it is read: a symbol may be cut at its end.
std::size_t whole_symbols(std::string_view text) {
  static constexpr std::size_t k_longest_symbol = 4096;
  const std::size_t open = text.rfind('{');
  const bool is_cut = open != std::string_view::npos && text.size() - open < k_longest_symbol &&
                      text.find('}', open) == std::string_view::npos;
  return is_cut ? open : text.size();
}

struct CopiedFile {
  system::Files& files;
  std::string from, to;
};

// Copies a file of any size with its symbols replaced.
Status copy_replaced(const CopiedFile& file, const render::SymbolLookup& lookup,
                     system::LongWork& work) {
  static constexpr std::size_t k_block = 1 << 20;
  std::string text;  // read, and not written yet
  for (std::uint64_t at = 0;; at += k_block) {
    ORCH_TRY(work.go_on());
    ORCH_ASSIGN(const std::string block, file.files.read_block(file.from, at, k_block));
    text += block;
    const bool is_last = block.size() < k_block;
    const std::size_t end = is_last ? text.size() : whole_symbols(text);
    const std::string replaced = render::replace_symbols(text.substr(0, end), lookup);
    ORCH_TRY(at == 0 ? file.files.put(file.to, replaced) : file.files.append(file.to, replaced));
    text.erase(0, end);
    work.add(block.size());
    if (is_last) return {};
  }
}

bool matches_one(const std::string& name, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return container::is_like(name, pattern); });
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
    if (secret::names_a_secret(name) || matches_one(name, named)) values.push_back(value);
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

std::vector<std::string> headers_of(const plan::RunningService& service,
                                    const std::map<std::string, std::string>& environment) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : service.server.headers)
    if (auto line = header_line(name, value, environment)) lines.push_back(std::move(*line));
  return lines;
}

std::string authorization_of(const plan::RunningService& service,
                             const std::map<std::string, std::string>& environment) {
  const auto token = environment.find(service.server.token_env);
  return token == environment.end() ? "" : "Bearer " + std::string(trim(token->second));
}

IdentityQuestion identity_question(const plan::RunningService& service,
                                   const std::map<std::string, std::string>& environment) {
  return {.urls = service.asks,
          .without = service.without,
          .authorization = authorization_of(service, environment),
          .headers = headers_of(service, environment)};
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
      shared_(std::make_unique<SharedOutputs>(files, "")),
      inherited_(std::move(inherited)),
      provided_(std::move(provided)) {
  know_secrets(secrets_of(inherited_, {}));
}

void Workspace::know_secrets(const std::vector<std::string>& values) {
  secrets_ = values;
  redaction_ = std::make_shared<const secret::JsonSecrets>(values);
}

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
  if (name == "block") return "0";  // every attempt sends the same prompts
  if (name == "orchestrate") return layout_.orchestrate;
  if (auto address = layout_.address(name)) return address;
  if (name.starts_with("file:"))
    return layout_.runner_file(name.substr(5), prepared.attempt.stage->spec.runner);
  if (name.starts_with("stage:")) return output_of(std::string(name.substr(6)));
  if (name.starts_with("port:")) {
    const auto port = prepared.attempt.ports.find(std::string(name.substr(5)));
    if (port != prepared.attempt.ports.end() && port->second != 0)
      return std::to_string(port->second);
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
  prepared.shared = stage.spec.shared ? shared_entry_of(attempt) : "";
  prepared.out = !prepared.shared.empty() ? prepared.shared + "/out"
                 : stage.spec.in_place    ? layout_.artifact_out(prepared.artifact)
                                          : layout_.attempt(attempt.token) + "/artifact/out";
  fill_launch(prepared);
  if (stage.spec.kind == runner::Kind::service) fill_probe(prepared);
  prepared.tool_version = read_versions(prepared);
  if (stage.spec.version)
    prepared.tool_version +=
        (prepared.tool_version.empty() ? "" : ", ") + stage.spec.version->answer;
  return prepared;
}

std::vector<Prepared> Workspace::describe(const std::vector<Attempt>& attempts) {
  std::vector<Prepared> prepared;
  for (const Attempt& attempt : attempts) prepared.push_back(describe(attempt));
  if (!prepared.empty()) enter_container(prepared);
  // A batch has the time of all its stages.
  if (!prepared.empty() && prepared.front().attempt.stage->spec.kind == runner::Kind::task)
    prepared.front().launch.place.seconds *= static_cast<double>(prepared.size());
  for (Prepared& one : prepared) {
    one.launch = prepared.front().launch;
    one.log = prepared.front().log;
  }
  return prepared;
}

Status Workspace::lay_out(const std::vector<const Prepared*>& prepared, system::LongWork& work) {
  system::kill_point("lay-out-begun");
  Json jobs = Json::array();
  for (const Prepared* one : prepared) {
    ORCH_TRY(lay_out(*one, work));
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

Status Workspace::lay_out(const Prepared& prepared, system::LongWork& work) {
  const plan::StageId& id = prepared.attempt.stage->id;
  if (provided_.contains(id))
    return Error{ErrorKind::internal,
                 fmt::format("'{}' is provided at {}; it cannot be made", id, provided_.at(id)),
                 {}};
  // An unfinished in-place output of an earlier attempt is on no record.
  if (prepared.attempt.stage->spec.in_place)
    ORCH_TRY(files_.remove_tree(layout_.store + "/" + Layout::artifact(prepared.artifact)));
  ORCH_TRY(check_container(prepared));
  ORCH_TRY(files_.make_folder(layout_.attempt(prepared.attempt.token) + "/work"));
  if (!prepared.shared.empty()) ORCH_TRY(begin_shared(prepared));
  else ORCH_TRY(files_.make_folder(prepared.out));
  if (prepared.launch.token == prepared.attempt.token)
    ORCH_TRY(files_.put(layout_.attempt(prepared.attempt.token) + "/tmp", prepared.launch.tmp));
  return write_files(prepared, work);
}

// A version that cannot be read is "unknown", and no error.
std::string Workspace::read_versions(const Prepared& prepared) {
  const auto& tools = prepared.attempt.stage->spec.tools;
  const auto text = tools ? files_.read_text(resolve(prepared, tools->from), k_versions_bytes)
                          : Result<std::string>(std::string());
  const Json versions = text ? Json::parse(*text, nullptr, false) : Json();
  std::vector<std::string> words;
  if (!tools || !versions.is_object()) return "";
  for (const std::string& name : tools->names) {
    const auto version = versions.find(name);
    words.push_back(name + " " +
                    (version != versions.end() && version->is_string() ? version->get<std::string>()
                                                                       : "unknown"));
  }
  return secret::redacted(*redaction_->in_strings, join(words, ", "));
}

std::vector<std::string> Workspace::gpus_of(const Attempt& attempt) const {
  std::vector<std::string> names;
  for (const int gpu : attempt.gpus) {
    const auto name = gpu_names_.find(gpu);
    names.push_back(name == gpu_names_.end() ? std::to_string(gpu) : name->second);
  }
  return names;
}

// A cluster chooses the GPUs of its jobs, and tells them.
void Workspace::show_gpus(Prepared& prepared) const {
  const plan::Stage& stage = *prepared.attempt.stage;
  std::map<std::string, std::string>& env = prepared.launch.env;
  const std::vector<std::string> names = gpus_of(prepared.attempt);
  if (elsewhere_ ? stage.gpus > 0 : names.empty() && !hides_gpus_) return;
  if (names.empty()) {
    if (!plan::chooses_gpus(stage.spec)) env[container::k_visible_gpus] = "";
    return;
  }
  // NVML numbers GPUs in bus order; CUDA does so only with this variable.
  env["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  env[container::k_visible_gpus] = join(names, ",");
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
  show_gpus(prepared);
  if (clock_mhz_ > 0) fill_clocks(prepared);
  if (elsewhere_) fill_place(prepared);
  launch.cpus = prepared.attempt.cpus;
  launch.nodes = {prepared.attempt.nodes.begin(), prepared.attempt.nodes.end()};
  launch.work = layout_.attempt(token) + "/work";
  launch.log = layout_.store + "/" + prepared.log;
  launch.exit_record = layout_.attempt(token) + "/exit.json";
  launch.undo = layout_.attempt(token) + "/undo.json";
  launch.shm_prefix = resolve(prepared, spec.shm_prefix);
  std::set<std::string> secrets(secrets_.begin(), secrets_.end());
  for (std::string& value : secrets_of(inherited_, spec.secrets)) secrets.insert(std::move(value));
  launch.secrets = {secrets.begin(), secrets.end()};
  if (spec.kind == runner::Kind::service) launch.stop_s = spec.stop_s;
}

void Workspace::fill_place(Prepared& prepared) const {
  static const plan::Plan k_no_plan;
  execute::Place& place = prepared.launch.place;
  place = place_of(plan_ ? *plan_ : k_no_plan, *prepared.attempt.stage, *elsewhere_);
  for (const std::string& name : place.ports)
    if (const auto port = prepared.attempt.ports.find(name);
        port != prepared.attempt.ports.end() && port->second != 0)
      place.pinned.insert(*port);
  for (const auto& [name, value] : prepared.launch.env)
    if (inherited_.contains(name) && !prepared.attempt.stage->spec.env.contains(name))
      place.inherited.push_back(name);
}

void Workspace::fill_clocks(Prepared& prepared) const {
  execute::Launch& launch = prepared.launch;
  const runner::Kind kind = prepared.attempt.stage->spec.kind;
  if (kind == runner::Kind::measure)
    launch.env[execute::k_gpu_clock_variable] = std::to_string(clock_mhz_);
  const bool has_gpus =
      elsewhere_ ? prepared.attempt.stage->gpus > 0 : !prepared.attempt.gpus.empty();
  if (kind != runner::Kind::service || !has_gpus) return;
  std::vector<std::string> lock = clock_command_;
  lock.insert(lock.end(), {"-i", elsewhere_ ? std::string(execute::k_gpus_of_job)
                                            : join(gpus_of(prepared.attempt), ",")});
  std::vector<std::string> restore = lock;
  lock.insert(lock.end(), {"-lgc", fmt::format("{0},{0}", clock_mhz_)});
  restore.emplace_back("-rgc");
  launch.before.push_back(std::move(lock));
  launch.after.push_back(std::move(restore));
}

void Workspace::fill_probe(Prepared& prepared) {
  const auto& spec = prepared.attempt.stage->spec;
  auto url = [&](const std::string& port, const std::string& path) {
    if (spec.server) return spec.server->url_of(port)->text() + path;
    const int number = prepared.attempt.ports.at(port);
    return fmt::format("http://{}:{}{}", system::address_to_call(layout_.bind),
                       number != 0 ? std::to_string(number) : fmt::format("{{port:{}}}", port),
                       path);
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
  if (spec.server) {
    prepared.probe.authorization = authorization_of(*spec.server, inherited_);
    prepared.probe.headers = headers_of(*spec.server, inherited_);
    prepared.probe.identity = identity_question(*spec.server, inherited_);
    prepared.probe.says = spec.server->says;
  }
  prepared.probe.redact = [secrets = redaction_->in_strings](std::string_view text) {
    return secret::redacted(*secrets, text);
  };
}

Status Workspace::write_files(const Prepared& prepared, system::LongWork& work) {
  const plan::Stage& stage = *prepared.attempt.stage;
  for (const auto& [to, text] : stage.rendered) {
    const std::string path = prepared.out + "/" + to;
    ORCH_TRY(files_.make_folder(parent_of(path)));
    ORCH_TRY(files_.put(path, text));
  }
  for (const runner::Copy& one : stage.spec.copy) ORCH_TRY(copy(prepared, one, work));
  for (const runner::Place& one : stage.spec.place) ORCH_TRY(place(prepared, one, work));
  return {};
}

Status Workspace::copy(const Prepared& prepared, const runner::Copy& copy, system::LongWork& work) {
  const std::string from = layout_.runner_file(copy.from, prepared.attempt.stage->spec.runner),
                    to = prepared.out + "/" + copy.to;
  if (const auto facts = files_.stat(from)) work.expect(facts->bytes);
  ORCH_TRY(files_.make_folder(parent_of(to)));
  return files_.copy(from, to, work);
}

// Copies published text with real paths for other stages, which it names as {stage:ID} or, when it
// is made before they are, as {stage:NAME}.
Status Workspace::place(const Prepared& prepared, const runner::Place& place,
                        system::LongWork& work) {
  const std::string from = resolve(prepared, place.from);
  const std::string to = layout_.attempt(prepared.attempt.token) + "/work/" + place.to;
  const auto lookup = [&](std::string_view name) -> std::optional<std::string> {
    if (!name.starts_with("stage:")) return std::nullopt;
    const std::string named(name.substr(6));
    const auto need = prepared.attempt.stage->needs.find(named);
    const bool by_name = need != prepared.attempt.stage->needs.end() &&
                         std::ranges::find(place.stages, named) != place.stages.end();
    return output_of(by_name ? need->second : named);
  };
  ORCH_ASSIGN(const auto entries, files_.list(from));
  for (const system::FileEntry& entry : entries) {
    const std::string target = to + "/" + entry.path;
    work.expect(entry.bytes);
    ORCH_TRY(files_.make_folder(parent_of(target)));
    ORCH_TRY(copy_replaced({files_, from + "/" + entry.path, target}, lookup, work));
  }
  return {};
}

void Workspace::remove(const std::string& path) {
  const Status removed = files_.remove_tree(path);
  if (!removed) warn_later(removed.error().text());
}

void Workspace::warn_later(const std::string& text) {
  const std::lock_guard lock(*warnings_mutex_);
  warnings_.push_back(text);
}

void Workspace::tell_warnings() {
  std::vector<std::string> warnings;
  {
    const std::lock_guard lock(*warnings_mutex_);
    warnings.swap(warnings_);
  }
  for (const std::string& warning : warnings) warn_(warning);
}

void Workspace::discard(const Prepared& prepared) {
  system::kill_point("discard-begun");
  remove(layout_.attempt(prepared.attempt.token));
}

// Unfinished outputs may be large.
void Workspace::discard_failed(const Prepared& prepared, bool keep_work) {
  const std::string folder = layout_.attempt(prepared.attempt.token);
  system::kill_point("discard-failed-begun");
  remove(keep_work ? folder + "/artifact" : folder);
  drop_shared(prepared, !keep_work);
  // A manifest that the stage itself wrote proves nothing.
  if (prepared.attempt.stage->spec.in_place && !is_published(prepared))
    remove(layout_.store + "/" + Layout::artifact(prepared.artifact));
  if (const auto log = files_.stat(prepared.launch.log); log && !keep_work)
    (void)files_.truncate(prepared.launch.log, std::min(log->bytes, k_kept_log_bytes)).ok();
}

void Workspace::remove_output(const plan::Stage& stage) {
  remove(layout_.store + "/" + Layout::artifact(stage.id));
}

void Workspace::drop_outputs(const std::string& token) {
  (void)files_.remove_tree(layout_.attempt(token) + "/artifact").ok();
}

execute::Launch Workspace::remnant(const std::string& token, const std::string& log) const {
  execute::Launch launch;
  launch.token = token;
  launch.work = layout_.attempt(token) + "/work";
  launch.log = layout_.store + "/" + log;
  launch.exit_record = layout_.attempt(token) + "/exit.json";
  launch.undo = layout_.attempt(token) + "/undo.json";
  launch.tmp = temporary_folder(inherited_) + "/" + token;
  launch.shm_folder = "/dev/shm/" + token;
  return launch;
}

void Workspace::forget(const std::string& token) {
  // The file "tmp" names the folder, because the run that died may have had another TMPDIR; the
  // attempt's process may have overwritten it.
  const auto recorded = files_.read_own(layout_.attempt(token) + "/tmp", k_tmp_bytes);
  const std::string tmp = recorded && recorded->ends_with("/" + token)
                              ? *recorded
                              : temporary_folder(inherited_) + "/" + token;
  remove(tmp);
  forget_shared(token);
  // A prefix contains the token; the prefix itself is unknown once the stage is not in the plan.
  const auto shared =
      system::is_token(token) ? files_.names("/dev/shm") : std::vector<std::string>();
  for (const std::string& name : shared ? *shared : std::vector<std::string>())
    if (name.find(token) != std::string::npos) remove("/dev/shm/" + name);
  remove(layout_.attempt(token));
  tell_warnings();
}

Result<std::string> Workspace::log_tail(const std::string& log, std::size_t lines) {
  static constexpr std::uint64_t k_tail_bytes = 64 << 10;
  ORCH_ASSIGN(const std::string text, files_.read_tail(log, k_tail_bytes));
  const std::string_view all = trim(text);
  std::size_t start = all.size();
  for (std::size_t i = 0; i < lines && start != std::string_view::npos && start > 0; ++i)
    start = all.rfind('\n', start - 1);
  return std::string(start == std::string_view::npos || start == 0 ? all : all.substr(start + 1));
}

}  // namespace orch::attempt
