#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace orch::cli {
namespace {

using schedule::State;

// Collects what ProgressLines prints.
class Screen {
 public:
  explicit Screen(bool terminal, std::size_t columns = 60)
      : stream_(::open_memstream(&text_, &size_)) {
    plan::Stage stage;
    stage.id = "quantize-1a2b";
    stage.points = {0};
    for (const char* precision : {"q8_0", "f16"}) {
      plan::PlannedPoint point;
      point.point.parameters.set("precision", {matrix::Type::text, precision});
      point.point.parameters.set(
          "isl", {matrix::Type::integer, "32"});  // equal at all points: in no label
      point.point.parameters.set(
          "weight_bytes", {matrix::Type::text, precision});  // follows from precision: in no label
      plan_.points.push_back(point);
    }
    plan_.stages = {stage};
    stage.id = "bench-3c4d";
    stage.points = {0, 1};
    plan_.stages.push_back(stage);
    lines_ = std::make_unique<ProgressLines>(plan_, std::set<std::string>{"precision", "isl"},
                                             stream_, terminal, columns);
  }
  ~Screen() {
    lines_.reset();
    std::fclose(stream_);
    std::free(text_);
  }

  Screen& move(const char* stage, State from, State to, const std::string& why = "") {
    lines_->on_event(schedule::StageMoved{stage, from, to, why, 0});
    return *this;
  }
  Screen& tick(const schedule::Progress& progress) {
    lines_->on_tick(progress);
    return *this;
  }
  Screen& on_event(const schedule::Event& event) {
    lines_->on_event(event);
    return *this;
  }
  Screen& ended(const char* stage, const std::string& message) {
    lines_->on_event(schedule::AttemptEnded{.attempt = {stage, 1},
                                            .ok = false,
                                            .exit_code = 1,
                                            .signal = 0,
                                            .failure_class = "exit_status",
                                            .message = message});
    return *this;
  }
  std::string text() {
    lines_.reset();
    std::fflush(stream_);
    return std::string(text_, size_);
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
  plan::Plan plan_;
  std::unique_ptr<ProgressLines> lines_;
};

schedule::Progress half_way() {
  return {
      .total = 40,
      .finished = 12,
      .failed = 1,
      .running = {{"quantize-1a2b", State::running, 4.1}, {"serve-5e6f", State::starting, 0.25}},
      .left_s = 125};
}

TEST(StatusLine, ShowsProgressRunningStagesAndTimeLeft) {
  EXPECT_EQ(
      status_line(half_way(), 200),
      "[12/40] quantize-1a2b 4.1 s, serve-5e6f starting 250 ms - 1 failed - about 2 min 05 s left");
}

TEST(StatusLine, FitsTheTerminal) {
  EXPECT_EQ(status_line(half_way(), 20), "[12/40] quantize-1a2");
}

schedule::AttemptEnded ended_after(double wall_s, double at) {
  return {.attempt = {"quantize-1a2b", 1},
          .ok = true,
          .exit_code = 0,
          .signal = 0,
          .failure_class = "",
          .message = "",
          .wall_s = wall_s,
          .at = at};
}

TEST(Progress, PrintsPlainLinesWithoutATerminal) {
  EXPECT_EQ(Screen(false)
                .on_event(schedule::AttemptSpawned{
                    .attempt = {"quantize-1a2b", 1}, .handle = {}, .at = 10})
                .move("quantize-1a2b", State::intent, State::running)
                .tick(half_way())
                .on_event(ended_after(2.5, 12.5))
                .move("quantize-1a2b", State::produced, State::done)
                .text(),
            "started  quantize-1a2b (precision=q8_0)\n"
            "done     quantize-1a2b (precision=q8_0): 2.5 s\n");
}

TEST(Progress, ChangesOfTheClockDoNotAffectDurations) {
  EXPECT_EQ(Screen(false)
                .on_event(schedule::AttemptSpawned{
                    .attempt = {"quantize-1a2b", 1}, .handle = {}, .at = 100000})
                .on_event(schedule::ServiceReady{
                    .attempt = {"quantize-1a2b", 1}, .start_s = 3, .at = 13600})
                .move("quantize-1a2b", State::starting, State::running)
                .on_event(ended_after(2.5, 100003))
                .move("quantize-1a2b", State::stopping, State::done)
                .text(),
            "ready    quantize-1a2b (precision=q8_0): after 3.0 s\n"
            "done     quantize-1a2b (precision=q8_0): 2.5 s\n");
}

TEST(Progress, OmitsTheDurationOfAStageWithoutAProcess) {
  EXPECT_EQ(Screen(false)
                .on_event(ended_after(0.001, 5))
                .move("quantize-1a2b", State::produced, State::done)
                .text(),
            "done     quantize-1a2b (precision=q8_0)\n");
}

TEST(Progress, RedrawsOneLineOnATerminal) {
  EXPECT_EQ(Screen(true, 21)
                .tick(half_way())
                .move("bench-3c4d", State::planned, State::reused, "made by run 1")
                .text(),
            "\r\x1b[K[12/40] quantize-1a2\r\x1b[Kreused   bench-3c4d: made by run 1\n");
}

TEST(Progress, AFailureShowsTheLastLinesOfItsLog) {
  EXPECT_EQ(Screen(false)
                .ended("bench-3c4d", "ended with exit status 1\nreading\nout of memory")
                .move("bench-3c4d", State::running, State::failed,
                      "exit_status: ended with exit status 1")
                .text(),
            "FAILED   bench-3c4d: exit_status: ended with exit status 1\nreading\nout of memory\n");
}

TEST(Progress, StagesSkippedForTheSameFailureShareALine) {
  Screen screen(false);
  for (int i = 0; i < 3; ++i)
    screen.move("bench-3c4d", State::planned, State::skipped, "build-1 failed (exit_status)");
  screen.move("bench-3c4d", State::planned, State::skipped, "build-2 failed (timeout)");
  EXPECT_EQ(screen.text(),
            "skipped  3 stages: build-1 failed (exit_status)\nskipped  1 stage: build-2 failed "
            "(timeout)\n");
}

}  // namespace
}  // namespace orch::cli
