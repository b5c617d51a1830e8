// Removals from a store: what goes, what stays, and what a kill leaves.
#include "results/keep/inventory.hpp"
#include "results/keep/support.hpp"
#include "results/store/killed.hpp"
#include "results/store/rebuild.hpp"

namespace orch {
namespace collect_test {

using namespace sample;

class Collect : public KeepTest {
 protected:
  // A store in which "quick" was forgotten.
  void prepare() {
    two_experiments();
    ASSERT_TRUE(forget("quick"));
  }
  // What the views say, and what is on the disk.
  std::string state() {
    return fmt::format("{} {} {}",
                       fmt::join(rows("SELECT experiment, point, ttft_ms FROM "
                                      "results ORDER BY 1, 2"),
                                 ";"),
                       fmt::join(rows("SELECT count(*) FROM measurement"), ""),
                       fmt::join(folders("artifacts"), " "));
  }
  Rows problems() {
    store::Store store = open_store(store_.path(), store::Mode::read);
    const auto found = store.verify(true);
    return found ? found->problems : Rows{found.error().text()};
  }
};

TEST_F(Collect, removes_files_and_rows_of_what_nothing_needs) {
  prepare();
  ASSERT_EQ(rows("SELECT count(*) FROM measurement"), Rows{"3"});
  const auto collected = collect();
  ASSERT_TRUE(collected.ok()) << collected.error().text();
  EXPECT_EQ(collected->items, 1u);
  EXPECT_EQ(rows("SELECT count(*) FROM measurement"), Rows{"2"});
  EXPECT_EQ(rows("SELECT experiment, point FROM results ORDER BY 2"),
            (Rows{"other|tiny_c1-aaaaaa", "other|tiny_c8-aaaaaa"}));
  EXPECT_EQ(rows("PRAGMA foreign_key_check"), Rows{});
  EXPECT_EQ(unneeded(items()), Rows{}) << "a second time there is nothing";
}

TEST_F(Collect, marks_outputs_as_removed_before_it_removes_them) {
  prepare();
  ASSERT_TRUE(forget("other"));
  const auto collected = collect();
  ASSERT_TRUE(collected.ok());
  EXPECT_TRUE(collected->errors.empty());
  EXPECT_EQ(folders("artifacts"), Rows{});
  EXPECT_EQ(rows("SELECT count(*) FROM artifact WHERE removed_at IS NULL"), Rows{"0"});
  EXPECT_EQ(problems(), Rows{});
}

TEST_F(Collect, never_leaves_the_store) {
  run();
  const TemporaryFolder outside;
  write_file(outside.path() / "precious", "x");
  const std::string way =
      std::filesystem::relative(outside.path(), store_.path() / "artifacts").string();
  {
    auto database = sql::Database::open((store_.path() / "results.db").string());
    auto statement = database->prepare("UPDATE artifact SET path = ?");
    ASSERT_TRUE(statement->run_with("artifacts/" + way));
    ASSERT_TRUE(database->execute("DELETE FROM point_stage"));
  }
  const auto collected = collect();
  ASSERT_TRUE(collected.ok());
  ASSERT_EQ(collected->errors.size(), 1u);
  EXPECT_THAT(collected->errors[0].text(),
              testing::HasSubstr("is not one of the store's own files, so it is kept"));
  EXPECT_TRUE(std::filesystem::exists(outside.path() / "precious"));
}

TEST_F(Collect, of_a_store_in_use_is_refused) {
  prepare();
  const store::Store writer = open_store(store_.path());
  const auto second = store::Store::open(real_host(), store_.path(), store::Mode::write);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, ErrorKind::conflict);
}

TEST_F(Collect, DISABLED_in_a_process_that_is_killed) {
  store::Store store = open_store(folder_to_be_killed_in());
  const auto all = keep::inventory(store, files_, {});
  if (all) static_cast<void>(keep::collect(store, *all, 1'800'000'000).ok());
}

TEST_F(Collect, done_again_after_a_kill_at_any_point_ends_as_without_one) {
  std::string undisturbed;
  for (const auto& [point, hit] : std::vector<std::pair<std::string, int>>{
           {"none", 1}, {"gc-recorded", 1}, {"gc-removed", 1}, {"gc-removed", 2}}) {
    std::filesystem::remove_all(store_.path());
    prepare();
    ASSERT_TRUE(forget("other"));
    if (point != "none") {
      ASSERT_TRUE(killed_at(point, hit, "Collect.DISABLED_in_a_process_that_is_killed",
                            store_.path().string()))
          << point;
    }
    ASSERT_TRUE(collect().ok());
    if (undisturbed.empty()) undisturbed = state();
    EXPECT_EQ(state(), undisturbed) << point << ":" << hit;
    EXPECT_EQ(unneeded(items()), Rows{});
  }
}

TEST_F(Collect, and_forget_survive_a_rebuild) {
  prepare();
  ASSERT_TRUE(collect().ok());
  const std::string before = state();
  const auto rebuilt = store::rebuild(real_host(), store_.path());
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.error().text();
  EXPECT_EQ(rows("SELECT experiment, point FROM results ORDER BY 2"),
            (Rows{"other|tiny_c1-aaaaaa", "other|tiny_c8-aaaaaa"}))
      << before;
  EXPECT_EQ(rows("SELECT count(*) FROM stages WHERE experiment = 'quick'"), Rows{"0"});
}

class Forget : public KeepTest {};

TEST_F(Forget, takes_an_experiment_out_of_every_view_and_leaves_the_others) {
  two_experiments();
  ASSERT_TRUE(forget("quick"));
  for (const char* view : {"results", "results_all", "stages", "provenance", "requests"})
    EXPECT_EQ(rows(fmt::format("SELECT DISTINCT experiment FROM {}", view)), Rows{"other"}) << view;
  EXPECT_EQ(rows("SELECT point, ttft_ms FROM results ORDER BY 1"),
            (Rows{"tiny_c1-aaaaaa|10.0", "tiny_c8-aaaaaa|8.0"}))
      << "what both had stays";
}

TEST_F(Forget, says_what_it_would_hide_and_changes_nothing) {
  two_experiments();
  store::Store store = open_store(store_.path(), store::Mode::read);
  const auto would = keep::would_forget(store.database(), "quick");
  ASSERT_TRUE(would.ok());
  EXPECT_EQ(would->runs, 1u);
  EXPECT_EQ(would->points, 2u);
  EXPECT_EQ(would->measurements, 1u);
  EXPECT_EQ(rows("SELECT count(*) FROM results WHERE experiment = 'quick'"), Rows{"2"});
}

TEST_F(Forget, refuses_an_unknown_experiment_and_one_whose_processes_may_run) {
  run({}, 10, false);
  const Status unknown = forget("quik");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().text(), "no experiment 'quik' in this store; did you mean 'quick'?");
  const Status running = forget("quick");
  ASSERT_FALSE(running.ok()) << "the server has no recorded end";
  EXPECT_EQ(running.error().kind, ErrorKind::conflict);
  EXPECT_EQ(rows("SELECT count(*) FROM results"), Rows{"2"});
}

TEST_F(Forget, DISABLED_in_a_process_that_is_killed) {
  store::Store store = open_store(folder_to_be_killed_in());
  static_cast<void>(keep::forget(store, "quick", 1'800'000'000).ok());
}

TEST_F(Forget, is_done_once_it_is_committed) {
  two_experiments();
  ASSERT_TRUE(killed_at("forget-committed", 1, "Forget.DISABLED_in_a_process_that_is_killed",
                        store_.path().string()));
  EXPECT_EQ(rows("SELECT DISTINCT experiment FROM results"), Rows{"other"});
  EXPECT_FALSE(forget("quick").ok()) << "a second time there is no such experiment";
}

}  // namespace collect_test
}  // namespace orch
