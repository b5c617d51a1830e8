#include "run/schedule/support.hpp"

#include <cerrno>

namespace orch::schedule {
namespace publishing_test {

TEST(Publishing, OutputsAreDurableBeforeTheyAreVisible) {
  Sweep run;
  run.points = one_point();
  ASSERT_TRUE(run.run());
  const auto& diary = run.files.diary;
  const auto renamed = std::find_if(diary.begin(), diary.end(), [](const std::string& line) {
    return line.starts_with("rename ");
  });
  ASSERT_NE(renamed, diary.end());
  EXPECT_NE(std::find(diary.begin(), renamed, "sync /store/attempts/token001/artifact"), renamed);
}

TEST(Publishing, RenderedTextIsPublishedSymbolicAndPlacedReal) {
  Sweep run;
  run.points = one_point();
  std::string placed;
  run.on("serve", [&](const auto& launch, Behaviour normal) {
    placed = run.files.files.at(launch.work + "/repository/config");
    return normal;
  });
  ASSERT_TRUE(run.run());
  const std::string build = run.plan.stages[1].id;
  EXPECT_EQ(placed, "max 4 dir /store/artifacts/" + build + "/out");
  EXPECT_EQ(run.files.files.at("/store/artifacts/" + run.plan.stages[2].id + "/out/config"),
            "max 4 dir {stage:" + build + "}");
}

TEST(Publishing, AFullDiskPublishesNothingUntilARetry) {
  Sweep run;
  run.points = one_point();
  run.files.fail_on = "rename /store/attempts/token001/artifact";
  const auto outcome = run.run();
  ASSERT_EQ(run.journal.failures().size(), 1u);
  EXPECT_EQ(run.journal.failures()[0].failure_class, "disk_full");
  EXPECT_EQ(outcome->done, 6u);
  EXPECT_EQ(run.started(1)[1], "start download");  // a retry, from the beginning
}

struct Fault {
  const char* verb;
  int number;
  const char* failure_class;
};

// The first call of VERB on the outputs of the first attempt fails.
TEST(Publishing, AnErrorOfTheMachineIsNoMissingOutput) {
  for (const Fault& fault :
       {Fault{"list", EIO, "io_error"}, Fault{"list", EMFILE, "too_many_files"},
        Fault{"sha256", EIO, "io_error"}, Fault{"sha256", EACCES, "no_access"},
        Fault{"sha256", ENOSPC, "disk_full"}, Fault{"sha256", ENOENT, "lost"},
        Fault{"sync_tree", EIO, "io_error"}, Fault{"put", EROFS, "read_only"},
        Fault{"rename", EEXIST, "cannot_publish"}, Fault{"list", EINVAL, "cannot_publish"}}) {
    Sweep run;
    run.points = one_point();
    run.faulty.fault = [&, broken = false](std::string_view verb, const std::string& path) mutable {
      if (broken || verb != fault.verb || path.find("/token001/artifact") == std::string::npos)
        return Status();
      broken = true;
      return Status(io_error("open", path, fault.number));
    };
    const auto outcome = run.run();
    ASSERT_TRUE(outcome);
    ASSERT_EQ(run.journal.failures().size(), 1u) << fault.verb;
    EXPECT_EQ(run.journal.failures()[0].failure_class, fault.failure_class) << fault.verb;
    EXPECT_EQ(run.journal.failures()[0].kind, attempt::FailureKind::harness);
    EXPECT_EQ(outcome->done, 6u) << fault.verb;  // tried again
  }
}

// The commit would fail while the outputs of a failed stage fill the disk.
TEST(Publishing, TheOutputsOfAFailedAttemptGoBeforeItsEndIsCommitted) {
  Sweep run;
  run.points = one_point();
  run.on("build", [&](const auto&, Behaviour normal) {
    normal.code = 3;
    return normal;
  });
  std::vector<bool> there;
  run.journal.before_commit = [&](const std::vector<Event>& pending) {
    for (const Event& event : pending)
      if (const auto* ended = std::get_if<AttemptEnded>(&event); ended && !ended->ok)
        there.push_back(run.files.exists("/store/attempts/token002/artifact"));
  };
  ASSERT_TRUE(run.run());
  EXPECT_EQ(there, std::vector<bool>{false});
  EXPECT_TRUE(run.files.exists("/store/attempts/token002/work"));
}

TEST(Publishing, AFullDiskKeepsNothingOfTheAttempt) {
  Sweep run;
  run.points = one_point();
  run.options.backoff.most_failures = 1;
  run.on("build", {.code = 1, .full_disk = "/store"});
  ASSERT_TRUE(run.run());
  EXPECT_FALSE(run.files.exists("/store/attempts/token002"));
}

TEST(Publishing, AnAttemptThatIsNotTheNewestPublishesNothing) {
  Sweep run;
  run.points = one_point();
  run.options.backoff.most_failures = 1;
  run.journal.current = [](const AttemptKey& key) { return !key.stage.starts_with("download"); };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failed, 1u);
  EXPECT_FALSE(run.files.exists("/store/artifacts/" + run.plan.stages[0].id));
  EXPECT_EQ(
      run.journal.failures()[0].message,
      "a newer attempt of this stage is on record, so the outputs of this one are not published");
}

TEST(Publishing, AnArtifactOfAChangedInputIsUsedButNotCacheable) {
  Sweep run;
  run.points = one_point();
  run.find_changed_input = [](const plan::Stage& stage) {
    return stage.spec.name == "build" ? "/data/model.gguf changed while the stage ran" : "";
  };
  EXPECT_EQ(run.run()->done, 6u);
  std::map<std::string, std::string> why;
  for (const Event& event : run.journal.events)
    if (const auto* published = std::get_if<ArtifactPublished>(&event))
      why[published->attempt.stage.substr(0, published->attempt.stage.find('-'))] =
          published->not_cacheable;
  const std::string changed = "/data/model.gguf changed while the stage ran";
  EXPECT_EQ(why, (std::map<std::string, std::string>{{"download", ""},
                                                     {"build", changed},
                                                     {"prompts", ""},
                                                     {"repository", changed},
                                                     {"bench", changed}}));
}

}  // namespace publishing_test
}  // namespace orch::schedule
