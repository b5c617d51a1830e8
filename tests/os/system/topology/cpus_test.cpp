// The CPUs of this host and of one in memory: one contract for both.
#include "os/system/topology/cpus.hpp"

#include "fakes/fake_cpus.hpp"

#include <future>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

namespace orch::system {
namespace cpus_test {

TEST(CpuList, IsReadAndWrittenWithRanges) {
  for (const auto& [text, cpus] : {std::pair<std::string, CpuSet>{"3", {3}},
                                   {"0-3,7,9-10", {0, 1, 2, 3, 7, 9, 10}},
                                   {"0,2-3,200", {0, 2, 3, 200}}}) {
    EXPECT_EQ(parse_cpu_list(text).value(), cpus);
    EXPECT_EQ(cpu_list(cpus), text);
  }
  EXPECT_EQ(cpu_list({}), "");
  EXPECT_EQ(parse_cpu_list(" 2-2,1\n").value(), (CpuSet{1, 2})) << "as in files of the kernel";
}

TEST(CpuList, OfAnotherFormIsAnError) {
  for (const char* text : {"", "a", "1,", "3-1", "-1", "0-", "1 2", "0-99999999"}) {
    const auto cpus = parse_cpu_list(text);
    ASSERT_FALSE(cpus.ok()) << text;
    EXPECT_EQ(cpus.error().message,
              "'" + std::string(text) + "' is not a list of CPUs, such as 0-3,7");
  }
}

// Each test runs on a thread of its own process, which it leaves where it was.
class CpusContract : public ::testing::TestWithParam<std::string> {
 protected:
  CpusContract() {
    if (GetParam() == "real") {
      cpus_ = std::make_unique<RealCpus>();
    } else {
      auto fake = std::make_unique<fakes::FakeCpus>(CpuSet{0, 2});
      fake->others[::getpid()] = {{.allowed = {0, 2}, .last = 2, .cpu_s = 0}};
      cpus_ = std::move(fake);
    }
    before_ = cpus().own();
  }
  ~CpusContract() override { static_cast<void>(cpus().move_to(before_)); }

  Cpus& cpus() { return *cpus_; }

 private:
  std::unique_ptr<Cpus> cpus_;

 protected:
  CpuSet before_;
};

INSTANTIATE_TEST_SUITE_P(All, CpusContract, ::testing::Values("real", "fake"),
                         [](const auto& param) { return param.param; });

TEST_P(CpusContract, TheClientMovesAndReturns) {
  ASSERT_FALSE(before_.empty());
  const CpuSet last{*before_.rbegin()};
  ASSERT_TRUE(cpus().move_to(last).ok());
  EXPECT_EQ(cpus().own(), last);
  ASSERT_TRUE(cpus().move_to(before_).ok());
  EXPECT_EQ(cpus().own(), before_);
}

TEST_P(CpusContract, AWithheldCpuIsRefusedAndNothingChanges) {
  const CpuSet first{*before_.begin()};
  ASSERT_TRUE(cpus().move_to(first).ok());
  EXPECT_FALSE(cpus().move_to({*before_.begin(), 60'000}).ok());
  EXPECT_EQ(cpus().own(), first);
  EXPECT_FALSE(cpus().move_to({60'000}).ok());
  EXPECT_FALSE(cpus().move_to({}).ok());
  EXPECT_EQ(cpus().own(), first);
}

TEST_P(CpusContract, ThreadsAreThoseOfProcessesThatExist) {
  const std::vector<ThreadCpus> threads = cpus().threads_of({::getpid(), 0});
  ASSERT_FALSE(threads.empty());
  for (const ThreadCpus& thread : threads) {
    EXPECT_EQ(thread.allowed, before_);
    EXPECT_GE(thread.last, 0);
    EXPECT_GE(thread.cpu_s, 0);
  }
  EXPECT_TRUE(cpus().threads_of({}).empty());
}

TEST_P(CpusContract, ACoreHasItsOwnCpu) {
  for (const int cpu : before_) EXPECT_THAT(cpus().core_of(cpu), testing::Contains(cpu));
}

TEST(RealCpus, MovesEveryThread) {
  RealCpus cpus;
  const CpuSet before = cpus.own();
  if (before.size() < 2) GTEST_SKIP() << "this process may use one CPU only";
  std::promise<void> end;
  std::thread other([&] { end.get_future().wait(); });
  for (const int cpu : {*before.begin(), *before.rbegin()}) {
    EXPECT_TRUE(cpus.move_to({cpu}).ok());
    const std::vector<ThreadCpus> threads = cpus.threads_of({::getpid()});
    EXPECT_GE(threads.size(), 2U);
    for (const ThreadCpus& thread : threads) EXPECT_EQ(thread.allowed, (CpuSet{cpu}));
    std::thread([&] {
      EXPECT_EQ(own_cpus(), (CpuSet{cpu})) << "a new thread is there too";
    }).join();
  }
  EXPECT_TRUE(cpus.move_to(before).ok());
  end.set_value();
  other.join();
}

TEST(RealCpus, CountsTheCpuTimeOfAThreadAndSaysWhereItRan) {
  RealCpus cpus;
  const CpuSet before = cpus.own();
  const int cpu = *before.rbegin();
  ASSERT_TRUE(cpus.move_to({cpu}).ok());
  while (std::clock() < CLOCKS_PER_SEC / 20) {  // busy: CPU time is counted in hundredths
  }
  const std::vector<ThreadCpus> threads = cpus.threads_of({::getpid()});
  ASSERT_TRUE(cpus.move_to(before).ok());
  ASSERT_FALSE(threads.empty());
  EXPECT_EQ(threads.front().last, cpu);
  EXPECT_GT(threads.front().cpu_s, 0.01);
}

}  // namespace cpus_test
}  // namespace orch::system
