// A server of four ranks in containers of the cluster's plugin on two nodes of a real Slurm. There
// is no plugin here: a stand-in of srun keeps the words that are for it, and the ranks run outside.
#include "e2e/on_two_nodes.hpp"
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
    "\n    secrets: [SOME_TOKEN]\n"
    "    container: {image: 'triton@sha256:"
    "302d84583b79a5362c6b28ae4c8e13120df4317f45bb9a1f34824045543886ec'}";

class InContainers : public OnTwoNodes {
 protected:
  void SetUp() override {
    OnTwoNodes::SetUp();
    if (IsSkipped()) return;
    for (const auto& [name, text] : {std::pair("srun", k_srun), std::pair("prolog", k_prolog)}) {
      std::ofstream(plugin.file(name)) << text;
      std::filesystem::permissions(plugin.file(name), std::filesystem::perms::owner_all);
    }
    ::setenv("SOME_TOKEN", "very-secret", 1);
    ranks =
        sweep_of("{server: [one], tp: [2], pp: [2]}",
                 "container: {engine: cluster, command: [" + plugin.file("srun") + "]}\n", k_serve);
  }
  // The sweep has measured, with as many STARTS of the server, and left nothing.
  void expect_completed(const Finished& done, int starts) {
    ASSERT_EQ(done.code, 0) << done.err;
    expect_measured(*ranks, 1);
    EXPECT_EQ(ranks->sweep().value("select sum(attempts) from stages where name = 'serve'"),
              starts);
    wait_for_empty_queue(*ranks);
    EXPECT_EQ(ranks->left(), std::vector<std::string>());
  }

  fakes::TempFolder plugin;
  std::unique_ptr<Ranks> ranks;
};

TEST_F(InContainers, FourRanksAreMeasured) {
  ranks->close_gate();
  const auto run = ranks->start();
  std::map<std::string, std::string> nodes;  // by rank
  std::string token;
  if (ranks->wait_for_prompt(run)) {
    nodes = nodes_of(*ranks);
    token = ranks->server("0").token;
  }
  ranks->open_gate();
  expect_completed(ranks->sweep().finish(run), 1);
  EXPECT_EQ(nodes, k_two_on_each);
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
  const std::vector<int> starters = pids_with([&](const std::string& command, const std::string&) {
    return command.starts_with("srun ") && command.find("--job-name=" + token) != std::string::npos;
  });
  EXPECT_FALSE(starters.empty());
  for (const int pid : starters) ::kill(pid, SIGKILL);
  ranks->wait_for_end_of(token);
  ranks->open_gate();
  expect_completed(ranks->sweep().finish(run), 2);
}

}  // namespace contained_nodes_test
}  // namespace orch::e2e
