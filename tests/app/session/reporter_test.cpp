#include "app/session/project_of_files.hpp"
#include "app/session/world.hpp"

#include <gmock/gmock.h>

namespace orch::session {
namespace reporter_test {

TEST(Reporter, GetsWarningsAndErrorsInOrderWithTheirPlaces) {
  DiaryReporter reporter;
  report_warnings(reporter, {"one", "two"});
  report_errors(reporter, {invalid("wrong", {"m.yaml", 3, 5})});
  EXPECT_THAT(reporter.diary,
              ::testing::ElementsAre("warning: one", "warning: two", "error: m.yaml:3:5: wrong"));
}

}  // namespace reporter_test
}  // namespace orch::session
