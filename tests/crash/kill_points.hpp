// Kill points: those in the source, how a test requests one, and those that a run reached.
#pragma once

#include "crash/world.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>

namespace orch::crash {

struct Kill {
  std::string name;
  int hit = 1;
};

using Hits = std::map<std::string, int>;

// Those that no sweep reaches; they have tests of their own, those of gc, forget and merge in
// tests/results/keep, that of scores in tests/e2e, those of commands around launches in
// clocks_test.cpp, those of submissions and jobs in slurm_test.cpp.
inline constexpr const char* k_reached_elsewhere[] = {
    "guardian-grace-over", "executor-before-hanging-ended",
    "inbox-written",       "inbox-renamed",
    "inbox-ingested",      "inbox-moved",
    "rebuild-begun",       "rebuild-built",
    "rebuild-swapped",     "shared-set-aside",
    "gc-recorded",         "gc-removed",
    "forget-committed",    "merge-placed",
    "merge-committed",     "scores-committed",
    "before-launch-done",  "undo-done",
    "slurm-before-submit", "slurm-after-submit",
    "slurm-before-kill",   "slurm-before-terminate",
    "job-began",           "job-claimed",
    "job-spawned",         "job-before-ended"};

// Parses a file of ORCHESTRATE_KILL_LOG.
inline Hits hits_in(const World& world, const std::string& log) {
  Hits hits;
  std::istringstream lines(world.read(log));
  for (std::string name, pid; lines >> name >> pid;) ++hits[name];
  return hits;
}

// The names in the source.
inline std::set<std::string> names_in_source() {
  std::set<std::string> names;
  const std::regex call(R"re(kill_point\(([^;]*)\))re"), name(R"re("([a-z0-9-]+)")re");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ORCH_SOURCE_DIR "/src")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    const std::string source = text.str();
    for (std::sregex_iterator match(source.begin(), source.end(), call), end; match != end;
         ++match) {
      const std::string argument = (*match)[1];
      for (std::sregex_iterator literal(argument.begin(), argument.end(), name); literal != end;
           ++literal)
        names.insert((*literal)[1]);
    }
  }
  return names;
}

// Hits are counted over all processes of a run, so that exactly one is killed.
inline World::Variables killing(const World& world, World::Variables variables, const Kill& kill,
                                int run) {
  variables["ORCHESTRATE_KILL"] = fmt::format("{}:{}", kill.name, kill.hit);
  variables["ORCHESTRATE_KILL_COUNT"] = fmt::format("{}/count{}", world.folder(), run);
  variables["ORCHESTRATE_KILL_LOG"] = fmt::format("{}/log{}", world.folder(), run);
  return variables;
}

}  // namespace orch::crash
