// Transactions of the store: rows and records together, or neither.
#include "results/store/core.hpp"

#include "results/store/sample.hpp"

namespace orch {
namespace core_test {

using namespace sample;

class CoreTransaction : public testing::Test {
 protected:
  Status write(const Status& end) {
    store::Core& core = store_.core();
    return store::in_transaction(core, [&]() -> Status {
      core.records.add("f.jsonl", R"({"n":1})");
      ORCH_TRY(core.statements.run(
          "INSERT INTO resolution (kind, name, value, resolved_at) VALUES ('k', 'n', 'v', 1)"));
      return end;
    });
  }
  Rows resolutions() { return rows(folder_.path(), "SELECT name FROM resolution"); }

  TemporaryFolder folder_;
  store::Store store_ = open_store(folder_.path());
};

TEST_F(CoreTransaction, writes_rows_and_a_line_of_the_record) {
  ASSERT_TRUE(write({}));
  EXPECT_EQ(resolutions(), Rows{"n"});
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "records/f.jsonl"));
}

TEST_F(CoreTransaction, writes_neither_after_an_error) {
  const Status written = write(invalid("not this"));
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().text(), "not this");
  EXPECT_EQ(resolutions(), Rows{});
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "records/f.jsonl"));
  EXPECT_TRUE(write({})) << "the next one is written";
}

TEST_F(CoreTransaction, says_a_notice_once) {
  store_.core().notice("a sentence");
  store_.core().notice("a sentence");
  EXPECT_EQ(store_.notices(), Rows{"a sentence"});
}

}  // namespace core_test
}  // namespace orch
