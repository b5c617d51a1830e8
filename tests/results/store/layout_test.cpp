// The store works through the file system and the clock of its host.
#include "results/store/layout.hpp"

#include "fakes/faulty_files.hpp"
#include "results/store/rebuild.hpp"
#include "results/store/sample.hpp"

namespace orch {
namespace host_test {

using namespace sample;
using store::Mode;
using store::Store;

struct FixedClock final : system::Clock {
  double now_s() override { return 0; }
  double wall_s() override { return 1'700'000'000; }
  void sleep_s(double) override {}
};

struct HostOfAStore : testing::Test {
  TemporaryFolder folder;
  fakes::FaultyFiles files{real_host().files};
  FixedClock clock;
  store::Host host{files, clock};

  void fail(std::string_view failing) {
    files.fault = [failing](std::string_view verb, const std::string& path) {
      return verb == failing ? Status(io_error(verb, path, ENOSPC)) : Status();
    };
  }
};

TEST_F(HostOfAStore, has_the_clock_of_the_lock) {
  const auto opened = Store::open(host, folder.path(), Mode::write);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(Store::writer(host, folder.path())->since, "2023-11-14T22:13:20Z");
}

TEST_F(HostOfAStore, that_cannot_append_leaves_record_and_database_unchanged) {
  auto opened = Store::open(host, folder.path(), Mode::write);
  ASSERT_TRUE(opened.ok());
  ASSERT_TRUE(opened->put_resolution("hf", "a", "1", 1).ok());
  const auto size = std::filesystem::file_size(folder.path() / "records/store.jsonl");
  fail("append");
  EXPECT_THAT(opened->put_resolution("hf", "a", "2", 2).error().text(),
              testing::EndsWith("store.jsonl: No space left on device"));
  EXPECT_EQ(opened->resolution("hf", "a").value(), "1");
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "records/store.jsonl"), size);
}

// A broken disk must not make hours of work count as missing.
TEST_F(HostOfAStore, that_cannot_look_at_an_artifact_does_not_take_it_for_missing) {
  complete_run(folder.path());
  const plan::Plan plan = make_plan();
  auto opened = Store::open(host, folder.path(), Mode::read);
  ASSERT_TRUE(opened.ok());
  const std::string artifact = (folder.path() / "artifacts" / plan.stages[0].id).string();
  int error = ENOENT, calls = 0, failing = 1000;
  files.fault = [&](std::string_view verb, const std::string& path) {
    const bool fails = path.starts_with(artifact) && calls++ < failing;
    return fails ? Status(io_error(verb, path, error)) : Status();
  };
  EXPECT_FALSE(opened->done()->made.contains(plan.stages[0].digest));
  error = EIO;
  EXPECT_THAT(opened->done().error().text(), testing::HasSubstr("Input/output error"));
  for (failing = 1; failing < 10; ++failing) {
    calls = 0;
    const auto done = opened->done();
    if (done.ok()) {
      EXPECT_TRUE(done->made.contains(plan.stages[0].digest)) << failing;
    }
  }
}

TEST_F(HostOfAStore, that_cannot_read_a_record_changes_nothing_in_a_rebuild) {
  complete_run(folder.path());
  const Rows before = rows(folder.path(), "SELECT * FROM results");
  fail("read_block");
  EXPECT_EQ(store::rebuild(host, folder.path()).error().kind, ErrorKind::io);
  EXPECT_EQ(rows(folder.path(), "SELECT * FROM results"), before);
  ASSERT_TRUE(store::rebuild(real_host(), folder.path()).ok());
  EXPECT_EQ(rows(folder.path(), "SELECT * FROM results"), before);
}

}  // namespace host_test
}  // namespace orch
