#include "plan/graph/decide.hpp"
#include "plan/graph/toy.hpp"

namespace orch::plan {
namespace pruning_test {

using fakes::PlanBuilder;

// Points of batch sizes 4 and 8 at two precisions and lengths; the matrix varies all three.
PlanBuilder builder_of_batches() {
  std::vector<fakes::Parameters> points;
  for (const char* precision : {"f16", "q8"})
    for (const char* isl : {"32", "128"})
      for (const char* batch_size : {"4", "8", "16"})
        points.push_back({{"source", "generate:nano"},
                          {"precision", precision},
                          {"batch_size", batch_size},
                          {"isl", isl}});
  PlanBuilder builder(toy::k_runner, points);
  builder.facts = toy::good_facts();
  builder.matrix.measure.prune = {"batch_size"};
  for (const char* name : {"precision", "batch_size", "isl"}) {
    matrix::Axis axis;
    axis.name = name;
    axis.values.push_back({.sets = {{name, Yaml{}}}});
    builder.matrix.axes.push_back(axis);
  }
  return builder;
}

const Stage& bench_of(const Plan& plan, std::size_t point) {
  for (const Stage& stage : plan.stages)
    if (stage.spec.name == "bench" && stage.points == std::vector<std::size_t>{point}) return stage;
  throw std::runtime_error("no measurement");
}
const Stage& server_of(const Plan& plan, std::size_t point) {
  for (const Stage& stage : plan.stages)
    if (stage.spec.name == "serve" &&
        std::find(stage.points.begin(), stage.points.end(), point) != stage.points.end())
      return stage;
  throw std::runtime_error("no server");
}

std::vector<std::size_t> failed_points(const Plan& plan) {
  std::vector<std::size_t> failed;
  for (std::size_t p = 0; p < plan.points.size(); ++p)
    if (plan.points[p].status == Status::failed) failed.push_back(p);
  return failed;
}

TEST(Pruning, ReachesPointsThatDifferOnlyInHavingMore) {
  const Plan plan = builder_of_batches().plan();
  EXPECT_EQ(pruned_by(plan, 0), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(pruned_by(plan, 1), (std::vector<std::size_t>{2}));
  EXPECT_EQ(pruned_by(plan, 2), (std::vector<std::size_t>{}));
}

TEST(Pruning, IsOnDemand) {
  PlanBuilder builder = builder_of_batches();
  builder.matrix.measure.prune.clear();
  EXPECT_EQ(pruned_by(builder.plan(), 0), (std::vector<std::size_t>{}));
}

TEST(Pruning, APointThatRanOutOfMemoryFailsThoseWithMore) {
  PlanBuilder builder = builder_of_batches();
  const Plan first = builder.plan();
  builder.done.failed[bench_of(first, 1).digest] = {
      .run = 3, .failure_class = "cuda_oom", .message = "out of memory"};
  const Plan plan = builder.plan();
  EXPECT_EQ(failed_points(plan), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(plan.points[2].why,
            fmt::format("pruned: {} ran out of memory (cuda_oom) with batch_size 8; --retry-failed "
                        "tries it",
                        plan.points[1].point.name));
  EXPECT_EQ(server_of(plan, 2).status, Status::run) << "the other length needs it";
}

TEST(Pruning, OtherFailuresPruneNothing) {
  PlanBuilder builder = builder_of_batches();
  builder.done.failed[bench_of(builder.plan(), 1).digest] = {
      .run = 3, .failure_class = "server_crash", .message = "x"};
  EXPECT_EQ(failed_points(builder.plan()), (std::vector<std::size_t>{1}));
}

TEST(Pruning, RetryFailedTriesAllAgain) {
  PlanBuilder builder = builder_of_batches();
  builder.done.failed[bench_of(builder.plan(), 1).digest] = {
      .run = 3, .failure_class = "cuda_oom", .message = "x"};
  builder.options.retry_failed = true;
  EXPECT_EQ(failed_points(builder.plan()), (std::vector<std::size_t>{}));
}

TEST(Pruning, AServerThatDidNotStartFailsEveryLargerServer) {
  PlanBuilder builder = builder_of_batches();
  builder.done.failed[server_of(builder.plan(), 0).digest] = {
      .run = 3, .failure_class = "cuda_oom", .message = "x"};
  const Plan plan = builder.plan();
  EXPECT_EQ(failed_points(plan), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5})) << "of f16";
  EXPECT_EQ(server_of(plan, 1).status, Status::idle);
}

TEST(Pruning, AServerThatFailedUnderLoadDoesNot) {
  PlanBuilder builder = builder_of_batches();
  const Plan first = builder.plan();
  builder.done.failed[server_of(first, 0).digest] = {
      .run = 3, .failure_class = "cuda_oom", .message = "x"};
  builder.done.made[bench_of(first, 3).digest] = fakes::made_by(3);
  EXPECT_EQ(failed_points(builder.plan()), (std::vector<std::size_t>{0}));
}

TEST(Pruning, RefusesAParameterThatNoAxisSets) {
  PlanBuilder builder = builder_of_batches();
  builder.matrix.measure.prune = {"batchsize"};
  builder.try_plan();
  ASSERT_EQ(builder.errors.size(), 1u);
  EXPECT_EQ(builder.errors[0].message,
            "'measure.prune' names 'batchsize', which no axis sets; did you mean 'batch_size'?");
}

}  // namespace pruning_test
}  // namespace orch::plan
