// `orchestrate doctor` on a real Slurm of two nodes, and where there is nothing but the program.
#include "crash/local_slurm.hpp"
#include "fakes/temp_folder.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace orch::crash {
namespace doctor_test {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

struct Said {
  int status = 0;
  std::vector<std::string> lines;  // "SECTION: LEVEL WHAT"
};

// COMMAND is a shell's, and ends with words for `orchestrate`.
Said listen(const fakes::TempFolder& folder, const std::string& command) {
  const std::string out = folder.file("said");
  Said said;
  const int ended = std::system(fmt::format("{} >{} 2>{}.errors", command, out, out).c_str());
  said.status = WEXITSTATUS(ended);
  std::ifstream text(out);
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_array())
    for (const auto& section : json)
      for (const auto& one : section["findings"])
        said.lines.push_back(fmt::format("{}: {} {}", section["section"].get<std::string>(),
                                         one["level"].get<std::string>(),
                                         one["what"].get<std::string>()));
  return said;
}

// A root folder that holds the program, its libraries and the runners.
class DoctorInABareRoot : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root may change its root folder";
    const std::string copies = fmt::format(
        "mkdir -p {0}/bin {0}/proc && ln {1} {0}/bin/orchestrate 2>/dev/null || "
        "cp {1} {0}/bin/orchestrate; "
        "for file in $(ldd {1} | grep -o '/[^ ]*'); do "
        "mkdir -p {0}$(dirname $file); cp $file {0}$file; done; cp -r {2}/runners {0}/runners",
        root(), ORCH_BINARY, ORCH_SOURCE_DIR);
    ASSERT_EQ(std::system(copies.c_str()), 0);
    before = files();
  }
  std::string root() const { return folder.file("root"); }
  Said look(const std::string& words) {
    return listen(folder, fmt::format("env -i HOME=/ PATH=/bin:/usr/bin /usr/sbin/chroot {} "
                                      "/bin/orchestrate doctor --json {}",
                                      root(), words));
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root()))
      names.push_back(entry.path().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  fakes::TempFolder folder;
  std::vector<std::string> before;
};

TEST_F(DoctorInABareRoot, SaysWhatIsNotThereAndLeavesNothing) {
  const Said said = look("");
  EXPECT_EQ(said.status, 0) << "nothing was asked for";
  EXPECT_THAT(said.lines, Contains(StartsWith("versions: ok SQLite 3.")));
  EXPECT_THAT(said.lines,
              Contains(StartsWith("results folder: ok results (does not exist yet) would be on ")));
  EXPECT_THAT(said.lines, Contains(StartsWith("Slurm: note no sbatch")));
  for (const char* engine : {"docker", "podman", "apptainer"})
    EXPECT_THAT(said.lines, Contains(fmt::format("containers: note no {}", engine)));
  EXPECT_THAT(said.lines, Contains("runner tgi: missing no text-generation-launcher"));
  EXPECT_THAT(said.lines, Contains("runner vllm: missing no python3"));
  EXPECT_EQ(files(), before);
}

TEST_F(DoctorInABareRoot, FailsForWhatWasAskedFor) {
  EXPECT_EQ(look("--runner tgi").status, 1);
  EXPECT_EQ(look("--executor slurm").status, 1);
  EXPECT_EQ(look("--runner nobody").status, 2);
}

class DoctorOnSlurm : public testing::Test {
 protected:
  void SetUp() override {
    if (!slurm.why_not().empty()) GTEST_SKIP() << slurm.why_not();
    for (const char* name : {"store", ".cache"})
      std::filesystem::create_directory(folder.file(name));
  }
  // AROUND: a shell command that ends with the words that it runs.
  Said look(const std::string& around = "", const std::string& words = "--runner llama-cpp") {
    return listen(folder,
                  fmt::format("cd {0} && env -i HOME={0} PATH=/usr/bin:/bin SLURM_CONF={1} "
                              "{2} {3} doctor --json --executor slurm --store {0}/store {4}",
                              folder.path().string(), slurm.variables().at("SLURM_CONF"), around,
                              ORCH_BINARY, words));
  }

  fakes::TempFolder folder;
  Slurm slurm;
};

TEST_F(DoctorOnSlurm, LooksAtEveryNodeAndLeavesNothing) {
  const Said said = look();
  EXPECT_EQ(said.status, 0) << testing::PrintToString(said.lines);
  EXPECT_THAT(said.lines, Contains("Slurm: ok partition all*: 2 x idle, GRES gpu:4 (n[1-2])"));
  for (const char* node : {"n1", "n2"})
    EXPECT_THAT(said.lines,
                Contains(fmt::format("paths on the nodes: ok {} has the program, the project, the "
                                     "results folder and the folder of environments",
                                     node)));
  for (const char* name : {"store", ".cache"})
    EXPECT_TRUE(std::filesystem::is_empty(folder.file(name))) << name;
  EXPECT_EQ(slurm.live_jobs(), "");
}

TEST_F(DoctorOnSlurm, LacksFoldersThatOnlyThisHostSees) {
  const std::string store = folder.file("store"), runners = folder.file("runners"),
                    cache = folder.file(".cache");
  std::filesystem::create_directory(runners);
  if (std::system("unshare --mount true 2>/dev/null") != 0)
    GTEST_SKIP() << "this process may not make a mount namespace";
  std::ofstream(folder.file("around")) << fmt::format(
      "for folder in {0} {1} {2}; do mount -t tmpfs none $folder || exit; done; mkdir {1}/own && "
      "echo 'runner: own' >{1}/own/runner.yaml && exec \"$@\"\n",
      store, runners, cache);
  const Said said = look("unshare --mount /bin/sh " + folder.file("around"), "");
  EXPECT_EQ(said.status, 1);
  for (const char* node : {"n1", "n2"})
    for (const std::string& what :
         {"the results folder " + store, "the folder of environments " + cache})
      EXPECT_THAT(said.lines, Contains(fmt::format("paths on the nodes: missing {} does not see {}",
                                                   node, what)));
  EXPECT_THAT(said.lines, Contains("paths on the nodes: missing n1: the project " + runners +
                                   "/own/runner.yaml is not there or does not start"));
  EXPECT_THAT(said.lines, Contains("results folder: ok " + store + " is on tmpfs"));
  EXPECT_TRUE(std::filesystem::is_empty(store));
}

TEST_F(DoctorOnSlurm, SkipsANodeThatIsDownAndFailsWhereTheOtherIsBusy) {
  ASSERT_EQ(slurm.ask("scontrol update NodeName=n2 State=DOWN Reason=test"), "");
  const Said other = look();
  EXPECT_EQ(other.status, 0) << testing::PrintToString(other.lines);
  EXPECT_THAT(other.lines, Contains(StartsWith("paths on the nodes: ok n1 has the program")));
  EXPECT_THAT(other.lines, Contains(StartsWith("Slurm: warning partition all*: 1 x down")));
  EXPECT_THAT(other.lines, Contains(StartsWith("paths on the nodes: note 1 of 2 nodes were not")));
  slurm.ask("sbatch --nodelist=n1 --exclusive --output=/dev/null --wrap 'sleep 300'");
  std::string state;
  for (int i = 0; i < 200 && state.find("alloc") == std::string::npos; ++i)
    state = slurm.ask("sinfo --noheader --nodes n1 --format %t");
  const Said said = look();
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.lines, Contains("paths on the nodes: missing no node could be checked: none is "
                                   "free"));
}

TEST_F(DoctorOnSlurm, WithoutAControllerLacksIt) {
  slurm.control("kill-ctld");
  const Said said = look();
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.lines,
              Contains(testing::MatchesRegex("Slurm: missing the controller does not answer: "
                                             "Slurmctld\\(primary\\) at .* is DOWN")));
  EXPECT_THAT(said.lines, Contains("paths on the nodes: missing nodes were not checked: the "
                                   "controller does not answer"));
}

}  // namespace doctor_test
}  // namespace orch::crash
