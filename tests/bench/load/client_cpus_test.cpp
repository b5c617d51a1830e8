// Where the client is moved before a load, what it says about it, and that it returns.
#include "bench/load/client_cpus.hpp"

#include "bench/load/bench_all.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "fakes/fake_cpus.hpp"
#include "fakes/truth_server.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::load {
namespace client_cpus_test {

using fakes::FakeCpus;
using system::CpuSet;
using testing::ElementsAre;

constexpr int k_server = 7;

FakeCpus host_with_server_on(const CpuSet& allowed) {
  FakeCpus host({0, 1});
  host.others[k_server] = {{.allowed = allowed, .last = *allowed.rbegin(), .cpu_s = 1}};
  return host;
}

TEST(ClientCpus, AreThoseThatTheServerLeavesFreeForTheTimeOfALoad) {
  FakeCpus host = host_with_server_on({1});
  {
    ClientCpus client(&host);
    EXPECT_EQ(client.choose({k_server}, {}),
              "the client runs on CPU 0: the server is bound to CPU 1");
    EXPECT_EQ(client.why(), "the server is bound to CPU 1");
    EXPECT_EQ(host.used, (CpuSet{0}));
  }
  EXPECT_THAT(host.diary, ElementsAre("0", "0-1"));
}

TEST(ClientCpus, AreTheSameForAllLoadsWhereverTheServerRunsLater) {
  FakeCpus host({0, 1});
  host.others[k_server] = {{.allowed = {0, 1}, .last = 1, .cpu_s = 1}};
  ClientCpus client(&host);
  EXPECT_NE(client.choose({k_server}, {}), "");
  const CpuSet first = host.used;
  EXPECT_EQ(first, (CpuSet{0}));
  client.leave();
  EXPECT_EQ(host.used, (CpuSet{0, 1})) << "between loads";
  host.others[k_server] = {{.allowed = {0, 1}, .last = 0, .cpu_s = 1}};
  EXPECT_EQ(client.choose({k_server}, {}), "");
  EXPECT_EQ(host.used, first);
}

TEST(ClientCpus, StayWhereNoneIsFree) {
  FakeCpus host = host_with_server_on({0, 1});
  host.others[8] = {{.allowed = {0, 1}, .last = 0, .cpu_s = 1}};
  {
    ClientCpus client(&host);
    EXPECT_EQ(client.choose({k_server, 8}, {}),
              "no CPU is free for the client: it may run on CPUs 0-1, and the server last ran on "
              "CPUs 0-1. They take turns: TTFT and ITL may come out too high, and the server runs "
              "slower");
    EXPECT_EQ(client.why(), "no CPU is free: the server last ran on CPUs 0-1");
  }
  EXPECT_TRUE(host.diary.empty());
}

TEST(ClientCpus, StayBesideARemoteServer) {
  FakeCpus host = host_with_server_on({1});
  {
    ClientCpus client(&host);
    EXPECT_EQ(client.choose({}, {}), "");
    EXPECT_EQ(client.why(), "");
  }
  EXPECT_TRUE(host.diary.empty());
}

TEST(ClientCpus, OfAHiddenServerAreUnknown) {
  FakeCpus host = host_with_server_on({1});
  ClientCpus client(&host);
  EXPECT_EQ(client.choose({}, {8000}),
            "the CPUs of the server at port 8000 are unknown, because its process is not visible "
            "(it is another user's, or in a container); --cpus LIST gives the client CPUs of its "
            "own");
  EXPECT_THAT(client.why(), testing::StartsWith("the CPUs of the server at port 8000 are unknown"));
  EXPECT_EQ(host.used, (CpuSet{0, 1}));
}

TEST(ClientCpus, FollowTheVisibleServersBesideAHiddenOne) {
  FakeCpus host = host_with_server_on({1});
  ClientCpus client(&host);
  EXPECT_THAT(
      client.choose({k_server}, {8000}),
      testing::StartsWith("the client runs on CPU 0: the server is bound to CPU 1; the CPUs "
                          "of the server at port 8000 are unknown"));
  EXPECT_EQ(host.used, (CpuSet{0}));
}

TEST(ClientCpus, ThatTheUserNamedAreUsedWhateverTheServerDoes) {
  FakeCpus host = host_with_server_on({1});
  {
    ClientCpus client(&host);
    ASSERT_TRUE(client.use({1}).ok());
    EXPECT_EQ(client.choose({k_server}, {8000}), "");
    EXPECT_EQ(client.why(), "--cpus was given");
    EXPECT_EQ(host.used, (CpuSet{1}));
  }
  EXPECT_THAT(host.diary, ElementsAre("1", "0-1"));
}

TEST(ClientCpus, AreNotTouchedWithoutAHost) {
  ClientCpus client(nullptr);
  EXPECT_TRUE(client.use({1}).ok());
  EXPECT_EQ(client.choose({k_server}, {8000}), "");
  EXPECT_EQ(client.why(), "");
}

TEST(ClientCpus, ThatTheSystemWithholdsAreRefusedBeforeMeasuring) {
  FakeCpus host({0, 1});
  EXPECT_TRUE(check_asked_cpus(host, {0}).ok());
  EXPECT_TRUE(check_asked_cpus(host, {}).ok());
  EXPECT_EQ(check_asked_cpus(host, {1, 9}).error().message,
            "--cpus 1,9: this process may not run on CPU 9; choose from 0-1, or write --cpus all");
}

TEST(ClientCpus, UnderAQuotaAreReportedIfTheyHaveMoreTime) {
  FakeCpus host({0, 1, 2, 3});
  EXPECT_EQ(ClientCpus(&host).quota_warning(), "");
  host.limit = 4;
  EXPECT_EQ(ClientCpus(&host).quota_warning(), "");
  host.limit = 1.5;
  EXPECT_EQ(ClientCpus(&host).quota_warning(),
            "a cgroup allows the client, and everything else in it, the time of 1.5 of the 4 CPUs "
            "that it may run on; what exceeds that is stopped for up to 0.1 s at a time, so TTFT "
            "and ITL may come out too high");
  EXPECT_EQ(ClientCpus(nullptr).quota_warning(), "");
}

// A server in a process of its own, bound to CPU.
class BoundServer {
 public:
  explicit BoundServer(int cpu) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      if (!system::RealCpus().move_to({cpu}).ok()) ::_exit(1);
      truth::Server server(truth::always(truth::stream()));
      const std::uint16_t port = server.port();
      static_cast<void>(::write(ends[1], &port, sizeof port));
      for (;;) ::pause();
    }
    static_cast<void>(::read(ends[0], &port_, sizeof port_));
    for (const int end : ends) ::close(end);
  }
  BoundServer(const BoundServer&) = delete;
  BoundServer& operator=(const BoundServer&) = delete;
  ~BoundServer() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
};

prompt::PromptSet prompts(int count) {
  prompt::PromptSet set;
  for (int i = 0; i < count; ++i) set.measured.push_back({.text_input = "p", .isl = 1});
  return set;
}

TEST(BenchCpus, AreNotThoseOfABoundServerAndAreRecordedAndSaidOnce) {
  system::RealCpus host;
  const CpuSet before = host.own();
  if (before.size() < 2) GTEST_SKIP() << "this process may use one CPU only";
  const int cpu = *before.rbegin();
  const BoundServer server(cpu);
  BenchOptions options = one_at_a_time(server.url(), 2);
  options.loads.push_back(options.loads.front());
  options.host_cpus = &host;
  const std::atomic<bool> never_stopped = false;
  std::string lines;
  std::vector<record::Measurement> all;
  CpuSet between;
  const Status status = run_bench(
      options, prompts(4), never_stopped,
      {.line = [&](std::string_view line) { lines += std::string(line) + "\n"; }, .status = {}},
      [&](record::Measurement one) {
        between = system::own_cpus();
        all.push_back(std::move(one));
      });
  ASSERT_TRUE(status.ok()) << status.error().message;
  ASSERT_EQ(all.size(), 2U);
  for (const record::Measurement& one : all) {
    const CpuSet used = system::parse_cpu_list(one.client.cpus).value();
    EXPECT_FALSE(used.contains(cpu)) << one.client.cpus;
    EXPECT_THAT(one.client.cpus_why,
                testing::StartsWith("the server is bound to CPU " + std::to_string(cpu)));
  }
  EXPECT_THAT(lines, testing::HasSubstr("the client runs on CPU"));
  EXPECT_EQ(lines.find("the client runs on CPU"), lines.rfind("the client runs on CPU")) << lines;
  EXPECT_EQ(between, before) << "what is done between loads may use every CPU";
  EXPECT_EQ(system::own_cpus(), before);
}

TEST(BenchCpus, AreThoseOfTheUserDuringTheLoad) {
  truth::Server server(truth::always(truth::stream()));
  FakeCpus host({0, 1});
  BenchOptions options = one_at_a_time(server.url(), 2);
  options.host_cpus = &host;
  options.cpus = {1};
  const record::Measurement one = bench_one(options, prompts(2));
  EXPECT_EQ(one.client.cpus, "1");
  EXPECT_EQ(one.client.cpus_why, "--cpus was given");
  host.limit = 1;
  EXPECT_THAT(bench_one(options, prompts(2)).verdict.warnings,
              testing::Contains(testing::HasSubstr("a cgroup allows the client")));
  options.cpus = {9};
  EXPECT_EQ(bench_all(options, prompts(2)).error().kind, ErrorKind::invalid);
}

}  // namespace client_cpus_test
}  // namespace orch::load
