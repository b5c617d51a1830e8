// Names of points and stages, and their prefixes.
#include "analysis/report/describe.hpp"
#include "analysis/report/support.hpp"

namespace orch {
namespace names_test {

using namespace sample;
using Names = ReportTest;

TEST_F(Names, an_unambiguous_prefix_is_enough) {
  EXPECT_EQ(report::find_named(reader().database(), "tiny_c4")->name, "tiny_c4-aaaaaa");
  EXPECT_EQ(report::find_named(reader().database(), "bui")->kind, report::Named::Kind::stage);
  EXPECT_EQ(report::find_named(reader().database(), "tiny").error().text(),
            "'tiny' is a prefix of 2 names; write more characters of one:\n  tiny_c1-aaaaaa\n "
            " tiny_c4-aaaaaa");
  EXPECT_EQ(
      report::find_named(reader().database(), "tiny_c5-aaaaaa").error().text(),
      "no point or stage is named 'tiny_c5-aaaaaa'; did you mean 'tiny_c1-aaaaaa'?; `orchestrate "
      "query \"select point from results_all\"` and `orchestrate query stages` list them");
}

TEST_F(Names, that_begin_with_a_prefix_are_listed_for_completion) {
  using List = std::vector<std::string>;
  EXPECT_EQ(*report::names_beginning(reader().database(), "tiny_c", 10),
            (List{"tiny_c1-aaaaaa", "tiny_c4-aaaaaa"}));
  EXPECT_EQ(*report::names_beginning(reader().database(), "tiny_c", 1), (List{"tiny_c1-aaaaaa"}));
  EXPECT_EQ(*report::names_beginning(reader().database(), "%", 10), List());
  EXPECT_EQ(report::names_beginning(reader().database(), "bui", 10)->size(), 1u);
  EXPECT_EQ(*report::run_numbers(reader().database(), 10), (List{"1"}));
}

}  // namespace names_test
}  // namespace orch
