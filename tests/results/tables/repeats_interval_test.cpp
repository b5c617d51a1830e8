#include "bench/measure/interval.hpp"
#include "core/sql/database.hpp"
#include "core/statistics/student.hpp"
#include "results/tables/results.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orch {
namespace repeats_interval_test {

TEST(RepeatsInterval, uses_the_tabulated_quantile_for_any_number_of_repeats) {
  for (int n = 2; n <= 60; ++n) {
    auto database = sql::Database::open(":memory:", {});
    ASSERT_TRUE(database->execute("CREATE TABLE repeat (mean)").ok());
    for (int i = 0; i < n; ++i)
      ASSERT_TRUE(database->execute(fmt::format("INSERT INTO repeat VALUES ({})", i)).ok());
    auto row =
        database->prepare(fmt::format("SELECT {} FROM repeat", tables::half_width_of_mean("mean")));
    ASSERT_TRUE(row.ok() && *row->step());
    const double standard_error =
        std::sqrt((n + 1.0) / 12);  // 0, 1, ..., n - 1 have the variance n (n + 1) / 12
    EXPECT_NEAR(row->column_real(0) / standard_error, statistics::student_quantile(0.975, n - 1),
                0.001)
        << n;
  }
}

}  // namespace repeats_interval_test
}  // namespace orch
