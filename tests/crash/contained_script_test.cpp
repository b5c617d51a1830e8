// The scripts of a plan whose stage runs in a container of a real podman: what the command sees
// there equals what it sees under `run`.
#include "crash/podman.hpp"

#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

namespace orch::crash {
namespace contained_script_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// Words of a shell without programs: variables, mounts and devices.
constexpr const char* k_look = R"(export -p
while read -r line; do echo "mount $line"; done </proc/self/mountinfo
for one in /dev/nvidia*; do echo "device $one"; done
)";

class ContainedScript : public testing::Test {
 protected:
  void SetUp() override {
    if (!podman.why_not().empty()) GTEST_SKIP() << podman.why_not();
    std::filesystem::create_directories(world.folder() + "/runners/common");
    world.write("runners/common/used.sh", k_look);
    world.write("runners/crash/runner.yaml", fmt::format(R"(runner: crash
parameters: {{tag: {{type: text, default: a}}}}
container: {{image: '{}', caches: [TRITON_CACHE_DIR, NAMED_CACHE]}}
stages:
  fetch: {{kind: task, reads: [tag], argv: [/bin/sh, -c, 'echo x > "$0"', "{{out}}/x"], outputs: [x]}}
  look:
    kind: task
    container: true
    needs: [fetch]
    reads: [tag]
    env: {{OWN: "of {{tag}}"}}
    inherit: [SEEN_*, ALONE, CUDA_*, NAMED_*]
    argv:
      - /bin/sh
      - -c
      - . "$0" > "$1/seen"; read x < "$2/x"; echo "$x" > "$1/needed"
      - "{{file:common/used.sh}}"
      - "{{out}}"
      - "{{stage:fetch}}"
    outputs: [seen, needed]
  serve:
    {{kind: service, needs: [look], argv: [/bin/sh], ports: [http], ready: {{port: http, get: [/]}}}}
  bench: {{kind: measure, needs: [serve], argv: ["{{orchestrate}}"], outputs: [x]}}
)",
                                                         Podman::k_image));
    world.write_matrix("axes: {tag: [a]}\n");
  }

  // What the command saw in FOLDER: variables with the paths of folders that differ left out,
  // mount points of the stage, devices.
  struct Seen {
    std::map<std::string, std::string> variables;
    std::set<std::string> mounts;  // "rw PATH"
    std::set<std::string> devices;
  };
  Seen seen_in(const std::string& store) const {
    Seen seen;
    for (const auto& folder : std::filesystem::directory_iterator(store + "/artifacts")) {
      if (!folder.path().filename().string().starts_with("look-")) continue;
      std::ifstream file(folder.path() / "out/seen");
      for (std::string line; std::getline(file, line);) read(line, seen);
    }
    return seen;
  }
  void read(const std::string& line, Seen& seen) const {
    if (line.starts_with("device ")) seen.devices.insert(line.substr(7));
    if (line.starts_with("export ")) {
      const std::size_t equals = line.find('=');
      seen.variables[line.substr(7, equals - 7)] =
          equals == std::string::npos ? "" : without_places(line.substr(equals + 1));
    }
    if (!line.starts_with("mount ")) return;
    std::istringstream words(line);
    std::string word, point, options;
    for (int i = 0; i < 6; ++i) words >> word;
    point = word;
    words >> options;
    const std::string path = without_places(point);
    if (path != point) seen.mounts.insert(options.substr(0, 2) + " " + path);
  }
  // TEXT with names in place of the folders that an attempt and a script have of their own.
  std::string without_places(std::string text) const {
    for (const auto& [pattern, name] : std::vector<std::pair<std::string, std::string>>{
             {world.store() + "/attempts/o[0-9a-f]+/artifact/out", "OUT"},
             {world.folder() + "/by-hand/artifacts/look-[0-9a-f]+/out", "OUT"},
             {world.store() + "/attempts/o[0-9a-f]+/work", "WORK"},
             {world.folder() + "/by-hand/work/look-[0-9a-f]+", "WORK"},
             {"(" + world.store() + "|" + world.folder() + "/by-hand)/artifacts", "ARTIFACTS"},
             {"/dev/shm/(o[0-9a-f]{15}|orchestrate\\.\\w+)", "SHM"},
             {"/tmp/(o[0-9a-f]{15}|tmp\\.\\w+)", "TMP"},
             {world.folder(), "FOLDER"}})
      text = std::regex_replace(text, std::regex(pattern), name);
    return text;
  }

  Podman podman;
  World world{{.extra_site = podman.site(), .image = Podman::k_image}};
};

TEST_F(ContainedScript, SeesWhatTheStageOfARunSees) {
  const World::Variables variables = {{"SEEN_ONE", "1"}, {"SEEN_TWO", "two words"},
                                      {"ALONE", "a"},    {"NAMED_CACHE", "/mine"},
                                      {"UNNAMED", "x"},  {"CUDA_VISIBLE_DEVICES", "6"}};
  ASSERT_EQ(world.run(variables, {"--until", "look"}).code, 0) << world.last_stderr();
  std::string script;
  ASSERT_EQ(world
                .orchestrate({"plan", "crash.yaml", "--site", "site.yaml", "--script", "--until",
                              "look", "--store", "none"},
                             &script, variables)
                .code,
            0)
      << world.last_stderr();
  world.write("plan.sh", script);
  World::Variables by_hand = variables;
  by_hand["OUT"] = world.folder() + "/by-hand";
  World::Run run = world.spawn({"/bin/bash", world.folder() + "/plan.sh"}, by_hand);
  ASSERT_EQ(world.finish(run).code, 0) << world.last_stderr();
  const Seen of_run = seen_in(world.store()), of_script = seen_in(world.folder() + "/by-hand");
  EXPECT_THAT(of_run.mounts, Contains("rw OUT"));
  EXPECT_THAT(of_run.mounts, Contains("ro FOLDER/runners/common"));
  EXPECT_EQ(of_script.mounts, of_run.mounts);
  EXPECT_EQ(of_script.devices, of_run.devices);
  EXPECT_EQ(of_run.variables.at("SEEN_TWO"), "'two words'");
  EXPECT_EQ(of_run.variables.at("CUDA_VISIBLE_DEVICES"), "''");
  EXPECT_EQ(of_run.variables.at("NAMED_CACHE"), "'/mine'");
  EXPECT_EQ(of_run.variables.at("TRITON_CACHE_DIR"), "'TMP/TRITON_CACHE_DIR'");
  EXPECT_FALSE(of_run.variables.contains("UNNAMED"));
  auto same = of_run.variables;
  same.erase("ORCHESTRATE_ATTEMPT");  // the mark of an attempt
  same.erase("HOSTNAME");
  auto other = of_script.variables;
  other.erase("HOSTNAME");
  EXPECT_EQ(other, same);
}

}  // namespace contained_script_test
}  // namespace orch::crash
