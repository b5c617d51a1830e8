// Single tasks on a real Slurm of two nodes: what the site's lines set, and what `status` tells.
#include "crash/local_slurm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace orch::crash {
namespace slurm_jobs_test {

using testing::HasSubstr;

// A task that runs a script of the shell: $1 is the folder of its output "done".
constexpr const char* k_one_task = R"(
runner: one
parameters:
  number: {type: integer, default: 1}
stages:
  task:
    kind: task
    reads: [number]
    env: {STATED: by the stage}
    argv: [/bin/sh, "{file:task.sh}", "{out}"]
    outputs: [done]
    resources: {cpus: 3, memory_gib: 0.5}
  serve:
    kind: service
    needs: [task]
    ports: [http]
    argv: [/bin/false]
    ready: {port: http, get: [/]}
  bench:
    kind: measure
    needs: [serve]
    argv: [/bin/false]
    outputs: [measurement.json, requests.jsonl]
)";

class JobsOnSlurm : public testing::Test {
 protected:
  void SetUp() override {
    if (!slurm.why_not().empty()) GTEST_SKIP() << slurm.why_not();
  }
  void write(World& world, const std::string& script) const {
    std::filesystem::create_directories(world.folder() + "/runners/one");
    world.write("runners/one/runner.yaml", k_one_task);
    world.write("runners/one/task.sh", script);
    world.write("one.yaml", "name: one\nrunner: one\naxes: {number: [1]}\n");
  }
  World::Run start(World& world) const {
    return world.spawn({ORCH_BINARY, "run", "one.yaml", "--site", "site.yaml", "--executor",
                        "slurm", "--until", "task"},
                       slurm.variables());
  }
  // The text of the only task's FILE, beside its output.
  static std::string output(const World& world, const std::string& file) {
    for (const auto& stage : std::filesystem::directory_iterator(world.store() + "/artifacts"))
      if (const auto path = stage.path() / "out" / file; std::filesystem::exists(path)) {
        std::ifstream text(path);
        return {std::istreambuf_iterator<char>(text), {}};
      }
    return "?";
  }

  Slurm slurm;
};

TEST_F(JobsOnSlurm, StagesGetWhatTheLinesOfTheSiteSet) {
  World world({.extra_site = R"(
slurm:
  lines:
    - 'module() { export LOADED="$*"; }'
    - module load cuda/12.4
    - export PATH=/opt/of-the-site/bin:$PATH
    - export STATED='by the site'
    - export SITE_TOKEN=never-to-be-seen-4711
)"});
  write(world,
        "echo \"$LOADED,$STATED,${PATH%%:*},${#SITE_TOKEN}\" >\"$1/done\"\n"
        "echo \"says $SITE_TOKEN\"\n");
  World::Run run = start(world);
  ASSERT_EQ(world.finish(run).code, 0) << world.last_stderr();
  EXPECT_EQ(output(world, "done"), "load cuda/12.4,by the stage,/opt/of-the-site/bin,21\n");
  std::size_t logs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(world.store())) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const bool is_private = (entry.status().permissions() & std::filesystem::perms(077)) ==
                            std::filesystem::perms::none;
    if (text.find("never-to-be-seen-4711") != std::string::npos) {
      EXPECT_EQ(entry.path().filename(), "script.sh") << "it has the lines themselves";
      EXPECT_TRUE(is_private) << entry.path();
    }
    logs += text.find("says [secret]") != std::string::npos;
  }
  EXPECT_GT(logs, 0u);
}

TEST_F(JobsOnSlurm, StagesGetTheCpusAndTheMemoryThatTheyState) {
  const std::string script =
      "{ echo $SLURM_CPUS_PER_TASK $SLURM_MEM_PER_NODE; srun /bin/sh -c "
      "'scontrol show step $SLURM_JOB_ID.$SLURM_STEP_ID' | grep -o 'CPUs=[0-9]*'; } >\"$1/done\"\n";
  World stated;
  write(stated, script);
  World::Run run = start(stated);
  ASSERT_EQ(stated.finish(run).code, 0) << stated.last_stderr();
  EXPECT_EQ(output(stated, "done"), "3 512\nCPUs=3\n");
  World site({.extra_site = "slurm: {resources: {task: {cpus: 2, memory_gib: 0.25}}}\n"});
  write(site, script);
  run = start(site);
  ASSERT_EQ(site.finish(run).code, 0) << site.last_stderr();
  EXPECT_EQ(output(site, "done"), "2 256\nCPUs=2\n");
}

TEST_F(JobsOnSlurm, StatusTellsWhereAJobIsAndWhyItWaits) {
  World world;
  ASSERT_EQ(::mkfifo((world.folder() + "/go").c_str(), 0600), 0);
  write(world, "read line <" + world.folder() + "/go; echo $line >\"$1/done\"\n");
  slurm.ask("scontrol update nodename=n1,n2 state=drain reason=test");
  World::Run run = start(world);
  nlohmann::json job;
  const auto shows = [&](const std::string& member, const std::string& value) {
    return wait_for(
        [&] {
          std::string said;
          if (world.orchestrate({"status", "--json"}, &said).code != 0) return false;
          const auto status = nlohmann::json::parse(said, nullptr, false);
          if (!status.is_object() || status["working"].empty()) return false;
          job = status["working"][0]["job"];
          return job.is_object() && job[member].get<std::string>().find(value) == 0;
        },
        60);
  };
  ASSERT_TRUE(shows("state", "PENDING"));
  const std::string id = job["id"];
  EXPECT_THAT(slurm.live_jobs(), HasSubstr(id));
  slurm.ask("scontrol hold " + id);
  ASSERT_TRUE(shows("reason", "JobHeldAdmin"));
  EXPECT_TRUE(job["held"]);
  std::string said;
  world.orchestrate({"status"}, &said);
  EXPECT_THAT(said, HasSubstr("(job " + id + " held: JobHeldAdmin)"));
  slurm.ask("scontrol release " + id);
  slurm.ask("scontrol update nodename=n1 state=resume");
  ASSERT_TRUE(shows("state", "RUNNING"));
  EXPECT_EQ(job["node"], "n1");
  world.write("go", "went\n");
  EXPECT_EQ(world.finish(run).code, 0) << world.last_stderr();
  EXPECT_THAT(world.last_stderr(), HasSubstr("job " + id + " of Slurm is held (JobHeldAdmin)"));
  EXPECT_EQ(output(world, "done"), "went\n");
}

}  // namespace slurm_jobs_test
}  // namespace orch::crash
