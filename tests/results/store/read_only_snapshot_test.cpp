// A reader leaves the folder of a store unchanged.
#include "results/store/sample.hpp"

namespace orch {
namespace read_only_snapshot_test {

using namespace sample;
using store::Mode;
using store::Store;

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    names.insert(entry.path().lexically_relative(folder).string());
  return names;
}

TEST(StoreReader, leaves_the_folder_as_it_was) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  const auto before = names_in(folder.path());
  EXPECT_FALSE(before.contains("results.db-wal"));
  for (int readers = 0; readers < 2; ++readers) {
    std::optional<Store> reader = open_store(folder.path(), Mode::read),
                         other = open_store(folder.path(), Mode::read);
    EXPECT_EQ(reader->database().query_int("SELECT count(*) FROM results").value(), 1);
    reader.reset();
    EXPECT_EQ(other->database().query_int("SELECT count(*) FROM results").value(), 1);
  }
  EXPECT_EQ(names_in(folder.path()), before);
}

TEST(StoreReader, leaves_the_log_of_a_run_alone) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  std::optional<Store> reader = open_store(folder.path(), Mode::read);
  Store writer = open_store(folder.path());  // begins during the read
  ASSERT_TRUE(writer.database().execute("UPDATE result_wide SET ttft_ms = 7").ok());
  const auto during = names_in(folder.path());
  EXPECT_TRUE(during.contains("results.db-wal"));
  const auto log = std::filesystem::file_size(folder.path() / "results.db-wal");
  reader.reset();
  EXPECT_EQ(names_in(folder.path()), during);
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "results.db-wal"), log);
  EXPECT_EQ(open_store(folder.path(), Mode::read)
                .database()
                .query_int("SELECT ttft_ms FROM results")
                .value(),
            7);
}

}  // namespace read_only_snapshot_test
}  // namespace orch
