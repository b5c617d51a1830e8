// How long the published deployment takes on a simulated host of eight GPUs, by the times of
// experiments/qwen2-deploy.times.yaml: 480 points, of which rules reject 40. The command is that of
// docs/side-by-side.md.
#include "app/cli/commands.hpp"
#include "app/cli/run_command.hpp"
#include "core/base/text.hpp"
#include "fakes/temp_folder.hpp"

#include <cmath>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

namespace orch::cli {
namespace makespan_test {

using testing::HasSubstr;

class Makespan : public testing::Test {
 protected:
  Makespan() {
    std::ofstream(folder.file("site.yaml")) << "{}\n";
    const std::string project = ORCH_SOURCE_DIR;
    const CommandResult planned =
        run_command(add_plan, {"plan", project + "/experiments/qwen2-deploy.yaml", "--schedule",
                               "--times", project + "/experiments/qwen2-deploy.times.yaml",
                               "--machine", project + "/tests/data/8xh100.yaml", "--site",
                               folder.file("site.yaml"), "--store", folder.file("results")});
    EXPECT_EQ(planned.exit_code, 0) << planned.err;
    schedule = planned.out;
  }
  // The seconds of the figure H:MM:SS behind LABEL; NaN where there is none.
  double seconds_behind(const std::string& label) const {
    const std::size_t at = schedule.find(label);
    if (at == std::string::npos) return std::nan("");
    double hours = 0, minutes = 0, seconds = 0;
    char colon = ' ';
    std::istringstream(schedule.substr(at + label.size())) >> hours >> colon >> minutes >> colon >>
        seconds;
    return hours * 3600 + minutes * 60 + seconds;
  }
  double makespan_s() const { return seconds_behind("Time:  "); }
  double bound_s() const { return seconds_behind("no order takes less than "); }

  fakes::TempFolder folder;
  std::string schedule;
};

// bound = max(area, path) under the isolation of the plan, `gpu` (simulate::lower_bound):
//   area = sum over stages of GPUs x seconds / GPUs of the host, where a server holds its GPUs for
//          its start and for each of its measurements
//   path = seconds of the longest chain of stages that need each other
TEST_F(Makespan, IsAtMostFivePercentAboveTheShortestPossibleTime) {
  const auto lines = split(schedule, '\n');
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const auto& line) { return line.find(" bench-") != line.npos; }),
            440);
  EXPECT_THAT(schedule, HasSubstr("\nIsolation gpu on 8 GPUs, 4 tasks at a time\n"));
  EXPECT_EQ(bound_s(), std::max(seconds_behind("(area "), seconds_behind("longest chain ")));
  EXPECT_GE(makespan_s(), bound_s());
  EXPECT_LE(makespan_s(), 1.05 * bound_s());
}

TEST_F(Makespan, IsTheOneOfThePageBesideTheBoundAndTheLoop) {
  std::ifstream file(ORCH_SOURCE_DIR "/docs/side-by-side.md");
  std::string page, word;
  while (file >> word) page += word + " ";
  const auto to_minutes = [](double seconds) {
    const auto minutes = std::llround(seconds / 60);
    return fmt::format(" {} h {} min", minutes / 60, minutes % 60);
  };
  EXPECT_THAT(page, HasSubstr(to_minutes(makespan_s())));
  EXPECT_THAT(page, HasSubstr(to_minutes(bound_s())));
  const double loop_s = seconds_behind("a loop over the points, one stage after the other: ");
  EXPECT_THAT(page, HasSubstr(fmt::format(" {:.0f} h", loop_s / 3600)));
}

}  // namespace makespan_test
}  // namespace orch::cli
