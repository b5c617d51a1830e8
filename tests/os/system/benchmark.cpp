// A benchmark: remaining processes and time until none is left, for each way to end a tree and each
// way to escape, next to simpler methods; and the cost of starting a process.
// `bench_escape [REPEATS [MODE...]]`.
#include "core/base/text.hpp"
#include "escape.hpp"
#include "os/system/tree_signal.hpp"

#include <algorithm>
#include <functional>

#include <fmt/core.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace {

using namespace orch;
using namespace orch::system;
using namespace orch::system::escape;

constexpr double k_patience_s = 1.0;  // for processes that are not killed at once

struct Outcome {
  std::size_t left = 0;
  double gone_s = -1;
};

// Ends TREE, whose starter is dead.
using Way = std::function<void(RealProcesses&, const Tree& tree)>;

struct Method {
  std::string name;
  Containment containment;
  bool die_with_parent;
  Way end;
};

bool has_token(int pid, const Tree& tree) {
  return read_proc(fmt::format("/proc/{}/environ", pid)).find(tree.token) != std::string::npos;
}

void kill_group(RealProcesses&, const Tree& tree) { ::kill(-tree.leader.pid, SIGKILL); }

void kill_by_environment(RealProcesses&, const Tree& tree) {
  const double until = now_s() + k_patience_s;
  for (int empty = 0; empty < 2 && now_s() < until;) {
    int found = 0;
    for_each_process([&](int pid) {
      const auto facts = process_facts(pid);
      if (!facts || facts->ended || !has_token(pid, tree)) return;
      ++found;
      ::kill(pid, SIGKILL);
    });
    empty = found == 0 ? empty + 1 : 0;
  }
}

void kill_by_end(RealProcesses& later, const Tree& tree) { later.end(tree, 20); }

// The tree of a process that is then killed, as a resumed run finds it.
Outcome try_once(RealProcesses& processes, const Method& method, const std::string& mode) {
  Folder folder;
  const std::string file = folder.path + "/file";
  const auto keeper = start_keeper(processes, method.containment, false,
                                   method.die_with_parent ? "dying-" + mode : mode, folder.path);
  if (!keeper) {
    fmt::print(stderr, "cannot start the tree '{}' ({})\n", mode, method.name);
    std::exit(1);
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  const double from = now_s();
  ::kill(keeper->self.leader.pid, SIGKILL);
  while (processes.wait(1).empty()) {
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  method.end(processes, keeper->tree);
  Outcome outcome;
  if (wait_until_free(file, k_patience_s)) outcome.gone_s = now_s() - from;
  else outcome.left = left(file);
  processes.end(keeper->tree, 20);
  return outcome;
}

void escapes(RealProcesses& processes, int repeats, const std::vector<std::string>& modes) {
  std::vector<Method> methods = {
      {"group kill", Containment::session, false, kill_group},
      {"environment alone, until two passes find nothing", Containment::session, false,
       kill_by_environment},
      {"parent-death signal", Containment::session, true, [](RealProcesses&, const Tree&) {}}};
  for (const Containment one :
       {Containment::session, Containment::pid_namespace, Containment::cgroup})
    if (is_available(one))
      methods.push_back(
          {"Processes::end: " + std::string(to_string(one)), one, false, kill_by_end});
  TextTable table(
      {"tree", "method", "trials", "left, most", "left, mean", "gone ms, median", "gone ms, most"});
  for (const std::string& mode : modes) {
    for (const Method& method : methods) {
      std::vector<double> gone;
      std::size_t most = 0, sum = 0;
      for (int i = 0; i < repeats; ++i) {
        const Outcome outcome = try_once(processes, method, mode);
        most = std::max(most, outcome.left);
        sum += outcome.left;
        if (outcome.gone_s >= 0) gone.push_back(outcome.gone_s * 1000);
      }
      std::sort(gone.begin(), gone.end());
      table.add({mode, method.name, std::to_string(repeats), std::to_string(most),
                 fmt::format("{:.1f}", static_cast<double>(sum) / repeats),
                 gone.empty() ? "never" : fmt::format("{:.1f}", gone[gone.size() / 2]),
                 gone.empty() ? "never" : fmt::format("{:.1f}", gone.back())});
    }
  }
  fmt::print("{}\n", table.text());
}

std::vector<std::string> row(const std::string& name, std::vector<double> us) {
  std::sort(us.begin(), us.end());
  return {name, std::to_string(us.size()), fmt::format("{:.0f}", us[us.size() / 2]),
          fmt::format("{:.0f}", us[us.size() * 95 / 100])};
}

double bare_spawn() {
  const double from = now_s();
  char* const argv[] = {const_cast<char*>("true"), nullptr};
  char* const env[] = {nullptr};
  pid_t pid = 0;
  ::posix_spawn(&pid, "/bin/true", nullptr, nullptr, argv, env);
  ::waitpid(pid, nullptr, 0);
  return (now_s() - from) * 1e6;
}

// From spawn until it is known that no process is left.
double contained_spawn(RealProcesses& processes, Containment containment) {
  const double from = now_s();
  const auto tree = processes.spawn({.argv = {"/bin/true"},
                                     .env = {},
                                     .work = "/",
                                     .token = new_token(),
                                     .containment = containment});
  while (processes.wait(1).empty()) {
  }
  processes.end(*tree, 1);
  return (now_s() - from) * 1e6;
}

void costs(RealProcesses& processes, int repeats) {
  TextTable table({"/bin/true, start to gone", "n", "us, median", "us, p95"});
  std::vector<std::vector<double>> us(4);
  const std::vector<Containment> all = {Containment::session, Containment::cgroup,
                                        Containment::pid_namespace};
  // Interleaved, so that other load of the host affects all alike.
  for (int i = 0; i < repeats; ++i) {
    us[0].push_back(bare_spawn());
    for (std::size_t one = 0; one < all.size(); ++one)
      if (is_available(all[one])) us[one + 1].push_back(contained_spawn(processes, all[one]));
  }
  table.add(row("posix_spawn, waitpid", us[0]));
  for (std::size_t one = 0; one < all.size(); ++one)
    if (!us[one + 1].empty()) table.add(row(std::string(to_string(all[one])), us[one + 1]));
  fmt::print("{}\n", table.text());
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 20;
  RealProcesses processes;
  costs(processes, 50 * repeats);
  escapes(processes, repeats, argc > 2 ? std::vector<std::string>(argv + 2, argv + argc) : k_modes);
}
