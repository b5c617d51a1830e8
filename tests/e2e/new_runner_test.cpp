// A new runner from `init --new-runner` to rows of results, and `check --runner` of it, of the real
// runners and of broken ones. All tests read one folder.
#include "e2e/sweep.hpp"

#include <algorithm>

namespace orch::e2e {
namespace new_runner_test {

class NewRunner : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sweep = new Sweep();
    written = sweep->orchestrate({"init", "--new-runner", "mine"});
  }
  static void TearDownTestSuite() { delete sweep; }

  // The stages of `check --runner` and the results of their smoke.
  static std::string ends_of(const Finished& done) {
    const Json report = Json::parse(done.out, nullptr, false);
    std::string text;
    for (const Json& stage : report.value("stages", Json::array()))
      text += fmt::format("{} {} {}\n", stage.value("name", ""), stage.value("kind", ""),
                          stage.value("result", ""));
    return text;
  }
  // FILE of the runner with the first FROM replaced, while TEST runs.
  template <class Test>
  static void changed(const std::string& file, const std::string& from, const std::string& to,
                      Test test) {
    const std::string name = "runners/mine/" + file;
    const std::string before = Sweep::read(sweep->folder() + "/" + name);
    std::string after = before;
    ASSERT_NE(after.find(from), std::string::npos);
    sweep->write(name, after.replace(after.find(from), from.size(), to));
    test();
    sweep->write(name, before);
  }

  static Sweep* sweep;
  static Finished written;
};

Sweep* NewRunner::sweep = nullptr;
Finished NewRunner::written;

TEST_F(NewRunner, IsWrittenWithTheNextCommands) {
  EXPECT_EQ(written.code, 0);
  EXPECT_EQ(written.err,
            "Wrote the runner mine to runners/mine, with a toy server to replace, and "
            "mine.yaml\n\nNext:\n  orchestrate check --runner mine\n  orchestrate plan mine.yaml\n"
            "  orchestrate run mine.yaml\n");
}

TEST_F(NewRunner, PassesItsCheckWithASmokeOfEachStage) {
  const Finished done = sweep->orchestrate({"check", "--runner", "mine", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(ends_of(done),
            "dataset task skipped\ncheckpoint_environment task ok\ndownload task ok\n"
            "dataset_rows task skipped\nprompts task ok\nbuild task ok\n"
            "serve service ok\nbench measure ok\n")
      << done.err;
  EXPECT_FALSE(std::filesystem::exists(sweep->store())) << "the store of a smoke is temporary";
}

TEST_F(NewRunner, GivesARowForEachPointOfItsMatrix) {
  const Finished done = sweep->orchestrate({"run", "mine.yaml"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sweep->value("select count(*) from results where osl_counted = 16 and isl_counted = 32 "
                         "and error_rate = 0"),
            4);
  EXPECT_EQ(sweep->value("select count(*) from stages where name = 'serve'"), 2);
  EXPECT_EQ(sweep->value("select min(itl_ms) >= 5 from results"), 1) << "token_ms is kept";
}

TEST_F(NewRunner, AStageThatFailsIsNamedWithItsLog) {
  changed("scripts/build.py", "    print(", "    raise ValueError('no words')\n    print(", [] {
    const Finished done = sweep->orchestrate({"check", "--runner", "mine", "--json"});
    EXPECT_EQ(done.code, 1) << done.err;
    EXPECT_NE(ends_of(done).find("build task failed\nserve service skipped\nbench measure skipped"),
              std::string::npos)
        << done.out;
    EXPECT_NE(done.err.find("build.py: no words\n"), std::string::npos) << done.err;
    const std::string kept = "The logs are kept: orchestrate logs STAGE --store ";
    const std::size_t at = done.err.find(kept);
    ASSERT_NE(at, std::string::npos) << done.err;
    const std::string store =
        done.err.substr(at + kept.size(), done.err.find('\n', at) - at - kept.size());
    EXPECT_EQ(sweep->orchestrate({"logs", "build", "--store", store}).code, 0);
    std::filesystem::remove_all(std::filesystem::path(store).parent_path());
  });
}

TEST_F(NewRunner, MistakesAreFoundBeforeAnythingRuns) {
  struct Mistake {
    std::string file, from, to, message;
  };
  const std::vector<Mistake> mistakes = {
      {"scripts/serve.py", "def main():", "def main(:",
       "runners/mine/scripts/serve.py:108:10: /usr/bin/python3 cannot parse this: "},
      {"stages.yaml", "scripts/serve.py", "scripts/server.py",
       "runners/mine/stages.yaml:22:10: stage 'serve' names 'scripts/server.py', but there is no "},
      {"stages.yaml", "fragment: load", "fragment: lod",
       "stage 'bench' uses the fragment 'lod', which is not under 'fragments'; did you mean "
       "'load'?"},
      {"runner.yaml", "coalesce(batch, 1)", "coalesce(batsch, 1)",
       "rule 'one-prompt': unknown name 'batsch'; did you mean 'batch'?"},
      {"runner.yaml", "- stages.yaml", "- stage.yaml",
       "runners/mine/runner.yaml:12:5: part 'stage.yaml' cannot be read: "},
  };
  for (const Mistake& mistake : mistakes)
    changed(mistake.file, mistake.from, mistake.to, [&] {
      const Finished done = sweep->orchestrate({"check", "--runner", "mine"});
      EXPECT_EQ(done.code, 2) << mistake.to;
      EXPECT_NE(done.err.find(mistake.message), std::string::npos) << done.err;
      EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
      EXPECT_EQ(done.out, "");
    });
}

TEST_F(NewRunner, AFaultyPresetIsAnErrorOfTheRunner) {
  std::filesystem::create_directories(sweep->folder() + "/runners/mine/presets");
  sweep->write("runners/mine/presets/fast.yaml",
               "# Fast.\nname: fast\nrunner: mine\nmodels: {m: {source: \"generate:nano\"}}\n"
               "axes: {model: [m], token: [1]}\n");
  const Finished done = sweep->orchestrate({"check", "--runner", "mine", "--no-smoke"});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find("runners/mine/presets/fast.yaml:5:28: unknown parameter 'token'"),
            std::string::npos)
      << done.err;
  std::filesystem::remove_all(sweep->folder() + "/runners/mine/presets");
}

TEST_F(NewRunner, RealRunnersPassTheirChecks) {
  const Finished llama = sweep->orchestrate({"check", "--runner", "llama-cpp", "--json"});
  EXPECT_EQ(llama.code, 0) << llama.err;
  const std::string ends = ends_of(llama);
  for (const char* end : {"convert task ok\n", "serve service ok\n", "bench measure ok\n",
                          "serve_binary service skipped\n", "tool_bench measure skipped\n"})
    EXPECT_NE(ends.find(end), std::string::npos) << llama.out << llama.err;
}

TEST_F(NewRunner, ARunnerThatCannotRunHereIsCheckedUpToThere) {
  const Finished done = sweep->orchestrate({"check", "--runner", "triton-trtllm", "--json"});
  EXPECT_EQ(done.code, 0) << done.err;
  const Json report = Json::parse(done.out, nullptr, false);
  EXPECT_GT(report["scripts"]["python"], 20);
  EXPECT_EQ(report["presets"].size(), 6u);
  for (const Json& stage : report["stages"]) {
    EXPECT_EQ(stage["result"], "skipped");
    EXPECT_NE(stage["why"], "");
  }
}

TEST_F(NewRunner, AnUnknownRunnerIsRefusedWithASuggestion) {
  const Finished done = sweep->orchestrate({"check", "--runner", "llama-ccp"});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.err, "no runner 'llama-ccp'; did you mean 'llama-cpp'?\n");
  EXPECT_EQ(sweep->orchestrate({"check"}).code, 2) << "MATRIX or --runner";
}

}  // namespace new_runner_test
}  // namespace orch::e2e
