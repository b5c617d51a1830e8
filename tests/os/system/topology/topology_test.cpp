#include "os/system/topology/cpus.hpp"
#include "os/system/topology/text_folder.hpp"

#include <gtest/gtest.h>

namespace orch::system {
namespace topology_test {

struct Sys : TextFolder {
  // Two nodes of two cores, with two hardware threads each: 0,4 1,5 | 2,6 3,7.
  void two_nodes() const {
    for (int cpu = 0; cpu < 8; ++cpu)
      write(fmt::format("cpu/cpu{}/topology/thread_siblings_list", cpu),
            fmt::format("{},{}", cpu % 4, cpu % 4 + 4));
    write("node/node0/cpulist", "0-1,4-5");
    write("node/node1/cpulist", "2-3,6-7");
  }
};

TEST(Topology, HardwareThreadsOfACoreAreTogether) {
  const Sys sys;
  sys.two_nodes();
  const auto cores = detect_cores({0, 1, 2, 3, 4, 5, 6, 7}, sys.path());
  ASSERT_EQ(cores.size(), 4u);
  EXPECT_EQ(cores[1].cpus, (std::vector<int>{1, 5}));
  EXPECT_EQ(cores[1].node, 0);
  EXPECT_EQ(cores[2].cpus, (std::vector<int>{2, 6}));
  EXPECT_EQ(cores[2].node, 1);
}

TEST(Topology, OnlyCpusThatMayBeUsedCount) {
  const Sys sys;
  sys.two_nodes();
  const auto cores = detect_cores({1, 6}, sys.path());
  ASSERT_EQ(cores.size(), 2u);
  EXPECT_EQ(cores[0].cpus, std::vector<int>{1});
  EXPECT_EQ(cores[1].cpus, std::vector<int>{6});
  EXPECT_EQ(cores[1].node, 1);
}

TEST(Topology, EachCpuIsACoreWhereTheKernelSaysNothing) {
  const Sys sys;
  const auto cores = detect_cores({0, 3}, sys.path());
  ASSERT_EQ(cores.size(), 2u);
  EXPECT_EQ(cores[1].cpus, std::vector<int>{3});
  EXPECT_EQ(cores[1].node, 0);
}

TEST(Topology, OfAQuotaTheFirstCoresAreKept) {
  const Sys sys;
  sys.two_nodes();
  const auto cores = detect_cores({0, 1, 2, 3, 4, 5, 6, 7}, sys.path());
  const auto kept = [&](int cpus) { return first_cores(cores, cpus).size(); };
  EXPECT_EQ(kept(8), 4u);
  EXPECT_EQ(kept(7), 3u);
  EXPECT_EQ(kept(4), 2u);
  EXPECT_EQ(kept(1), 1u) << "a core has two hardware threads";
  EXPECT_EQ(first_cores(cores, 4)[1].cpus, (std::vector<int>{1, 5}));
  EXPECT_TRUE(first_cores({}, 4).empty());
}

TEST(Topology, OnlyNodesWithMemoryAreNamedForIt) {
  const Sys sys;
  sys.two_nodes();
  EXPECT_TRUE(memory_nodes(sys.path()).empty()) << "the kernel says nothing";
  sys.write("node/has_memory", "0,2-3");
  EXPECT_EQ(memory_nodes(sys.path()), (std::set<int>{0, 2, 3}));
}

TEST(Topology, OfThisHostHasEveryCpuOnce) {
  const CpuSet own = own_cpus();
  CpuSet seen;
  for (const HostCore& core : detect_cores(own))
    for (const int cpu : core.cpus) EXPECT_TRUE(seen.insert(cpu).second) << cpu;
  EXPECT_EQ(seen, own);
}

}  // namespace topology_test
}  // namespace orch::system
