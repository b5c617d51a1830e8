#include "plan/resources/ledger.hpp"

#include <gtest/gtest.h>

namespace orch::resources {
namespace ledger_test {

using Cores = Request::Cores;
using Cpus = std::vector<int>;

// CORES cores with two hardware threads each, on two nodes; GPUS GPUs, half of them on each node.
Inventory host(int cores, int gpus = 0) {
  Inventory inventory;
  for (int core = 0; core < cores; ++core)
    inventory.cores.push_back({.cpus = {core, core + cores}, .node = core * 2 / cores});
  for (int gpu = 0; gpu < gpus; ++gpu)
    inventory.gpus.push_back({.index = gpu, .node = gpu * 2 / gpus});
  return inventory;
}

TEST(Ledger, GivesNoGpuTwice) {
  Ledger ledger(host(8, 2));
  const Request one{.gpus = 1};
  ledger.take("a", one, *ledger.find(one));
  ledger.take("b", one, *ledger.find(one));
  EXPECT_EQ(ledger.held("a")->gpus, Cpus{0});
  EXPECT_EQ(ledger.held("b")->gpus, Cpus{1});
  EXPECT_FALSE(ledger.find(one));
  ledger.give_back("a");
  EXPECT_EQ(ledger.find(one)->gpus, Cpus{0});
}

TEST(Ledger, GivesOnlyGpusThatMayBeGiven) {
  const Ledger ledger(host(8, 4));
  EXPECT_EQ(ledger.find({.gpus = 2}, {1, 3})->gpus, (Cpus{1, 3}));
  EXPECT_FALSE(ledger.find({.gpus = 2}, {3}));
}

TEST(Ledger, GivesTheCoresBesideItsGpusToAServer) {
  const Ledger ledger(host(18, 2), true);
  // Two of eighteen cores belong to no GPU, eight to each; a node has nine.
  const auto first = ledger.find({.gpus = 1, .which = Cores::by_gpus}, {0});
  const auto second = ledger.find({.gpus = 1, .which = Cores::by_gpus}, {1});
  EXPECT_EQ(first->cpus.size(), 16u);
  EXPECT_EQ(first->nodes, std::set<int>{0});
  EXPECT_EQ(second->nodes, std::set<int>{1});
}

TEST(Ledger, NamesBothHardwareThreadsOfACore) {
  const Ledger ledger(host(4), true);
  EXPECT_EQ(ledger.find({.which = Cores::counted, .cores = 1})->cpus, (Cpus{0, 4}));
}

TEST(Ledger, KeepsACoreOfALargeServerForItsClient) {
  const Ledger ledger(host(8), true);
  const auto four = ledger.find({.which = Cores::counted, .cores = 4, .with_client = true});
  EXPECT_EQ(four->cpus, (Cpus{0, 1, 2, 8, 9, 10}));
  EXPECT_EQ(four->client_cpus, (Cpus{3, 11}));
  const auto three = ledger.find({.which = Cores::counted, .cores = 3, .with_client = true});
  EXPECT_EQ(three->client_cpus, Cpus{});
}

TEST(Ledger, FindsTheClientsCoreOfAServerThatRunsAlready) {
  Ledger ledger(host(8), true);
  const Request four{.which = Cores::counted, .cores = 4, .with_client = true};
  const Grant adopted{.gpus = {}, .cpus = {0, 1, 2, 8, 9, 10}, .client_cpus = {}, .nodes = {}};
  ledger.take("server", four, adopted);
  const Grant whole = ledger.with_client_core(four, adopted);
  EXPECT_EQ(whole.client_cpus, (Cpus{3, 11}));
  ledger.take("server", four, whole);
  EXPECT_EQ(ledger.find({.which = Cores::counted, .cores = 1})->cpus, (Cpus{4, 12}));
  const Grant small{.gpus = {}, .cpus = {0, 1, 8, 9}, .client_cpus = {}, .nodes = {}};
  EXPECT_EQ(ledger.with_client_core(four, small).client_cpus, Cpus{})
      << "three cores are too few to leave one out";
}

TEST(Ledger, DoesNotGiveTheClientsCoreToOthers) {
  Ledger ledger(host(4), true);
  const Request all{.which = Cores::counted, .cores = 4, .with_client = true};
  ledger.take("server", all, *ledger.find(all));
  EXPECT_FALSE(ledger.find({.which = Cores::counted, .cores = 1}));
  EXPECT_FALSE(ledger.find({.which = Cores::shared}));
}

TEST(Ledger, LetsStagesWithoutGpusShareWhatBelongsToNoGpu) {
  Ledger ledger(host(32, 2), true);
  const Request shared{.which = Cores::shared};
  const auto rest = ledger.find(shared);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->cpus.size(), 4u);  // two of 32 cores
  ledger.take("a", shared, *rest);
  EXPECT_EQ(ledger.find(shared)->cpus, rest->cpus);
  // Servers get their cores all the same.
  EXPECT_TRUE(ledger.find({.gpus = 2, .which = Cores::by_gpus}));
}

TEST(Ledger, WaitsForEveryCoreWhereAStageNeedsAll) {
  Ledger ledger(host(4), true);
  const Request shared{.which = Cores::shared}, all{.which = Cores::all};
  EXPECT_EQ(ledger.find(all)->cpus.size(), 8u);
  ledger.take("a", shared, *ledger.find(shared));
  EXPECT_FALSE(ledger.find(all));
  ledger.give_back("a");
  EXPECT_TRUE(ledger.find(all));
}

TEST(Ledger, CountsCoresWhereNobodyIsKeptApart) {
  Ledger ledger(host(4));
  const Request three{.which = Cores::counted, .cores = 3};
  EXPECT_EQ(ledger.find(three)->cpus, Cpus{});
  ledger.take("a", three, *ledger.find(three));
  EXPECT_FALSE(ledger.find(three));
  EXPECT_TRUE(ledger.find({.which = Cores::counted, .cores = 1}));
}

// As of a cluster: who else asks is asked for tokens.
TEST(Ledger, GivesNoGpusWhereNoneAreKnown) {
  const Ledger ledger(Inventory{.tokens = {{"licence", 1}}});
  const auto grant = ledger.find({.gpus = 8, .tokens = {{"licence", 1}}});
  ASSERT_TRUE(grant);
  EXPECT_TRUE(grant->gpus.empty());
  EXPECT_FALSE(ledger.find({.gpus = 8, .tokens = {{"licence", 2}}}));
}

TEST(Ledger, CountsMemoryAndTokens) {
  Inventory inventory = host(4);
  inventory.memory_gib = 10;
  inventory.tokens = {{"licence", 2}};
  Ledger ledger(inventory);
  const Request big{.memory_gib = 6}, licensed{.tokens = {{"licence", 1}}},
      named{.tokens = {{"share", 1}}};
  ledger.take("a", big, *ledger.find(big));
  EXPECT_FALSE(ledger.find(big));
  ledger.take("b", licensed, *ledger.find(licensed));
  ledger.take("c", licensed, *ledger.find(licensed));
  EXPECT_FALSE(ledger.find(licensed));
  ledger.take("d", named, *ledger.find(named));
  EXPECT_FALSE(ledger.find(named)) << "a token that nobody counts exists once";
  ledger.give_back("a");
  EXPECT_TRUE(ledger.find(big));
}

TEST(Ledger, CountsTheDiskSpaceThatHoldersAreGoingToWrite) {
  Inventory inventory = host(4);
  inventory.disk_bytes = 400;
  Ledger ledger(inventory);
  const Request build{.disk_bytes = 300}, rest{.disk_bytes = 100}, more{.disk_bytes = 101};
  ledger.take("a", build, *ledger.find(build));
  EXPECT_FALSE(ledger.find(build));
  EXPECT_FALSE(ledger.find(more));
  EXPECT_TRUE(ledger.find(rest));
  EXPECT_TRUE(ledger.find({})) << "what writes nothing that is known does not wait";
  ledger.set_free_disk(399);
  EXPECT_FALSE(ledger.find(rest));
  ledger.give_back("a");
  EXPECT_TRUE(ledger.find(build));
}

TEST(Ledger, KeepsNobodyWaitingForDiskSpaceThatNobodyHolds) {
  Inventory inventory = host(4);
  inventory.disk_bytes = 0;
  Ledger ledger(inventory);
  const Request build{.disk_bytes = 300};
  ASSERT_TRUE(ledger.find(build));
  ledger.take("a", build, *ledger.find(build));
  EXPECT_FALSE(ledger.find(build));
}

TEST(Ledger, CountsNoDiskSpaceWhileNobodyKnowsWhatIsFree) {
  Ledger ledger(host(4));
  const Request build{.disk_bytes = 300};
  ledger.take("a", build, *ledger.find(build));
  EXPECT_TRUE(ledger.find(build));
}

TEST(Ledger, GivesAllCoresToAHolderThatAsksForMoreThanThereAre) {
  Ledger ledger(host(4), true);
  const Request five{.which = Cores::counted, .cores = 5};
  ASSERT_TRUE(ledger.find(five));
  EXPECT_EQ(ledger.find(five)->cpus.size(), 8u);
  ledger.take("a", five, *ledger.find(five));
  EXPECT_FALSE(ledger.find({.which = Cores::counted, .cores = 1}));
  ledger.give_back("a");
  EXPECT_TRUE(ledger.find(five));
}

TEST(Ledger, SharesCoresWhereThereAreFewerThanGpus) {
  const Ledger ledger(host(2, 4), true);
  const auto grant = ledger.find({.gpus = 1, .which = Cores::by_gpus});
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->cpus, Cpus{}) << "all of the host";
}

}  // namespace ledger_test
}  // namespace orch::resources
