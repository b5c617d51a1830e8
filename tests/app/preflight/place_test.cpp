#include "app/preflight/needs.hpp"
#include "app/preflight/place_of_scripts.hpp"

#include <gmock/gmock.h>

namespace orch::preflight {
namespace place_test {

TEST_F(PlaceOfScripts, FillsInTheFilesOfARunnerAndWhatItIsGiven) {
  const plan::Plan& planned = plan("axes: {tp: [1]}\n");
  const doctor::Asking asking(machine.world, 1);
  const Place place{
      .asking = asking, .experiment = loaded, .layout = planning->layout(), .plan = planned};
  EXPECT_THAT(
      filled(place, {"sh", "{file:reach.sh}", "{model.source}", "{out}"}, "own",
             {{"model.source", "hf:a/b"}}),
      testing::ElementsAre("sh", machine.folder.file("runners/own/reach.sh"), "hf:a/b", "{out}"));
}

}  // namespace place_test
}  // namespace orch::preflight
