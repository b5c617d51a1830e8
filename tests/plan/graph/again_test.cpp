// Further sessions of servers: points that are measured again, and the order of sessions.
#include "plan/graph/toy.hpp"

namespace orch::plan {
namespace again_test {

using namespace toy;

using Words = std::vector<std::string>;

const auto k_provenance = std::make_shared<const Provenance>();

// Every stage of PLAN is in the store, by RUN.
void make_all(Done& done, const Plan& plan, std::int64_t run) {
  for (const Stage& stage : plan.stages)
    done.made.try_emplace(stage.digest, Made{.run = run, .provenance = k_provenance});
}

// The first point measured by run 1, which came to its end; then it is to be measured again.
PlanBuilder measured_once() {
  PlanBuilder builder = toy_builder();
  make_all(builder.done, builder.plan(), 1);
  builder.done.finished["test"] = 1;
  builder.expansion.points[0].again = true;
  return builder;
}

std::string measurements(PlanBuilder& builder) { return counts(builder.plan())["bench"]; }

TEST(Again, AddsASessionOfTheServerForThePointsThatAreChosen) {
  PlanBuilder builder = measured_once();
  const Plan plan = builder.plan();
  EXPECT_EQ(counts(plan)["bench"], "4 reuse, 1 run");
  EXPECT_EQ(counts(plan)["serve"], "2 reuse, 1 run");
  EXPECT_EQ(counts(plan)["build"], "2 reuse");
}

TEST(Again, AddsAnotherSessionAfterThatOfAFinishedRun) {
  PlanBuilder builder = measured_once();
  make_all(builder.done, builder.plan(), 2);
  builder.done.finished["test"] = 2;
  EXPECT_EQ(measurements(builder), "5 reuse, 1 run");
}

TEST(Again, ContinuesTheSessionsOfARunThatDied) {
  PlanBuilder builder = measured_once();
  builder.options.new_sessions = 2;
  const Plan planned = builder.plan();
  EXPECT_EQ(counts(planned)["bench"], "4 reuse, 2 run");
  // It died after the first of the two.
  for (const Stage& stage : planned.stages)
    if (stage.spec.kind == runner::Kind::measure && stage.session < 2)
      builder.done.made.try_emplace(stage.digest, Made{.run = 2, .provenance = k_provenance});
  EXPECT_EQ(measurements(builder), "5 reuse, 1 run");
}

TEST(Again, PassesOverASessionWhoseServerFailed) {
  PlanBuilder builder = measured_once();
  for (const Stage& stage : builder.plan().stages)
    if (stage.spec.name == "serve" && stage.session == 1)
      builder.done.failed[stage.digest] = {
          .run = 2, .failure_class = "cuda_oom", .message = "no memory"};
  builder.done.finished["test"] = 2;
  const Plan plan = builder.plan();
  const auto runs = [&](std::int64_t session) {
    return std::count_if(plan.stages.begin(), plan.stages.end(), [&](const Stage& stage) {
      return stage.spec.name == "bench" && stage.session == session && stage.status == Status::run;
    });
  };
  EXPECT_EQ(runs(1), 0);
  EXPECT_EQ(runs(2), 1);
}

TEST(Again, PlansOneSessionOfAPointWhoseBuildFails) {
  PlanBuilder builder = measured_once();
  builder.done.made.clear();
  for (const Stage& stage : builder.plan().stages)
    if (stage.spec.name == "build")
      builder.done.failed[stage.digest] = {
          .run = 1, .failure_class = "cuda_oom", .message = "no memory"};
  EXPECT_EQ(builder.plan().points[0].stages.size(), 8u) << "with a second serve and bench";
}

// The servers of PLAN that are to run, in order: A is that of the first point.
std::string servers_in_turn(const Plan& plan) {
  const auto repository_of = [&plan](const PlannedPoint& point) {
    for (const StageId& id : point.stages)
      for (const Stage& stage : plan.stages)
        if (stage.id == id && stage.spec.name == "serve") return stage.needs.at("repository");
    return StageId();
  };
  const StageId first = repository_of(plan.points.front());
  std::string order;
  for (const Stage& stage : plan.stages)
    if (stage.spec.name == "serve" && stage.status == Status::run)
      order += stage.needs.at("repository") == first ? 'A' : 'B';
  return order;
}

TEST(Sessions, ComeInReverseOrderEverySecondTime) {
  PlanBuilder builder = toy_builder();
  builder.matrix.measure.serve_repeats = 3;
  EXPECT_EQ(servers_in_turn(builder.plan()), "ABBAAB");
}

TEST(Sessions, ThatAreAddedGoOnInThisOrderWhicheverIsCheaper) {
  PlanBuilder builder = toy_builder();
  const Plan first = builder.plan();
  make_all(builder.done, first, 1);
  builder.done.finished["test"] = 1;
  // The measurements of A took long, those of B did not.
  for (const Stage& stage : first.stages) {
    const bool is_of_first =
        std::any_of(first.points[0].stages.begin(), first.points[0].stages.end(),
                    [&](const StageId& id) { return id == stage.id; });
    Earlier one{.stage = stage.spec.name,
                .digest = stage.digest,
                .parameters = {},
                .seconds = is_of_first ? 100.0 : 1.0,
                .bytes = 10};
    for (const auto& [name, value] : stage.parameters) one.parameters[name] = value.text;
    builder.done.earlier.push_back(std::move(one));
  }
  for (matrix::Point& point : builder.expansion.points) point.again = true;
  builder.options.new_sessions = 1;
  EXPECT_EQ(servers_in_turn(builder.plan()), "BA");
  builder.options.new_sessions = 3;
  EXPECT_EQ(servers_in_turn(builder.plan()), "BAABBA");
}

}  // namespace again_test
}  // namespace orch::plan
