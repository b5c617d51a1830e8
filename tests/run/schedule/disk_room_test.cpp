#include "run/schedule/outputs/publisher.hpp"
#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace disk_room_test {

constexpr std::uint64_t k_mib = 1 << 20;
constexpr std::uint64_t k_files = 1000;

// The build of one point asks for 90 MiB of 100, beside the reserve of the store.
void need_more_than_is_free(Sweep& run) {
  run.points = one_point();
  run.files.space = {100 * k_mib, k_files, 1000 * k_mib};
  run.change_plan = [](plan::Plan& plan) {
    for (plan::Stage& stage : plan.stages)
      if (stage.spec.name == "build") stage.estimate.needed_bytes = 90 * k_mib;
  };
}

TEST(DiskRoom, IsWhatTheStageNeedsBesideTheReserveOfTheStore) {
  const auto has_room = [](std::uint64_t free, std::uint64_t needed, std::uint64_t total) {
    return why_no_room({free, k_files, total}, needed, "/store").empty();
  };
  EXPECT_TRUE(has_room(16 * k_mib, 0, 1000 * k_mib));
  EXPECT_FALSE(has_room(16 * k_mib - 1, 0, 1000 * k_mib));
  EXPECT_TRUE(has_room(26 * k_mib, 10 * k_mib, 1000 * k_mib));
  EXPECT_FALSE(has_room(26 * k_mib - 1, 10 * k_mib, 1000 * k_mib));
  // A twentieth of a small disk, and never more than there is.
  EXPECT_TRUE(has_room(k_mib / 4, 0, 5 * k_mib));
  EXPECT_FALSE(has_room(k_mib / 4 - 1, 0, 5 * k_mib));
  EXPECT_FALSE(has_room(1, 0, 0));
  EXPECT_FALSE(has_room(100 * k_mib, std::numeric_limits<std::uint64_t>::max(), 0));
}

TEST(DiskRoom, NamesWhatIsNeededAndWhatIsFree) {
  EXPECT_EQ(
      why_no_room({3 * k_mib, k_files, 1000 * k_mib}, 8 * k_mib, "/store"),
      "3.0 MiB of the disk of /store are free, and the stage needs 8.0 MiB beside 16.0 MiB of "
      "reserve; free some space and run the same command again");
  EXPECT_EQ(why_no_room({3 * k_mib, k_files, 1000 * k_mib}, 0, "/store"),
            "3.0 MiB of the disk of /store are free, and the stage needs 16.0 MiB of reserve; free "
            "some space and run the same command again");
  EXPECT_EQ(why_no_room({100 * k_mib, 63, 1000 * k_mib}, 0, "/store"),
            "63 files can be made on the disk of /store, and the stage needs 64; remove some files "
            "and run the same command again");
}

TEST(DiskRoom, IsAskedForBeforeAStageStartsAndUntilThereIsEnough) {
  Sweep run;
  need_more_than_is_free(run);
  run.executor.on_time = [&](double time_s) {
    if (time_s > 1003) run.files.space.bytes = 200 * k_mib;
  };
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(count(run.started(1), "start build"), 1u);
  EXPECT_EQ(run.journal.lives()[1],
            "build: ready intent waiting ready intent waiting ready intent running produced done");
}

TEST(DiskRoom, ThatIsNeverThereFailsTheStageAndNoOther) {
  Sweep run;
  need_more_than_is_free(run);
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failures_by_class, (std::map<std::string, std::size_t>{{"disk_full", 1}}));
  EXPECT_EQ(count(run.started(1), "start build"), 0u);
  EXPECT_EQ(count(run.started(1), "start prompts"), 1u);
  EXPECT_GE(run.clock.time_s, 1000 + 1 + 2 + 4 + 8);  // the usual backoff
}

// Its guardian found no room for its card, and ended without a word.
TEST(DiskRoom, ThatVanishesBeforeAStartExplainsIt) {
  Sweep run;
  run.points = one_point();
  run.options.backoff.most_failures = 1;
  run.manifest.replace(run.manifest.find("/bin/build"), 10, "/bin/missing");
  run.faulty.fault = [&](std::string_view verb, const std::string& path) {
    if (verb == "make_folder" && path.find("/token002/") != std::string::npos)
      run.files.space.bytes = 0;
    return Status();
  };
  ASSERT_TRUE(run.run());
  const AttemptEnded failure = run.journal.failures().front();
  EXPECT_EQ(failure.failure_class, "disk_full");
  EXPECT_TRUE(failure.message.starts_with("cannot run 'missing': no such program; 0 B of the disk"))
      << failure.message;
}

TEST(DiskRoom, ThatCannotBeReadDelaysNothing) {
  Sweep run;
  run.points = one_point();
  run.faulty.fault = [](std::string_view verb, const std::string& path) {
    return verb == "free_space" ? Status(io_error("read the free space at", path, ENOSYS))
                                : Status();
  };
  EXPECT_EQ(run.run()->done, 6u);
}

}  // namespace disk_room_test
}  // namespace orch::schedule
