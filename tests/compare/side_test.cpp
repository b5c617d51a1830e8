// What the text of a side means.
#include "compare/side.hpp"

#include "compare/planted.hpp"

namespace orch::compare {
namespace {

using namespace planted;
using testing::HasSubstr;

class SideTest : public testing::Test {
 protected:
  void SetUp() override {
    store::Store store = sample::open_store(folder_.path());
    plant(store, {.experiment = "nightly", .measured = {tps(100)}});
    plant(store, {.experiment = "native", .measured = {tps(100)}, .at = 100});
    plant(store, {.experiment = "it's; DROP TABLE run --", .measured = {tps(100)}, .at = 200});
  }
  Result<Side> side(const std::string& text) {
    if (!store_) store_.emplace(sample::open_store(folder_.path(), store::Mode::read));
    return side_of(store_->database(), text);
  }
  std::string where(const std::string& text) {
    const auto found = side(text);
    return found ? found->where : "error: " + found.error().text();
  }
  std::string label(const std::string& text) {
    const auto found = side(text);
    return found ? found->label : "error: " + found.error().text();
  }

  sample::TemporaryFolder folder_;
  std::optional<store::Store> store_;
};

TEST_F(SideTest, ANumberIsARun) {
  EXPECT_EQ(where("2"), "run = 2");
  EXPECT_EQ(where(" run 2 "), "run = 2");
  EXPECT_EQ(label("2"), "run 2");
}

TEST_F(SideTest, ARunThatIsNotThereIsAnErrorWithARemedy) {
  EXPECT_THAT(where("77"), HasSubstr("no run 77"));
  EXPECT_THAT(where("77"), HasSubstr("orchestrate status"));
}

TEST_F(SideTest, ANameOfAnExperimentOrAPointMeansIt) {
  EXPECT_EQ(where("nightly"), "experiment = 'nightly'");
  EXPECT_EQ(where("tiny_c1-aaaaaa"), "point = 'tiny_c1-aaaaaa'");
  EXPECT_EQ(label("tiny_c1-aaaaaa"), "point tiny_c1-aaaaaa");
}

TEST_F(SideTest, ANameThatLooksLikeSqlIsOnlyAName) {
  EXPECT_EQ(where("it's; DROP TABLE run --"), "experiment = 'it''s; DROP TABLE run --'");
}

// An experiment has the name of a tool.
TEST_F(SideTest, ANameOfSeveralThingsIsAnErrorThatListsThem) {
  const std::string text = where("native");
  EXPECT_THAT(text, HasSubstr("experiment = 'native'"));
  EXPECT_THAT(text, HasSubstr("tool = 'native'"));
}

TEST_F(SideTest, AnyOtherTextIsSql) {
  EXPECT_EQ(where("concurrency = 1"), "concurrency = 1");
  EXPECT_EQ(label("concurrency = 1"), "concurrency = 1");
}

TEST_F(SideTest, AnEmptyTextIsAnError) { EXPECT_THAT(where("  "), HasSubstr("empty")); }

}  // namespace
}  // namespace orch::compare
