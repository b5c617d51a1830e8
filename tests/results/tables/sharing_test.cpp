// What sharing the host cost: a measurement beside others, and the same measurement made alone.
#include "results/store/rebuild.hpp"
#include "results/store/sample.hpp"
#include "results/tables/results.hpp"

namespace orch {
namespace sharing_test {

using namespace sample;

// One point, measured beside others and alone. WIDTH: half of the 95 % interval of each figure.
struct Shared {
  TemporaryFolder folder;

  Shared(double shared_tps, double alone_tps, std::optional<double> width) {
    plan::Plan plan = make_plan({.concurrencies = {1}, .repeats = 2});
    plan.stages.back().alone = plan.stages.back().is_check = true;
    store::Store store = open_store(folder.path());
    Driver run(store, plan);
    run.run_build();
    const AttemptKey session = run.run_serve();
    run.commit();
    measure(run, 0, session, shared_tps, width);
    measure(run, 1, session, alone_tps, width);
    run.commit();
    run.finish(store::Outcome::done);
  }
  static void measure(Driver& run, std::size_t nth, const AttemptKey& session, double tps,
                      std::optional<double> width) {
    json measured = measurement(10, tps);
    measured["metrics"]["output_tps"] = {{"mean", tps}, {"n", 100}};
    if (width)
      measured["metrics"]["output_tps"].update(
          {{"interval_low", tps - *width}, {"interval_high", tps + *width}});
    run.run_bench(nth, session, measured);
  }
  Rows ask(const std::string& sql) const { return rows(folder.path(), sql); }
};

TEST(Sharing, IsTheChangeFromTheFigureAloneWithItsInterval) {
  const Shared store(90, 100, 3);
  EXPECT_EQ(store.ask("SELECT shared, alone, round(change, 4), beyond FROM sharing WHERE metric = "
                      "'output_tps'"),
            Rows{"90.0|100.0|-0.1|1"});
  // 0.9 * sqrt((3 / 100)^2 + (3 / 90)^2) = 0.0404
  EXPECT_EQ(store.ask("SELECT round(change_low, 4), round(change_high, 4) FROM sharing WHERE "
                      "metric = 'output_tps'"),
            Rows{"-0.1404|-0.0596"});
}

TEST(Sharing, MarksARowThatItsNeighboursChangedBeyondItsInterval) {
  const std::string sql = "SELECT warnings FROM results";
  EXPECT_NE(
      Shared(90, 100, 3)
          .ask(sql)
          .at(0)
          .find("changed by its neighbours beyond its interval: output_tps -10.0 % (100 alone)"),
      std::string::npos);
  EXPECT_EQ(Shared(97, 100, 3).ask(sql).at(0).find("neighbours"), std::string::npos);
  EXPECT_EQ(Shared(50, 100, {}).ask(sql).at(0).find("neighbours"), std::string::npos)
      << "without an interval nothing is known to be beyond it";
}

TEST(Sharing, TheMeasurementAloneIsNoResultOfThePoint) {
  const Shared store(90, 100, 3);
  EXPECT_EQ(store.ask("SELECT output_tps, repeats FROM results"), Rows{"90.0|1"});
  EXPECT_EQ(store.ask("SELECT count(*) FROM results_all"), Rows{"2"});
}

TEST(Sharing, IsInTheRecordsOfTheRun) {
  const Shared store(90, 100, 3);
  const Rows before = store.ask("SELECT * FROM sharing");
  ASSERT_FALSE(before.empty());
  const auto rebuilt = store::rebuild(real_host(), store.folder.path(), {});
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.error().text();
  EXPECT_EQ(store.ask("SELECT * FROM sharing"), before);
}

}  // namespace sharing_test
}  // namespace orch
