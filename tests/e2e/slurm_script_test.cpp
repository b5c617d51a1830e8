// `plan --script --executor slurm` on a real Slurm of two nodes: its jobs complete, and make what
// the script without Slurm makes.
#include "crash/local_slurm.hpp"
#include "e2e/toy.hpp"

#include <map>
#include <set>

#include <gmock/gmock.h>

namespace orch::e2e {
namespace slurm_script_test {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* k_axes = "axes: {flavour: [plain, sweet], concurrency: [1, 2]}\n";
constexpr const char* k_site =
    "slurm:\n"
    "  options: [--comment, \"it's \\\"$HOME\\\" # 100 %\"]\n"
    "  lines: [\"unset NOT_SET; echo \\\"the site's line: $NOT_SET\\\"\"]\n";

class OnSlurm : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!slurm.why_not().empty()) GTEST_SKIP() << slurm.why_not();
    sweep.write("site.yaml", k_site);
  }

  Finished plan(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"plan", "toy.yaml", "--site", "site.yaml", "--script"};
    words.insert(words.end(), more.begin(), more.end());
    return sweep.orchestrate(words);
  }
  // Submits by SCRIPT and waits until no job is left.
  Finished submit(const std::string& script) {
    std::vector<std::string> words = {"env", "OUT=on slurm"};
    for (const auto& [name, value] : slurm.variables()) words.push_back(name + "=" + value);
    words.insert(words.end(), {"bash", script});
    Finished submitted = sweep.run(words);
    sweep.wait_until([&] { return slurm.live_jobs().empty(); });
    return submitted;
  }
  // How often each state is that of a job, by the begin of the job's name.
  std::map<std::string, int> states() const {
    std::map<std::string, int> counts;
    std::istringstream jobs(slurm.ask("squeue --me --noheader --states=all --format='%j %T'"));
    for (std::string name, state; jobs >> name >> state;)
      ++counts[name.substr(0, name.find('-')) + " " + state];
    return counts;
  }
  // Path below FOLDER's artifacts -> sha256; the same in every folder but for paths in
  // measurements.
  std::map<std::string, std::string> artifacts(const std::string& folder) {
    std::map<std::string, std::string> digests;
    const Finished sums = sweep.run(
        {"bash", "-c", "cd \"$0/artifacts\" && find . -type f -exec sha256sum {} +", folder});
    EXPECT_EQ(sums.code, 0) << sums.err;
    std::istringstream lines(sums.out);
    for (std::string digest, path; lines >> digest >> path;)
      digests[path] = path.find("/bench-") == std::string::npos ? digest : "";
    return digests;
  }
  void expect_same_as_here() {
    const Finished local = plan({});
    ASSERT_EQ(local.code, 0) << local.err;
    sweep.write("here.sh", local.out);
    const Finished here = sweep.run({"env", "OUT=here", "bash", "here.sh"});
    ASSERT_EQ(here.code, 0) << here.err;
    const auto expected = artifacts("here");
    EXPECT_EQ(expected.size(), 2u * 2 + 4 * 3);
    EXPECT_EQ(artifacts("on slurm"), expected);
  }
  // What the jobs and their processes said.
  std::string said() {
    return sweep.run({"bash", "-c", "cat scripts/logs/* 'on slurm'/logs/{make,serve}* 2>&1"}).out;
  }

  crash::Slurm slurm;
  Sweep sweep;
};

TEST_F(OnSlurm, TheFilesOfAFolderMakeWhatTheScriptMakesHere) {
  toy_project(sweep, k_axes);
  const Finished planned = plan({"scripts", "--executor", "slurm"});
  ASSERT_EQ(planned.code, 0) << planned.err;
  EXPECT_EQ(planned.out, "scripts: bash scripts/submit.sh submits the jobs\n");
  const Finished submitted = submit("scripts/submit.sh");
  ASSERT_EQ(submitted.code, 0) << submitted.err;
  EXPECT_EQ(states(), (std::map<std::string, int>{{"make COMPLETED", 2}, {"serve COMPLETED", 2}}))
      << said();
  expect_same_as_here();
  EXPECT_THAT(slurm.ask("scontrol show job"), HasSubstr("Comment=it's \"$HOME\" # 100 %"));
  EXPECT_THAT(said(), HasSubstr("the site's line: \n"));
}

TEST_F(OnSlurm, TheOneScriptMakesWhatTheScriptMakesHere) {
  toy_project(sweep, k_axes);
  const Finished planned = plan({"--executor", "slurm"});
  ASSERT_EQ(planned.code, 0) << planned.err;
  sweep.write("plan.sh", planned.out);
  const Finished submitted = submit("plan.sh");
  ASSERT_EQ(submitted.code, 0) << submitted.err;
  EXPECT_EQ(states(), (std::map<std::string, int>{{"make COMPLETED", 2}, {"serve COMPLETED", 2}}))
      << said();
  expect_same_as_here();
}

TEST_F(OnSlurm, AJobThatFailsCancelsThoseThatNeedItAndNoOthers) {
  toy_project(sweep, "axes: {flavour: [plain, broken]}\n");
  const Finished planned = plan({"scripts", "--executor", "slurm"});
  ASSERT_EQ(planned.code, 0) << planned.err;
  const Finished submitted = submit("scripts/submit.sh");
  ASSERT_EQ(submitted.code, 0) << submitted.err;
  EXPECT_EQ(states(), (std::map<std::string, int>{{"make COMPLETED", 1},
                                                  {"make FAILED", 1},
                                                  {"serve CANCELLED", 1},
                                                  {"serve COMPLETED", 1}}))
      << said();
  EXPECT_THAT(said(), AllOf(HasSubstr("ended with status 1: "),
                            HasSubstr("the recipe has no flavour 'broken'; choose plain\n")));
}

// A step prints how many CPUs it has; the GPU's clock is set by a stand-in that keeps a diary.
TEST_F(OnSlurm, JobsHaveTheCpusAndTheClocksThatTheirStagesState) {
  toy_project(sweep, "axes: {flavour: [plain, dies]}\n");
  std::string runner = k_toy_runner;
  const auto add = [&](const std::string& before, const std::string& line) {
    runner.replace(runner.find(before), 0, line);
  };
  add("  serve:\n", "    resources: {cpus: 3, memory_gib: 0.5}\n");
  add("    smoke:", "    resources: {gpus: 1, cpus: 2}\n");
  const std::string matrix = Sweep::read(sweep.folder() + "/toy.yaml");
  sweep.write("runners/toy/runner.yaml", runner)
      .write("runners/toy/make.py", std::string(k_toy_make) +
                                        "import os, subprocess\n"
                                        "e = os.environ\n"
                                        "subprocess.run(['scontrol', 'show', 'step', "
                                        "e['SLURM_JOB_ID'] + '.' + e['SLURM_STEP_ID']])\n")
      .write("smi.sh", "echo \"$*\" >>\"$0.diary\"\n")
      .write("site.yaml",
             "machine: {gpus: 4}\nnvidia_smi: [/bin/sh, " + sweep.folder() + "/smi.sh]\n")
      .write("toy.yaml", std::string(matrix).replace(matrix.find("measure: {"), 10,
                                                     "measure: {gpu_clock_mhz: 1410, "));
  const Finished planned = plan({"scripts", "--executor", "slurm"});
  ASSERT_EQ(planned.code, 0) << planned.err;
  const Finished submitted = submit("scripts/submit.sh");
  ASSERT_EQ(submitted.code, 0) << submitted.err;
  EXPECT_EQ(states(), (std::map<std::string, int>{
                          {"make COMPLETED", 2}, {"serve COMPLETED", 1}, {"serve FAILED", 1}}))
      << said();
  EXPECT_THAT(said(), HasSubstr(" CPUs=3 "));
  std::istringstream diary(Sweep::read(sweep.folder() + "/smi.sh.diary"));
  std::multiset<std::string> clocks;
  for (std::string line; std::getline(diary, line);) clocks.insert(line.substr(line.find("-", 1)));
  EXPECT_EQ(clocks,
            (std::multiset<std::string>{"-lgc 1410,1410", "-lgc 1410,1410", "-rgc", "-rgc"}))
      << "also of the server that dies";
}

// Rank 0 is the server, rank 1 a worker; both say when they are asked to end.
TEST_F(OnSlurm, RanksOfMpirunAreStartedBySrunAndAskedToEnd) {
  toy_project(sweep, "axes: {flavour: [plain]}\n");
  std::string runner = k_toy_runner;
  const std::string server = "argv: [/usr/bin/python3, \"{file:serve.py}\"";
  const std::string model = "\"{stage:make}/model.txt\"]\n    ready";
  runner.replace(runner.find(server), server.size(),
                 "argv: [/usr/bin/env, mpirun, --bind-to, none, --mca, btl, \"self,vader\", -n, "
                 "\"1\", bash, \"{file:rank.sh}\", \"{file:serve.py}\"");
  runner.replace(runner.find(model), model.size(),
                 "\"{stage:make}/model.txt\", \":\", -n, \"1\", bash, \"{file:rank.sh}\", "
                 "\"{token}_1_\", \"a  b\"]\n    ready");
  sweep.write("runners/toy/runner.yaml", runner)
      .write("runners/toy/rank.sh",
             "trap 'echo \"rank $SLURM_PROCID of $SLURM_NTASKS ends\"; exit 0' TERM\n"
             "if [[ $1 == *.py ]]; then python3 \"$@\" & else sleep 600 & fi\n"
             "[[ $1 == *.py ]] || echo \"$2|${1#*_}|$OMPI_MCA_btl|$PMIX_RANK\"\n"
             "while :; do wait; sleep 0.05; done\n");  // until TERM, which its child may get first
  const Finished planned = plan({"scripts", "--executor", "slurm"});
  ASSERT_EQ(planned.code, 0) << planned.err;
  const Finished submitted = submit("scripts/submit.sh");
  ASSERT_EQ(submitted.code, 0) << submitted.err;
  EXPECT_EQ(states(), (std::map<std::string, int>{{"make COMPLETED", 1}, {"serve COMPLETED", 1}}))
      << said();
  EXPECT_THAT(said(), AllOf(HasSubstr("a  b|1_|self,vader|1\n"), HasSubstr("rank 0 of 2 ends\n"),
                            HasSubstr("rank 1 of 2 ends\n")));
}

TEST_F(OnSlurm, AFileThatIsNotFromAPlanStaysAndIsNamed) {
  toy_project(sweep, k_axes);
  ASSERT_EQ(plan({"scripts", "--executor", "slurm"}).code, 0);
  ASSERT_EQ(plan({"scripts", "--executor", "slurm"}).code, 0) << "a plan replaces its own files";
  sweep.write("scripts/submit.sh", "mine\n");
  const Finished refused = plan({"scripts", "--executor", "slurm"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("'scripts/submit.sh' is not as `plan --script` wrote it"));
  EXPECT_EQ(Sweep::read(sweep.folder() + "/scripts/submit.sh"), "mine\n");
}

TEST_F(OnSlurm, AWrongPairOfOptionsIsOneError) {
  toy_project(sweep, k_axes);
  const Finished local = plan({"scripts"});
  EXPECT_NE(local.code, 0);
  EXPECT_THAT(local.err, HasSubstr("'scripts' is for the jobs of a cluster; add --executor slurm"));
  const Finished before = sweep.orchestrate({"plan", "--script", "toy.yaml", "--store", "s"});
  EXPECT_NE(before.code, 0);
  EXPECT_THAT(before.err, HasSubstr("write the matrix before --script"));
}

}  // namespace slurm_script_test
}  // namespace orch::e2e
