// The database holds the bytes of each record file in pieces, which are packed together later.
#include "results/store/records/record_log.hpp"
#include "results/store/sample.hpp"
#include "results/tables/schema.hpp"

namespace orch {
namespace record_copies_test {

using namespace sample;

struct Copies : testing::Test {
  sql::Database database = *sql::Database::open(":memory:");
  tables::Statements statements{database};
  store::RecordCopies copies{statements};

  void SetUp() override {
    ASSERT_TRUE(tables::migrate(database, real_host().files, ":memory:").ok());
    ASSERT_TRUE(copies.add("a", 0, "one\n").ok());
    ASSERT_TRUE(copies.add("a", 4, "two\n").ok());
    ASSERT_TRUE(copies.add("b", 0, "other\n").ok());
  }
  std::int64_t pieces() { return *database.query_int("SELECT count(*) FROM record_copy"); }
};

TEST_F(Copies, are_read_from_any_byte_on) {
  EXPECT_EQ(*copies.read("a"), "one\ntwo\n");
  EXPECT_EQ(*copies.read("a", 2), "e\ntwo\n");
  EXPECT_EQ(*copies.read("a", 4), "two\n");
  EXPECT_EQ(*copies.read("a", 8), "");
  EXPECT_EQ(*copies.read("c"), "");
  EXPECT_EQ(*copies.size("a"), 8);
  EXPECT_EQ(*copies.size("c"), 0);
}

TEST_F(Copies, are_the_same_after_they_were_folded) {
  EXPECT_EQ(pieces(), 3);
  ASSERT_TRUE(copies.fold().ok());
  EXPECT_EQ(pieces(), 2);
  EXPECT_EQ(*copies.read("a"), "one\ntwo\n");
  ASSERT_TRUE(copies.add("a", 8, "three\n").ok());
  ASSERT_TRUE(copies.fold().ok());
  EXPECT_EQ(*copies.read("a", 3), "\ntwo\nthree\n");
  EXPECT_EQ(*copies.read("b"), "other\n");
}

TEST_F(Copies, of_large_files_stay_in_pieces_of_limited_size) {
  const std::string large((std::size_t{16} << 20) + 5, 'x');
  ASSERT_TRUE(copies.add("large", 0, large).ok());
  ASSERT_TRUE(copies.add("large", static_cast<std::int64_t>(large.size()), "end\n").ok());
  ASSERT_TRUE(copies.fold().ok());
  EXPECT_EQ(*database.query_text("SELECT group_concat(bytes) FROM record_copy WHERE path = "
                                 "'large'"),
            fmt::format("{},9", 16 << 20));
  EXPECT_EQ(*copies.read("large", static_cast<std::int64_t>(large.size()) - 1), "xend\n");
}

}  // namespace record_copies_test
}  // namespace orch
