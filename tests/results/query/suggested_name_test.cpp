// Suggestions for names that a query got wrong.
#include "analysis/report/support.hpp"
#include "results/query/query.hpp"

namespace orch {
namespace suggested_name_test {

class SuggestedName : public ReportTest {
 protected:
  std::string of_column(const std::string& column, const std::string& sql) {
    return report::suggested_name(reader().database(), sql, "SQLite: no such column: " + column);
  }
  std::string of_table(const std::string& table) {
    return report::suggested_name(reader().database(), "SELECT 1",
                                  "SQLite: no such table: " + table);
  }
};

TEST_F(SuggestedName, of_a_column_is_from_the_tables_of_the_query) {
  EXPECT_EQ(of_column("ttft_m", "SELECT ttft_m FROM results"), "; did you mean 'ttft_ms'?");
  EXPECT_EQ(of_column("wall", "SELECT wall FROM stages"), "; did you mean 'wall_s'?");
  EXPECT_EQ(of_column("sent", "SELECT sent FROM requests"), "; did you mean 'sent_s'?")
      << "and no column of another view that resembles it as much";
  EXPECT_EQ(of_column("r.ttft_m", "SELECT r.ttft_m FROM results AS r"),
            "; did you mean 'ttft_ms'?");
  EXPECT_EQ(of_column("outcom", "SELECT outcom FROM run"), "; did you mean 'outcome'?");
}

TEST_F(SuggestedName, of_a_column_names_those_that_contain_the_word) {
  EXPECT_EQ(of_column("tokens", "SELECT tokens FROM request"),
            "; did you mean 'first_event_tokens'?");
}

TEST_F(SuggestedName, of_a_column_that_other_views_have_names_them) {
  EXPECT_EQ(of_column("itl_ms", "SELECT itl_ms FROM failures"), "; it is a column of requests");
  EXPECT_EQ(of_column("ttft_ms", "SELECT ttft_ms FROM failures"),
            "; it is a column of results, results_by_tool, results_all, requests");
}

TEST_F(SuggestedName, of_a_metric_or_parameter_without_a_value_says_so) {
  EXPECT_EQ(of_column("energy_j_per_token", "SELECT energy_j_per_token FROM results_all"),
            "; it is a metric, but no measurement in this store has a value for it yet");
  EXPECT_EQ(of_column("r.goodput_rps", "SELECT r.goodput_rps FROM results AS r"),
            "; it is a metric, but no measurement in this store has a value for it yet");
  EXPECT_EQ(of_column("zzzzz", "SELECT zzzzz FROM results"),
            "; a parameter becomes a column once a measurement has a value for it");
}

TEST_F(SuggestedName, of_a_table_is_a_view_before_a_table) {
  EXPECT_EQ(of_table("measurements"), "; did you mean 'results_all'?");
  EXPECT_EQ(of_table("result"), "; did you mean 'results'?");
  EXPECT_EQ(of_table("main.reslts"), "; did you mean 'results'?");
  EXPECT_EQ(of_table("stage_needs"), "; did you mean 'stage_need'?") << "no view resembles it";
  EXPECT_EQ(of_table("something_else_entirely"), "");
}

TEST_F(SuggestedName, of_a_column_with_the_name_of_a_table_is_no_table_of_the_query) {
  EXPECT_EQ(of_column("outcom", "SELECT run, outcom FROM failures").find("outcome"),
            std::string::npos);
}

TEST_F(SuggestedName, of_any_other_message_is_none) {
  EXPECT_EQ(report::suggested_name(reader().database(), "SELECT", "SQLite: incomplete input"), "");
}

}  // namespace suggested_name_test
}  // namespace orch
