// The kill points that no sweep reaches: of a guardian whose grace period ends, of the inbox, and
// of a rebuild of the database.
#include "crash/by_hand.hpp"
#include "crash/kill_points.hpp"
#include "crash/referee.hpp"
#include "crash/reference.hpp"

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

namespace orch::crash {
namespace kill_points_elsewhere_test {

constexpr double k_grace_s = 0.2;

const Reference& one_point() {
  static const Reference made = make_reference(k_one_point, k_one_point_outputs);
  return made;
}

void show(const std::string& title, const std::string& name, const Verdict& verdict, bool reached) {
  Tally tally;
  tally.add(verdict, reached, 0);
  fmt::print("{}", table(title, {{name, tally}}));
  EXPECT_EQ(verdict.text(), "") << name;
  EXPECT_TRUE(reached) << name;
}

TEST(KillPointsOfAnAbandonedGuardian, LeaveNothingBehind) {
  ASSERT_EQ(one_point().complaint, "");
  World world({.grace_s = k_grace_s});
  world.write_matrix(k_one_point);
  Referee referee(world, one_point().store);
  const Kill kill{"guardian-grace-over", 1};
  World::Run run = world.start(killing(world, {{"ORCH_CRASH_PACE", "bench=60000"}}, kill, 1));
  ASSERT_TRUE(wait_for(
      [&] { return run.wait(0) || world.read("diary/diary").find(" bench-") != std::string::npos; },
      k_patience_s));
  run.kill();
  world.finish(run);
  const bool reached =
      wait_for([&] { return hits_in(world, "log1")[kill.name] > 0; }, k_patience_s);
  referee.note_record();
  const Ended last = world.run(k_paced);
  show("a guardian killed at, then resumed", kill.name, referee.judge(last, world.last_stderr()),
       reached);
}

struct RebuildCase {
  const char* name;
  bool deleted;  // the database is deleted
};

class KillPointsOfARebuild : public testing::TestWithParam<RebuildCase> {};

TEST_P(KillPointsOfARebuild, LoseNothing) {
  ASSERT_EQ(reference().complaint, "");
  World world;
  ASSERT_EQ(world.run(k_paced).code, 0) << world.last_stderr();
  Referee referee(world, reference().store);
  referee.note_record();
  if (GetParam().deleted)
    for (const char* end : {"", "-wal", "-shm"})
      std::filesystem::remove(world.store() + "/results.db" + end);
  const Kill kill{GetParam().name, 1};
  EXPECT_EQ(world.orchestrate({"verify", "--rebuild"}, nullptr, killing(world, {}, kill, 1)).signal,
            SIGKILL);
  EXPECT_EQ(world.orchestrate({"verify", "--rebuild"}).code, 0) << world.last_stderr();
  EXPECT_EQ(world.orchestrate({"verify"}).code, 0) << world.last_stderr();
  const Ended last = world.run(k_paced);
  show("a rebuild killed at, done again, then run", kill.name,
       referee.judge(last, world.last_stderr()), hits_in(world, "log1")[kill.name] > 0);
}

INSTANTIATE_TEST_SUITE_P(
    Each, KillPointsOfARebuild,
    testing::Values(RebuildCase{"rebuild-begun", true}, RebuildCase{"rebuild-built", true},
                    RebuildCase{"rebuild-swapped", true}, RebuildCase{"rebuild-begun", false},
                    RebuildCase{"rebuild-built", false}, RebuildCase{"rebuild-swapped", false}),
    [](const auto& one) {
      std::string name =
          fmt::format("{}_{}", one.param.name, one.param.deleted ? "deleted" : "replaced");
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

struct InboxCase {
  const char* bench;  // where `bench --db` is killed
  const char* run;    // where the run that ingests its record is killed; "": nowhere
  bool published;
};

class KillPointsOfTheInbox : public testing::TestWithParam<InboxCase> {};

TEST_P(KillPointsOfTheInbox, LoseNothingPublishedAndIngestItOnce) {
  const InboxCase& inbox = GetParam();
  World world;
  world.write_matrix(k_one_point);
  std::filesystem::create_directories(world.store());
  ByHand bench(world);
  EXPECT_EQ(bench.run(killing(world, {}, {inbox.bench, 1}, 1)).signal, SIGKILL)
      << world.last_stderr();
  bench.end();
  bool reached = hits_in(world, "log1")[inbox.bench] > 0;
  if (*inbox.run) {
    EXPECT_EQ(world.run(killing(world, k_paced, {inbox.run, 1}, 2)).signal, SIGKILL)
        << world.last_stderr();
    reached = reached && hits_in(world, "log2")[inbox.run] > 0;
  }
  Verdict verdict;
  for (int i = 0; i < 2; ++i)
    if (const Ended ended = world.run(k_paced); ended.code != 0)
      verdict.wrong.push_back(world.last_stderr());
  const auto taken = ask_store(world.store(), world.folder(),
                               "SELECT count(*) FROM results WHERE experiment = 'bench'")
                         .front();
  if (taken == "0" && inbox.published) verdict.lost.push_back("the measurement of bench");
  if (taken != "0" && (taken != "1" || !inbox.published))
    verdict.duplicated.push_back(taken + " measurements of bench");
  verdict.orphaned = left_behind(world, read_store(world.store(), world.folder()).folders, 5);
  std::string output;
  if (world.orchestrate({"verify"}, &output).code != 0) verdict.wrong.push_back(output);
  show("bench --db killed at, then a run", fmt::format("{} {}", inbox.bench, inbox.run), verdict,
       reached);
}

INSTANTIATE_TEST_SUITE_P(
    Each, KillPointsOfTheInbox,
    testing::Values(InboxCase{"inbox-written", "", false}, InboxCase{"inbox-renamed", "", true},
                    InboxCase{"inbox-ingested", "", true}, InboxCase{"inbox-moved", "", true},
                    InboxCase{"inbox-renamed", "inbox-ingested", true},
                    InboxCase{"inbox-renamed", "inbox-moved", true}),
    [](const auto& one) {
      std::string name =
          fmt::format("{}{}{}", one.param.bench, *one.param.run ? "_then_" : "", one.param.run);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace kill_points_elsewhere_test
}  // namespace orch::crash
