#include "run/schedule/stage_queue.hpp"

#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace stage_queue_test {

// The plan of one point, and the moves of its stages.
struct Queue {
  Sweep sweep;
  plan::Plan plan;
  Graph graph;
  Demands demands;
  Lines moves;
  StageQueue stages;
  ServiceUse use;

  Queue()
      : plan(make_plan()),
        graph(plan),
        demands(plan),
        stages(plan, graph, demands, noter()),
        use(stages, graph) {
    stages.begin();
  }

  plan::Plan make_plan() {
    sweep.points = one_point();
    return sweep.plan_now();
  }
  StageQueue::Moved noter() {
    return [this](Index i, State, State to, const std::string&) {
      moves.push_back(fmt::format("{} {}", plan.stages[i].spec.name, to_string(to)));
    };
  }
  Index find(std::string_view name) const {
    for (Index i = 0; i < plan.stages.size(); ++i)
      if (plan.stages[i].spec.name == name) return i;
    throw std::out_of_range(std::string(name));
  }
  // A task or service becomes usable.
  void make(std::string_view name) {
    const Index i = find(name);
    const bool service = stages.kind(i) == runner::Kind::service;
    stages.set(i, State::intent);
    if (service) stages.set(i, State::starting);
    stages.set(i, State::running);
    if (!service) stages.set(i, State::produced);
    if (!service) stages.set(i, State::done);
    stages.settle();
    moves.clear();
  }
};

TEST(StageQueue, AStageIsReadyWhenEverythingItNeedsIsUsable) {
  Queue queue;
  EXPECT_EQ(queue.moves, (Lines{"download ready"}));
  for (const char* name : {"download", "build", "repository"}) queue.make(name);
  EXPECT_EQ(queue.stages.get(queue.find("bench")), State::planned);
  EXPECT_FALSE(queue.use.can_serve(queue.find("serve")));  // its prompts are missing
  queue.make("prompts");
  EXPECT_TRUE(queue.use.can_serve(queue.find("serve")));
  queue.make("serve");
  EXPECT_EQ(queue.stages.get(queue.find("bench")), State::ready);
}

TEST(StageQueue, APostponedStageIsReadyAgainWhenItIsDue) {
  Queue queue;
  const Index download = queue.find("download");
  queue.stages.set(download, State::intent);
  queue.stages.postpone(download, 7, "later");
  EXPECT_TRUE(queue.stages.anything_left());
  EXPECT_EQ(queue.stages.next_due_s(), 7);
  queue.stages.release(6.9);
  EXPECT_EQ(queue.stages.get(download), State::waiting);
  queue.stages.release(7);
  EXPECT_EQ(queue.stages.get(download), State::ready);
  EXPECT_GT(queue.stages.next_due_s(), 1e300);
}

TEST(StageQueue, AMoveDropsTheDataOfTheStateBefore) {
  Queue queue;
  const Index download = queue.find("download");
  queue.stages.ready_data(download).dirty_gpus_since_s = 3;
  queue.stages.set(download, State::intent);
  queue.stages.postpone(download, 7, "later");
  queue.stages.release(7);
  EXPECT_FALSE(queue.stages.ready_data(download).dirty_gpus_since_s);
}

TEST(StageQueue, MeasurementsWaitAgainForAServerThatIsLost) {
  Queue queue;
  for (const char* name : {"download", "build", "repository", "prompts", "serve"}) queue.make(name);
  queue.stages.lose(queue.find("serve"));
  EXPECT_EQ(queue.moves, (Lines{"bench planned"}));
}

TEST(StageQueue, AFailureSkipsEveryStageThatDependsOnIt) {
  Queue queue;
  queue.make("download");
  const Index build = queue.find("build");
  queue.stages.set(build, State::intent);
  queue.stages.set(build, State::failed);
  queue.moves.clear();
  queue.stages.skip_dependants(build, "build failed");
  EXPECT_EQ(queue.moves, (Lines{"repository skipped", "serve skipped", "bench skipped"}));
}

TEST(StageQueue, DrainingCancelsStagesThatHaveNotBegun) {
  Queue queue;
  queue.stages.set(queue.find("download"), State::intent);
  queue.moves.clear();
  queue.stages.drain("interrupted");
  EXPECT_EQ(queue.stages.count(State::cancelled), queue.plan.stages.size() - 1);
  EXPECT_EQ(queue.stages.get(queue.find("download")), State::intent);
  EXPECT_FALSE(queue.stages.anything_left());
}

}  // namespace stage_queue_test
}  // namespace orch::schedule
