// What the client chooses beside servers: a table of hosts.
#include "bench/load/client_cpus.hpp"

#include <gtest/gtest.h>

namespace orch::load {
namespace cpu_choice_test {

using system::CpuSet;
using system::ThreadCpus;

CpuSet cpus(int first, int last) {
  CpuSet out;
  for (int cpu = first; cpu <= last; ++cpu) out.insert(cpu);
  return out;
}

ThreadCpus bound(CpuSet to, double cpu_s = 1) {
  const int last = *to.begin();
  return {.allowed = std::move(to), .last = last, .cpu_s = cpu_s};
}
ThreadCpus free_thread(int last, double cpu_s = 1) {
  return {.allowed = cpus(0, 255), .last = last, .cpu_s = cpu_s};
}

// CPUs N and N + HALF are of one core.
std::map<int, CpuSet> pairs(int half) {
  std::map<int, CpuSet> out;
  for (int cpu = 0; cpu < half; ++cpu) out[cpu] = out[cpu + half] = {cpu, cpu + half};
  return out;
}

struct Row {
  std::string about;
  CpuEvidence evidence;
  std::string chosen;
  std::string why;
};

const Row k_rows[] = {
    {"a server on one of two CPUs",
     {.allowed = {0, 1}, .servers = {bound({1})}, .cores = {}},
     "0",
     "the server is bound to CPU 1"},
    {"a server on every CPU of the client: each thread on one",
     {.allowed = {0, 1}, .servers = {bound({0}), bound({1})}, .cores = {}},
     "",
     "the server is bound to CPUs 0-1"},
    {"a client confined to the CPU of the server",
     {.allowed = {1}, .servers = {bound({1})}, .cores = {}},
     "",
     "the server last ran on CPU 1"},
    {"a client confined to another CPU",
     {.allowed = {0}, .servers = {bound({1})}, .cores = {}},
     "0",
     "the server is bound to CPU 1"},
    {"a server in another cpuset than the client",
     {.allowed = cpus(4, 7), .servers = {bound(cpus(0, 5))}, .cores = {}},
     "6-7",
     "the server is bound to CPUs 0-5"},
    {"a server that was bound as a whole, except the thread that started it",
     {.allowed = {0, 1}, .servers = {free_thread(0), bound({1}, 0)}, .cores = {}},
     "0",
     "the server is bound to CPU 1, and threads of it that are not bound last ran on CPU 0"},
    {"the same with a CPU to spare",
     {.allowed = {0, 1, 2}, .servers = {free_thread(0), bound({1}, 0)}, .cores = {}},
     "2",
     "the server is bound to CPU 1, and threads of it that are not bound last ran on CPU 0"},
    {"an unbound server that ran on one of two CPUs",
     {.allowed = {0, 1}, .servers = {free_thread(1), free_thread(1)}, .cores = {}},
     "0",
     "the server last ran on CPU 1"},
    {"an unbound server that ran on both",
     {.allowed = {0, 1}, .servers = {free_thread(1), free_thread(0)}, .cores = {}},
     "",
     "the server last ran on CPUs 0-1"},
    {"threads that only waited since the server started do not count",
     {.allowed = {0, 1}, .servers = {free_thread(1, 10), free_thread(0, 0.4)}, .cores = {}},
     "0",
     "the server last ran on CPU 1"},
    {"a thread with a twentieth of the busiest one's CPU time counts",
     {.allowed = {0, 1}, .servers = {free_thread(1, 10), free_thread(0, 0.5)}, .cores = {}},
     "",
     "the server last ran on CPUs 0-1"},
    {"of a server that has done nothing yet, every thread counts",
     {.allowed = cpus(0, 3), .servers = {free_thread(0, 0), free_thread(2, 0)}, .cores = {}},
     "1,3",
     "the server last ran on CPUs 0,2"},
    {"several servers",
     {.allowed = cpus(0, 3), .servers = {bound({1}), bound({2}), bound({2})}, .cores = {}},
     "0,3",
     "the server is bound to CPUs 1-2"},
    {"cores of two CPUs: whole free cores are better",
     {.allowed = cpus(0, 7), .servers = {bound({1, 5}), bound({2})}, .cores = pairs(4)},
     "0,3-4,7",
     "the server is bound to CPUs 1-2,5"},
    {"no whole core is free: siblings of the server's CPUs",
     {.allowed = cpus(0, 3), .servers = {bound({0, 1})}, .cores = pairs(2)},
     "2-3",
     "the server is bound to CPUs 0-1; no other core is free of it"},
    {"a sibling that another thread merely ran on is better than a bound one",
     {.allowed = cpus(0, 3), .servers = {bound({0}), free_thread(1)}, .cores = pairs(2)},
     "3",
     "the server is bound to CPU 0, and threads of it that are not bound last ran on CPU 1; no "
     "other core is free of it"},
    {"the sibling belongs to another cpuset",
     {.allowed = {2, 3}, .servers = {bound({0})}, .cores = pairs(2)},
     "3",
     "the server is bound to CPU 0"},
    {"an unbound server of few busy threads on a large host",
     {.allowed = cpus(0, 7), .servers = {free_thread(6), free_thread(0, 0)}, .cores = pairs(4)},
     "0-1,3-5,7",
     "the server last ran on CPU 6"},
};

TEST(CpuChoice, LeavesTheServerAlone) {
  for (const Row& row : k_rows) {
    const CpuChoice choice = choose_cpus(row.evidence);
    EXPECT_EQ(system::cpu_list(choice.cpus), row.chosen) << row.about;
    EXPECT_EQ(choice.why, row.why) << row.about;
  }
}

TEST(CpuChoice, NamesOneCpuOrSeveral) {
  EXPECT_EQ(cpus_text({3}), "CPU 3");
  EXPECT_EQ(cpus_text({0, 1, 2}), "CPUs 0-2");
}

}  // namespace cpu_choice_test
}  // namespace orch::load
