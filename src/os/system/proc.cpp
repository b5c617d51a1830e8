#include "os/system/proc.hpp"

#include "core/base/text.hpp"
#include "os/system/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace orch::system {

std::string read_proc(const std::string& path) {
  std::string text;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return text;
  char part[16384];
  for (ssize_t n = ::read(file.get(), part, sizeof part); n > 0;
       n = ::read(file.get(), part, sizeof part))
    text.append(part, static_cast<std::size_t>(n));
  return text;
}

std::vector<std::string> stat_fields(const std::string& path) {
  const std::string stat = read_proc(path);
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return {};
  return split(trim(std::string_view(stat).substr(name_end + 2)), ' ');
}

std::optional<ProcessFacts> process_facts(int pid, const std::string& proc) {
  // State, parent, group, session, ... and field 22, the start.
  const std::vector<std::string> fields = stat_fields(fmt::format("{}/{}/stat", proc, pid));
  if (fields.size() < 20) return std::nullopt;
  auto number = [&](std::size_t field) { return to_integer(fields[field - 3]).value_or(0); };
  // The kernel shows a process as a zombie once its first thread has ended, while other threads
  // may still run or exit.
  const bool ended = (fields[0] == "Z" || fields[0] == "X") && number(20) <= 1;
  return ProcessFacts{.id = {pid, static_cast<std::uint64_t>(number(22))},
                      .group = static_cast<int>(number(5)),
                      .session = static_cast<int>(number(6)),
                      .ended = ended,
                      .marked = false,
                      .parent = static_cast<int>(number(4)),
                      .has_terminal = number(7) != 0};
}

void for_each_process(const std::function<void(int pid)>& visit, const std::string& proc) {
  DIR* folder = ::opendir(proc.c_str());
  if (!folder) return;
  const int self = own_pid(proc);
  while (const dirent* entry = ::readdir(folder))
    if (const auto pid = to_integer(entry->d_name); pid && *pid != self)
      visit(static_cast<int>(*pid));
  ::closedir(folder);
}

int own_pid(const std::string& proc) {
  char text[16];
  const ssize_t length = ::readlink((proc + "/self").c_str(), text, sizeof text);
  return static_cast<int>(
      to_integer(std::string_view(text, length > 0 ? static_cast<std::size_t>(length) : 0))
          .value_or(::getpid()));
}

}  // namespace orch::system
