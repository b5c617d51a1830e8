#include "run/slurm/node_remains.hpp"

#include "core/base/fields_json.hpp"
#include "run/execute/exit_record.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace orch::slurm {

namespace {

constexpr double k_remains_end_s = 20;  // for the processes of a dead job

// What outlives a launch.
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
  // The next job tries again what could not be taken back.
  if (kept_.erase(token) > 0 && ::access(undo(token).c_str(), F_OK) != 0) remove(token);
}

void NodeRemains::clear(const system::Host& host) {
  if (!is_own()) return;
  const auto names = host.files.names(folder_);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (!system::is_token(name)) continue;
    const system::Descriptor file(::open(note(name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
    const std::string text = all_of(file.get());
    if (text.empty()) continue;  // its job has just made it
    system::Tree tree;
    tree.token = name;
    if (!host.processes.end(tree, k_remains_end_s)) continue;
    if (execute::remove_leftovers(host, parse_remains(text, name))) remove(name);
  }
}

}  // namespace orch::slurm
