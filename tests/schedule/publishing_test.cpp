#include "schedule/support.hpp"

namespace orch::schedule {
namespace {

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
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] == "serve") placed = run.files.files.at(launch.work + "/repository/config");
    return run.normal(launch);
  };
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
  EXPECT_EQ(run.journal.failures()[0].failure_class, "cannot_publish");
  EXPECT_EQ(outcome->done, 6u);
  EXPECT_EQ(run.started(1)[1], "start download");  // a retry, from the beginning
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
  run.changed_input = [](const plan::Stage& stage) {
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

}  // namespace
}  // namespace orch::schedule
