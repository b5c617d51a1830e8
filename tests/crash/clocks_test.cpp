// GPU clocks, locked by a stand-in for nvidia-smi that keeps a diary: after a kill anywhere, and
// the run that follows, every clock is restored.
#include "crash/local_slurm.hpp"
#include "crash/trials.hpp"

#include <sstream>

namespace orch::crash {
namespace clocks_test {

constexpr const char* k_locked =
    "axes: {precision: [f16]}\ndefaults: {gpus: 1}\nmeasure: {gpu_clock_mhz: 1410}\n";
constexpr std::size_t k_outputs_of_one_point = 7;

// A driver with two GPUs, and commands that note their words in the folder of its diary.
class Clocks : public testing::Test {
 protected:
  Clocks() {
    std::string name = base_folder() + "/orchestrate-clocks-XXXXXX";
    if (!::mkdtemp(name.data())) std::abort();
    folder = name;
    std::filesystem::create_symlink(ORCH_FAKE_NVML, folder + "/libnvidia-ml.so.1");
    std::ofstream(folder + "/smi.sh") << "echo \"$*\" >> \"$HOME/clocks\"\n";
  }
  ~Clocks() override { std::filesystem::remove_all(folder); }

  Options options() const {
    return {.extra_site = fmt::format("nvidia_smi: [/bin/sh, '{}/smi.sh']\n", folder)};
  }
  World::Variables variables(const World& world) const {
    World::Variables all = k_paced;
    all["LD_LIBRARY_PATH"] = folder;
    all["ORCH_FAKE_GPUS"] = "NVIDIA H100;NVIDIA H100";
    all["HOME"] = world.folder();
    return all;
  }
  // What was done to clocks, one word per command: "lock" or "restore".
  static std::vector<std::string> done_in(const World& world, const std::string& gpu = "0") {
    std::vector<std::string> words;
    std::istringstream lines(world.read("clocks"));
    for (std::string line; std::getline(lines, line);)
      words.push_back(line == "-i " + gpu + " -lgc 1410,1410" ? "lock"
                      : line == "-i " + gpu + " -rgc"         ? "restore"
                                                              : line);
    return words;
  }

  std::string folder;
};

TEST_F(Clocks, AreLockedWhileTheServerRunsAndThenRestored) {
  World world(options());
  world.write_matrix(k_locked);
  ASSERT_EQ(world.run(variables(world)).code, 0) << world.last_stderr();
  EXPECT_EQ(done_in(world), (std::vector<std::string>{"lock", "restore"}));
}

TEST_F(Clocks, AreRestoredAfterAKillAtAnyPointOfTheLaunch) {
  World counted(options());
  counted.write_matrix(k_locked);
  World::Variables counting = variables(counted);
  counting["ORCHESTRATE_KILL_LOG"] = counted.folder() + "/log";
  ASSERT_EQ(counted.run(counting).code, 0) << counted.last_stderr();
  Hits hits = hits_in(counted, "log");
  for (const char* name :
       {"undo-recorded", "before-launch-done", "guardian-before-spawn", "guardian-after-spawn",
        "guardian-spawn-told", "spawned", "guardian-leader-ended", "guardian-tree-ended",
        "guardian-before-exit-record", "guardian-after-exit-record", "undo-done"}) {
    ASSERT_GT(hits[name], 0) << name;
    World world(options());
    world.write_matrix(k_locked);
    // At the end of a sweep, the launch is that of the server or of its measurement.
    world.run(killing(world, variables(world), {name, hits[name]}, 1));
    ASSERT_EQ(world.run(variables(world)).code, 0) << name << "\n" << world.last_stderr();
    const std::vector<std::string> words = done_in(world);
    ASSERT_FALSE(words.empty()) << name;
    EXPECT_EQ(words.back(), "restore") << name;
    for (const std::string& word : words) EXPECT_TRUE(word == "lock" || word == "restore") << word;
  }
}

// The driver is that of the nodes.
class ClocksOnSlurm : public Clocks {
 protected:
  void SetUp() override {
    if (!slurm.why_not().empty()) GTEST_SKIP() << slurm.why_not();
  }
  Options on_slurm() const {
    Options with = options();
    with.arguments = {"--executor", "slurm"};
    with.variables = slurm.variables();
    with.extra_site += fmt::format(
        "slurm: {{lines: [\"export ORCH_FAKE_GPUS='NVIDIA H100' LD_LIBRARY_PATH={}\"]}}\n", folder);
    return with;
  }
  static constexpr const char* k_gpu = "GPU-00000000";
  Slurm slurm;
};

TEST_F(ClocksOnSlurm, AreLockedInTheJobOfTheServerAndThenRestored) {
  World world(on_slurm());
  world.write_matrix(k_locked);
  ASSERT_EQ(world.run(variables(world)).code, 0) << world.last_stderr();
  EXPECT_EQ(done_in(world, k_gpu), (std::vector<std::string>{"lock", "restore"}));
}

TEST_F(ClocksOnSlurm, AreRestoredByTheParentOfAGuardianThatDies) {
  World world(on_slurm());
  world.write_matrix(k_locked);
  // The first launch with a command around it is that of the server.
  world.run(killing(world, variables(world), {"before-launch-done", 1}, 1));
  ASSERT_EQ(world.run(variables(world)).code, 0) << world.last_stderr();
  EXPECT_EQ(done_in(world, k_gpu),
            (std::vector<std::string>{"lock", "restore", "lock", "restore"}));
}

}  // namespace clocks_test
}  // namespace orch::crash
