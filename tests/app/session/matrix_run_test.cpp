#include "app/session/matrix_run.hpp"

#include "app/session/run_of_project.hpp"

#include <gmock/gmock.h>

namespace orch::session {
namespace matrix_run_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MatrixRunTest : public RunOfProject {
 protected:
  MatrixRunTest() {
    options.experiment = project.options("name: first\nrunner: toy\naxes: {size: [s, l]}\n");
    options.plan.until = "make";
  }
};

TEST_F(MatrixRunTest, RunsThePlanAndReusesItsOutputsInTheNextRun) {
  ASSERT_TRUE(run_all()) << text_of(errors);
  EXPECT_EQ(id, 1);
  EXPECT_EQ(outcome.done, 2u);
  EXPECT_THAT(project.executor.started, ElementsAre("/bin/touch", "/bin/touch"));
  EXPECT_EQ(reporter.rounds, 1u);
  ASSERT_TRUE(run_all()) << text_of(errors);
  EXPECT_EQ(id, 2);
  EXPECT_EQ(outcome.done, 0u);
  EXPECT_EQ(project.executor.started.size(), 2u);
}

TEST_F(MatrixRunTest, AStoreInUseIsAConflict) {
  const auto other = store::Store::open(project.world.host(), options.store, store::Mode::write);
  ASSERT_TRUE(other);
  load();
  EXPECT_FALSE(open_and_plan());
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].kind, ErrorKind::conflict);
}

TEST_F(MatrixRunTest, AnInterruptEndsTheWaitForTheStore) {
  const auto other = store::Store::open(project.world.host(), options.store, store::Mode::write);
  ASSERT_TRUE(other);
  options.wait = true;
  interrupts.requested = 1;
  load();
  EXPECT_FALSE(open_and_plan());
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].text(), "interrupted while waiting for the store");
  EXPECT_EQ(errors[0].kind, ErrorKind::interrupted);
}

TEST_F(MatrixRunTest, AnInterruptBeforeTheStartIsAnOutcomeAndNotAnError) {
  interrupts.requested = 1;
  ASSERT_TRUE(run_all()) << text_of(errors);
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_THAT(project.executor.started, IsEmpty());
}

TEST_F(MatrixRunTest, AnInterruptEndsTheHashingOfInputs) {
  project.write("made/made", "x");
  std::filesystem::resize_file(project.path("made/made"),
                               std::uintmax_t{1} << 42);  // hours of work
  options.experiment = project.options("name: first\nrunner: toy\nprovide: {make: made}\n");
  options.plan.until = "";
  interrupts.requested = 1;
  EXPECT_FALSE(run_all());
  ASSERT_EQ(errors.size(), 1u) << text_of(errors);
  EXPECT_EQ(errors[0].kind, ErrorKind::interrupted);
  EXPECT_EQ(reporter.diary.back(), "hashed");
}

TEST_F(MatrixRunTest, AnEmptyStoreNameIsRefusedBeforeTheRun) {
  options.store = "";
  load();
  EXPECT_EQ(text_of(errors), "--store is empty; name a folder\n");
}

TEST_F(MatrixRunTest, AStatedMachineThatIsNotThisOneIsRefusedBeforeTheRun) {
  options.experiment =
      project.options("name: first\nrunner: toy\nmachine: {gpus: 8, gpu_model: H100}\n");
  load();
  EXPECT_THAT(text_of(errors), HasSubstr("no GPU was detected on this machine"));
}

}  // namespace matrix_run_test
}  // namespace orch::session
