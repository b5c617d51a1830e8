// Statements in, cells or SQLite's messages out; files are in a temporary folder.
#include "core/sql/database.hpp"

#include "fakes/temp_folder.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace orch::sql {
namespace database_test {

using Folder = fakes::TempFolder;

// The diagnosis of a result, or "fine".
template <class Outcome> std::string words(const Outcome& outcome) {
  return outcome.ok() ? "fine" : outcome.error().text();
}

Database memory() { return std::move(Database::open(":memory:")).value(); }

TEST(Database, values_are_read_as_they_were_bound) {
  Database db = memory();
  ASSERT_TRUE(db.execute("CREATE TABLE t (i, r, s, n, b, o); -- and no more\n").ok());
  auto insert = db.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)");
  ASSERT_TRUE(insert.ok());
  ASSERT_TRUE(insert
                  ->run_with(std::int64_t{1} << 40, 0.5, std::string("a\0b", 3), nullptr, true,
                             std::optional<int>())
                  .ok());
  auto select = db.prepare("SELECT i, r, s AS name, n, b, o FROM t");
  ASSERT_TRUE(*select->step());
  EXPECT_EQ(select->column_count(), 6);
  EXPECT_EQ(select->column_name(2), "name");
  EXPECT_EQ(select->column_int(0), std::int64_t{1} << 40);
  EXPECT_EQ(select->column_real(1), 0.5);
  EXPECT_EQ(select->column_text(2), std::string("a\0b", 3));
  EXPECT_TRUE(select->column_null(3));
  EXPECT_EQ(select->column_optional_text(3), std::nullopt);
  EXPECT_EQ(select->column_optional_int(4), 1);
  EXPECT_TRUE(is_null(select->cell(5)));
  EXPECT_FALSE(*select->step());
}

TEST(Database, an_empty_text_is_not_null) {
  Database db = memory();
  auto select = db.prepare("SELECT ?1, typeof(?1)");
  ASSERT_TRUE(select->bind_all(std::string_view()).ok());
  ASSERT_TRUE(*select->step());
  EXPECT_EQ(select->column_text(1), "text");
  EXPECT_EQ(select->column_optional_text(0), "");
}

TEST(Database, blobs_keep_their_bytes) {
  Database db = memory();
  const std::byte bytes[] = {std::byte{0}, std::byte{255}, std::byte{7}};
  auto select = db.prepare("SELECT :b, typeof(:b), typeof(:e)");
  ASSERT_TRUE(select->bind_blob(1, bytes).ok());
  ASSERT_TRUE(select->bind_blob(2, {}).ok());
  ASSERT_TRUE(*select->step());
  EXPECT_EQ(select->column_blob(0), std::string("\0\xff\x07", 3));
  EXPECT_EQ(select->column_text(1), "blob");
  EXPECT_EQ(select->column_text(2), "blob");
}

TEST(Database, bind_all_requires_a_value_for_every_parameter) {
  Database db = memory();
  auto select = db.prepare("SELECT ?, ?");
  EXPECT_EQ(words(select->bind_all(1)), "1 values for 2 parameters in: SELECT ?, ?");
}

TEST(Database, a_statement_runs_again_after_reset) {
  Database db = memory();
  auto select = db.prepare("SELECT ?");
  ASSERT_TRUE(select->bind_all("x").ok());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(*select->step());
    EXPECT_EQ(select->column_text(0), "x");
    select->reset();
  }
}

TEST(Database, errors_have_the_message_of_sqlite_and_the_statement) {
  Database db = memory();
  EXPECT_EQ(words(db.prepare("SELECT missing")),
            "SQLite: no such column: missing, in: SELECT missing");
  ASSERT_TRUE(db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT NOT NULL) STRICT").ok());
  EXPECT_EQ(words(db.execute("INSERT INTO t VALUES (1, NULL)")),
            "SQLite: NOT NULL constraint failed: t.x, in: INSERT INTO t VALUES (1, NULL)");
}

TEST(Database, double_quotes_never_delimit_text) {
  EXPECT_FALSE(memory().prepare("SELECT \"text\"").ok());
}

TEST(Database, foreign_keys_are_checked) {
  Database db = memory();
  ASSERT_TRUE(
      db.execute("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a)").ok());
  EXPECT_EQ(words(db.execute("INSERT INTO b VALUES (7)")),
            "SQLite: FOREIGN KEY constraint failed, in: INSERT INTO b VALUES (7)");
}

TEST(Database, prepare_accepts_exactly_one_statement) {
  Database db = memory();
  EXPECT_TRUE(db.prepare("SELECT 1; -- nothing more\n").ok());
  EXPECT_EQ(words(db.prepare("SELECT 1; SELECT 2")),
            "more than one statement in: SELECT 1; SELECT 2");
  EXPECT_EQ(words(db.prepare(" -- nothing")), "no statement in ' -- nothing'");
  EXPECT_EQ(words(db.prepare(std::string("SELECT 1;\0x", 11))), "a NUL byte in a statement");
}

TEST(Database, one_value_is_read_in_one_call) {
  Database db = memory();
  EXPECT_EQ(*db.query_int("SELECT 6 * 7"), 42);
  EXPECT_EQ(*db.query_text("SELECT 'a' || 'b'"), "ab");
  EXPECT_EQ(db.query_int("SELECT 1 WHERE 0").error().kind, ErrorKind::not_found);
}

TEST(Database, has_the_number_of_changes_and_the_last_id) {
  Database db = memory();
  ASSERT_TRUE(db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2), "
                         "(40); DELETE FROM t WHERE id < 3")
                  .ok());
  EXPECT_EQ(db.changes(), 2);
  EXPECT_EQ(db.last_insert_id(), 40);
}

TEST(Database, a_statement_that_changes_nothing_is_read_only) {
  Database db = memory();
  EXPECT_TRUE(db.prepare("SELECT 1")->read_only());
  EXPECT_FALSE(db.prepare("CREATE TABLE t (x)")->read_only());
}

TEST(Database, opening_without_creating_needs_a_file) {
  const Folder folder;
  for (const Access access : {Access::read_only, Access::read_write}) {
    const auto db = Database::open(folder.file("none.db"), {.access = access});
    ASSERT_FALSE(db.ok());
    EXPECT_EQ(db.error().kind, ErrorKind::io);
    EXPECT_EQ(db.error().message, "cannot open the database " + folder.file("none.db") +
                                      ": unable to open database file");
  }
}

TEST(Database, a_read_only_connection_reads_and_does_not_write) {
  const Folder folder;
  ASSERT_TRUE(Database::open(folder.file("a.db"))
                  ->execute("CREATE TABLE t (x); INSERT INTO t VALUES (5)")
                  .ok());
  auto db = Database::open(folder.file("a.db"), {.access = Access::read_only});
  EXPECT_EQ(*db->query_int("SELECT x FROM t"), 5);
  const Status written = db->execute("INSERT INTO t VALUES (6)");
  EXPECT_EQ(written.error().message,
            "SQLite: attempt to write a readonly database, in: INSERT INTO t VALUES (6)");
  EXPECT_EQ(written.error().kind, ErrorKind::io);
}

TEST(Transaction, is_rolled_back_unless_committed) {
  Database db = memory();
  ASSERT_TRUE(db.execute("CREATE TABLE t (x)").ok());
  {
    auto transaction = Transaction::begin(db);
    ASSERT_TRUE(transaction.ok());
    ASSERT_TRUE(db.execute("INSERT INTO t VALUES (1)").ok());
    EXPECT_TRUE(db.in_transaction());
  }
  EXPECT_FALSE(db.in_transaction());
  EXPECT_EQ(*db.query_int("SELECT count(*) FROM t"), 0);
  auto transaction = Transaction::begin(db);
  ASSERT_TRUE(transaction.ok());
  ASSERT_TRUE(db.execute("INSERT INTO t VALUES (1)").ok());
  ASSERT_TRUE(transaction->commit().ok());
  EXPECT_EQ(*db.query_int("SELECT count(*) FROM t"), 1);
}

TEST(Transaction, a_second_writer_gets_an_error_about_the_lock) {
  const Folder folder;
  auto first = Database::open(folder.file("a.db"), {.busy_timeout_ms = 0});
  auto second = Database::open(folder.file("a.db"), {.busy_timeout_ms = 0});
  const auto held = Transaction::begin(*first);
  ASSERT_TRUE(held.ok());
  const auto refused = Transaction::begin(*second);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
  EXPECT_EQ(refused.error().message, "SQLite: database is locked, in: BEGIN IMMEDIATE");
}

TEST(Transaction, a_commit_that_fails_is_rolled_back) {
  Database db = memory();
  ASSERT_TRUE(db.execute("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a "
                         "DEFERRABLE INITIALLY DEFERRED)")
                  .ok());
  auto transaction = Transaction::begin(db);
  ASSERT_TRUE(db.execute("INSERT INTO b VALUES (7)").ok());
  EXPECT_EQ(words(transaction->commit()), "SQLite: FOREIGN KEY constraint failed, in: COMMIT");
  EXPECT_FALSE(db.in_transaction());
  EXPECT_EQ(*db.query_int("SELECT count(*) FROM b"), 0);
}

TEST(Quoting, escapes_the_quotes_inside_a_text) {
  EXPECT_EQ(quote_name("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quote_text("it's"), "'it''s'");
  Database db = memory();
  EXPECT_EQ(*db.query_text("SELECT " + quote_text("a'b\"c")), "a'b\"c");
}

}  // namespace database_test
}  // namespace orch::sql
