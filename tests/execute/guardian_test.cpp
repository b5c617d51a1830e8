// What only real guardians can show: they are killed, stopped, left alone, and asked by the wrong people.
#include "execute/real_executor.hpp"

#include "execute/guardian_card.hpp"
#include "execute/guardian_channel.hpp"
#include "execute/guardian_link.hpp"
#include "execute/guardian_log.hpp"

#include <sys/resource.h>

namespace orch::execute {
namespace {

class GuardianTest : public ::testing::Test {
 protected:
  explicit GuardianTest(system::Containment containment = system::Containment::session) : host(containment) {}
  RealHost host;
  std::size_t files_of_guardians() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(host.guardians()), {}));
  }
};

TEST_F(GuardianTest, ServesOneLaunchAfterTheOther) {
  const Launch first = host.launch("exit 3"), second = host.launch("exit 4");
  const auto one = host.executor().start(first);
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_EQ(host.wait_for(first.token).code, 3);
  const auto two = host.executor().start(second);
  ASSERT_TRUE(two) << two.error().text();
  EXPECT_EQ(host.wait_for(second.token).code, 4);
  EXPECT_EQ(one->guardian, two->guardian);
  EXPECT_EQ(one->guardian_process, two->guardian_process);
}

TEST_F(GuardianTest, HoldsOneLaunchAtATime) {
  const Launch first = host.launch("exec sleep 1000"), second = host.launch("exec sleep 1000");
  const auto one = host.executor().start(first), two = host.executor().start(second);
  ASSERT_TRUE(one && two);
  EXPECT_NE(one->guardian, two->guardian);
  host.executor().kill(first.token);
  host.executor().kill(second.token);
  host.wait_for(first.token);
}

// An end may come in one piece with the answer to the start.
TEST_F(GuardianTest, EndsAreToldHoweverSoonTheyCome) {
  for (int i = 0; i < 300; ++i) {
    Launch launch = host.launch("");
    launch.argv = {"/bin/true"};
    ASSERT_TRUE(host.executor().start(launch));
    std::vector<Ended> ended;
    for (int asked = 0; ended.empty() && asked < 2; ++asked) ended = host.executor().poll(20);
    ASSERT_EQ(ended.size(), 1u) << i;
    ASSERT_EQ(ended[0].code, 0);
  }
}

TEST_F(GuardianTest, LeavesNothingBehindWhenItIsLetGo) {
  const Launch launch = host.launch("exit 0");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  host.wait_for(launch.token);
  EXPECT_EQ(files_of_guardians(), 2u);  // its card and its log
  host.drop_executor();
  EXPECT_FALSE(host.lives(handle->guardian_process));
  EXPECT_EQ(files_of_guardians(), 0u);
}

TEST_F(GuardianTest, IsNotReachedByWhatIsTypedAtTheTerminal) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  EXPECT_EQ(::getsid(handle->guardian_process.pid), handle->guardian_process.pid);
  EXPECT_NE(::getsid(handle->tree.leader.pid), handle->guardian_process.pid);
  host.executor().kill(launch.token);
  host.wait_for(launch.token);
}

TEST_F(GuardianTest, DrainsALogOfFiftyMegabytes) {
  const Launch launch = host.launch("head -c 50000000 /dev/zero; echo end");
  ASSERT_TRUE(host.executor().start(launch));
  EXPECT_EQ(host.wait_for(launch.token).code, 0);
  EXPECT_EQ(std::filesystem::file_size(launch.log), 50000004u);
}

TEST_F(GuardianTest, AFullDiskDoesNotStopWhatWrites) {
  Launch launch = host.launch("head -c 3000000 /dev/zero || exit 1; exit 5");
  launch.log = "/dev/full";
  ASSERT_TRUE(host.executor().start(launch));
  EXPECT_EQ(host.wait_for(launch.token).code, 5);
}

TEST_F(GuardianTest, ALogThatCannotBeOpenedIsAnErrorAndNothingRuns) {
  Launch launch = host.launch("touch $F/ran");
  launch.log = host.folder() + "/nowhere/log";
  const auto handle = host.executor().start(launch);
  ASSERT_FALSE(handle);
  EXPECT_EQ(handle.error().text(), "cannot open " + launch.log + ": No such file or directory");
  EXPECT_FALSE(std::filesystem::exists(launch.tmp));
  EXPECT_FALSE(std::filesystem::exists(host.folder() + "/ran"));
}

TEST_F(GuardianTest, ArgumentsAndEnvironmentArriveByteForByte) {
  Launch launch = host.launch("printf '%s|' \"$0\" \"$@\" \"$WILD\"");
  const std::string wild = "\xff\x80 \xc3\xa9 \"quoted\"\n\x01";
  launch.argv.insert(launch.argv.end(), {"zero", wild, ""});
  launch.env["WILD"] = wild;
  ASSERT_TRUE(host.executor().start(launch));
  host.wait_for(launch.token);
  EXPECT_EQ(host.read(launch.token + "/log"), "zero|" + wild + "||" + wild + "|");
}

TEST_F(GuardianTest, TemporaryFilesAreNobodyElsesBusiness) {
  const Launch launch = host.launch("stat -c %a $TMPDIR");
  ASSERT_TRUE(host.executor().start(launch));
  EXPECT_EQ(host.wait_for(launch.token).code, 0);
  EXPECT_EQ(host.read(launch.token + "/log"), "700\n");
  Launch second = host.launch("exit 0");
  std::filesystem::create_directory(second.tmp);
  const auto handle = host.executor().start(second);
  ASSERT_FALSE(handle);
  EXPECT_EQ(handle.error().text(), "cannot make the temporary folder " + second.tmp + ": File exists");
}

// Open MPI names what its ranks share by a process number, which is the same in every PID namespace.
TEST_F(GuardianTest, RanksShareMemoryInAFolderOfTheirLaunch) {
  const Launch launch = host.launch("d=$OMPI_MCA_btl_vader_backing_directory; stat -c '%n %a' $d; touch $d/vader_segment.host.0.1.0; [ $d = $OMPI_MCA_btl_sm_backing_directory ]");
  ASSERT_TRUE(host.executor().start(launch));
  EXPECT_EQ(host.wait_for(launch.token).code, 0);
  EXPECT_EQ(host.read(launch.token + "/log"), launch.shm_folder + " 700\n");
  EXPECT_FALSE(std::filesystem::exists(launch.shm_folder));
}

TEST_F(GuardianTest, AFolderForSharedMemoryThatSomebodyMadeFirstIsAnErrorAndStays) {
  const Launch launch = host.launch("touch $F/ran");
  std::filesystem::create_directory(launch.shm_folder);
  const auto handle = host.executor().start(launch);
  EXPECT_TRUE(std::filesystem::remove(launch.shm_folder));
  ASSERT_FALSE(handle);
  EXPECT_EQ(handle.error().text(), "cannot make the temporary folder " + launch.shm_folder + ": File exists");
  EXPECT_FALSE(std::filesystem::exists(launch.tmp));
  EXPECT_FALSE(std::filesystem::exists(host.folder() + "/ran"));
}

TEST_F(GuardianTest, IsNoCommandForPeople) {
  const std::string said = host.folder() + "/said";
  EXPECT_EQ(WEXITSTATUS(std::system((std::string(ORCH_BINARY) + " guardian 3</dev/null 2> " + said).c_str())), 2);
  EXPECT_EQ(host.read("said"), "'orchestrate guardian' is started by 'orchestrate run', with a socket to it; there is nothing it does by itself\n");
  EXPECT_EQ(WEXITSTATUS(std::system((std::string(ORCH_BINARY) + " --help > " + said).c_str())), 0);
  EXPECT_NE(host.read("said").find("completion"), std::string::npos);
  EXPECT_EQ(host.read("said").find("guardian"), std::string::npos);
}

TEST_F(GuardianTest, ItsOwnDeathIsToldAndWhatItHeldIsEnded) {
  const Launch launch = host.launch("sleep 1000 & setsid sleep 1000 & wait");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  ::kill(handle->guardian_process.pid, SIGKILL);
  const Ended ended = host.wait_for(launch.token);
  EXPECT_TRUE(ended.guardian_lost);
  EXPECT_EQ(ended.code, -1);
  EXPECT_FALSE(host.is_left(launch.token));
  EXPECT_FALSE(std::filesystem::exists(launch.tmp));
  EXPECT_FALSE(std::filesystem::exists(launch.shm_folder));
  EXPECT_EQ(files_of_guardians(), 0u);
}

TEST_F(GuardianTest, OneThatHangsWhenToldToKillIsEndedWithWhatItHolds) {
  host.hangs_s = 0.1;
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  ::kill(handle->guardian_process.pid, SIGSTOP);
  host.executor().kill(launch.token);
  EXPECT_TRUE(host.wait_for(launch.token).guardian_lost);
  EXPECT_FALSE(host.lives(handle->guardian_process));
  EXPECT_FALSE(host.is_left(launch.token));
}

TEST_F(GuardianTest, SecretsDoNotReachTheLogNorTheDisk) {
  Launch launch = host.launch("printf 'it is %s' \"${KEY%???}\"; printf '%s.' \"${KEY#??????????}\"");
  launch.env["KEY"] = "s3cr3t-t0ken!";
  launch.secrets = {"s3cr3t-t0ken!"};
  ASSERT_TRUE(host.executor().start(launch));
  EXPECT_EQ(host.wait_for(launch.token).code, 0);
  const std::string log = host.read(launch.token + "/log");
  EXPECT_TRUE(log.starts_with("it is ") && log.ends_with(".")) << log;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(host.folder()))
    if (entry.is_regular_file()) {
      EXPECT_EQ(host.read(std::filesystem::relative(entry.path(), host.folder()).string()).find("s3cr3t"), std::string::npos) << entry.path();
    }
}

TEST_F(GuardianTest, AGuardianThatDiedIdleIsReplaced) {
  const Launch first = host.launch("exit 0"), second = host.launch("exit 6");
  const auto handle = host.executor().start(first);
  ASSERT_TRUE(handle);
  host.wait_for(first.token);
  ::kill(handle->guardian_process.pid, SIGKILL);
  host.wait_until_gone(handle->guardian_process);
  ASSERT_TRUE(host.executor().start(second));
  EXPECT_EQ(host.wait_for(second.token).code, 6);
}

TEST_F(GuardianTest, AskedByASignalItEndsWhatItHoldsAndWritesItDown) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  ::kill(handle->guardian_process.pid, SIGTERM);
  const Ended ended = host.wait_for(launch.token);
  EXPECT_EQ(ended.signal, SIGTERM);
  EXPECT_FALSE(ended.guardian_lost);
  EXPECT_FALSE(ended.abandoned);
  EXPECT_TRUE(std::filesystem::exists(launch.exit_record));
  host.wait_until_gone(handle->guardian_process);
}

TEST_F(GuardianTest, OneThatHangsDoesNotHoldUpRecovery) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handles = host.start_and_die({launch});
  ASSERT_EQ(handles.size(), 1u);
  ::kill(handles[0].guardian_process.pid, SIGSTOP);
  const Recovered recovered = host.executor().recover(launch, handles[0]);
  EXPECT_EQ(recovered.fate, Recovered::Fate::lost);
  EXPECT_EQ(recovered.why, "its guardian was gone or did not answer; what was left of it has been ended");
  EXPECT_FALSE(host.lives(handles[0].guardian_process));
  EXPECT_FALSE(host.lives(handles[0].tree.leader));
  EXPECT_FALSE(host.is_left(launch.token));
}

// What was asked for by a process that is gone would run without anybody's knowing of it.
TEST_F(GuardianTest, StartsNothingForOneWhoIsGone) {
  const Launch launch = host.launch("touch $F/ran");
  auto link = start_guardian(host.options());
  ASSERT_TRUE(link) << link.error().text();
  ::kill(link->card.process.pid, SIGSTOP);
  ASSERT_TRUE(link->channel.send(to_line(Start{launch, system::Containment::session})));
  link->channel.close();
  ::kill(link->card.process.pid, SIGCONT);
  host.wait_until_gone(link->card.process);
  EXPECT_FALSE(std::filesystem::exists(host.folder() + "/ran"));
  EXPECT_FALSE(std::filesystem::exists(launch.exit_record));
}

TEST_F(GuardianTest, HasNoDescriptorOfOurs) {
  const std::string mine = host.folder() + "/mine";
  const int open = ::open(mine.c_str(), O_WRONLY | O_CREAT, 0600);  // may be inherited
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  std::size_t seen = 0;
  for (const system::ProcessId& process : {handle->guardian_process, handle->tree.leader})
    for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", process.pid))) {
      std::error_code closed;
      EXPECT_NE(std::filesystem::read_symlink(entry.path(), closed), mine);
      ++seen;
    }
  EXPECT_GT(seen, 6u);
  ::close(open);
  host.executor().kill(launch.token);
  host.wait_for(launch.token);
}

TEST_F(GuardianTest, WithoutAnOrchestratorItEndsWhatItHoldsAfterTheGracePeriod) {
  host.grace_s = 0.2;
  const Launch launch = host.launch("exec sleep 1000");
  const auto handles = host.start_and_die({launch});
  ASSERT_EQ(handles.size(), 1u);
  host.wait_until_gone(handles[0].guardian_process);
  EXPECT_FALSE(host.is_left(launch.token));
  EXPECT_EQ(files_of_guardians(), 0u);
  const Recovered recovered = host.executor().recover(launch, handles[0]);
  ASSERT_EQ(recovered.fate, Recovered::Fate::ended);
  EXPECT_TRUE(recovered.ended->abandoned);
  EXPECT_EQ(recovered.ended->signal, SIGTERM);
}

TEST_F(GuardianTest, WithoutAnOrchestratorItKillsWhatIgnoresToBeAsked) {
  host.grace_s = 0.2;
  Launch launch = host.launch("trap '' TERM; while :; do sleep 1000; done");
  launch.stop_s = 0.1;
  const auto handles = host.start_and_die({launch});
  ASSERT_EQ(handles.size(), 1u);
  host.wait_until_gone(handles[0].guardian_process);
  EXPECT_FALSE(host.is_left(launch.token));
  const Recovered recovered = host.executor().recover(launch, handles[0]);
  ASSERT_EQ(recovered.fate, Recovered::Fate::ended);
  EXPECT_TRUE(recovered.ended->abandoned);
}

TEST_F(GuardianTest, ARecordOfAnotherBootIsNotBelieved) {
  const Launch launch = host.launch("exit 0");
  const ExitRecord record{.ended = {.token = launch.token, .code = 0}, .containment = system::Containment::session, .boot_id = "another"};
  ASSERT_TRUE(put_by_rename(launch.exit_record, to_json(record)));
  EXPECT_EQ(host.executor().recover(launch, std::nullopt).fate, Recovered::Fate::lost);
  ExitRecord ours = record;
  ours.boot_id = system::boot_id();
  ASSERT_TRUE(put_by_rename(launch.exit_record, to_json(ours)));
  EXPECT_EQ(host.executor().recover(launch, std::nullopt).fate, Recovered::Fate::ended);
}

TEST_F(GuardianTest, CardsOfThoseThatWereKilledGoWithTheNextOrchestrator) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handles = host.start_and_die({launch});
  ASSERT_EQ(handles.size(), 1u);
  ::kill(handles[0].guardian_process.pid, SIGKILL);
  host.wait_until_gone(handles[0].guardian_process);
  EXPECT_EQ(files_of_guardians(), 2u);
  EXPECT_EQ(host.executor().recover(launch, handles[0]).fate, Recovered::Fate::lost);
  EXPECT_EQ(files_of_guardians(), 0u);
}

TEST_F(GuardianTest, AHandleOfAnotherBootIsLostAndSignalsNobody) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  Handle old = *handle;
  old.tree.boot_id = "another";
  RealHost later;
  Launch other = launch;
  other.token = system::new_token();
  old.tree.token = other.token;
  other.exit_record = other.tmp = other.shm_folder = other.shm_prefix = "";
  const Recovered recovered = later.executor().recover(other, old);
  EXPECT_EQ(recovered.fate, Recovered::Fate::lost);
  EXPECT_EQ(recovered.why, "the host was started anew since");
  EXPECT_TRUE(host.lives(handle->guardian_process));
  EXPECT_TRUE(host.lives(handle->tree.leader));
  host.executor().kill(launch.token);
  host.wait_for(launch.token);
}

TEST_F(GuardianTest, ALaunchThatAnotherExecutorHoldsIsNotTakenFromIt) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  Channel caller(std::move(*connect_to(handle->guardian)));
  ASSERT_TRUE(caller.send(to_line(Attach{.token = launch.token})));
  EXPECT_EQ(caller.wait_line(30), R"({"busy":true})");
  ASSERT_TRUE(caller.send(to_line(Attach{.token = "another"})));
  EXPECT_EQ(caller.wait_line(30), R"({"not_held":true})");
  host.executor().kill(launch.token);
  EXPECT_EQ(host.wait_for(launch.token).signal, SIGKILL);
}

TEST_F(GuardianTest, GarbageAndManyCallersDoNotDisturbIt) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  std::vector<Channel> callers;
  for (int i = 0; i < 20; ++i) callers.emplace_back(std::move(*connect_to(handle->guardian)));
  for (Channel& caller : callers) (void)caller.send("\xff{\"attach\":[[[");
  for (Channel& caller : callers) EXPECT_EQ(caller.wait_line(30), std::nullopt);
  host.executor().kill(launch.token);
  EXPECT_EQ(host.wait_for(launch.token).signal, SIGKILL);
}

TEST_F(GuardianTest, APeerOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  // Asks as nobody whether LAUNCH is there: 0 when the connection was closed without a word.
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(9);
    auto socket = connect_to(handle->guardian);
    if (!socket) ::_exit(8);
    Channel caller(std::move(*socket));
    (void)caller.send(to_line(Attach{.token = launch.token}));
    ::_exit(caller.wait_line(30) ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  host.executor().kill(launch.token);
  EXPECT_EQ(host.wait_for(launch.token).signal, SIGKILL);
}

TEST_F(GuardianTest, CardsThatNoGuardianWroteAreIgnored) {
  const Launch stranger = host.launch("exec sleep 1000"), launch = host.launch("exit 0");
  RealHost elsewhere;
  const auto handle = elsewhere.executor().start(stranger);
  ASSERT_TRUE(handle);
  const std::string name = "g00000000000000a", folder = host.guardians() + "/";
  // A stranger's process under a guardian's name, another guardian's process under a false name, and texts that are none.
  const GuardianCard card{.name = name, .process = handle->tree.leader, .boot_id = system::boot_id(), .version = k_guardian_version};
  ASSERT_TRUE(write_card(host.guardians(), card));
  ASSERT_TRUE(write_card(host.guardians(), {.name = "g00000000000000b", .process = handle->guardian_process, .boot_id = system::boot_id(), .version = 1}));
  const auto socket = listen_as("g00000000000000b");  // what answers there is not the process on the card
  ASSERT_TRUE(socket);
  host.write("guardians/g00000000000000c.json", "{\"name\": [[[");
  host.write("guardians/g00000000000000d.json", R"({"name":"../../x","pid":-1,"start_ticks":0,"boot_id":"x","version":1})");
  host.write("guardians/g00000000000000e.json", R"({"name":"g00000000000000e","pid":1e99,"start_ticks":{},"boot_id":null,"version":1})");
  host.write("guardians/g00000000000000f.json", std::string(100000, '['));
  host.write("guardians/..json", "{}");
  ASSERT_EQ(::symlink((folder + name + ".json").c_str(), (folder + "g000000000000010.json").c_str()), 0);
  ASSERT_EQ(::mkfifo((folder + "g000000000000011.json").c_str(), 0600), 0);
  ASSERT_EQ(::mkdir((folder + "g000000000000012.json").c_str(), 0700), 0);
  const Recovered recovered = host.executor().recover(launch, std::nullopt);
  EXPECT_EQ(recovered.fate, Recovered::Fate::lost);
  EXPECT_EQ(recovered.why, "it was never started, or nothing of it was left");
  EXPECT_TRUE(host.lives(handle->tree.leader));
  EXPECT_TRUE(host.lives(handle->guardian_process));
  elsewhere.executor().kill(stranger.token);
  EXPECT_EQ(elsewhere.wait_for(stranger.token).signal, SIGKILL);
}

TEST_F(GuardianTest, CardsOfTheDeadAreRemoved) {
  const Launch launch = host.launch("exit 0");
  ASSERT_TRUE(write_card(host.guardians(), {.name = "g00000000000000a", .process = {::getpid(), 1}, .boot_id = system::boot_id(), .version = 1}));
  host.executor().recover(launch, std::nullopt);
  EXPECT_EQ(files_of_guardians(), 0u);
}

// The program dies at POINT, which stands in a guardian or in its orchestrator; whoever is left does its part. The next
// executor finds everything out, and afterwards nothing is there that nobody knows of.
class DeathTest : public GuardianTest, public ::testing::WithParamInterface<std::tuple<const char*, system::Containment>> {
 protected:
  DeathTest() : GuardianTest(std::get<1>(GetParam())) {}
};

TEST_P(DeathTest, IsFoundOutByTheNextExecutor) {
  host.grace_s = 60;
  const Launch launch = host.launch("echo run >> $F/runs; exit 7");
  host.start_and_die({launch}, false, std::string("ORCHESTRATE_KILL=") + std::get<0>(GetParam()) + ":1");
  Recovered recovered = host.executor().recover(launch, std::nullopt);
  if (recovered.fate == Recovered::Fate::running) recovered.ended = host.wait_for(launch.token);
  else EXPECT_TRUE(host.executor().poll(0).empty());
  if (recovered.ended && !recovered.ended->guardian_lost) {
    EXPECT_EQ(recovered.ended->code, 7);
  }
  EXPECT_FALSE(host.is_left(launch.token));
  EXPECT_FALSE(std::filesystem::exists(launch.tmp));
  EXPECT_LE(host.read("runs").size(), 4u) << "it ran twice";
  host.drop_executor();
  for (const GuardianCard& card : living_cards(host.guardians())) host.wait_until_gone(card.process);
  EXPECT_EQ(files_of_guardians(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    At, DeathTest,
    ::testing::Combine(::testing::Values("executor-before-guardian", "executor-after-guardian", "executor-before-start-sent", "executor-after-start-answered",
                                         "guardian-started", "guardian-listening", "guardian-before-spawn", "guardian-after-spawn", "guardian-spawn-told",
                                         "guardian-leader-ended", "guardian-tree-ended", "guardian-before-exit-record", "guardian-after-exit-record",
                                         "guardian-end-told"),
                       ::testing::ValuesIn(weakest_and_strongest())),
    [](const auto& at) {
      std::string name = fmt::format("{}_{}", std::get<0>(at.param), to_string(std::get<1>(at.param)));
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(LogPipe, SaysHowMuchWasLost) {
  const fakes::TempFolder folder;
  const std::string path = folder.file("log");
  auto log = LogPipe::open(path, {});
  ASSERT_TRUE(log);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{5, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  ASSERT_EQ(::write((*log)->write_end(), "0123456789", 10), 10);
  (*log)->drain();
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  ASSERT_EQ(::write((*log)->write_end(), "more\n", 5), 5);
  (*log)->close_write_end();
  (*log)->finish();
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), "01234more\n\n[orchestrate: 5 bytes of this log were lost: File too large]\n");
}

TEST(HandleJson, ComesBackAsItWas) {
  const Handle handle{.tree = {.token = "o1", .leader = {12, 34}, .boot_id = "b", .containment = system::Containment::cgroup, .cgroup = "/sys/fs/cgroup/x"},
                      .guardian = "g1",
                      .guardian_process = {56, 78}};
  const std::string text = to_json(handle);
  EXPECT_EQ(text, R"({"boot_id":"b","cgroup":"/sys/fs/cgroup/x","containment":"cgroup","guardian":"g1","guardian_process":{"pid":56,"start_ticks":78},)"
                  R"("leader":{"pid":12,"start_ticks":34},"token":"o1"})");
  ASSERT_TRUE(parse_handle(text));
  EXPECT_EQ(to_json(*parse_handle(text)), text);
  for (const char* other : {"", "{}", "[]", "null", R"({"token":1})"}) EXPECT_FALSE(parse_handle(other)) << other;
}

}  // namespace
}  // namespace orch::execute
