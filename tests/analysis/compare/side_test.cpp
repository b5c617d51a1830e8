// What the text of a side means.
#include "analysis/compare/planted.hpp"
#include "analysis/compare/read_comparison.hpp"

namespace orch::compare {
namespace side_test {

class Sides : public PlantedStore {
 protected:
  void SetUp() override { plant_usual(); }
  std::string where(const std::string& text) {
    const auto side = side_of(database(), text);
    return side.ok() ? side->where : "error: " + side.error().message;
  }
};

TEST_F(Sides, of_a_number_is_a_run) {
  EXPECT_EQ(where("1"), "run = 1");
  EXPECT_EQ(where("run 2"), "run = 2");
  EXPECT_EQ(where("7"), "error: there is no run 7; `orchestrate status` lists the runs");
}

TEST_F(Sides, of_a_name_is_what_has_the_name) {
  EXPECT_EQ(where("quick"), "experiment = 'quick'");
  EXPECT_EQ(where("native"), "tool = 'native'");
  const auto point = side_of(database(), " tiny_c1-aaaaaa-other ");
  ASSERT_TRUE(point.ok());
  EXPECT_EQ(point->where, "point = 'tiny_c1-aaaaaa-other'");
  EXPECT_EQ(point->label, "point tiny_c1-aaaaaa-other");
}

TEST_F(Sides, of_any_other_text_is_sql) {
  EXPECT_EQ(where("precision = 'f16'"), "precision = 'f16'");
  EXPECT_EQ(where(""),
            "error: a side is empty; name a run, an experiment, a point, a tool, or "
            "write SQL");
}

TEST_F(Sides, with_a_hostile_name_is_only_text) {
  EXPECT_EQ(where("x' OR 1=1; DROP TABLE run; --"), "x' OR 1=1; DROP TABLE run; --");
  EXPECT_EQ(*database().query_int("SELECT count(*) FROM run"), 2);
}

TEST(SideOfSeveral, with_one_name_is_ambiguous) {
  const sample::TemporaryFolder folder;
  store::Store store = sample::open_store(folder.path());
  plant(store, {.experiment = "native", .precision = "f16", .tps = {1}});
  const auto side = side_of(store.database(), "native");
  ASSERT_FALSE(side.ok());
  EXPECT_EQ(side.error().message,
            "'native' is the name of several things; write \"experiment = 'native'\" or \"tool = "
            "'native'\"");
}

}  // namespace side_test
}  // namespace orch::compare
