// `orchestrate shell STAGE`, driven by lines on its stdin: what it has of the stage, in a container
// as well, and that the store stays as it was.
#include "e2e/toy.hpp"

#include <filesystem>

#include <gmock/gmock.h>

namespace orch::e2e {
namespace shell_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

// What `orchestrate shell STAGE` writes, with LINES on its stdin.
Finished in_shell(Sweep& sweep, const std::string& stage, const std::string& lines) {
  sweep.write("lines", lines);
  return sweep.finish(sweep.start_program(
      {"/bin/sh", "-c",
       fmt::format("cd '{0}' && exec {1} shell {2} <lines", sweep.folder(), ORCH_BINARY, stage)}));
}

TEST(Shell, HasTheEnvironmentAFolderAndTheCommandOfAStageAndRecordsNothing) {
  Sweep sweep;
  toy_project(sweep, "axes: {osl: [2]}\n");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  const auto files = [&] {
    return sweep
        .finish(sweep.start_program(
            {"/bin/sh", "-c",
             "cd " + sweep.store() + " && find . -type f | sort | xargs sha256sum"}))
        .out;
  };
  const std::string before = files();
  const Finished make =
      in_shell(sweep, "make",
               "pwd\nsh $ORCH_COMMAND\ncat ../artifact/out/model.txt\necho :$HIDDEN:\nexit 7\n");
  EXPECT_EQ(make.code, 7) << make.err;
  EXPECT_THAT(make.out, MatchesRegex("/[^\n]*/orchestrate-shell-[^\n]*/work\nplain::\n"));
  EXPECT_THAT(make.err, HasSubstr("`sh $ORCH_COMMAND` runs its command"));
  // A measurement has the outputs of the store, and the port that is given.
  const Finished bench = in_shell(sweep, "bench --port serve.http=1234", "cat $ORCH_COMMAND\n");
  EXPECT_THAT(bench.out, HasSubstr("--url http://127.0.0.1:1234 "));
  EXPECT_THAT(bench.out, HasSubstr(sweep.store() + "/artifacts/make-"));
  EXPECT_EQ(files(), before);
  EXPECT_FALSE(std::filesystem::exists(make.out.substr(0, make.out.find('\n'))));
}

TEST(Shell, OfAContainerIsStartedByItsEngineWithTheSameMounts) {
  Sweep sweep;
  toy_project(sweep, "axes: {osl: [2]}\n");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml", "--until", "make"}).code, 0);
  // An engine that says how it was called, and runs the command here.
  sweep.write("docker", R"(#!/bin/sh
for word; do printf '<%s> ' "$word"; done >>)" +
                            sweep.folder() +
                            R"(/called
echo >>)" + sweep.folder() + R"(/called
[ "$1" = run ] || exit 0
while [ "$1" != example/toy:1 ]; do shift; done
shift
exec "$@"
)");
  std::filesystem::permissions(sweep.folder() + "/docker", std::filesystem::perms::owner_all);
  std::string runner = k_toy_runner;
  const std::string place = "    reads: [flavour, delay]\n";
  runner.insert(runner.find(place), "    container: {image: example/toy:1, engine: docker}\n");
  sweep.write("runners/toy/runner.yaml", runner);
  sweep.write("site.yaml",
              "container: {command: [" + sweep.folder() + "/docker], rootless: false}\n");
  const Finished make = in_shell(sweep, "make --site site.yaml", "sh $ORCH_COMMAND && echo made\n");
  EXPECT_EQ(make.code, 0) << make.err;
  EXPECT_EQ(make.out, "made\n");
  EXPECT_THAT(Sweep::read(sweep.folder() + "/called"),
              AllOf(HasSubstr("<--interactive> "), HasSubstr("<example/toy:1> </bin/sh> ")));
}

TEST(Shell, SaysWhatIsMissing) {
  Sweep sweep;
  toy_project(sweep, "axes: {osl: [2]}\n");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  std::filesystem::remove_all(sweep.store() + "/artifacts");
  const Finished bench = in_shell(sweep, "bench", "");
  EXPECT_EQ(bench.code, 2);
  EXPECT_THAT(bench.err,
              HasSubstr(", which is not in the store; make it with orchestrate run MATRIX "
                        "--until make\n"));
  EXPECT_THAT(in_shell(sweep, "osl2", "").err, HasSubstr("is a point; name one of its stages"));
}

}  // namespace shell_test
}  // namespace orch::e2e
