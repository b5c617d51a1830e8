// A folder named by a parameter: a change of its content, not of its path, repeats stages.
#include "e2e/toy.hpp"

#include <filesystem>

namespace orch::e2e {
namespace paths_test {

namespace fs = std::filesystem;

class Folders : public testing::Test {
 protected:
  Folders() {
    toy_project(sweep, "axes: {recipes: [own/recipes]}\n");
    std::string runner = k_toy_runner;
    runner.insert(runner.find("stages:"), "  recipes: {type: path}\n");
    runner.replace(runner.find("reads: [flavour, delay]"), 23, "reads: [flavour, delay, recipes]");
    const std::string first = "argv: [/usr/bin/python3, \"{file:make.py}\", ";
    runner.replace(runner.find(first), first.size(),
                   "argv: [/usr/bin/env, \"RECIPES={recipes}\", /bin/sh, -c, 'ln -f "
                   "\"$RECIPES\"/a.txt linked; "
                   "exec \"$@\"', sh, /usr/bin/python3, \"{file:make.py}\", ");
    sweep.write("runners/toy/runner.yaml", runner);
    fs::create_directories(sweep.folder() + "/own/recipes/more");
    sweep.write("own/recipes/a.txt", "a").write("own/recipes/more/b.txt", "b");
  }

  void matrix(const std::string& axes) {
    sweep.write("toy.yaml",
                "name: toy\nrunner: toy\nmeasure: {limits: {wake_lag_ms: 1000, client_cpu_share: "
                "1000}}\naxes: " +
                    axes + "\n");
  }
  std::int64_t attempts_of_make() {
    return sweep
        .value(
            "select count(*) from attempt a join stage s on s.id = a.stage_id where s.name = "
            "'make'")
        .get<std::int64_t>();
  }

  Sweep sweep;
};

TEST_F(Folders, WithAChangedFileRepeatTheirStage) {
  const Finished first = sweep.orchestrate({"run", "toy.yaml"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(sweep.query("select recipes from results"),
            Json::parse(R"([{"recipes": "own/recipes"}])"));
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  EXPECT_EQ(attempts_of_make(), 1);
  sweep.write("own/recipes/more/b.txt", "c");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  EXPECT_EQ(attempts_of_make(), 2);
}

// The stage makes a hard link to a file of the folder, as a download does of local weights.
TEST_F(Folders, ThatAreLinkedFromChangeNothing) {
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  EXPECT_GE(fs::hard_link_count(sweep.folder() + "/own/recipes/a.txt"), 1u);
  EXPECT_EQ(sweep.value("select count(*) from artifact where not_cacheable is not null"), 0);
  sweep.write("own/recipes/a.txt", "another");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  EXPECT_EQ(attempts_of_make(), 2);
}

TEST_F(Folders, MayBeMovedWithoutRepeatingTheirStage) {
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  fs::rename(sweep.folder() + "/own/recipes", sweep.folder() + "/theirs");
  matrix("{recipes: [theirs]}");
  const Finished moved = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(moved.code, 0) << moved.err;
  EXPECT_EQ(attempts_of_make(), 1);
}

TEST_F(Folders, ThatAreMissingAreErrorsBesideTheMatrixAndWarningsElsewhere) {
  matrix("{recipes: [own/recipe]}");
  const Finished beside = sweep.orchestrate({"plan", "toy.yaml"});
  EXPECT_EQ(beside.code, 2);
  EXPECT_EQ(beside.err,
            "toy.yaml:4:18: recipes: 'own/recipe' was not found beside the matrix; write the path "
            "of a file or folder, an absolute one if it is not on this machine\n");
  matrix("{recipes: [/nowhere/recipes]}");
  const Finished elsewhere = sweep.orchestrate({"plan", "toy.yaml"});
  EXPECT_EQ(elsewhere.code, 0);
  EXPECT_EQ(elsewhere.err,
            "warning: recipes: '/nowhere/recipes' is not on this machine; it is hashed by path, "
            "not by content\n");
}

}  // namespace paths_test
}  // namespace orch::e2e
