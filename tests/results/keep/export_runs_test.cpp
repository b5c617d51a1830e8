// What an export has, and what it leaves out.
#include "results/keep/merge_runs.hpp"
#include "results/keep/support.hpp"

namespace orch {
namespace export_runs_test {

using namespace sample;

class ExportRuns : public KeepTest {
 protected:
  Result<keep::ExportReport> write(const std::vector<std::string>& experiments = {}) {
    store::Store store = open_store(store_.path(), store::Mode::read);
    return keep::export_runs(store, to_.path().string(), experiments);
  }
  std::vector<std::string> experiments() {
    std::vector<std::string> names;
    const auto bundle = keep::read_bundle(files_, to_.path().string());
    for (const keep::BundledRun& run : bundle->runs) names.push_back(run.experiment);
    return names;
  }

  TemporaryFolder to_;
};

TEST_F(ExportRuns, has_every_run_with_its_records) {
  two_experiments();
  const auto report = write();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->runs, 2u);
  EXPECT_EQ(report->measurements, 3u);
  EXPECT_EQ(report->notices, Rows{});
  EXPECT_EQ(experiments(), (Rows{"quick", "other"}));
}

TEST_F(ExportRuns, twice_changes_no_byte) {
  two_experiments();
  ASSERT_TRUE(write());
  const std::string list = files_.read((to_.path() / "export.json").string()).value();
  const auto objects = files_.names((to_.path() / "objects").string()).value();
  ASSERT_TRUE(write());
  EXPECT_EQ(files_.read((to_.path() / "export.json").string()).value(), list);
  EXPECT_EQ(files_.names((to_.path() / "objects").string()).value(), objects);
}

TEST_F(ExportRuns, of_one_experiment_has_the_runs_that_it_reuses) {
  two_experiments();
  ASSERT_TRUE(write({"other"}));
  EXPECT_EQ(experiments(), (Rows{"quick", "other"})) << "other reuses a measurement of quick";
  EXPECT_TRUE(write({"other", "quick"})) << "the runs of quick are in it already";
  for (const Rows& names : {Rows{"nothing"}, Rows{"quick", "nothing"}}) {
    const auto unknown = write(names);
    ASSERT_FALSE(unknown.ok());
    EXPECT_EQ(unknown.error().text(), "no experiment 'nothing' in this store");
  }
}

TEST_F(ExportRuns, leaves_out_what_was_forgotten_and_what_has_no_record) {
  two_experiments();
  std::filesystem::remove(store_.path() /
                          rows("SELECT path FROM measurement WHERE id = 2").front() /
                          "measurement.json");
  const auto report = write();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->measurements, 2u);
  ASSERT_EQ(report->notices.size(), 1u);
  EXPECT_THAT(report->notices[0], testing::EndsWith("has no measurement.json; it is left out"));
  ASSERT_TRUE(forget("quick"));
  ASSERT_TRUE(write());
  EXPECT_EQ(experiments(), Rows{"other"});
}

}  // namespace export_runs_test
}  // namespace orch
