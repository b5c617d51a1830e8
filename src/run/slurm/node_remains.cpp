#include "run/slurm/node_remains.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/text.hpp"
#include "core/secret/escapes.hpp"
#include "run/execute/exit_record.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orch::slurm {

namespace {

constexpr double k_remains_end_s = 20;  // for the end of a dead job's processes

// The fields of a launch that are needed after its death.
constexpr auto k_remains = [] {
  using execute::Launch;
  return rows_of(field<&Launch::tmp>("tmp"), field<&Launch::shm_folder>("shm_folder"),
                 field<&Launch::shm_prefix>("shm_prefix"),
                 field<&Launch::exit_record>("exit_record"), field<&Launch::undo>("undo"));
}();

std::string all_of(int file) {
  std::string text;
  std::array<char, 4096> bytes{};
  for (ssize_t got; (got = ::read(file, bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<std::size_t>(got));
  return text;
}

constexpr const char* k_runtime_folder = "XDG_RUNTIME_DIR";

constexpr std::string_view k_of_shells[] = {"_", "SHLVL", "PWD", "OLDPWD"};

bool is_of_shells(const std::string& name) { return contains(k_of_shells, name); }

// Whether NAME comes from the host that described LAUNCH, so that the site may replace it.
bool is_inherited(const execute::Launch& launch, const std::string& name) {
  const auto& inherited = launch.place.inherited;
  return contains(inherited, name);
}

}  // namespace

std::string remains_text(const execute::Launch& launch) {
  return json_text(object_of(launch, k_remains)) + "\n";
}

execute::Launch parse_remains(const std::string& text, const std::string& token) {
  execute::Launch launch;
  launch.token = token;
  if (const auto value = parse_value(text))
    static_cast<void>(read_object(launch, *value, k_remains).ok());
  return launch;
}

bool NodeRemains::is_own() const {
  struct stat facts {};
  return ::lstat(folder_.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == ::geteuid() && (facts.st_mode & 0077) == 0;
}

void NodeRemains::remove(const std::string& token) const {
  for (const std::string& path : {undo(token), note(token)}) (void)::unlink(path.c_str());
}

void NodeRemains::keep(execute::Launch& launch) {
  (void)::mkdir(folder_.c_str(), 0700);
  if (!is_own()) return;
  execute::Launch noted = launch;
  noted.undo = undo(launch.token);
  const std::string path = note(launch.token), text = remains_text(noted);
  system::Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file || ::flock(file.get(), LOCK_EX) != 0) return;
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return;
  kept_[launch.token] = std::move(file);
  launch.undo = noted.undo;
}

void NodeRemains::forget(const std::string& token) {
  // Keeps the record if something could not be undone: the next job tries again.
  if (kept_.erase(token) > 0 && ::access(undo(token).c_str(), F_OK) != 0) remove(token);
}

bool NodeRemains::clear(const system::Host& host) {
  if (!is_own()) return true;
  bool is_clear = true;
  for (const std::string& name : host.files.names(folder_).value_or({})) {
    if (!system::is_token(name)) continue;
    const system::Descriptor file(::open(note(name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
    const std::string text = all_of(file.get());
    if (text.empty()) continue;  // its job has just created it and not written it yet
    system::Tree tree;
    tree.token = name;
    const bool is_removed = host.processes.end(tree, k_remains_end_s) &&
                            execute::remove_leftovers(host, parse_remains(text, name)).ok();
    if (is_removed) remove(name);
    is_clear = is_clear && is_removed;
  }
  return is_clear;
}

void rename_folder(execute::Launch& launch, const std::string& from, const std::string& to) {
  if (from.empty()) return;
  std::vector<std::string*> texts = {&launch.hidden_file};
  const auto add = [&](std::vector<std::string>& words) {
    for (std::string& word : words) texts.push_back(&word);
  };
  add(launch.argv);
  add(launch.place.container);
  for (auto* around : {&launch.before, &launch.after}) std::ranges::for_each(*around, add);
  for (auto& [name, value] : launch.env) texts.push_back(&value);
  for (std::string* text : texts)
    for (std::size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size())
      text->replace(at, from.size(), to);
}

void use_folders_of_node(system::Files& files, execute::Launch& launch) {
  const std::string below = std::filesystem::path(launch.tmp).parent_path().string();
  if (!launch.tmp.empty() && !files.stat(below)) {
    const std::string here = "/tmp/" + launch.token;
    rename_folder(launch, launch.tmp, here);
    launch.tmp = here;
  }
  const auto& inherited = launch.place.inherited;
  const auto runtime = launch.env.find(k_runtime_folder);
  if (runtime != launch.env.end() && !files.stat(runtime->second) &&
      contains(inherited, k_runtime_folder))
    launch.env.erase(runtime);
}

Variables parse_variables(std::string_view text) {
  Variables variables;
  for (const std::string& entry : split(text, '\0'))
    if (const auto equals = entry.find('='); equals != std::string::npos)
      variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  return variables;
}

SiteVariables changed_variables(const Variables& before, const Variables& after) {
  SiteVariables changed;
  for (const auto& [name, value] : after) {
    const auto old = before.find(name);
    if (!is_of_shells(name) && (old == before.end() || old->second != value))
      changed.set.emplace(name, value);
  }
  for (const auto& [name, value] : before)
    if (!is_of_shells(name) && !after.contains(name)) changed.unset.push_back(name);
  return changed;
}

void give_variables(const SiteVariables& changed, execute::Launch& launch) {
  for (const std::string& name : changed.unset)
    if (is_inherited(launch, name)) launch.env.erase(name);
  for (const auto& [name, value] : changed.set) {
    if (launch.env.contains(name) && !is_inherited(launch, name)) continue;
    launch.env[name] = value;
    if (secret::names_a_secret(name)) launch.secrets.push_back(value);
  }
}

}  // namespace orch::slurm
