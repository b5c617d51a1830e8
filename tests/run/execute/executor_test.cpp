// One contract suite for every executor: the real one in its weakest and its strongest containment,
// and the fake in memory that the tests of the scheduler rely on.
#include "core/base/fields_json.hpp"
#include "fakes/fake_world.hpp"
#include "run/execute/real_executor.hpp"

namespace orch::execute {
namespace executor_test {

// The host of the launches. Controls and observes what the contract needs beside the executor.
class Host {
 public:
  virtual ~Host() = default;
  virtual Executor& executor() = 0;
  virtual Launch ends(int code) = 0;
  virtual Launch ends_by(int signal) = 0;
  virtual Launch runs() = 0;          // until it is ended
  virtual Launch ignores_term() = 0;  // and runs
  virtual Launch ends_on_request(int code) = 0;
  virtual void request_end(const Launch& launch) = 0;
  virtual Launch leaves_others() = 0;          // children that would outlive it
  virtual Launch uses_memory_and_files() = 0;  // in its temporary folder and in shared memory
  virtual Launch missing() = 0;                // no such program
  virtual void wait_until_up(const Launch& launch) = 0;
  virtual bool is_left(const Launch& launch) = 0;  // any process of it
  virtual bool has_leftovers(const Launch& launch) = 0;
  // Starts LAUNCH in an orchestrator that is then killed.
  virtual Handle start_and_die(const Launch& launch) = 0;
  virtual void wait_until_over(const Handle& handle) = 0;  // until its guardian has quit
  virtual void lose(const Handle& handle) = 0;             // its guardian is killed
};

class FakeHost final : public Host {
 public:
  FakeHost() {
    executor_.behave = [this](const Launch& launch) { return behaviours_.at(launch.token); };
  }
  Executor& executor() override { return executor_; }
  Launch ends(int code) override { return launch({.lasts_s = 0, .code = code}); }
  Launch ends_by(int signal) override { return launch({.lasts_s = 0, .signal = signal}); }
  Launch runs() override { return launch({.lasts_s = k_forever}); }
  Launch ignores_term() override { return launch({.lasts_s = k_forever, .ignores_term = true}); }
  Launch ends_on_request(int code) override { return launch({.lasts_s = k_forever, .code = code}); }
  void request_end(const Launch& launch) override { executor_.die(launch.token, 0); }
  Launch leaves_others() override { return launch({.lasts_s = 0}); }
  Launch uses_memory_and_files() override {
    Launch one = launch({});
    behaviours_[one.token] = {
        .lasts_s = 0, .writes = {{one.tmp + "/x", ""}, {"/dev/shm/" + one.shm_prefix + "-1", ""}}};
    return one;
  }
  Launch missing() override {
    Launch one = launch({});
    one.argv = {"missing"};
    return one;
  }
  void wait_until_up(const Launch&) override {}
  bool is_left(const Launch&) override { return false; }
  bool has_leftovers(const Launch& launch) override {
    return files_.exists(launch.tmp) || files_.exists(launch.tmp + "/x") ||
           files_.exists("/dev/shm/" + launch.shm_prefix + "-1");
  }
  Handle start_and_die(const Launch& launch) override { return *executor_.start(launch); }
  void wait_until_over(const Handle&) override { clock_.time_s += 1; }
  void lose(const Handle& handle) override { executor_.lose(handle.tree.token); }

 private:
  static constexpr double k_forever = std::numeric_limits<double>::infinity();

  Launch launch(const fakes::Behaviour& behaviour) {
    const std::string token = fmt::format("t{}", behaviours_.size());
    behaviours_[token] = behaviour;
    Launch launch;
    launch.argv = {token};
    launch.token = token;
    launch.tmp = "/tmp/" + token;
    launch.shm_prefix = token + "-shm";
    return launch;
  }

  fakes::FakeClock clock_;
  fakes::MemoryFiles files_;
  fakes::FakeExecutor executor_{clock_, files_};
  std::map<std::string, fakes::Behaviour> behaviours_;
};

class GuardedHost final : public Host {
 public:
  explicit GuardedHost(system::Containment containment) : host_(containment) {}
  Executor& executor() override { return host_.executor(); }
  Launch ends(int code) override { return host_.launch(fmt::format("exit {}", code)); }
  Launch ends_by(int signal) override {
    return host_.launch(fmt::format("kill -{} $$; exec sleep 1000", signal));
  }
  Launch runs() override { return host_.launch("exec sleep 1000"); }
  Launch ignores_term() override {
    return with_pipes("trap '' TERM; echo > $F/$UP; while :; do sleep 1000; done");
  }
  Launch ends_on_request(int code) override {
    return with_pipes(fmt::format("read x < $F/$GO; exit {}", code));
  }
  void request_end(const Launch& launch) override { host_.write(launch.env.at("GO"), "\n"); }
  Launch leaves_others() override {
    return host_.launch("sleep 1000 & setsid sleep 1000 & (setsid sh -c 'sleep 1000 &') & exit 0");
  }
  Launch uses_memory_and_files() override {
    Launch launch = host_.launch(
        "mkdir -p $TMPDIR/a/b && echo x > $TMPDIR/a/b/c && echo x > $SHM-1 && mkdir $SHM-2 && echo "
        "x > $SHM-2/y || exit 1");
    launch.env["SHM"] = "/dev/shm/" + launch.shm_prefix;
    return launch;
  }
  Launch missing() override {
    Launch launch = host_.launch("");
    launch.argv = {"/nowhere/program"};
    return launch;
  }
  void wait_until_up(const Launch& launch) override { (void)host_.read(launch.env.at("UP")); }
  bool is_left(const Launch& launch) override { return host_.is_left(launch.token); }
  bool has_leftovers(const Launch& launch) override {
    const std::string shm = "/dev/shm/" + launch.shm_prefix;
    return std::filesystem::exists(launch.tmp) || std::filesystem::exists(shm + "-1") ||
           std::filesystem::exists(shm + "-2");
  }
  Handle start_and_die(const Launch& launch) override {
    const auto handles = host_.start_and_die({launch});
    EXPECT_EQ(handles.size(), 1u);
    return handles.empty() ? Handle() : handles[0];
  }
  void wait_until_over(const Handle& handle) override {
    host_.wait_until_gone(handle.guardian_process);
  }
  void lose(const Handle& handle) override {
    ::kill(handle.guardian_process.pid, SIGKILL);
    host_.wait_until_gone(handle.guardian_process);
  }

 private:
  Launch with_pipes(const std::string& script) {
    Launch launch = host_.launch(script);
    for (const char* name : {"UP", "GO"}) {
      launch.env[name] = launch.token + name;
      host_.make_pipe(launch.env[name]);
    }
    return launch;
  }

  RealHost host_;
};

enum class Which { fake, weakest, strongest };

class ExecutorContract : public ::testing::TestWithParam<Which> {
 protected:
  void SetUp() override {
    if (GetParam() == Which::fake) host_ = std::make_unique<FakeHost>();
    else
      host_ = std::make_unique<GuardedHost>(GetParam() == Which::weakest
                                                ? system::Containment::session
                                                : system::strongest_containment());
  }

  Host& host() { return *host_; }
  Executor& executor() { return host_->executor(); }
  Handle start(const Launch& launch) {
    const auto handle = executor().start(launch);
    EXPECT_TRUE(handle) << (handle ? "" : handle.error().text());
    return handle.value_or({});
  }
  Ended wait_for(const Launch& launch) {
    while (true)
      for (const Ended& ended : executor().poll(60))
        if (ended.token == launch.token) return ended;
  }
  // No process or file of LAUNCH is left, and no further end is reported.
  void expect_over(const Launch& launch) {
    EXPECT_FALSE(host().is_left(launch));
    EXPECT_FALSE(host().has_leftovers(launch));
    EXPECT_TRUE(executor().poll(0).empty());
  }

 private:
  std::unique_ptr<Host> host_;
};

TEST_P(ExecutorContract, ReportsTheExitCode) {
  const Launch launch = host().ends(7);
  const Handle handle = start(launch);
  EXPECT_EQ(handle.tree.token, launch.token);
  const Ended ended = wait_for(launch);
  EXPECT_EQ(ended.code, 7);
  EXPECT_EQ(ended.signal, 0);
  EXPECT_FALSE(ended.guardian_lost || ended.abandoned || ended.oom_killed);
  EXPECT_GE(ended.wall_s, 0);
  expect_over(launch);
}

TEST_P(ExecutorContract, ReportsTheSignal) {
  const Launch launch = host().ends_by(SIGSEGV);
  start(launch);
  const Ended ended = wait_for(launch);
  EXPECT_EQ(ended.signal, SIGSEGV);
  EXPECT_EQ(ended.code, -1);
}

TEST_P(ExecutorContract, AProgramThatIsNotThereIsAnErrorAndNothingRuns) {
  const Launch launch = host().missing();
  const auto handle = executor().start(launch);
  ASSERT_FALSE(handle);
  EXPECT_EQ(handle.error().kind, ErrorKind::not_found);
  expect_over(launch);
}

TEST_P(ExecutorContract, ReportsEveryEnd) {
  std::vector<Launch> launches;
  for (int code = 0; code < 5; ++code) launches.push_back(host().ends(code));
  for (const Launch& launch : launches) start(launch);
  std::map<std::string, int> codes;
  while (codes.size() < launches.size())
    for (const Ended& ended : executor().poll(60))
      EXPECT_TRUE(codes.emplace(ended.token, ended.code).second);
  for (int code = 0; code < 5; ++code)
    EXPECT_EQ(codes.at(launches[static_cast<std::size_t>(code)].token), code);
}

// An hour that is not waited for.
TEST_P(ExecutorContract, AWakeEndsTheWait) {
  const Launch launch = host().runs();
  start(launch);
  executor().wake();
  executor().wake();
  EXPECT_TRUE(executor().poll(3600).empty());
  std::thread other([&] { executor().wake(); });
  EXPECT_TRUE(executor().poll(3600).empty());
  other.join();
  executor().kill(launch.token);
  EXPECT_EQ(wait_for(launch).signal, SIGKILL);
}

TEST_P(ExecutorContract, TerminatesARunningLaunch) {
  const Launch launch = host().runs();
  start(launch);
  EXPECT_TRUE(executor().poll(0).empty());
  executor().terminate(launch.token);
  EXPECT_EQ(wait_for(launch).signal, SIGTERM);
  expect_over(launch);
}

TEST_P(ExecutorContract, KillsALaunchThatIgnoresTerm) {
  const Launch launch = host().ignores_term(), other = host().ends(0);
  start(launch);
  host().wait_until_up(launch);
  executor().terminate(launch.token);
  start(other);
  EXPECT_EQ(wait_for(other).code, 0);
  executor().kill(launch.token);
  EXPECT_EQ(wait_for(launch).signal, SIGKILL);
  expect_over(launch);
}

TEST_P(ExecutorContract, AnUnknownTokenIsNoError) {
  executor().terminate("unknown");
  executor().kill("unknown");
  EXPECT_TRUE(executor().poll(0).empty());
}

TEST_P(ExecutorContract, ProcessesThatOutliveTheLeaderAreGoneBeforeTheEndIsReported) {
  const Launch launch = host().leaves_others();
  start(launch);
  EXPECT_EQ(wait_for(launch).code, 0);
  expect_over(launch);
}

TEST_P(ExecutorContract, TemporaryFilesAndSharedMemoryAreGoneBeforeTheEndIsReported) {
  const Launch launch = host().uses_memory_and_files();
  start(launch);
  EXPECT_EQ(wait_for(launch).code, 0);
  expect_over(launch);
}

TEST_P(ExecutorContract, ARunningLaunchIsAdopted) {
  const Launch launch = host().ends_on_request(7);
  const Handle handle = host().start_and_die(launch);
  const Recovered recovered = executor().recover(launch, handle);
  ASSERT_EQ(recovered.fate, Recovered::Fate::running) << recovered.why;
  EXPECT_EQ(to_json_text(recovered.handle), to_json_text(handle));
  EXPECT_GE(recovered.for_s, 0);
  EXPECT_TRUE(executor().poll(0).empty());
  host().request_end(launch);
  EXPECT_EQ(wait_for(launch).code, 7);
  expect_over(launch);
}

TEST_P(ExecutorContract, AnAdoptedLaunchCanBeEnded) {
  const Launch launch = host().runs();
  const Handle handle = host().start_and_die(launch);
  ASSERT_EQ(executor().recover(launch, handle).fate, Recovered::Fate::running);
  executor().kill(launch.token);
  EXPECT_EQ(wait_for(launch).signal, SIGKILL);
  expect_over(launch);
}

TEST_P(ExecutorContract, ARunningLaunchIsFoundWithoutItsHandle) {
  const Launch launch = host().runs(), other = host().runs();
  const Handle handle = host().start_and_die(launch), others = host().start_and_die(other);
  ASSERT_EQ(executor().recover(launch, std::nullopt).fate, Recovered::Fate::running);
  ASSERT_EQ(executor().recover(other, std::nullopt).fate, Recovered::Fate::running);
  for (const Launch& one : {launch, other}) {
    executor().kill(one.token);
    EXPECT_EQ(wait_for(one).signal, SIGKILL);
  }
}

TEST_P(ExecutorContract, AnUnobservedEndIsReportedOnRecovery) {
  const Launch launch = host().ends(7);
  host().wait_until_over(host().start_and_die(launch));
  const Recovered recovered = executor().recover(launch, std::nullopt);
  ASSERT_EQ(recovered.fate, Recovered::Fate::ended) << recovered.why;
  EXPECT_EQ(recovered.ended->token, launch.token);
  EXPECT_EQ(recovered.ended->code, 7);
  EXPECT_FALSE(recovered.ended->abandoned);
  expect_over(launch);
}

TEST_P(ExecutorContract, AHeldLaunchCanBeAdopted) {
  const Launch launch = host().runs();
  const Handle handle = host().start_and_die(launch);
  Launch known = launch;
  known.shm_prefix.clear();
  executor().hold(known, handle);
  const Recovered recovered = executor().recover(launch, handle);
  ASSERT_EQ(recovered.fate, Recovered::Fate::running) << recovered.why;
  EXPECT_EQ(to_json_text(recovered.handle), to_json_text(handle));
  EXPECT_GE(recovered.for_s, 0);
  executor().kill(launch.token);
  EXPECT_EQ(wait_for(launch).signal, SIGKILL);
  expect_over(launch);
}

TEST_P(ExecutorContract, ALostLaunchLeavesNothingBehind) {
  const Launch launch = host().runs();
  const Handle handle = host().start_and_die(launch);
  host().lose(handle);
  const Recovered recovered = executor().recover(launch, handle);
  EXPECT_EQ(recovered.fate, Recovered::Fate::lost);
  EXPECT_FALSE(recovered.ended.has_value());
  EXPECT_NE(recovered.why, "");
  expect_over(launch);
}

TEST_P(ExecutorContract, ALostLaunchWithoutItsHandleLeavesNothingBehind) {
  const Launch launch = host().runs();
  host().lose(host().start_and_die(launch));
  EXPECT_EQ(executor().recover(launch, std::nullopt).fate, Recovered::Fate::lost);
  expect_over(launch);
}

TEST_P(ExecutorContract, ALaunchThatWasNeverStartedIsLost) {
  const Launch launch = host().runs();
  const Recovered recovered = executor().recover(launch, std::nullopt);
  EXPECT_EQ(recovered.fate, Recovered::Fate::lost);
  EXPECT_NE(recovered.why.find("it was never started"), std::string::npos) << recovered.why;
  expect_over(launch);
}

INSTANTIATE_TEST_SUITE_P(On, ExecutorContract,
                         ::testing::Values(Which::fake, Which::weakest, Which::strongest),
                         [](const auto& which) {
                           return std::string(which.param == Which::fake      ? "Fake"
                                              : which.param == Which::weakest ? "Session"
                                                                              : "Strongest");
                         });

}  // namespace executor_test
}  // namespace orch::execute
