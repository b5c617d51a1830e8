// Runs of a toy runner: exit statuses, failures, interrupts, two runs at once, and the commands
// that read a store.
#include "e2e/toy.hpp"

#include <csignal>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>

namespace orch::e2e {
namespace toy_test {

using testing::HasSubstr;

// Two interrupts, the second after the first was handled: signals of one kind do not queue.
void interrupt_twice(Sweep& sweep, const Sweep::Started& run) {
  ::kill(run.pid, SIGINT);
  sweep.wait_until([&] { return sweep.stderr_of(run).find("stopped") != std::string::npos; });
  ::kill(run.pid, SIGINT);
}

TEST(ToyRunner, NeedsNoCppToRunASweep) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain, sweet], concurrency: [1, 2]}\n");
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sweep.value("select count(*) from results where osl_counted = 4 and error_rate = 0"),
            4);
  EXPECT_EQ(sweep.value("select count(*) from stages where name = 'serve'"), 2);
  EXPECT_NE(done.out.find("output_tps"), std::string::npos) << done.out;
}

TEST(Run, AnAddedGoodputAddsAColumnWithoutAMeasurement) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain]}\n");
  const std::string matrix = Sweep::read(sweep.folder() + "/toy.yaml");
  const auto run_with = [&](const std::string& goodput) {
    std::string with = matrix;
    with.insert(with.find("limits:"), "goodput: " + goodput + ", ");
    sweep.write("toy.yaml", with);
    const Finished done = sweep.orchestrate({"run", "toy.yaml"});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.err.find("goodput"), std::string::npos) << done.err;
    EXPECT_NE(done.out.find("goodput_rps"), std::string::npos) << done.out;
  };
  run_with("request_latency_ms > 0");
  EXPECT_EQ(sweep.value("select goodput_rps = requests_per_s from results"), 1);
  run_with("request_latency_ms < 0");
  EXPECT_EQ(sweep.value("select goodput_rps from results"), 0.0);
  EXPECT_EQ(sweep.value("select count(*) from attempt"), 3);  // make, serve and bench, once
  EXPECT_EQ(sweep.orchestrate({"verify", "--rebuild"}).code, 0);
  EXPECT_EQ(sweep.value("select goodput_rps from results"), 0.0);
}

TEST(Run, AFailedStageSetsTheExitStatusAndTheOthersComplete) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [broken, plain]}\n");
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("exit_status: ended with exit status 1\nreading the recipe\nthe recipe "
                          "has no flavour 'broken'; choose plain\n"),
            std::string::npos)
      << done.err;
  EXPECT_NE(done.err.find("1 stage failed: exit_status"), std::string::npos) << done.err;
  EXPECT_EQ(sweep.value("select count(*) from results"), 1);
  EXPECT_EQ(
      sweep.value("select class from failures where kind = 'task' and class is not null limit 1"),
      "exit_status");
}

TEST(Run, AServerThatDiesWhileStartingIsReportedWithItsLastLines) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [dies]}\n");
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("died_starting: ended with exit status 1 while starting\ncannot load the "
                          "flavour 'dies'\n"),
            std::string::npos)
      << done.err;
}

TEST(Run, AServerThatCrashesUnderLoadFailsItsPointWithTheServersOwnClass) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [crashes]}\n");
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("server_crash: was ended by signal 11"), std::string::npos) << done.err;
}

TEST(Run, AFaultyMatrixIsRefusedBeforeAnythingStarts) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavor: [plain]}\n");
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find("toy.yaml:4:17: unknown parameter 'flavor' of runner 'toy'; "),
            std::string::npos)
      << done.err;
  EXPECT_NE(done.err.find("did you mean 'flavour'?"), std::string::npos) << done.err;
  EXPECT_FALSE(std::filesystem::exists(sweep.store()));
}

TEST(Run, AWhereThatIsTrueForNoPointExitsWithTwoAndMakesNoRun) {
  Sweep sweep;
  toy_project(sweep, "axes: {osl: [2, 4]}\n");
  const Finished run = sweep.orchestrate({"run", "toy.yaml", "--where", "osl = 3"});
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.err,
            "--where 'osl = 3': it is true for none of the 2 points of toy.yaml; `orchestrate plan "
            "toy.yaml` lists them with their values\n");
  EXPECT_FALSE(std::filesystem::exists(sweep.store()));
}

TEST(Run, UntilAStageSaysWhatWasMadeAndThatNothingIsMeasured) {
  Sweep sweep;
  toy_project(sweep, "axes: {osl: [2, 4]}\n");
  const Finished run = sweep.orchestrate({"run", "toy.yaml", "--until", "make"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("toy: 2 points; stages up to make: 1 done, 0 reused"));
  EXPECT_THAT(sweep.orchestrate({"status"}).out, HasSubstr("points:  2 not measured\n"));
}

TEST(Run, ASecondRunOnTheSameStoreNamesTheHolder) {
  Sweep sweep;
  toy_project(sweep, "defaults: {delay: \"600\"}\naxes: {flavour: [plain]}\n");
  auto first = sweep.start({"run", "toy.yaml"});
  sweep.wait_until([&] { return sweep.stderr_of(first).find("started") != std::string::npos; });
  const Finished second = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(second.code, 3);
  EXPECT_NE(second.err.find(fmt::format("pid {}", first.pid)), std::string::npos) << second.err;
  interrupt_twice(sweep, first);
  EXPECT_EQ(sweep.finish(first).code, 130);
}

TEST(Run, TheSecondInterruptEndsRunningStagesAndTheNextRunContinues) {
  Sweep sweep;
  toy_project(sweep, "defaults: {delay: \"600\"}\naxes: {flavour: [plain]}\n");
  auto run = sweep.start({"run", "toy.yaml"});
  sweep.wait_until([&] { return sweep.stderr_of(run).find("started") != std::string::npos; });
  interrupt_twice(sweep, run);
  const Finished stopped = sweep.finish(run);
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_EQ(sweep.value("select count(*) from failures"), 0);
  sweep.write("toy.yaml",
              "name: toy\nrunner: toy\nmeasure: {limits: {wake_lag_ms: 1000, client_cpu_share: "
              "1000}}\naxes: {flavour: [plain]}\n");
  EXPECT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
}

// Hashing sixty gibibytes takes half a minute and more.
TEST(Run, TheSecondInterruptEndsTheHashingOfALargeOutput) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [large]}\n");
  auto run = sweep.start({"run", "toy.yaml"});
  sweep.wait_until([&] { return sweep.stderr_of(run).find("started") != std::string::npos; });
  sweep.wait_until([&] {
    return sweep.value("select count(*) from event where detail like '%produced%'") != 0;
  });
  interrupt_twice(sweep, run);
  const Finished stopped = sweep.finish(run);
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_EQ(sweep.value("select count(*) from failures"), 0);
  EXPECT_EQ(sweep.value("select count(*) from artifact"), 0);
}

TEST(Run, AnOutputOfHolesIsAFailureAndNotHashed) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [holes]}\n");
  EXPECT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 1);
  EXPECT_NE(sweep.value("select message from failures")
                .get<std::string>()
                .find("has 1.0 TiB, of which 1.0 TiB were never written (holes)"),
            std::string::npos);
}

TEST(Run, ARejectedPointHasNoResultsEvenIfAnEqualMeasurementExists) {
  Sweep sweep;
  toy_project(sweep, "axes: {tp: [1, 2]}\n");
  std::string runner = k_toy_runner;
  runner.insert(runner.find("stages:"),
                "  tp: {type: integer, default: 1}\nrules:\n  - {name: one-rank, require: tp = 1, "
                "because: \"tp is {tp}\"}\n");
  sweep.write("runners/toy/runner.yaml", runner);
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.err.find("rejected 1 of 2 points: one-rank: tp is 2\n"), std::string::npos)
      << done.err;
  EXPECT_EQ(sweep.query("select tp from results"), Json::parse(R"([{"tp": 1}])"));
  EXPECT_EQ(sweep.query("select tp from results_all"), Json::parse(R"([{"tp": 1}])"));
}

TEST(Run, AProvidedOutputIsUsedInPlaceAndNeverMade) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain]}\nprovide: {make: given}\n");
  std::filesystem::create_directories(sweep.folder() + "/given");
  sweep.write("given/model.txt", "plain");
  std::string prompts;
  for (int i = 0; i < 7; ++i)
    prompts += fmt::format(
        "{{\"text_input\": \"given {}\", \"isl\": 3, \"warmup\": {}, \"block\": 0}}\n", i, i == 0);
  sweep.write("given/prompts.jsonl", prompts);
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sweep.value("select count(*) from results"), 1);
  EXPECT_EQ(
      sweep.query(
          "select distinct s.name from attempt a join stage s on s.id = a.stage_id order by 1"),
      Json::parse(R"([{"name": "bench"}, {"name": "serve"}])"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(sweep.folder() + "/given"), {}), 2);

  // Other content is another engine: measurements that depend on it are repeated.
  EXPECT_NE(sweep.orchestrate({"plan", "toy.yaml"}).out.find("1 point: 1 reuse"),
            std::string::npos);
  sweep.write("given/prompts.jsonl", prompts + "\n");
  EXPECT_NE(sweep.orchestrate({"plan", "toy.yaml"}).out.find("1 point: 1 run"), std::string::npos);
}

TEST(Run, OutputsThatAreNotFilesFailTheirStageWithAReason) {
  for (const auto& [statement, words] : std::vector<std::pair<std::string, std::string>>{
           {"os.mkfifo(out + '/pipe')",
            "'pipe' is not a regular file; remove the pipe, socket or device"},
           {"open(out.encode() + b'/\\xff', 'w').write('x')",
            "an output's name is not UTF-8; rename it"}}) {
    Sweep sweep;
    toy_project(sweep, "axes: {flavour: [plain]}\n");
    sweep.write("runners/toy/make.py", fmt::format("import os\n{}{}\n", k_toy_make, statement));
    const Finished done = sweep.orchestrate({"run", "toy.yaml"});
    EXPECT_EQ(done.code, 1);
    EXPECT_NE(done.err.find(words), std::string::npos) << done.err;
  }
}

TEST(Run, ControlCharactersOfALogAreEscaped) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain]}\n");
  sweep.write("runners/toy/make.py", "import sys\nsys.exit('\\x1b[2J gone')\n");
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(done.err.find('\x1b'), std::string::npos);
  EXPECT_NE(done.err.find("\\x1b[2J gone\n"), std::string::npos) << done.err;
}

TEST(Run, ContinuesAfterTheReaderOfItsOutputHasExited) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain]}\n");
  const Finished done =
      sweep.run({"sh", "-c", "{ " ORCH_BINARY " run toy.yaml; echo $? >status; } 2>&1 | true"});
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(Sweep::read(sweep.folder() + "/status"), "0\n");
  EXPECT_EQ(sweep.value("select count(*) from results"), 1);
}

TEST(Run, AMovedStoreKeepsItsResultsAndLogs) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain, broken]}\n");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml", "--jobs", "1"}).code, 1);
  EXPECT_NE(sweep.value("select command from run").get<std::string>().find("--jobs"),
            std::string::npos);
  std::filesystem::rename(sweep.store(), sweep.folder() + "/elsewhere");
  const Finished logs = sweep.orchestrate({"logs", "broken", "--store", "elsewhere"});
  EXPECT_NE(logs.out.find("the recipe has no flavour 'broken'"), std::string::npos)
      << logs.out << logs.err;
  sweep.write("toy.yaml",
              "name: toy\nrunner: toy\nmeasure: {limits: {wake_lag_ms: 1000, client_cpu_share: "
              "1000}}\naxes: {flavour: [plain]}\n");
  const Finished again = sweep.orchestrate({"run", "toy.yaml", "--store", "elsewhere"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.err.find("started"), std::string::npos) << again.err;
}

// A run with ENV set.
Finished run_with(Sweep& sweep, const std::string& env, const std::string& matrix) {
  return sweep.run({"/usr/bin/env", env, ORCH_BINARY, "run", matrix});
}

TEST(Run, FoldersThatItDidNotCreateAreNotRemoved) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain]}\n");
  const std::string stranger = sweep.store() + "/attempts/precious",
                    namesake = sweep.folder() + "/tmp/precious";
  std::filesystem::create_directories(stranger);
  std::filesystem::create_directories(namesake);
  const Finished done = run_with(sweep, "TMPDIR=" + sweep.folder() + "/tmp", "toy.yaml");
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(std::filesystem::exists(stranger));
  EXPECT_TRUE(std::filesystem::exists(namesake));
}

TEST(Run, ACopyOfAStoreInUseDoesNotTouchTheProcessesOfTheOriginal) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain]}\ndefaults: {delay: \"6\"}\n");
  Sweep::Started run = sweep.start({"run", "toy.yaml"});
  // Its guardian has written its card before it opens the log.
  sweep.wait_until([&] {
    std::error_code none_yet;
    for (const auto& entry : std::filesystem::directory_iterator(sweep.store() + "/logs", none_yet))
      if (entry.path().filename().string().starts_with("make-")) return true;
    return false;
  });
  std::filesystem::copy(sweep.store(), sweep.folder() + "/copy",
                        std::filesystem::copy_options::recursive);
  const Finished second = sweep.orchestrate({"run", "toy.yaml", "--store", "copy"});
  EXPECT_EQ(second.code, 3) << second.err;
  EXPECT_NE(second.err.find("this store is a copy of one that is in use"), std::string::npos)
      << second.err;
  const Finished first = sweep.finish(run);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.err.find("retry"), std::string::npos) << first.err;
}

TEST(Run, ProgressIsPlainLinesWithoutATerminal) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain]}\n");
  const Finished done = sweep.orchestrate({"run", "toy.yaml"});
  EXPECT_EQ(done.err.find('\x1b'), std::string::npos);
  EXPECT_EQ(done.err.find('\r'), std::string::npos);
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (!entry.path().filename().string().starts_with(".std"))  // the output of the program
      all.insert(entry.path().filename().string());
  return all;
}

TEST(Commands, ShowLogsStatusAndQueryReadTheStore) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain, broken]}\n");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 1);
  const Finished status = sweep.orchestrate({"status"});
  EXPECT_EQ(status.code, 0);
  EXPECT_NE((status.out + status.err).find("run 1 of toy: failed"), std::string::npos)
      << status.out << status.err;
  const Finished show = sweep.orchestrate({"show", "plain"});
  EXPECT_EQ(show.code, 0) << show.err;
  EXPECT_NE(show.out.find("output_tps"), std::string::npos) << show.out;
  const Finished logs = sweep.orchestrate({"logs", "broken"});
  EXPECT_EQ(logs.code, 0) << logs.err;
  EXPECT_NE(logs.out.find("the recipe has no flavour 'broken'"), std::string::npos) << logs.out;
  EXPECT_EQ(
      sweep.orchestrate({"query", "select point from results", "--format", "csv"}).out.substr(0, 6),
      "point\n");
  EXPECT_EQ(sweep.orchestrate({"query", "select nothing from results"}).code, 2);
  EXPECT_EQ(sweep.orchestrate({"show", "no-such-point"}).code, 2);
}

TEST(Commands, CompletionKnowsTheNamesOfTheStoreAndOfTheRunner) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain, broken]}\n");
  const std::set<std::string> empty = names_in(sweep.folder());
  EXPECT_EQ(sweep.orchestrate({"complete", "points", "show", ""}).out, "");
  EXPECT_EQ(names_in(sweep.folder()), empty);
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 1);
  const auto before = names_in(sweep.store());
  const auto offered = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "complete");
    const Finished done = sweep.orchestrate(words);
    EXPECT_EQ(done.code, 0);
    EXPECT_EQ(done.err, "");
    return done.out;
  };
  const std::string point = sweep.value("select point from results").get<std::string>();
  EXPECT_EQ(offered({"points", "show", "pl"}), point + "\n");
  EXPECT_EQ(offered({"points", "show", "--store", "=", "results", "pl"}), point + "\n");
  EXPECT_EQ(offered({"points", "show", "--store=results", "pl"}), point + "\n");
  EXPECT_EQ(offered({"points", "show", "--store", "elsewhere", "pl"}), "");
  EXPECT_TRUE(offered({"points", "logs", "ben"}).starts_with("bench-"));
  EXPECT_EQ(offered({"runs", "status", ""}), "1\n");
  EXPECT_EQ(offered({"stages", "run", "toy.yaml", "--until", ""}), "bench\nmake\nserve\n");
  EXPECT_EQ(offered({"parameters", "run", "toy.yaml", "--where", "fl"}), "flavour\n");
  EXPECT_EQ(offered({"explained", "explain", "cuda_o"}), "cuda_oom\n");
  EXPECT_EQ(offered({"runners", "init", "--runner", "to"}), "toy\n");
  EXPECT_EQ(offered({"unknown", "x", ""}), "");
  EXPECT_EQ(names_in(sweep.store()), before);
}

TEST(Commands, ThatOnlyReadDoNotChangeTheFolder) {
  Sweep sweep;
  toy_project(sweep, "axes: {flavour: [plain]}\n");
  ASSERT_EQ(sweep.orchestrate({"run", "toy.yaml"}).code, 0);
  const auto before = names_in(sweep.store());
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"plan", "toy.yaml"}, {"status"}, {"query", "results"}}) {
    EXPECT_EQ(sweep.orchestrate(command).code, 0);
    EXPECT_EQ(names_in(sweep.store()), before) << command[0];
  }
}

TEST(Commands, UsageErrorsExitWithTwo) {
  Sweep sweep;
  EXPECT_EQ(sweep.orchestrate({}).code, 2);
  EXPECT_EQ(sweep.orchestrate({"rum"}).code, 2);
  EXPECT_EQ(sweep.orchestrate({"run"}).code, 2);
  EXPECT_EQ(sweep.orchestrate({"run", "absent.yaml"}).code, 2);
  EXPECT_EQ(sweep.orchestrate({"--version"}).code, 0);
  EXPECT_EQ(sweep.orchestrate({"query", "--store", ""}).code, 2);
  EXPECT_EQ(sweep.orchestrate({"check", "/dev/zero"}).err, "/dev/zero is not a regular file\n");
}

}  // namespace toy_test
}  // namespace orch::e2e
