// Runs of a bundle as values.
#include "results/keep/bundle.hpp"
#include "results/keep/merge_runs.hpp"
#include "results/keep/support.hpp"

namespace orch {
namespace foreign_run_test {

using namespace sample;

TEST(ForeignRun, has_nothing_that_holds_on_its_own_machine_only) {
  const TemporaryFolder from, to;
  complete_run(from.path());
  system::RealFiles files;
  {
    store::Store store = open_store(from.path(), store::Mode::read);
    ASSERT_TRUE(keep::export_runs(store, to.path().string(), {}));
  }
  const auto bundle = keep::read_bundle(files, to.path().string());
  const auto run = keep::read_foreign_run(files, to.path().string(), bundle->runs[0]);
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_EQ(run->record.pid, 0);
  EXPECT_EQ(run->record.info.folder, "");
  int intended = 0;
  for (const keep::ForeignFact& fact : run->facts) {
    const auto* event = std::get_if<schedule::Event>(&fact);
    if (!event) continue;
    if (const auto* one = std::get_if<schedule::AttemptIntended>(event)) {
      ++intended;
      EXPECT_EQ(one->log + one->work, "");
      EXPECT_TRUE(one->ports.empty());
    }
    if (const auto* one = std::get_if<schedule::AttemptSpawned>(event)) {
      EXPECT_EQ(one->handle.tree.leader.pid, 0);
    }
  }
  EXPECT_EQ(intended, 4);
  EXPECT_EQ(run->place_of(run->bundled.records[1].path), "artifacts/" + run->record.uid + "/2");
  EXPECT_EQ(run->place_of("artifacts/other"), "");
}

}  // namespace foreign_run_test
}  // namespace orch
