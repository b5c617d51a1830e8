// What remains of outputs when a matrix keeps less than all.
#include "run/schedule/support.hpp"

#include <csignal>

namespace orch::schedule {
namespace needless_outputs_test {

constexpr std::uint64_t k_mib = 1 << 20;

// Points with a build each; models and builds go when nothing needs them.
struct KeepingSweep : Sweep {
  explicit KeepingSweep(int builds) {
    options.removes_outputs = true;
    for (int i = 0; i < builds; ++i) points.push_back(point(std::to_string(i)));
    change_plan = [this](plan::Plan& made) {
      made.isolation = isolation;
      for (plan::Stage& stage : made.stages) {
        stage.passing = stage.spec.name == "download" || stage.spec.name == "build";
        if (stage.spec.name == "build") stage.estimate.needed_bytes = 100 * k_mib;
        if (after) after(stage);
      }
    };
    executor.on_time = [this](double) { look(); };
    journal.before_commit = [this](const std::vector<Event>&) { look(); };
  }

  // How many folders of outputs of STAGES there are.
  std::size_t kept(const std::string& stages) const {
    return static_cast<std::size_t>(
        std::count_if(files.folders.begin(), files.folders.end(), [&](const std::string& folder) {
          const std::string start = "/store/artifacts/" + stages + "-";
          return folder.starts_with(start) && folder.find('/', start.size()) == folder.npos;
        }));
  }
  // The disk has room for ROOM_MIB of builds.
  void look() {
    const auto builds = static_cast<std::size_t>(
        std::count_if(files.files.begin(), files.files.end(),
                      [](const auto& file) { return file.first.ends_with("/out/engine"); }));
    most_builds = std::max(most_builds, builds);
    const std::uint64_t used = builds * 100;
    if (room_mib > 0)
      files.space = {(16 + room_mib - std::min(used, room_mib)) * k_mib, 1000, 10000 * k_mib};
  }
  std::size_t removals(const std::string& of) const {
    return static_cast<std::size_t>(
        std::count_if(journal.events.begin(), journal.events.end(), [&](const Event& event) {
          const auto* removed = std::get_if<OutputRemoved>(&event);
          return removed && removed->stage.starts_with(of);
        }));
  }

  matrix::Isolation isolation = matrix::Isolation::strict;
  std::function<void(plan::Stage&)> after;
  std::uint64_t room_mib = 0;  // 0: enough
  std::size_t most_builds = 0;
};

TEST(NeedlessOutputs, GoOnceNothingNeedsThem) {
  for (const auto isolation : {matrix::Isolation::strict, matrix::Isolation::gpu}) {
    KeepingSweep run(2);
    run.isolation = isolation;
    EXPECT_EQ(run.run()->failed, 0u);
    EXPECT_EQ(run.removals("download"), 1u);
    EXPECT_EQ(run.removals("build"), 2u);
    EXPECT_EQ(run.kept("download") + run.kept("build"), 0u);
    EXPECT_EQ(run.kept("repository"), 2u) << "what is not declared stays";
    EXPECT_EQ(run.kept("bench"), 2u) << "a measurement never goes";
  }
}

TEST(NeedlessOutputs, StayWithoutTheWordOfTheMatrix) {
  KeepingSweep run(1);
  run.options.removes_outputs = false;
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(run.kept("download") + run.kept("build"), 2u);
}

// The rendered text of `repository` names the build, and the server reads that text.
TEST(NeedlessOutputs, AreThereAsLongAsATextThatNamesThemIsRead) {
  KeepingSweep run(1);
  bool was_there = false;
  run.on("bench", [&](const auto&, Behaviour normal) {
    was_there = run.kept("build") == 1;
    return normal;
  });
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_TRUE(was_there);
  EXPECT_EQ(run.kept("build"), 0u);
}

TEST(NeedlessOutputs, GoAfterTheCommitOnly) {
  KeepingSweep run(1);
  ASSERT_TRUE(run.run().ok());
  std::size_t commit = 0;
  for (std::size_t fail = 1; commit == 0; ++fail) {
    KeepingSweep again(1);
    again.journal.fail_at_commit = fail;
    again.journal.before_commit = [&](const std::vector<Event>& pending) {
      if (fail == again.journal.commits + 1)
        for (const Event& event : pending)
          if (const auto* removed = std::get_if<OutputRemoved>(&event);
              removed && removed->stage.starts_with("build"))
            commit = fail;
    };
    EXPECT_FALSE(again.run().ok());
    if (commit > 0) {
      EXPECT_EQ(again.kept("build"), 1u);
    }
  }
}

TEST(NeedlessOutputs, OfAMeasurementThatTheNextRunTriesAgainStay) {
  KeepingSweep run(1);
  run.on("bench", {.signal = SIGKILL});  // from outside: the fault of the machine
  EXPECT_EQ(run.run()->failed, 1u);
  EXPECT_EQ(run.kept("build"), 1u);
  EXPECT_EQ(run.kept("download"), 0u) << "the build is there";
}

TEST(NeedlessOutputs, OfWhatTheSystemUnderTestFailedAtGo) {
  KeepingSweep run(1);
  run.on("serve", {.code = 1});
  EXPECT_EQ(run.run()->failed, 1u);
  EXPECT_EQ(run.kept("build"), 0u);
}

TEST(NeedlessOutputs, OfStagesThatALaterRunMakesStay) {
  KeepingSweep until(1), given_up(1);
  until.after = [](plan::Stage& stage) {
    if (stage.spec.kind == runner::Kind::task) return;
    stage.status = plan::Status::idle;
    stage.after_until = true;
  };
  given_up.after = [&given_up](plan::Stage& stage) {
    if (stage.spec.kind == runner::Kind::task) return;
    stage.status = plan::Status::idle;
    given_up.options.given_up.insert(stage.id);
  };
  for (KeepingSweep* run : {&until, &given_up}) {
    ASSERT_TRUE(run->run().ok());
    EXPECT_EQ(run->kept("build"), 1u);
    EXPECT_EQ(run->kept("download"), 0u);
  }
}

TEST(NeedlessOutputs, OfAnInterruptedRunStay) {
  KeepingSweep run(2);
  run.on("bench", [&](const auto&, Behaviour normal) {
    run.interrupts.requested = 2;
    return normal;
  });
  ASSERT_TRUE(run.run().ok());
  EXPECT_EQ(run.kept("build"), 2u);
}

TEST(NeedlessOutputs, MakeRoomForMoreBuildsThanTheDiskHolds) {
  for (const auto isolation :
       {matrix::Isolation::strict, matrix::Isolation::gpu, matrix::Isolation::none})
    for (const std::uint64_t room_mib : {110, 250, 330}) {
      SCOPED_TRACE(fmt::format("{} {}", to_string(isolation), room_mib));
      KeepingSweep run(6);
      run.options.jobs = 4;
      run.isolation = isolation;
      run.room_mib = room_mib;
      run.look();
      const auto outcome = run.run();
      ASSERT_TRUE(outcome.ok());
      EXPECT_EQ(outcome->failed, 0u);
      EXPECT_EQ(run.kept("bench"), 6u);
      EXPECT_LE(run.most_builds, room_mib / 100);
    }
}

// A failure of a later stage is not blamed on an output that has gone on purpose.
TEST(NeedlessOutputs, AreNoLostInputs) {
  KeepingSweep run(1);
  run.on("bench", {.code = 1});
  EXPECT_EQ(run.run()->failures_by_class.count("input_lost"), 0u);
  EXPECT_EQ(run.removals("download"), 1u);
}

}  // namespace needless_outputs_test
}  // namespace orch::schedule
