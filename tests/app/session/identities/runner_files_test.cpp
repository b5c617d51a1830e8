// Which contents stand in digests for the files of a runner.
#include "app/session/identities/runner_files.hpp"

#include "app/session/planning.hpp"
#include "app/session/project_of_files.hpp"
#include "core/base/digest.hpp"

#include <gmock/gmock.h>

namespace orch::session {
namespace runner_files_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

const std::string k_a(64, 'a'), k_b(64, 'b'), k_c(64, 'c');

TEST(Equivalents, AreRowsOfTwoDigestsAPathAndAReason) {
  EXPECT_THAT(read_equivalents("# PATH CONTENT IN-DIGESTS WHY\n\n"
                               "common/a.py " +
                               k_a + " " + k_b +
                               " runs on 3.6 as well\n"
                               "common/b.py " +
                               k_c + " - split off from a.py\n"),
              UnorderedElementsAre(Pair(k_a, k_b), Pair(k_c, "")));
}

TEST(Equivalents, AreNothingOfOtherLines) {
  EXPECT_THAT(
      read_equivalents("common/a.py " + k_a + "\ncommon/a.py 12 34 why\n# a " + k_a + " -\n"),
      IsEmpty());
}

TEST(Locks, AreTheOneOfTheInterpreterElseTheOneThatIsNamed) {
  const std::vector<std::string> names = {"a.cp311-aarch64.lock", "a.cp313.lock", "a.lock",
                                          "b.cp312.lock"};
  const auto read = [&](const char* interpreter, const char* processor = "x86_64") {
    return locks_read("tools/a.lock", names, interpreter, processor);
  };
  EXPECT_THAT(read("/usr/bin/python3.13"), ElementsAre("tools/a.cp313.lock"));
  EXPECT_THAT(read("/usr/bin/python3.13", "aarch64"), ElementsAre("tools/a.cp313.lock"));
  EXPECT_THAT(read("/usr/bin/python3.11"), ElementsAre("tools/a.lock"));
  EXPECT_THAT(read("/usr/bin/python3.11", "aarch64"), ElementsAre("tools/a.cp311-aarch64.lock"));
  EXPECT_THAT(read("/usr/libexec/platform-python3.6"), ElementsAre("tools/a.lock"));
}

TEST(Locks, AreAllOfAnInterpreterWithoutAVersionInItsName) {
  for (const char* interpreter : {"/usr/bin/python-exec2c", "/opt/python3.9/bin/python", ""})
    EXPECT_THAT(locks_read("a.lock", {"a.cp313.lock", "a.cp39.lock", "a.lock", "ab.cp39.lock"},
                           interpreter, "x86_64"),
                ElementsAre("a.lock", "a.cp313.lock", "a.cp39.lock"));
}

TEST(RunnerFiles, OfARunnerAreComparedWithTheListBesideCommon) {
  ProjectOfFiles project;
  project.write("runners/toy/runner.yaml", R"(
runner: toy
stages:
  make: {kind: task, argv: [/bin/touch, "{file:common/a.py}", "{file:b.py}", "{out}/made"], outputs: [made]}
  serve: {kind: service, needs: [make], argv: [/bin/x], ready: {port: http, get: [/]}, ports: [http]}
  bench: {kind: measure, needs: [serve], argv: [/bin/x], outputs: [y]}
)");
  const auto made = [&] {
    Errors errors;
    const Experiment loaded =
        load_experiment(project.world, project.options("name: a\nrunner: toy\n"), errors);
    Planning planning(project.world.files, loaded, project.path("results"), {});
    planning.plan(errors);
    EXPECT_EQ(text_of(errors), "");
    return planning.current().stages.front();
  };
  project.write("runners/common/a.py", "old").write("runners/toy/b.py", "old");
  const plan::Stage before = made();
  EXPECT_THAT(before.equivalents, IsEmpty());
  project.write("runners/common/a.py", "new").write("runners/toy/b.py", "new");
  EXPECT_NE(made().digest, before.digest);
  project.write("runners/equivalent-files.txt", "common/a.py " + sha256("new").hex() + " " +
                                                    sha256("old").hex() + " the same output\n");
  EXPECT_EQ(made().digest, before.digest);
  EXPECT_THAT(made().equivalents, ElementsAre("b.py", "common/a.py"));
  project.write("runners/common/a.py", "edited by its user");
  EXPECT_NE(made().digest, before.digest);
}

}  // namespace runner_files_test
}  // namespace orch::session
