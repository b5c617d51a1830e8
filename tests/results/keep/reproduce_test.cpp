// What the store knows of a point that is to be made again.
#include "results/keep/reproduce.hpp"

#include "results/keep/support.hpp"

namespace orch {
namespace reproduce_test {

using namespace sample;

class Reproduce : public KeepTest {
 protected:
  Result<keep::RecordedPoint> recorded() {
    store::Store store = open_store(store_.path(), store::Mode::read);
    return keep::recorded_point(store.database(), "tiny_c1-aaaaaa");
  }
};

TEST_F(Reproduce, reads_parameters_and_stages_of_the_newest_run) {
  two_experiments();
  const auto point = recorded();
  ASSERT_TRUE(point.ok()) << point.error().text();
  EXPECT_EQ(point->experiment, "other");
  EXPECT_EQ(point->runner, "sample");
  EXPECT_EQ(point->point.parameters,
            (std::vector<std::pair<std::string, std::string>>{
                {"batch_size", "8"}, {"concurrency", "1"}, {"model", "\"tiny\""}}));
  ASSERT_EQ(point->stages.size(), 3u);
  EXPECT_EQ(point->stages[0].digest, make_plan().stages[0].digest.hex());
}

TEST_F(Reproduce, finds_no_difference_in_the_same_plan_and_names_each_in_another) {
  run();
  const auto point = recorded();
  plan::Plan plan = make_plan({.concurrencies = {1}});
  EXPECT_TRUE(keep::differences(*point, plan).empty());
  plan::Stage& build = plan.stages[0];
  build.components = {};
  build.components.add("stage", "build");
  build.components.add("parameter.model", "large");
  build.components.add("repeat", "0");
  build.components.add("new", "1");
  build.digest = build.components.digest();
  const auto differing = keep::differences(*point, plan);
  ASSERT_EQ(differing.size(), 1u);
  EXPECT_EQ(differing[0].stage, build.id);
  EXPECT_EQ(differing[0].what, (Rows{"parameter.model: tiny -> large", "new: (absent) -> 1"}));
}

TEST_F(Reproduce, takes_sessions_that_were_added_for_no_difference) {
  complete_run(store_.path(), {.concurrencies = {1}, .repeats = 3});
  const auto point = recorded();
  ASSERT_EQ(point->stages.size(), 5u);
  EXPECT_TRUE(keep::differences(*point, make_plan({.concurrencies = {1}})).empty());
  plan::Plan none = make_plan({.concurrencies = {1}});
  none.points[0].stages.pop_back();
  EXPECT_EQ(keep::differences(*point, none).size(), 1u) << "no measurement at all is planned";
}

TEST_F(Reproduce, pins_revisions_that_a_stage_had_and_remarks_identities) {
  run();
  {
    auto database = sql::Database::open((store_.path() / "results.db").string());
    ASSERT_TRUE(database->execute(
        R"(UPDATE stage SET components = '[["model.source","hf:Qwen/X@0123456789012345678901234567890123456789"],["version","tool 1.2"],["machine","1 x CPU"]]' WHERE name = 'build')"));
  }
  const auto point = recorded();
  EXPECT_EQ(point->point.revisions,
            (std::map<std::string, std::string>{
                {"hf:Qwen/X", "0123456789012345678901234567890123456789"}}));
  EXPECT_THAT(point->point.remarks, testing::Contains("build: version tool 1.2"));
  EXPECT_THAT(point->point.remarks,
              testing::Contains(testing::StartsWith("build: model.source hf:Qwen/X@0123")));
}

TEST_F(Reproduce, of_a_point_without_a_matrix_is_refused) {
  run();
  {
    auto database = sql::Database::open((store_.path() / "results.db").string());
    ASSERT_TRUE(database->execute("UPDATE run SET matrix_text = ''"));
  }
  EXPECT_THAT(recorded().error().text(), testing::HasSubstr("was not planned from a matrix"));
}

TEST(MatrixTexts, are_split_as_they_were_put_together) {
  const auto texts = keep::matrix_texts(
      "name: a\nbase: b.yaml\n\n# --- base: b.yaml\nx: 1\n\n# --- "
      "base: /c/d.yaml\ny: 2\n");
  EXPECT_EQ(texts.matrix, "name: a\nbase: b.yaml\n");
  ASSERT_EQ(texts.bases.size(), 2u);
  EXPECT_EQ(texts.bases[0], std::pair(std::string("b.yaml"), std::string("x: 1\n")));
  EXPECT_EQ(texts.bases[1], std::pair(std::string("/c/d.yaml"), std::string("y: 2\n")));
}

}  // namespace reproduce_test
}  // namespace orch
