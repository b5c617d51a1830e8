// Answers leave memory while a benchmark runs, and are read back by number.
#include "bench/record/record_json.hpp"
#include "fakes/temp_folder.hpp"

#include <gtest/gtest.h>

namespace orch::record {
namespace answer_spool_test {

TEST(AnswerSpool, GivesBackWhatItTook) {
  fakes::TempFolder folder;
  system::RealFiles files;
  const auto spool = AnswerSpool::open(files, folder.path().string(), {});
  ASSERT_TRUE(spool) << spool.error().text();
  const std::string large(5'000'000, 'y');
  EXPECT_EQ((*spool)->put({.text = "one", .text_ends = {1, 3}}), 0);
  EXPECT_EQ((*spool)->put({.text = large, .text_ends = {}}), 1);
  EXPECT_EQ((*spool)->put({.text = "three", .text_ends = {}}), 2);
  EXPECT_EQ((*spool)->get(2)->text, "three");
  EXPECT_EQ((*spool)->get(1)->text, large);
  EXPECT_EQ((*spool)->get(0)->text, "one");
  EXPECT_EQ((*spool)->get(0)->text_ends, (std::vector<std::size_t>{1, 3}));
  EXPECT_TRUE(files.names(folder.path().string())->empty()) << "nothing is left by a dead process";
}

TEST(AnswerSpool, RedactsEachAnswer) {
  fakes::TempFolder folder;
  system::RealFiles files;
  const auto spool = AnswerSpool::open(files, folder.path().string(),
                                       [](std::string& text, std::span<std::size_t> ends) {
                                         text = "[" + text + "]";
                                         for (std::size_t& end : ends) ++end;
                                       });
  (*spool)->put({.text = "one", .text_ends = {1}});
  const auto answer = (*spool)->get(0);
  EXPECT_EQ(answer->text, "[one]");
  EXPECT_EQ(answer->text_ends, (std::vector<std::size_t>{2}));
  EXPECT_EQ((*spool)->settle().waited_ns, 0);
}

// A disk whose first write lasts until three answers were taken, or a moment.
class SlowFile final : public system::OpenFile {
 public:
  struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    int taken = 0;
    bool overrun = false;  // three answers were taken before one was written

    void take() {
      const std::scoped_lock lock(mutex);
      ++taken;
      changed.notify_all();
    }
  };

  explicit SlowFile(Gate& gate) : gate_(gate) {}
  Result<std::uint64_t> size() override { return std::uint64_t{0}; }
  Result<std::string> read(std::uint64_t, std::size_t) override { return std::string(); }
  Status append(std::string_view) override {
    std::unique_lock lock(gate_.mutex);
    if (std::exchange(is_first_, false))
      gate_.overrun = gate_.changed.wait_for(lock, std::chrono::milliseconds(300),
                                             [this] { return gate_.taken == 3; });
    return invalid("the disk is full");
  }
  Status truncate(std::uint64_t) override { return {}; }
  Status sync() override { return {}; }

 private:
  Gate& gate_;
  bool is_first_ = true;
};

TEST(AnswerSpool, SaysWhyAnAnswerWasNotWritten) {
  SlowFile::Gate gate;
  gate.taken = 3;
  AnswerSpool spool(std::make_unique<SlowFile>(gate), {});
  spool.put({.text = "one", .text_ends = {}});
  EXPECT_EQ(spool.get(0).error().message, "the disk is full");
  spool.put({.text = "two", .text_ends = {}});
  EXPECT_FALSE(spool.get(1).ok());
}

TEST(AnswerSpool, WaitsForASlowDiskInsteadOfFillingMemory) {
  SlowFile::Gate gate;
  AnswerSpool spool(std::make_unique<SlowFile>(gate), {});
  const std::string text(AnswerSpool::k_most_waiting_bytes / 2 + 1, 'x');
  for (int i = 0; i < 3; ++i) {
    spool.put({.text = text, .text_ends = {}});
    gate.take();
  }
  spool.settle();
  EXPECT_FALSE(gate.overrun);
}

TEST(AnswerOf, IsInTheRecordOrInTheSpool) {
  fakes::TempFolder folder;
  system::RealFiles files;
  const auto spool = AnswerSpool::open(files, folder.path().string(), {});
  measure::RequestRecord kept, spooled;
  kept.answer = "kept";
  spooled.spooled = (*spool)->put({.text = "spooled", .text_ends = {}});
  EXPECT_EQ(answer_of(kept, spool->get())->text, "kept");
  EXPECT_EQ(answer_of(spooled, spool->get())->text, "spooled");
  EXPECT_EQ(answer_of(kept, nullptr)->text, "kept");
}

}  // namespace answer_spool_test
}  // namespace orch::record
