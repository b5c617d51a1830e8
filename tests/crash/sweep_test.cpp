// The harness itself on an undisturbed sweep, and whether it detects each kind of error.
#include "crash/referee.hpp"
#include "crash/reference.hpp"

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

namespace orch::crash {
namespace sweep_test {

std::vector<std::string> starts(const World& world) {
  std::vector<std::string> stages;
  for (const Entry& entry : read_diary(world))
    if (entry.word == "start") stages.push_back(entry.stage);
  return stages;
}

TEST(Undisturbed, TheSweepHasTwentyStagesAndLeavesNothingBehind) {
  ASSERT_EQ(reference().complaint, "");
  World world;
  const Ended ended = world.run();
  Referee referee(world, reference().store);
  const Verdict verdict = referee.judge(ended, world.last_stderr());
  EXPECT_EQ(verdict.text(), "");
  EXPECT_EQ(verdict.redone, 0);
  EXPECT_EQ(starts(world).size(), 18u);  // the two configurations need no process
  EXPECT_EQ(ask_store(world.store(), world.folder(), "SELECT count(*) FROM run_stage"),
            std::vector<std::string>{std::to_string(k_fixed_stages)});
  fmt::print("[ undisturbed ] {} stages in {:.2f} s; with actors that take their time {:.2f} s\n",
             k_fixed_stages, ended.wall_s, reference().wall_s);
}

TEST(Undisturbed, ASecondRunStartsNothing) {
  ASSERT_EQ(reference().complaint, "");
  World world;
  ASSERT_EQ(world.run().code, 0) << world.last_stderr();
  Referee referee(world, reference().store);
  referee.note_record();
  const std::size_t before = starts(world).size();
  const Ended again = world.run();
  EXPECT_EQ(referee.judge(again, world.last_stderr()).text(), "");
  EXPECT_EQ(starts(world).size(), before);
}

TEST(Referee, DetectsWhatIsLostDuplicatedOverlappingAndLeftBehind) {
  ASSERT_EQ(reference().complaint, "");
  World world;
  const Ended ended = world.run();
  Referee referee(world, reference().store);
  referee.note_record();
  const std::string diary = world.read("diary/diary");
  world.write("diary/diary", diary +
                                 "start referee1 build-f16 1 1\noverlap referee2 build-f16 2 "
                                 "2\npartial referee3 build-q8 3 3 somewhere\n");
  std::filesystem::create_directories(world.store() + "/attempts/o4");
  std::filesystem::create_directories(world.store() + "/artifacts/stray");
  EXPECT_EQ(referee.judge(ended, "").text(),
            "  duplicated: build-f16 was started again though it was on record\n"
            "  overlapping: two attempts at build-f16 lived at once\n"
            "  orphaned: attempts/o4\n"
            "  orphaned: artifacts/stray is not on record\n"
            "  wrong: build-q8 read an incomplete file: somewhere\n");
}

TEST(Referee, DetectsAServerThatStaysAlive) {
  World world;
  World::Run run = world.start({{"ORCH_CRASH_PACE", "bench=60000"}});
  ASSERT_TRUE(wait_for(
      [&] { return run.wait(0) || world.read("diary/diary").find(" bench-") != std::string::npos; },
      k_patience_s));
  ASSERT_FALSE(run.wait(0)) << world.read(run.err);
  const auto alive = alive_of(world);
  EXPECT_TRUE(std::any_of(alive.begin(), alive.end(), [](const std::string& line) {
    return line.starts_with("process serve-");
  }));
  for (int i = 0; i < 3; ++i) {
    run.kill(SIGINT);
    run.wait(0.3);
  }
  EXPECT_EQ(world.finish(run).code, 130) << world.last_stderr();
  EXPECT_TRUE(wait_for([&] { return alive_of(world).empty(); }, k_patience_s));
}

}  // namespace sweep_test
}  // namespace orch::crash
