// A server of four ranks in containers of the cluster's plugin on two nodes of a real Slurm. There
// is no plugin here: a stand-in of srun keeps the words that are for it, and the ranks run outside.
#include "crash/local_slurm.hpp"
#include "e2e/ranks.hpp"
#include "fakes/temp_folder.hpp"

#include <gmock/gmock.h>

namespace orch::e2e {
namespace contained_nodes_test {

using testing::HasSubstr;

constexpr const char* k_srun =
    "#!/bin/sh\n"
    "for word; do shift; case $word in\n"
    "  --container-*|--no-container-*) echo \"$word\" >>\"${0%/*}/words\" ;;\n"
    "  *) set -- \"$@\" \"$word\" ;;\n"
    "esac; done\n"
    "exec srun --task-prolog=\"${0%/*}/prolog\" \"$@\"\n";
// Both nodes are this machine: their containers would not share memory.
constexpr const char* k_prolog =
    "#!/bin/sh\n"
    "mkdir -p \"${0%/*}/$SLURMD_NODENAME\"\n"
    "echo \"export OMPI_MCA_btl_vader_backing_directory=${0%/*}/$SLURMD_NODENAME\"\n";
constexpr const char* k_serve =
    "resources: {gpus: ranks}\n"
    "    secrets: [SOME_TOKEN]\n"
    "    container: {image: 'triton@sha256:"
    "302d84583b79a5362c6b28ae4c8e13120df4317f45bb9a1f34824045543886ec'}";

class InContainers : public testing::Test {
 protected:
  void SetUp() override {
    if (!slurm.why_not().empty()) GTEST_SKIP() << slurm.why_not();
    if (slurm.ask("srun --mpi=pmix --ntasks=1 true") == "?")
      GTEST_SKIP() << "libpmix-dev is not installed (scripts/install-packages.sh test)";
    for (const auto& [name, text] : {std::pair("srun", k_srun), std::pair("prolog", k_prolog)}) {
      std::ofstream(plugin.file(name)) << text;
      std::filesystem::permissions(plugin.file(name), std::filesystem::perms::owner_all);
    }
    ::setenv("SOME_TOKEN", "very-secret", 1);
    ranks = std::make_unique<Ranks>(
        environment(),
        "machine: {nodes: 2, gpus: 2}\ncontainer: {engine: cluster, command: [" +
            plugin.file("srun") + "]}\n",
        "{server: [one], tp: [2], pp: [2]}", k_serve);
    ranks->run_on(slurm.variables());
  }
  void expect_measured(const Finished& done, int starts) {
    ASSERT_EQ(done.code, 0) << done.err;
    Sweep& sweep = ranks->sweep();
    EXPECT_EQ(sweep.value("select count(*) from results where error_rate = 0 and osl_counted = 4"),
              1);
    EXPECT_EQ(sweep.query("select distinct node from provenance where kind = 'service'"),
              Json::parse(R"([{"node":"n[1-2]"}])"));
    EXPECT_EQ(sweep.value("select sum(attempts) from stages where name = 'serve'"), starts);
    sweep.wait_until([&] { return slurm.live_jobs().empty(); });
    EXPECT_EQ(ranks->left(), std::vector<std::string>());
  }

  crash::Slurm slurm;
  fakes::TempFolder plugin;
  std::unique_ptr<Ranks> ranks;
};

TEST_F(InContainers, FourRanksAreMeasured) {
  ranks->close_gate();
  const auto run = ranks->start();
  std::map<std::string, std::string> nodes;  // by rank
  std::string token;
  if (ranks->wait_for_prompt(run)) {
    for (const Part& part : ranks->parts())
      if (part.program == "tritonserver") nodes[part.rank] = part.node;
    token = ranks->server("0").token;
  }
  ranks->open_gate();
  expect_measured(ranks->sweep().finish(run), 1);
  EXPECT_EQ(nodes, (std::map<std::string, std::string>{
                       {"0", "n1"}, {"1", "n1"}, {"2", "n2"}, {"3", "n2"}}));
  const std::string words = Sweep::read(plugin.file("words"));
  EXPECT_THAT(words, HasSubstr("--container-image=triton@sha256:302d84583b79"));
  const std::string attempt = ranks->store() + "/attempts/" + token;
  EXPECT_THAT(words, HasSubstr(attempt + "/ranks:" + attempt + "/ranks:ro"));
  EXPECT_THAT(words, HasSubstr(attempt + "/work:" + attempt + "/work,"));
  EXPECT_THAT(words, HasSubstr(",SOME_TOKEN,"));
}

// A dead srun tells its step nothing.
TEST_F(InContainers, NoRankIsLeftWhenWhatHasStartedThemDies) {
  ranks->close_gate();
  const auto run = ranks->start();
  ASSERT_TRUE(ranks->wait_for_prompt(run)) << ranks->sweep().finish(run).err;
  const std::string token = ranks->server("3").token;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", code)) {
    const std::string command = Sweep::read(entry.path().string() + "/cmdline");
    if (command.starts_with(std::string("srun\0", 5)) &&
        command.find("--job-name=" + token) != std::string::npos)
      ::kill(std::atoi(entry.path().filename().c_str()), SIGKILL);
  }
  ranks->wait_for_end_of(token);
  ranks->open_gate();
  expect_measured(ranks->sweep().finish(run), 2);
}

}  // namespace contained_nodes_test
}  // namespace orch::e2e
