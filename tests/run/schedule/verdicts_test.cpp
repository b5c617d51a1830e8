#include "run/attempt/failure.hpp"
#include "run/schedule/retries.hpp"
#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace verdicts_test {

// One point whose program PROGRAM behaves as THEN, with retries off.
Sweep& failing(Sweep& run, const std::string& program, const Behaviour& then) {
  run.points = one_point();
  run.options.backoff.most_failures = 1;
  run.on(program, then);
  return run;
}

AttemptEnded only_failure(const Sweep& run) {
  const auto failures = run.journal.failures();
  EXPECT_EQ(failures.size(), 1u);
  return failures.empty() ? AttemptEnded() : failures.front();
}

TEST(Verdicts, OfAFullDiskExplainAnEndWithoutAReason) {
  Sweep run;
  ASSERT_TRUE(failing(run, "build", {.code = 3, .full_disk = "/store/attempts/x/work"}).run());
  const AttemptEnded failure = only_failure(run);
  EXPECT_EQ(failure.failure_class, "disk_full");
  EXPECT_EQ(failure.kind, attempt::FailureKind::harness);
  EXPECT_EQ(failure.message.substr(0, failure.message.find('\n')),
            "ended with exit status 3: the file system of /store/attempts/x/work was full");
  EXPECT_EQ(failure.process.full_disk, "/store/attempts/x/work");
  EXPECT_EQ(failure.judged_by, attempt::failure_table_digest());
}

TEST(Verdicts, OfAFullDiskExplainAMissingOutputATimeoutAndAServerThatIsNotReady) {
  const Behaviour full{.full_disk = "/store"};
  Sweep missing;
  ASSERT_TRUE(failing(missing, "build", full).run());
  EXPECT_EQ(only_failure(missing).failure_class, "disk_full");
  EXPECT_TRUE(
      only_failure(missing).message.starts_with("the output 'engine' is missing or empty; "));

  Sweep late;
  Behaviour forever = full;
  forever.lasts_s = Sweep::k_forever;
  ASSERT_TRUE(failing(late, "build", forever).run());
  EXPECT_EQ(only_failure(late).failure_class, "disk_full");
  EXPECT_TRUE(only_failure(late).message.starts_with("did not end within 100 s; "));

  Sweep silent;
  silent.readiness.then = {attempt::Health::failed, "not ready after 30 s"};
  ASSERT_TRUE(failing(silent, "serve", forever).run());
  EXPECT_EQ(only_failure(silent).failure_class, "disk_full");
}

TEST(Verdicts, OfASpecificCauseStay) {
  Sweep run;
  failing(run, "build", {});
  run.on("build", [](const auto& launch, const Behaviour&) {
    return Behaviour{.code = 1,
                     .writes = {{launch.log, "CUDA error: out of memory\n"}},
                     .log_error = ENOSPC,
                     .full_disk = "/store"};
  });
  ASSERT_TRUE(run.run());
  EXPECT_EQ(only_failure(run).failure_class, "cuda_oom");
}

TEST(Verdicts, OfALogThatCannotBeReadBlameTheMachine) {
  for (const auto& [number, failure_class] : std::map<int, std::string>{
           {EIO, "io_error"}, {EMFILE, "too_many_files"}, {ENOENT, "lost"}}) {
    Sweep run;
    failing(run, "build", {.code = 3});
    run.faulty.fault = [&, error = number](std::string_view verb, const std::string& path) {
      return verb == "read_tail" ? Status(io_error("open", path, error)) : Status();
    };
    ASSERT_TRUE(run.run());
    EXPECT_EQ(only_failure(run).failure_class, failure_class);
  }
}

// `rm -rf artifacts` while the build ran.
TEST(Verdicts, OfALostInputAreTheHarnesssAndNotRetriedInVain) {
  Sweep run;
  run.points = one_point();
  run.on("build", [&run](const auto& launch, const Behaviour&) {
    (void)run.files.remove_tree("/store/artifacts/" + run.plan.stages[0].id).ok();
    return Behaviour{.code = 1, .writes = {{launch.log, "CUDA error: out of memory\n"}}};
  });
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failures_by_class.at("input_lost"), 1u);
  EXPECT_EQ(count(run.started(1), "start build"), 1u);
  const AttemptEnded failure = run.journal.failures().front();
  EXPECT_EQ(failure.kind, attempt::FailureKind::harness);
  EXPECT_TRUE(failure.message.starts_with(
      fmt::format("ended with exit status 1: CUDA error: out of memory; its input cannot open "
                  "/store/artifacts/{}/manifest.json: No such file or directory",
                  run.plan.stages[0].id)))
      << failure.message;
}

// A file of the download, which the server reads through the repository and the build.
TEST(Verdicts, OfAnIndirectInputThatLostAFileAreTheHarnesss) {
  Sweep run;
  run.points = one_point();
  run.on("serve", [&run](const auto&, const Behaviour&) {
    run.files.files.at("/store/artifacts/" + run.plan.stages[0].id + "/out/model") = "half";
    return Behaviour{.code = 1};
  });
  ASSERT_TRUE(run.run());
  EXPECT_EQ(only_failure(run).failure_class, "input_lost");
  EXPECT_NE(only_failure(run).message.find("/out/model has 4 bytes instead of 16"),
            std::string::npos)
      << only_failure(run).message;
}

TEST(Verdicts, OfAProvidedInputOrALocalFileThatIsGoneAreTheHarnesss) {
  Sweep run;
  failing(run, "build", {.code = 1});
  run.change_plan = [](plan::Plan& plan) { plan.stages[1].inputs = {"/data/model.gguf"}; };
  ASSERT_TRUE(run.run());
  EXPECT_EQ(only_failure(run).failure_class, "input_lost");
  EXPECT_TRUE(
      only_failure(run).message.starts_with("ended with exit status 1; its input /data/model.gguf "
                                            "is gone"));
}

TEST(Verdicts, OfErrorsOfOurOwnWorkGoByTheirNumber) {
  EXPECT_EQ(failure_to(FailureClass::cannot_start, io_error("run", "/bin/x", EMFILE)).failure_class,
            FailureClass::too_many_files);
  EXPECT_EQ(failure_to(FailureClass::cannot_start, io_error("run", "/bin/x", ENOENT)).failure_class,
            FailureClass::cannot_start);
  EXPECT_EQ(
      failure_to(FailureClass::cannot_prepare, io_error("write", "/store/a", ENOSPC)).failure_class,
      FailureClass::disk_full);
  EXPECT_EQ(failure_to(FailureClass::cannot_prepare, io_error("write", "/store/a", ENOSPC)).message,
            "cannot write /store/a: No space left on device");
}

}  // namespace verdicts_test
}  // namespace orch::schedule
