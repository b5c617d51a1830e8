// The file that says what is right: the dataset, as long as it is the same, or the one that is
// named.
#include "results/score/scoring.hpp"
#include "results/score/support.hpp"

namespace orch::score {
namespace reference_files_test {

using testing::HasSubstr;

class Files : public ScoreTest {
 protected:
  std::string error(const std::string& named = "") {
    store::Store store = open_store(root(), store::Mode::read);
    const auto targets = find_targets(store.database(), {});
    ReferenceFiles files(store.database(), files_, named);
    const auto found = files.of(targets->at(0));
    return found ? "" : found.error().text();
  }
};

TEST_F(Files, IsTheDatasetThatWasMeasuredWith) {
  measure({{"one?", "1"}});
  EXPECT_EQ(error(), "");
}

TEST_F(Files, ThatWasChangedIsNotTakenAndTheRemedyIsNamed) {
  measure({{"one?", "1"}});
  write_file(data(), "{\"input\": \"one?\", \"output\": \"eins\"}\n");
  EXPECT_THAT(error(), testing::AllOf(HasSubstr("the dataset that its prompts come from (sha256"),
                                      HasSubstr("is no longer in " + data().string()),
                                      HasSubstr("--references FILE")));
  EXPECT_EQ(error(data().string()), "");
}

TEST_F(Files, OfADatasetWithoutReferencesSaysHowToWriteThem) {
  measure({{"one?", "1"}}, {.dataset = "{\"input\": \"one?\"}\n"});
  EXPECT_THAT(error(), HasSubstr("no row has a reference"));
  EXPECT_THAT(error("/no/such"), HasSubstr("/no/such"));
}

}  // namespace reference_files_test
}  // namespace orch::score
