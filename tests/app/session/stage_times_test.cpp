#include "app/session/experiment.hpp"
#include "app/session/project_of_files.hpp"

#include <gtest/gtest.h>

namespace orch::session {
namespace stage_times_test {

struct Read {
  std::vector<plan::StageTime> times;
  std::string errors;
};

Read times_of(const std::string& yaml) {
  ProjectOfFiles project;
  Errors errors;
  const Experiment experiment = load_experiment(
      project.world, project.options("name: x\nrunner: toy\naxes: {size: [s, l]}\n"), errors);
  EXPECT_EQ(text_of(errors), "");
  project.write("times.yaml", yaml);
  Read read;
  read.times =
      read_stage_times(project.world.files, project.path("times.yaml"), experiment, errors);
  read.errors = text_of(errors);
  return read;
}

TEST(StageTimes, AreSecondsOfAStageOrOfItsPointsByParameter) {
  const Read read = times_of("serve: 30\nmake:\n  - {size: l, seconds: 600}\n  - {seconds: 60}\n");
  EXPECT_EQ(read.errors, "");
  ASSERT_EQ(read.times.size(), 3u);
  EXPECT_EQ(read.times[0].stage, "serve");
  EXPECT_EQ(read.times[0].seconds, 30);
  EXPECT_EQ(read.times[1].parameters, (std::map<std::string, std::string>{{"size", "l"}}));
  EXPECT_EQ(read.times[1].seconds, 600);
  EXPECT_TRUE(read.times[2].parameters.empty());
}

TEST(StageTimes, RefuseUnknownStagesAndParametersWithASuggestion) {
  EXPECT_NE(
      times_of("serv: 30\n")
          .errors.find(":1:1: no runner of the matrix has a stage 'serv'; did you mean 'serve'?"),
      std::string::npos);
  EXPECT_NE(times_of("make: [{sise: l, seconds: 1}]\n")
                .errors.find(":1:9: no runner of the matrix has a parameter 'sise'; did you mean "
                             "'size'?"),
            std::string::npos);
}

TEST(StageTimes, RefuseWhatIsNoTime) {
  EXPECT_NE(times_of("make: soon\n")
                .errors.find(
                    "the time of 'make' must be seconds from 0 to 10000000, not the value 'soon'"),
            std::string::npos);
  EXPECT_NE(times_of("make: [{size: l}]\n").errors.find("not one without seconds"),
            std::string::npos);
  EXPECT_NE(times_of("[1]\n").errors.find("must be a map such as {build: 600}"), std::string::npos);
}

}  // namespace stage_times_test
}  // namespace orch::session
