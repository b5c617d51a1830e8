// A store keeps a little of the disk in reserve, and finishes what is under way with it when the
// disk is full.
#include "fakes/faulty_files.hpp"
#include "fakes/memory_files.hpp"
#include "results/store/lock.hpp"
#include "results/store/sample.hpp"

namespace orch {
namespace ballast_test {

using namespace sample;
using store::Mode;
using store::Store;

constexpr std::uint64_t k_mib = std::uint64_t{1} << 20;

struct BallastFile : testing::Test {
  fakes::MemoryFiles files;
  store::Ballast ballast{files, store::Layout{"/store"}};

  void SetUp() override { ASSERT_TRUE(files.make_folder("/store").ok()); }
  std::uint64_t bytes() {
    const auto facts = files.stat("/store/ballast");
    return facts ? facts->bytes : 0;
  }
};

TEST_F(BallastFile, takes_four_mib_and_less_of_a_small_disk) {
  ballast.keep();
  EXPECT_EQ(bytes(), 4 * k_mib);
  EXPECT_TRUE(ballast.release());
  EXPECT_FALSE(ballast.release());
  files.space.bytes = 5 * k_mib;
  ballast.keep();
  EXPECT_EQ(bytes(), 5 * k_mib / 16);
  ballast.release();
  files.space.bytes = k_mib / 2;
  ballast.keep();
  EXPECT_EQ(bytes(), 0u);
}

TEST_F(BallastFile, that_cannot_be_written_leaves_nothing) {
  files.fail_on = "put /store/ballast";
  ballast.keep();
  EXPECT_EQ(bytes(), 0u);
}

TEST_F(BallastFile, is_released_before_the_disk_is_full) {
  ballast.keep();
  ballast.release_if_low();
  EXPECT_GT(bytes(), 0u);
  files.space.bytes = k_mib / 2;
  ballast.release_if_low();
  EXPECT_EQ(bytes(), 0u);
}

TEST(FullDisk, is_outlived_by_a_commit_that_gives_up_the_ballast) {
  const TemporaryFolder folder;
  fakes::FaultyFiles files{real_host().files};
  auto store = Store::open({files, real_host().clock}, folder.path(), Mode::write);
  ASSERT_TRUE(store.ok());
  const auto ballast = folder.path() / "ballast";
  ASSERT_TRUE(std::filesystem::exists(ballast));
  files.fault = [&](std::string_view verb, const std::string& path) {
    const bool full = verb == "append" && std::filesystem::exists(ballast);
    return full ? Status(io_error("write", path, ENOSPC)) : Status();
  };
  ASSERT_TRUE(store->put_resolution("hf", "a", "1", 1).ok());
  EXPECT_EQ(store->resolution("hf", "a").value(), "1");
  EXPECT_FALSE(std::filesystem::exists(ballast));
  files.fault = [](std::string_view, const std::string&) { return Status(); };
  ASSERT_TRUE(store->put_resolution("hf", "b", "1", 1).ok());
  EXPECT_TRUE(std::filesystem::exists(ballast)) << "the disk may become full once more";
  EXPECT_EQ(store->verify(true)->problems, Rows{});
}

}  // namespace ballast_test
}  // namespace orch
