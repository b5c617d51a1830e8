// Shared by the escape test and its benchmark: starts a tree that tries to escape, and counts the
// remaining processes by the open file that they hold. It is independent of marks, cgroups and
// sessions, so that it cannot share an error with the code under test.
#pragma once

#include "os/system/files.hpp"
#include "os/system/process.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orch::system::escape {

inline const std::vector<std::string> k_modes = {"escape",   "chain",   "chain-setsid", "storm",
                                                 "stubborn", "stopped", "headless"};

inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/orchestrate-escape-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Whether no process holds FILE: exact, but without a number.
inline bool is_free(const std::string& file) {
  const Descriptor own(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  return ::flock(own.get(), LOCK_EX | LOCK_NB) == 0;
}

inline bool wait_until_free(const std::string& file, double within_s) {
  for (const double until = now_s() + within_s; now_s() < until; ::usleep(200))
    if (is_free(file)) return true;
  return false;
}

// The number of processes that hold FILE open. One that forks and exits faster than /proc is read
// may be missed: see left().
inline std::size_t holders(const std::string& file) {
  struct stat wanted {};
  if (::stat(file.c_str(), &wanted) != 0) return 0;
  std::size_t count = 0;
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    const std::string name = process.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos ||
        name == std::to_string(::getpid()))
      continue;
    std::error_code error;
    for (std::filesystem::directory_iterator fd(process.path() / "fd", error), end;
         !error && fd != end; fd.increment(error)) {
      struct stat opened {};
      if (::stat(fd->path().c_str(), &opened) != 0 || opened.st_ino != wanted.st_ino ||
          opened.st_dev != wanted.st_dev)
        continue;
      ++count;
      break;
    }
  }
  return count;
}

// The highest of several counts.
inline std::size_t left(const std::string& file) {
  std::size_t most = is_free(file) ? 0 : 1;
  for (int look = 0; look < 5; ++look) most = std::max(most, holders(file));
  return most;
}

inline bool wait_for_text(const std::string& file, std::string_view text, double within_s) {
  for (const double until = now_s() + within_s; now_s() < until; ::usleep(500))
    if (text_of(file).find(text) != std::string::npos) return true;
  return false;
}

inline Spawn spawn_of(Containment containment, const std::string& mode, const std::string& file) {
  return {.argv = {ORCH_ESCAPEE, mode, file},
          .env = {{"PATH", "/usr/bin:/bin"}},
          .work = "/",
          .token = new_token(),
          .containment = containment};
}

// A process that starts such a tree, to be killed so that the tree is orphaned.
struct Keeper {
  Tree self;
  Tree tree;
};

inline std::optional<Keeper> start_keeper(Processes& processes, Containment containment,
                                          bool subreaper, const std::string& mode,
                                          const std::string& folder) {
  const std::string record = folder + "/record";
  auto self =
      processes.spawn({.argv = {ORCH_ESCAPEE, "keep", std::string(to_string(containment)),
                                subreaper ? "subreaper" : "no", record, mode, folder + "/file"},
                       .env = {},
                       .work = "/",
                       .token = ""});
  if (!self || !wait_for_text(record, "\n", 20) || !wait_for_text(folder + "/file", "ready", 20))
    return std::nullopt;
  Keeper keeper{.self = *self, .tree = {}};
  keeper.tree.containment = containment;
  std::istringstream(text_of(record)) >> keeper.tree.token >> keeper.tree.leader.pid >>
      keeper.tree.leader.start_ticks >> keeper.tree.boot_id >> keeper.tree.cgroup;
  if (keeper.tree.cgroup == "-") keeper.tree.cgroup.clear();
  return keeper;
}

}  // namespace orch::system::escape
