#include "app/preflight/needs.hpp"

#include "app/preflight/place_of_scripts.hpp"

#include <gmock/gmock.h>

namespace orch::preflight {
namespace needs_test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;
using testing::UnorderedElementsAre;

class NeedsTest : public PlaceOfScripts {
 protected:
  Needs of(const std::string& yaml) {
    has_gpus(8);
    const plan::Plan& planned = plan(yaml);
    return needs_of(planned, loaded);
  }
};

TEST_F(NeedsTest, AreThoseOfEachStageForItsPoints) {
  const Needs needs = of("axes: {tp: [1, 2]}\n");
  EXPECT_EQ(needs.points, (Points{0, 1}));
  EXPECT_THAT(needs.gpus, ElementsAre(Pair(1, Points{0}), Pair(2, Points{1})));
  EXPECT_THAT(needs.programs,
              UnorderedElementsAre(Key("/bin/sh"), Key("own-build"), Key("own-serve")));
  EXPECT_THAT(needs.ports, ElementsAre(Pair("http", Points{0, 1})));
  EXPECT_THAT(needs.images, IsEmpty());
  // Only processes of several GPUs share memory.
  EXPECT_THAT(needs.shared_memory, ElementsAre(Pair("16g", Points{1})));
}

TEST_F(NeedsTest, OfAnImageAreWhatItsCommandsNameInIt) {
  const Needs needs = of("axes: {tp: [1, 2]}\ndefaults: {image: 'i:1'}\n");
  ASSERT_EQ(needs.images.size(), 1U);
  EXPECT_THAT(needs.images[0].words, ElementsAre(Key("/app/tools/build.py"), Key("/usr/bin/env"),
                                                 Key("own-build"), Key("own-serve")));
  EXPECT_EQ(needs.images[0].gpus, 2);
  EXPECT_THAT(needs.programs, UnorderedElementsAre(Key("/bin/sh")));
  EXPECT_THAT(needs.shared_memory, IsEmpty());
}

TEST_F(NeedsTest, SourcesComeWithTheirRevision) {
  const std::string commit(40, 'a');
  const Needs needs =
      of("axes: {model: [m, n]}\nmodels: {m: {source: 'hf:acme/tiny', revision: " + commit +
         "}, n: {source: 'hf:acme/tiny', revision: main}}\n");
  EXPECT_THAT(needs.sources,
              UnorderedElementsAre(Pair(SourceNeed{"hf:acme/tiny", commit, "own"}, Points{0}),
                                   Pair(SourceNeed{"hf:acme/tiny", "", "own"}, Points{1})));
}

TEST_F(NeedsTest, OfStagesThatAreDoneAreNone) {
  plan::Plan done = plan("axes: {tp: [1]}\n");
  for (plan::Stage& stage : done.stages) stage.status = plan::Status::reuse;
  EXPECT_THAT(needs_of(done, loaded).programs, IsEmpty());
  EXPECT_FALSE(needs_gpus(done));
}

}  // namespace needs_test
}  // namespace orch::preflight
