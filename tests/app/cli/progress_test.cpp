#include "app/cli/progress/progress.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace orch::cli {
namespace progress_test {

using schedule::State;

plan::Stage stage_of(const char* name, const char* id, std::vector<std::size_t> points) {
  plan::Stage stage;
  stage.spec.name = name;
  stage.id = id;
  stage.points = std::move(points);
  return stage;
}

plan::PlannedPoint point_of(const std::map<std::string, std::string>& values) {
  plan::PlannedPoint point;
  for (const auto& [name, value] : values)
    point.point.parameters.set(name, {matrix::Type::text, value});
  return point;
}

plan::Plan two_points() {
  plan::Plan plan;
  // isl is equal at all points, and weight_bytes is no parameter of the matrix: in no label.
  for (const char* precision : {"q8_0", "f16"})
    plan.points.push_back(
        point_of({{"precision", precision}, {"isl", "32"}, {"weight_bytes", precision}}));
  plan.stages = {stage_of("quantize", "quantize-1a2b", {0}),
                 stage_of("bench", "bench-3c4d", {0, 1})};
  return plan;
}

const StageLabels& labels() {
  static const StageLabels labels(two_points(), {"precision", "isl"});
  return labels;
}

// Collects what ProgressLines prints.
class Paper {
 public:
  explicit Paper(bool terminal, std::size_t columns = 60, bool coloured = false)
      : stream_(::open_memstream(&text_, &size_)),
        lines_(std::make_unique<ProgressLines>(labels(), Screen{.stream = stream_,
                                                                .terminal = terminal,
                                                                .coloured = coloured,
                                                                .columns = columns})) {}
  ~Paper() {
    lines_.reset();
    std::fclose(stream_);
    std::free(text_);
  }

  Paper& move(const char* stage, State from, State to, const std::string& why = "") {
    lines_->on_event(schedule::StageMoved{stage, from, to, why, 0});
    return *this;
  }
  Paper& tick(const schedule::Progress& progress) {
    lines_->on_tick(progress);
    return *this;
  }
  Paper& on_event(const schedule::Event& event) {
    lines_->on_event(event);
    return *this;
  }
  Paper& ended(const char* stage, const std::string& message) {
    lines_->on_event(schedule::AttemptEnded{.attempt = {stage, 1},
                                            .ok = false,
                                            .failure_class = "exit_status",
                                            .message = message,
                                            .process = {.code = 1, .signal = 0}});
    return *this;
  }
  ProgressLines& lines() { return *lines_; }
  std::string text() {
    lines_.reset();
    std::fflush(stream_);
    return std::string(text_, size_);
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
  std::unique_ptr<ProgressLines> lines_;
};

schedule::Progress half_way() {
  return {
      .total = 40,
      .finished = 12,
      .left_out = 2,
      .failed = 1,
      .running = {{"quantize-1a2b", State::running, 4.1}, {"serve-5e6f", State::starting, 0.25}},
      .left_s = 125};
}

TEST(StatusLine, ShowsProgressRunningStagesAndTimeLeft) {
  EXPECT_EQ(
      status_line(half_way(), labels(), 200),
      "####---------- 12/40  1 failed  2 not run  about 2 min 05 s left  quantize q8_0 4.1 s, "
      "serve-5e6f starting 250 ms");
}

TEST(StatusLine, ShowsTheMeasurementUnderWayBesideItsStage) {
  const schedule::Progress progress{
      .total = 2, .finished = 1, .running = {{"bench-3c4d", State::running, 4.1}}};
  EXPECT_EQ(status_line(progress, labels(), 200, {{"bench-3c4d", "12 of 50 requests, 3 req/s"}}),
            "#######------- 1/2  bench 4.1 s (12 of 50 requests, 3 req/s)");
}

TEST(Progress, AsksForTheStatusOfTheProcessOfAMeasurement) {
  std::vector<std::string> asked;
  Paper paper(true, 200);
  paper.lines().show_measurements([&](const std::string& process) {
    asked.push_back(process);
    return std::string("3 req/s \x1b[2J");
  });
  const std::string text = paper
                               .on_event(schedule::AttemptIntended{.attempt = {"bench-3c4d", 1},
                                                                   .token = "o2",
                                                                   .process = "o1",
                                                                   .argv = {},
                                                                   .env = {},
                                                                   .work = {},
                                                                   .log = {},
                                                                   .ports = {}})
                               .tick({.total = 2, .running = {{"bench-3c4d", State::starting, 1}}})
                               .tick({.total = 2, .running = {{"bench-3c4d", State::running, 1}}})
                               .text();
  EXPECT_EQ(asked, std::vector<std::string>{"o1"});
  EXPECT_NE(text.find("bench 1.0 s (3 req/s "), std::string::npos) << text;
  EXPECT_EQ(text.find("\x1b[2J"), std::string::npos) << "a control sequence reached the terminal";
}

TEST(Progress, SaysHowMuchOfAnOutputIsChecked) {
  using Running = schedule::Progress::Running;
  static constexpr std::uint64_t k_tib = std::uint64_t{1} << 40;
  const auto shown = [](State state, std::uint64_t done_bytes, std::uint64_t expected_bytes) {
    return Paper(true, 200)
        .tick({.total = 2,
               .running = {Running{.stage = "quantize-1a2b",
                                   .state = state,
                                   .for_s = 4.1,
                                   .done_bytes = done_bytes,
                                   .expected_bytes = expected_bytes}}})
        .text();
  };
  EXPECT_NE(shown(State::produced, 1 << 30, 5 * k_tib)
                .find("quantize q8_0 produced 4.1 s (checking 1.0 GiB of 5.0 TiB)"),
            std::string::npos);
  EXPECT_NE(shown(State::intent, 1 << 30, 5 * k_tib).find("(copying 1.0 GiB of 5.0 TiB)"),
            std::string::npos);
  EXPECT_NE(shown(State::produced, k_tib, k_tib).find("produced 4.1 s (publishing)"),
            std::string::npos);
  EXPECT_EQ(shown(State::produced, 0, 0).find('('), std::string::npos);
}

TEST(Progress, SaysWhereAJobIs) {
  const schedule::Progress progress{.total = 2,
                                    .running = {{.stage = "quantize-1a2b",
                                                 .state = State::running,
                                                 .for_s = 4.1,
                                                 .where = "job 12 pending: Resources"}}};
  EXPECT_NE(Paper(true, 200).tick(progress).text().find(
                "quantize q8_0 4.1 s (job 12 pending: Resources)"),
            std::string::npos);
}

TEST(StatusLine, KeepsTheRateOfAMeasurementInEightyColumns) {
  const schedule::Progress progress{.total = 500,
                                    .finished = 123,
                                    .failed = 2,
                                    .running = {{"serve-5e6f", State::running, 300},
                                                {"quantize-1a2b", State::running, 4.1},
                                                {"bench-3c4d", State::running, 4.1}},
                                    .left_s = 7265};
  const std::string line =
      status_line(progress, labels(), 79, {{"bench-3c4d", "120 of 500 requests, 45.2 req/s"}});
  EXPECT_EQ(line,
            "123/500  2 failed  about 2 h 01 min left  bench 4.1 s (120/500, 45.2 req/s), +2");
  EXPECT_LE(line.size(), 79u);
}

TEST(StatusLine, FitsTheTerminal) {
  EXPECT_EQ(status_line(half_way(), labels(), 28), "12/40  1 failed  2 not run  ");
}

schedule::AttemptEnded ended_after(double wall_s, double at) {
  return {.attempt = {"quantize-1a2b", 1},
          .ok = true,
          .failure_class = "",
          .message = "",
          .process = {.code = 0, .signal = 0, .wall_s = wall_s},
          .at = at};
}

TEST(Progress, PrintsPlainLinesWithoutATerminal) {
  EXPECT_EQ(Paper(false)
                .on_event(schedule::AttemptSpawned{
                    .attempt = {"quantize-1a2b", 1}, .handle = {}, .at = 10})
                .move("quantize-1a2b", State::intent, State::running)
                .tick(half_way())
                .on_event(ended_after(2.5, 12.5))
                .move("quantize-1a2b", State::produced, State::done)
                .text(),
            "started  quantize q8_0 (quantize-1a2b)\n"
            "done     quantize q8_0 (quantize-1a2b): 2.5 s\n");
}

TEST(Progress, ChangesOfTheClockDoNotAffectDurations) {
  EXPECT_EQ(Paper(false)
                .on_event(schedule::AttemptSpawned{
                    .attempt = {"quantize-1a2b", 1}, .handle = {}, .at = 100000})
                .on_event(schedule::ServiceReady{
                    .attempt = {"quantize-1a2b", 1}, .start_s = 3, .at = 13600})
                .move("quantize-1a2b", State::starting, State::running)
                .on_event(ended_after(2.5, 100003))
                .move("quantize-1a2b", State::stopping, State::done)
                .text(),
            "ready    quantize q8_0 (quantize-1a2b): after 3.0 s\n"
            "done     quantize q8_0 (quantize-1a2b): 2.5 s\n");
}

TEST(Progress, OmitsTheDurationOfAStageWithoutAProcess) {
  EXPECT_EQ(Paper(false)
                .on_event(ended_after(0.001, 5))
                .move("quantize-1a2b", State::produced, State::done)
                .text(),
            "done     quantize q8_0 (quantize-1a2b)\n");
}

TEST(Progress, RedrawsOneLineOnATerminal) {
  EXPECT_EQ(Paper(true, 41)
                .tick(half_way())
                .move("bench-3c4d", State::running, State::failed, "timeout")
                .text(),
            "\r\x1b[K12/40  1 failed  2 not run  about 2 min \r\x1b[KFAILED   bench (bench-3c4d): "
            "timeout\n12/40  1 failed  2 not run  about 2 min \r\x1b[K");
}

TEST(Progress, AFailureShowsTheLastLinesOfItsLog) {
  EXPECT_EQ(Paper(false)
                .ended("bench-3c4d", "ended with exit status 1\nreading\nout of memory")
                .move("bench-3c4d", State::running, State::failed,
                      "exit_status: ended with exit status 1")
                .text(),
            "FAILED   bench (bench-3c4d): exit_status: ended with exit status 1\nreading\nout of "
            "memory\n");
}

TEST(Progress, ReusedStagesAreSummedUpInALine) {
  Paper paper(false);
  paper.move("quantize-1a2b", State::planned, State::reused,
             "made by run 1; nothing in its digest has changed");
  for (int i = 0; i < 3; ++i)
    paper.move("bench-3c4d", State::planned, State::reused, "made by run 2");
  paper.move("quantize-1a2b", State::intent, State::running);
  EXPECT_EQ(paper.text(),
            "reused   4 stages: 3 made by run 2, 1 made by run 1\n"
            "started  quantize q8_0 (quantize-1a2b)\n");
}

TEST(Progress, ColoursOnlyTheWordAndOnlyWhereAskedFor) {
  EXPECT_EQ(
      Paper(true, 60, true).move("bench-3c4d", State::running, State::failed, "timeout").text(),
      "\x1b[31mFAILED  \x1b[0m bench (bench-3c4d): timeout\n");
  EXPECT_EQ(
      Paper(true, 60, false).move("bench-3c4d", State::running, State::failed, "timeout").text(),
      "FAILED   bench (bench-3c4d): timeout\n");
}

TEST(Progress, StagesSkippedForTheSameFailureShareALine) {
  Paper paper(false);
  for (int i = 0; i < 3; ++i)
    paper.move("bench-3c4d", State::planned, State::skipped, "build-1 failed (exit_status)");
  paper.move("bench-3c4d", State::planned, State::skipped, "build-2 failed (timeout)");
  EXPECT_EQ(paper.text(),
            "skipped  3 stages: build-1 failed (exit_status)\nskipped  1 stage: build-2 failed "
            "(timeout)\n");
}

}  // namespace progress_test
}  // namespace orch::cli
