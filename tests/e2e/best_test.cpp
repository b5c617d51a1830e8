// The best points of a toy server, and their confirmation in new sessions.
#include "e2e/toy.hpp"

#include <csignal>

namespace orch::e2e {
namespace {

void measured_project(Sweep& sweep) {
  toy_project(sweep, "axes: {flavour: [plain, sweet], concurrency: [1, 2]}\n");
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
}

const std::vector<std::string> k_confirm = {"best", "--maximize", "output_tps", "--confirm"};

Json sessions_of_best(Sweep& sweep) {
  return sweep.value(
      "select max(n) from (select count(distinct m.session_id) n from results_all r join "
      "measurement m on m.id = r.measurement group by r.point)");
}

TEST(Best, EndsWithTheCommandThatMakesItAgain) {
  Sweep sweep;
  ASSERT_NO_FATAL_FAILURE(measured_project(sweep));
  const Finished done = sweep.orchestrate({"best", "--maximize", "output_tps"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto last = done.out.rfind("orchestrate reproduce ");
  ASSERT_NE(last, std::string::npos) << done.out;
  EXPECT_EQ(done.out.find('\n', last), done.out.size() - 1) << "it is the last line";
}

TEST(Best, IsConfirmedInThreeNewSessions) {
  Sweep sweep;
  ASSERT_NO_FATAL_FAILURE(measured_project(sweep));
  const Finished done = sweep.orchestrate(k_confirm);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sessions_of_best(sweep), 4);
}

TEST(Best, GoesOnWithAConfirmationThatWasInterrupted) {
  Sweep sweep;
  ASSERT_NO_FATAL_FAILURE(measured_project(sweep));
  const Sweep::Started confirming = sweep.start(k_confirm);
  sweep.wait_until(
      [&] { return sweep.stderr_of(confirming).find("done     bench") != std::string::npos; });
  ::kill(confirming.pid, SIGINT);
  EXPECT_EQ(sweep.finish(confirming).code, 130);
  const Finished done = sweep.orchestrate(k_confirm);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sessions_of_best(sweep), 4) << "three new ones in all";
}

}  // namespace
}  // namespace orch::e2e
