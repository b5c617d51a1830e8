// Limits of a query: they end it, and nothing after it.
#include "core/sql/query_guard.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace orch::sql {
namespace query_guard_test {

constexpr const char* k_count =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) "
    "SELECT count(*) FROM n";

TEST(QueryGuard, EndsAStatementThatIsLate) {
  auto database = Database::open(":memory:");
  {
    QueryGuard guard(*database, {.seconds = 1e-9});
    const auto counted = database->query_int(k_count);
    ASSERT_FALSE(counted.ok());
    EXPECT_TRUE(guard.is_out_of_time(counted.error()));
    EXPECT_FALSE(QueryGuard::is_out_of_memory(counted.error()));
  }
  EXPECT_EQ(database->query_int(k_count).value(), 1'000'000);
}

TEST(QueryGuard, EndsAStatementThatTakesTooMuchMemory) {
  auto database = Database::open(":memory:");
  const char* const large = "SELECT length(randomblob(50000000))";
  {
    QueryGuard guard(*database, {.bytes = 8 << 20});
    const auto counted = database->query_int(large);
    ASSERT_FALSE(counted.ok());
    EXPECT_TRUE(QueryGuard::is_out_of_memory(counted.error()));
    EXPECT_FALSE(guard.is_out_of_time(counted.error()));
  }
  EXPECT_EQ(database->query_int(large).value(), 50'000'000);
}

TEST(QueryGuard, CountsWhatIsKept) {
  auto database = Database::open(":memory:");
  QueryGuard guard(*database, {.bytes = 8 << 20});
  EXPECT_TRUE(guard.keep(1 << 20));
  EXPECT_FALSE(guard.keep(8 << 20));
}

TEST(QueryGuard, WithoutLimitsEndsNothing) {
  auto database = Database::open(":memory:");
  QueryGuard guard(*database, {});
  EXPECT_EQ(database->query_int(k_count).value(), 1'000'000);
  EXPECT_TRUE(guard.keep(std::uint64_t{1} << 60));
}

TEST(QueryGuard, ExplainsWhichOfTheUsualLimitsEndedAStatement) {
  auto database = Database::open(":memory:");
  {
    QueryGuard guard(*database, {.seconds = 1e-9});
    const Error late = guard.explained(database->query_int(k_count).error());
    EXPECT_EQ(late.kind, ErrorKind::timeout);
    EXPECT_EQ(late.message,
              "the SQL took longer than 1e-09 s; narrow it, or raise the limit with "
              "ORCHESTRATE_SQL_TIMEOUT=SECONDS (0: none): " +
                  std::string(k_count));
    const Error other = guard.explained(database->query_int("SELECT none").error());
    EXPECT_EQ(other.message, "SQLite: no such column: none, in: SELECT none");
  }
  QueryGuard guard(*database, {.bytes = 8 << 20});
  const Error large =
      guard.explained(database->query_int("SELECT length(printf('%50000000s', 'x'))").error());
  EXPECT_EQ(large.kind, ErrorKind::invalid);
  EXPECT_EQ(large.message,
            "the SQL needs more than 8.0 MiB of memory; narrow it: SELECT "
            "length(printf('%50000000s', 'x'))");
}

TEST(QueryGuard, HasTheUsualLimitsOfTheEnvironment) {
  ::setenv("ORCHESTRATE_SQL_TIMEOUT", "2.5", 1);
  EXPECT_EQ(usual_limits().seconds, 2.5);
  ::setenv("ORCHESTRATE_SQL_TIMEOUT", "long", 1);
  EXPECT_EQ(usual_limits().seconds, 60);
  ::unsetenv("ORCHESTRATE_SQL_TIMEOUT");
  EXPECT_EQ(usual_limits().seconds, 60);
}

}  // namespace query_guard_test
}  // namespace orch::sql
