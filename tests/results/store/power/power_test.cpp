// Whatever was acknowledged outlives power cuts, failing disks and the loss of the database.
//
// Each schedule is random work on a store whose disk is a model: the power goes off before a random
// operation, other operations fail with an error. Its seed replays it:
// ORCH_SEED=N test_store --gtest_filter='Power.*'. ORCH_SCHEDULES=N runs so many from seed 1.
#include "results/store/power/files.hpp"
#include "results/store/power/vfs.hpp"
#include "results/store/rebuild.hpp"
#include "results/store/sample.hpp"

namespace orch {
namespace power_test {

using namespace sample;
using store::Mode;
using store::Store;

int number_in(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

class Schedule {
 public:
  Schedule(std::uint64_t seed, const std::filesystem::path& start)
      : random_(seed), seed_(seed), root_(std::filesystem::canonical(folder_.path()) / "store") {
    std::filesystem::copy(start, root_, std::filesystem::copy_options::recursive);
    disk_.emplace(root_.string(), seed);
    files_.emplace(*disk_);
  }

  void play() {
    const power::Vfs vfs(*disk_);
    for (int round = 0; round < 3; ++round) {
      const bool power_goes = below(4) > 0;
      if (power_goes) disk_->cut_at(1 + below(120));
      if (below(3) == 0) disk_->fail_at(1 + below(120), below(2) ? EIO : ENOSPC);
      work();
      if (power_goes || below(2)) disk_->restart();
      disk_->stop_faults();
      check();
    }
    lose_the_database();
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  store::Host host() {
    return {*files_, real_host().clock,
            below(2) ? store::SyncOrder::before : store::SyncOrder::after};
  }
  std::string context() const { return fmt::format("replay with ORCH_SEED={}", seed_); }

  // Works until something fails, or for a while.
  void work() {
    auto opened = Store::open(host(), root_, Mode::write);
    if (!opened) return;
    for (std::uint64_t step = below(6); step > 0; --step)
      if (below(2) ? !resolve(*opened) : !run(*opened)) return;
  }

  bool resolve(Store& store) {
    const std::string name = fmt::format("n{}", ++names_);
    if (!store.put_resolution("hf", name, "v", 1).ok()) return false;
    acknowledged_.push_back(fmt::format("SELECT 1 FROM resolution WHERE name = '{}'", name));
    return true;
  }

  bool run(Store& store) {
    auto begun = store.begin_run(make_plan(), run_info());
    if (!begun) return false;
    Driver driver(store, make_plan(), std::move(*begun));
    acknowledge("SELECT 1 FROM run WHERE id = {}", driver.journal->run_id());
    const AttemptKey key = driver.start(driver.stage_of("build"));
    if (!driver.journal->commit().ok()) return false;
    acknowledge("SELECT 1 FROM attempt WHERE token = '{}'", token_of(key));
    driver.end(key, "network", "no answer", attempt::FailureKind::harness);
    if (!driver.journal->commit().ok()) return false;
    acknowledge("SELECT 1 FROM attempt WHERE token = '{}' AND ended_at IS NOT NULL", token_of(key));
    if (below(2)) return true;  // and dies
    if (!driver.journal->finish(store::Outcome::failed, 2).ok()) return false;
    acknowledge("SELECT 1 FROM run WHERE id = {} AND outcome = 'failed'", driver.journal->run_id());
    return true;
  }

  template <class Value> void acknowledge(const char* sql, const Value& value) {
    acknowledged_.push_back(fmt::format(fmt::runtime(sql), value));
  }

  void check() {
    auto store = Store::open(host(), root_, Mode::write);
    ASSERT_TRUE(store.ok()) << store.error().text() << "; " << context();
    // A commit may have been durable without its line.
    EXPECT_THAT(store->notices(), testing::Each(testing::EndsWith("is restored from the database")))
        << context();
    store = Store::open(host(), root_, Mode::read);
    const auto found = store->verify(true);
    ASSERT_TRUE(found.ok()) << found.error().text() << "; " << context();
    EXPECT_EQ(found->problems, Rows{}) << context();
    for (const std::string& sql : acknowledged_)
      EXPECT_TRUE(store->database().query_int(sql).ok()) << sql << "; " << context();
  }

  // The records are as durable as the database.
  void lose_the_database() {
    if (acknowledged_.empty()) return;  // there may be no record
    disk_->restart();
    std::filesystem::remove(root_ / "results.db");
    std::filesystem::remove(root_ / "results.db-wal");
    const auto rebuilt = store::rebuild(real_host(), root_);
    ASSERT_TRUE(rebuilt.ok()) << rebuilt.error().text() << "; " << context();
    EXPECT_EQ(rebuilt->notices, Rows{}) << context();
    Store store = open_store(root_, Mode::read);
    for (const std::string& sql : acknowledged_)
      EXPECT_TRUE(store.database().query_int(sql).ok()) << "rebuilt: " << sql << "; " << context();
  }

  TemporaryFolder folder_;
  std::mt19937_64 random_;
  std::uint64_t seed_;
  std::filesystem::path root_;
  std::optional<power::Disk> disk_;
  std::optional<power::Files> files_;
  int names_ = 0;
  std::vector<std::string> acknowledged_;  // each finds a row
};

TEST(Power, cuts_and_failing_disks_lose_nothing_that_was_acknowledged) {
  const TemporaryFolder start;
  { const Store store = open_store(start.path()); }
  std::filesystem::remove(start.path() / "ballast");  // 4 MiB to copy each time
  const int one = number_in("ORCH_SEED", 0), count = number_in("ORCH_SCHEDULES", 100);
  const int first = one > 0 ? one : 1, last = one > 0 ? one : count;
  int seed = first;
  for (; seed <= last && !HasFailure(); ++seed)
    Schedule(static_cast<std::uint64_t>(seed), start.path()).play();
  std::printf("%d schedules\n", seed - first);
}

TEST(Power, a_write_that_was_not_synced_may_be_lost_and_one_that_was_is_not) {
  bool lost = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const TemporaryFolder folder;
    const std::string root = folder.path().string();
    power::Disk disk(root, seed);
    power::Files files(disk);
    ASSERT_TRUE(files.append(root + "/f", "one").ok());
    ASSERT_TRUE(files.sync(root + "/f").ok());
    ASSERT_TRUE(files.append(root + "/f", "two").ok());
    disk.cut_at(1);
    EXPECT_FALSE(files.sync(root + "/f").ok());
    disk.restart();
    const std::string after = *files.read(root + "/f");
    EXPECT_TRUE(after.starts_with("one")) << after;
    lost |= after != "onetwo";
  }
  EXPECT_TRUE(lost);
}

}  // namespace power_test
}  // namespace orch
