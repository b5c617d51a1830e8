// Which run a user resumes, and its command line.
#include "analysis/report/describe.hpp"
#include "results/store/sample.hpp"

namespace orch {
namespace run_command_test {

using namespace sample;

std::optional<report::RunCommand> command_of(store::Store& store,
                                             std::optional<std::int64_t> run = {}) {
  return report::read_run_command(store.database(), run).value();
}

TEST(RunCommand, of_a_named_run_is_its_command_line) {
  const TemporaryFolder folder;
  complete_run(folder.path());
  store::Store store = open_store(folder.path(), store::Mode::read);
  const auto command = command_of(store, 1);
  ASSERT_TRUE(command);
  EXPECT_EQ(command->run, 1);
  EXPECT_EQ(command->words, (std::vector<std::string>{"orchestrate", "run", "quick.yaml"}));
}

TEST(RunCommand, is_by_default_of_the_newest_unfinished_run) {
  const TemporaryFolder folder;
  complete_run(folder.path());
  store::Store store = open_store(folder.path());
  EXPECT_FALSE(command_of(store));
  { Driver died(store, make_plan()); }
  EXPECT_EQ(command_of(store)->run, 2);
  { Driver continued(store, make_plan()); }
  EXPECT_EQ(command_of(store)->run, 3);
}

TEST(WithoutChoice, keeps_what_the_run_needs) {
  EXPECT_EQ(report::without_choice({"m.yaml", "--where", "isl = 1", "--runners", "r", "--again=1",
                                    "--sessions", "2", "--update", "--repeats", "3"}),
            (std::vector<std::string>{"m.yaml", "--runners", "r", "--repeats", "3"}));
}

TEST(RunCommand, of_an_unknown_run_is_not_found) {
  const TemporaryFolder folder;
  store::Store store = open_store(folder.path());
  EXPECT_EQ(report::read_run_command(store.database(), 5).error().kind, ErrorKind::not_found);
}

}  // namespace run_command_test
}  // namespace orch
