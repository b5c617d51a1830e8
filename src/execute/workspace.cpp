#include "execute/workspace.hpp"

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "render/symbols.hpp"

#include <nlohmann/json.hpp>

namespace orch::execute {

using Json = nlohmann::ordered_json;

std::map<std::string, std::string> stage_environment(const std::map<std::string, std::string>& inherited, const std::vector<std::string>& inherit,
                                                     const std::map<std::string, std::string>& env) {
  static const std::vector<std::string> k_always = {"PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"};
  auto allowed = [&](const std::string& name) {
    auto matches = [&](const std::string& pattern) {
      return pattern.ends_with('*') ? name.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1)) : name == pattern;
    };
    return std::any_of(k_always.begin(), k_always.end(), matches) || std::any_of(inherit.begin(), inherit.end(), matches);
  };
  std::map<std::string, std::string> out = env;
  for (const auto& [name, value] : inherited)
    if (allowed(name)) out.emplace(name, value);
  return out;
}

Provided provided_by(const plan::Plan& plan) {
  Provided provided;
  for (const plan::Stage& stage : plan.stages)
    if (!stage.provided.empty()) provided[stage.id] = stage.provided;
  return provided;
}

Workspace::Workspace(system::Files& files, Layout layout, std::map<std::string, std::string> inherited, Provided provided)
    : files_(files), layout_(std::move(layout)), inherited_(std::move(inherited)), provided_(std::move(provided)) {}

std::string Workspace::output_of(const plan::StageId& id) const {
  const auto elsewhere = provided_.find(id);
  return elsewhere == provided_.end() ? layout_.artifact_out(id) : elsewhere->second;
}

std::optional<std::string> Workspace::symbol(const Prepared& prepared, std::string_view name) const {
  if (name == "out") return prepared.out;
  if (name == "work") return layout_.attempt(prepared.attempt.token) + "/work";
  if (name == "jobs") return layout_.attempt(prepared.attempt.token) + "/jobs.json";
  if (name == "token") return prepared.attempt.token;
  if (name == "block") return std::to_string(prepared.attempt.block);
  if (name == "orchestrate") return layout_.orchestrate;
  if (name.starts_with("file:")) return layout_.runner + "/" + std::string(name.substr(5));
  if (name.starts_with("stage:")) return output_of(std::string(name.substr(6)));
  if (name.starts_with("port:")) {
    const auto port = prepared.attempt.ports.find(std::string(name.substr(5)));
    if (port != prepared.attempt.ports.end()) return std::to_string(port->second);
  }
  return std::nullopt;
}

std::string Workspace::resolve(const Prepared& prepared, std::string_view text) const {
  return render::replace_symbols(text, [&](std::string_view name) { return symbol(prepared, name); });
}

Prepared Workspace::describe(const Attempt& attempt) {
  const plan::Stage& stage = *attempt.stage;
  Prepared prepared;
  prepared.attempt = attempt;
  const std::string name = fmt::format("{}.{}", stage.id, attempt.number);
  prepared.artifact = stage.spec.kind == runner::Kind::task ? stage.id : name;
  prepared.log = Layout::log(name);
  prepared.out = stage.spec.in_place ? layout_.artifact_out(prepared.artifact) : layout_.attempt(attempt.token) + "/artifact/out";
  fill_launch(prepared);
  if (stage.spec.kind == runner::Kind::service) fill_probe(prepared);
  prepared.shm_prefix = resolve(prepared, stage.spec.shm_prefix);
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
  Json jobs = Json::array();
  for (const Prepared* one : prepared) {
    ORCH_TRY(lay_out(*one));
    Json job = {{"id", one->attempt.stage->id}};
    for (const auto& [name, value] : one->attempt.stage->spec.job) job[name] = resolve(*one, value);
    jobs.push_back(std::move(job));
  }
  if (!prepared.front()->attempt.stage->spec.batch) return {};
  return files_.put(layout_.attempt(prepared.front()->attempt.token) + "/jobs.json", dump(jobs, 1) + "\n");
}

Status Workspace::lay_out(const Prepared& prepared) {
  const plan::StageId& id = prepared.attempt.stage->id;
  if (provided_.contains(id)) return Error{ErrorKind::internal, fmt::format("'{}' is provided at {}; it cannot be made", id, provided_.at(id)), {}};
  // An unfinished in-place output of an earlier attempt is nobody's: no record names it.
  if (prepared.attempt.stage->spec.in_place) ORCH_TRY(files_.remove_tree(layout_.store + "/" + Layout::artifact(prepared.artifact)));
  ORCH_TRY(files_.make_folder(layout_.attempt(prepared.attempt.token) + "/work"));
  ORCH_TRY(files_.make_folder(prepared.out));
  return write_files(prepared);
}

// What cannot be read is unknown, and no reason to stop.
std::string Workspace::read_versions(const Prepared& prepared) {
  const auto& tools = prepared.attempt.stage->spec.tools;
  const auto text = tools ? files_.read(resolve(prepared, tools->from)) : Result<std::string>(std::string());
  const Json versions = text ? Json::parse(*text, nullptr, false) : Json();
  std::vector<std::string> words;
  if (!tools || !versions.is_object()) return "";
  for (const std::string& name : tools->names) {
    const auto version = versions.find(name);
    words.push_back(name + " " + (version != versions.end() && version->is_string() ? version->get<std::string>() : "unknown"));
  }
  return join(words, ", ");
}

void Workspace::fill_launch(Prepared& prepared) {
  const auto& spec = prepared.attempt.stage->spec;
  Launch& launch = prepared.launch;
  for (const std::string& word : spec.argv) launch.argv.push_back(resolve(prepared, word));
  std::map<std::string, std::string> env;
  for (const auto& [name, value] : spec.env) env[name] = resolve(prepared, value);
  launch.env = stage_environment(inherited_, spec.inherit, env);
  launch.work = layout_.attempt(prepared.attempt.token) + "/work";
  launch.log = layout_.store + "/" + prepared.log;
  launch.token = prepared.attempt.token;
}

void Workspace::fill_probe(Prepared& prepared) {
  const auto& spec = prepared.attempt.stage->spec;
  auto url = [&](const std::string& port, const std::string& path) {
    return fmt::format("http://127.0.0.1:{}{}", prepared.attempt.ports.at(port), path);
  };
  if (spec.ready) {
    for (const std::string& path : spec.ready->get) prepared.probe.get.push_back(url(spec.ready->port, path));
    prepared.probe.timeout_s = spec.ready->timeout_s;
  }
  if (spec.smoke) {
    prepared.probe.smoke_url = url(spec.smoke->port, spec.smoke->post);
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
    ORCH_TRY(files_.copy(layout_.runner + "/" + copy.from, path));
  }
  for (const runner::Place& one : stage.spec.place) ORCH_TRY(place(prepared, one));
  return {};
}

// Published text names other stages as {stage:ID}, so that a store can move; a server is given real paths.
Status Workspace::place(const Prepared& prepared, const runner::Place& place) {
  const std::string from = resolve(prepared, place.from);
  const std::string to = layout_.attempt(prepared.attempt.token) + "/work/" + place.to;
  ORCH_ASSIGN(const auto entries, files_.list(from));
  for (const system::FileEntry& entry : entries) {
    const std::string target = to + "/" + entry.path;
    ORCH_TRY(files_.make_folder(target.substr(0, target.rfind('/'))));
    ORCH_ASSIGN(const std::string text, files_.read(from + "/" + entry.path));
    ORCH_TRY(files_.put(target, render::replace_symbols(text, [&](std::string_view name) -> std::optional<std::string> {
      if (!name.starts_with("stage:")) return std::nullopt;
      return output_of(std::string(name.substr(6)));
    })));
  }
  return {};
}

Result<std::vector<PublishedFile>> Workspace::check(const Prepared& prepared) {
  ORCH_ASSIGN(const auto entries, files_.list(prepared.out));
  for (const std::string& output : prepared.attempt.stage->spec.outputs) {
    const bool there = std::any_of(entries.begin(), entries.end(), [&](const system::FileEntry& entry) {
      if (entry.is_link && output.starts_with(entry.path + "/")) return files_.exists(prepared.out + "/" + output);
      return entry.path.starts_with(output + "/") || (entry.path == output && (entry.bytes > 0 || entry.is_link));
    });
    if (!there) return invalid(fmt::format("the output '{}' is missing or empty", output));
  }
  std::vector<PublishedFile> files;
  for (const system::FileEntry& entry : entries) {
    if (entry.is_other) return invalid(fmt::format("'{}' is no file; remove the pipe, socket or device", entry.path));
    if (find_not_utf8(entry.path) != std::string_view::npos) return invalid("an output's name is not UTF-8; rename it");
    if (entry.is_link) continue;
    ORCH_ASSIGN(const Digest digest, files_.sha256(prepared.out + "/" + entry.path));
    files.push_back({entry.path, entry.bytes, digest.hex()});
  }
  return files;
}

Status Workspace::publish(const Prepared& prepared, const std::vector<PublishedFile>& files) {
  const plan::Stage& stage = *prepared.attempt.stage;
  Json list = Json::array();
  for (const PublishedFile& file : files) list.push_back({{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  Json components = Json::array();
  for (const Component& component : stage.components.list()) components.push_back({component.name, component.value});
  const Json manifest = {{"schema", 1}, {"stage", stage.id}, {"digest", stage.digest.hex()}, {"attempt", prepared.attempt.number},
                         {"argv", prepared.launch.argv}, {"components", components}, {"files", list}};
  const std::string target = layout_.store + "/" + Layout::artifact(prepared.artifact);
  if (stage.spec.in_place) {
    ORCH_TRY(files_.put(target + "/manifest.json", dump(manifest, 1) + "\n"));
    return files_.sync_tree(target);
  }
  const std::string source = layout_.attempt(prepared.attempt.token) + "/artifact";
  ORCH_TRY(files_.put(source + "/manifest.json", dump(manifest, 1) + "\n"));
  ORCH_TRY(files_.sync_tree(source));
  // A folder of that name without a record is what a crash left between rename and record.
  ORCH_TRY(files_.remove_tree(target));
  return files_.rename(source, target);
}

void Workspace::discard(const Prepared& prepared, bool keep) {
  const std::string folder = layout_.attempt(prepared.attempt.token);
  // Of a failed attempt the working folder stays to be looked at; half an output is of no use and may be large.
  (void)files_.remove_tree(keep ? folder + "/artifact" : folder).ok();
  if (prepared.shm_prefix.empty()) return;
  const auto names = files_.names("/dev/shm");
  if (!names) return;
  for (const std::string& name : *names)
    if (name.starts_with(prepared.shm_prefix)) (void)files_.remove_tree("/dev/shm/" + name).ok();
}

std::string Workspace::log_tail(const std::string& log, std::size_t lines) {
  static constexpr std::uint64_t k_tail_bytes = 64 << 10;
  const auto text = files_.read_tail(log, k_tail_bytes);
  if (!text) return "";
  const std::string_view all = trim(*text);
  std::size_t start = all.size();
  for (std::size_t i = 0; i < lines && start != std::string_view::npos && start > 0; ++i) start = all.rfind('\n', start - 1);
  return std::string(start == std::string_view::npos || start == 0 ? all : all.substr(start + 1));
}

}  // namespace orch::execute
