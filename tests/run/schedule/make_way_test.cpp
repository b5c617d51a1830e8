// An adopted server with a GPU, and a plan that does not run it.
#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace make_way_test {

// A server with the only GPU outlived its run.
class MakeWay : public testing::Test {
 protected:
  MakeWay() {
    run.points = one_point();
    run.gpus.gpus = {{.index = 0, .uuid = "GPU-0", .memory_gib = 80, .used_gib = 0.4, .pids = {}}};
    run.change_plan = [](plan::Plan& made) {
      for (plan::Stage& stage : made.stages)
        if (stage.spec.name == "serve") stage.gpus = 1;
    };
    run.set_duration("bench", 50);
    run.die_at(1010);
    run.run_until_it_dies();
    for (const Event& event : run.journal.events)
      if (const auto* published = std::get_if<ArtifactPublished>(&event))
        for (const plan::Stage& stage : run.plan.stages)
          if (stage.id == published->attempt.stage) run.done.made[stage.digest] = fakes::made_by(1);
    run.plan = run.plan_now();
    auto found = recover(run.plan, run.journal.unfinished(), tools());
    if (found) run.adopted = std::move(*found);
  }

  RecoverTools tools() {
    return {.journal = run.journal,
            .executor = run.executor,
            .workspace = workspace,
            .clock = run.clock,
            .host = run.host};
  }

  // The plan only makes another set of prompts, with or without a GPU.
  plan::Plan prompts_first(int gpus) {
    plan::Plan plan = run.plan;
    for (plan::Stage& stage : plan.stages) {
      stage.status = stage.spec.name == "prompts" ? plan::Status::run : plan::Status::idle;
      stage.gpus = stage.spec.name == "prompts" ? gpus : 0;
    }
    return plan;
  }

  Sweep run;
  attempt::Workspace workspace = run.make_workspace();
};

TEST_F(MakeWay, APlanThatNeedsTheGpuEndsTheServer) {
  ASSERT_EQ(run.adopted.size(), 1u);
  ASSERT_TRUE(make_way(run.adopted, prompts_first(1), tools()));
  EXPECT_TRUE(run.adopted.empty());
  EXPECT_TRUE(run.executor.diary.back().starts_with("kill serve")) << run.executor.diary.back();
  EXPECT_TRUE(run.journal.unfinished().empty());
}

TEST_F(MakeWay, APlanWithoutGpusKeepsTheServer) {
  ASSERT_EQ(run.adopted.size(), 1u);
  ASSERT_TRUE(make_way(run.adopted, prompts_first(0), tools()));
  EXPECT_EQ(run.adopted.size(), 1u);
}

TEST_F(MakeWay, APlanThatRunsTheServerKeepsIt) {
  ASSERT_EQ(run.adopted.size(), 1u);
  ASSERT_TRUE(make_way(run.adopted, run.plan, tools()));
  EXPECT_EQ(run.adopted.size(), 1u);
}

}  // namespace make_way_test
}  // namespace orch::schedule
