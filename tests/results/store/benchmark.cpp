// Prints how long operations of the store take. The durations depend on the machine, so no test
// judges them. `cmake --build build/default --target bench_store`.
#include "results/store/sample.hpp"

namespace orch {
namespace {

using namespace sample;

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// 500 stages: a build, a server, and a measurement for each of 498 points.
Shape five_hundred() {
  Shape shape;
  shape.concurrencies.clear();
  for (int i = 1; i <= 498; ++i) shape.concurrencies.push_back(i);
  return shape;
}

std::vector<json> hundred_requests(int gaps) {
  std::vector<json> lines;
  for (int i = 0; i < 100; ++i) {
    json line = requests()[1];
    line["index"] = i;
    line["gaps_ns"] = std::vector<int>(static_cast<std::size_t>(gaps), 4'123'456);
    line["answer"] = std::string(static_cast<std::size_t>(gaps) * 4, 'x');
    lines.push_back(std::move(line));
  }
  return lines;
}

TEST(Speed, a_run_of_500_stages_begins) {
  const TemporaryFolder folder;
  const Shape shape = five_hundred();
  complete_run(folder.path(), shape);
  const plan::Plan plan = make_plan(shape);
  double open_ms = 0, done_ms = 0, begin_ms = 0;
  std::optional<store::Store> store;
  open_ms = milliseconds_of([&] { store.emplace(open_store(folder.path())); });
  done_ms = milliseconds_of([&] { EXPECT_EQ(store->done()->made.size(), 499u); });
  begin_ms = milliseconds_of([&] { EXPECT_TRUE(store->begin_run(plan, run_info()).ok()); });
  fmt::print("open {:.1f} ms, done {:.1f} ms, begin_run {:.1f} ms\n", open_ms, done_ms, begin_ms);
  double query_ms = milliseconds_of(
      [&] { EXPECT_EQ(rows(folder.path(), "SELECT * FROM results").size(), 498u); });
  fmt::print("498 rows of results {:.1f} ms\n", query_ms);
}

// A plan of COUNT tasks with one output each.
plan::Plan tasks(int count) {
  plan::Plan plan;
  plan.matrix_name = "many";
  plan.runners = {"sample"};
  plan.points.resize(1);
  plan.points[0].point.name = "all-aaaaaa";
  for (int i = 0; i < count; ++i) {
    plan.stages.push_back(stage("touch", runner::Kind::task, {{"n", integer(i)}}, {}));
    plan.stages.back().points = {0};
    plan.points[0].stages.push_back(plan.stages.back().id);
  }
  return plan;
}

TEST(Speed, ten_thousand_tasks_are_recorded_and_reused) {
  const TemporaryFolder folder;
  const plan::Plan plan = tasks(10'000);
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, plan);
    const auto record = [&](std::size_t from, std::size_t to, std::size_t batch) {
      return milliseconds_of([&] {
        for (std::size_t i = from; i < to; ++i) {
          const plan::Stage& target = plan.stages[i];
          const AttemptKey key = driver.start(target);
          if ((i - from) % batch == batch - 1) driver.commit();
          driver.journal->append(
              schedule::ArtifactPublished{.attempt = key,
                                          .path = "artifacts/" + target.id,
                                          .in_place = false,
                                          .not_cacheable = {},
                                          .files = {{"f", 1, std::string(64, 'a')}},
                                          .at = 3});
          driver.end(key);
        }
        driver.commit();
      });
    };
    fmt::print("a commit per stage: {:.3f} ms each\n", record(0, 1000, 1) / 1000);
    fmt::print("a commit per ten stages: {:.3f} ms a stage\n", record(1000, 10'000, 10) / 9000);
    for (const plan::Stage& target : plan.stages)
      write_file(store.layout().at("artifacts/" + target.id) / "out/f", "x");
  }
  store::Store store = open_store(folder.path());
  for (int round = 0; round < 3; ++round)
    fmt::print("10,000 reused: done {:.1f} ms\n",
               milliseconds_of([&] { EXPECT_EQ(store.done()->made.size(), 10'000u); }));
  fmt::print("10,000 reused: begin_run {:.1f} ms\n",
             milliseconds_of([&] { EXPECT_TRUE(store.begin_run(plan, run_info()).ok()); }));
}

TEST(Speed, a_measurement_of_100_requests_is_ingested) {
  const TemporaryFolder folder;
  store::Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1, 4, 8}}));
  const AttemptKey session = driver.run_serve();
  driver.run_bench(0, session, measurement(1, 1));
  driver.commit();
  driver.run_bench(1, session, measurement(1, 1), hundred_requests(128));
  const double short_ms = milliseconds_of([&] { driver.commit(); });
  driver.run_bench(2, session, measurement(1, 1), hundred_requests(1024));
  const double long_ms = milliseconds_of([&] { driver.commit(); });
  fmt::print("100 requests of 128 tokens {:.1f} ms, of 1024 tokens {:.1f} ms\n", short_ms, long_ms);
}

}  // namespace
}  // namespace orch
