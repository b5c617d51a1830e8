// What the diagnostics tell about the events of a journal.
#include "fakes/fake_world.hpp"
#include "fakes/kept_diagnostics.hpp"
#include "run/schedule/journal.hpp"

#include <gmock/gmock.h>

namespace orch::schedule {
namespace logged_journal_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using system::LogLevel;

const AttemptKey k_attempt{.stage = "make-1a2b", .number = 2};

TEST(LoggedJournal, EveryEventIsALineAndReachesTheJournal) {
  fakes::MemoryJournal journal;
  fakes::KeptDiagnostics diagnostics(LogLevel::info);
  LoggedJournal logged(journal, diagnostics);
  logged.append(StageMoved{
      .stage = "make-1a2b", .from = State::ready, .to = State::waiting, .why = "retried in 2 s"});
  logged.append(AttemptEnded{.attempt = k_attempt,
                             .failure_class = "exit_status",
                             .message = "it exited",
                             .process = {.code = 3, .wall_s = 1.25}});
  logged.append(AttemptLost{.token = "o1", .why = "its host was restarted"});
  EXPECT_TRUE(logged.commit());
  EXPECT_EQ(journal.events.size(), 3u);
  EXPECT_THAT(
      diagnostics.lines,
      ElementsAre("info make-1a2b ready -> waiting: retried in 2 s",
                  "warning make-1a2b attempt 2 ended with status 3 after 1.2 s, exit_status "
                  "(system): it exited",
                  "warning attempt o1 of an earlier run given up: its host was restarted"));
}

TEST(LoggedJournal, CommandsAreLinesOfLevelDebug) {
  fakes::MemoryJournal journal;
  fakes::KeptDiagnostics diagnostics(LogLevel::debug);
  LoggedJournal(journal, diagnostics)
      .append(AttemptIntended{.attempt = k_attempt,
                              .token = "o1",
                              .process = "o1",
                              .argv = {"/bin/touch", "x"},
                              .env = {},
                              .work = "/w",
                              .log = {},
                              .ports = {{"http", 8000}},
                              .gpus = {0, 1}});
  EXPECT_THAT(diagnostics.lines,
              ElementsAre("info make-1a2b attempt 2 intended: token o1, process o1, ports http "
                          "8000, GPUs 0 1",
                          "debug make-1a2b attempt 2 in /w: /bin/touch x"));
}

TEST(LoggedJournal, DescribesEveryKindOfEvent) {
  EXPECT_THAT(describe(AttemptSpawned{.attempt = k_attempt, .handle = {}}),
              HasSubstr("spawned: pid "));
  EXPECT_EQ(describe(AttemptAdopted{.attempt = k_attempt, .token = "o1"}),
            "make-1a2b attempt 2 adopted from an earlier run: token o1");
  EXPECT_EQ(describe(ServiceReady{.attempt = k_attempt, .start_s = 3.2}),
            "make-1a2b attempt 2 ready after 3.2 s");
  EXPECT_EQ(describe(AttemptEnded{.attempt = k_attempt,
                                  .ok = true,
                                  .failure_class = {},
                                  .message = {},
                                  .process = {.code = 0}}),
            "make-1a2b attempt 2 ended with status 0 after 0.0 s");
  EXPECT_EQ(describe(AttemptEnded{.attempt = k_attempt,
                                  .failure_class = "killed",
                                  .kind = attempt::FailureKind::harness,
                                  .message = {},
                                  .process = {.signal = 9}}),
            "make-1a2b attempt 2 ended with signal 9 after 0.0 s, killed (harness)");
  EXPECT_EQ(describe(ArtifactPublished{.attempt = k_attempt,
                                       .path = "artifacts/make",
                                       .not_cacheable = "the input changed",
                                       .files = {}}),
            "make-1a2b attempt 2 published: artifacts/make, files: 0; not reused: the input "
            "changed");
  EXPECT_EQ(describe(MeasurementProduced{.attempt = {.stage = "bench-3c", .number = 1},
                                         .session = k_attempt,
                                         .path = "artifacts/bench",
                                         .order = 4}),
            "bench-3c attempt 1 measured: artifacts/bench, number 4 of make-1a2b attempt 2");
}

}  // namespace logged_journal_test
}  // namespace orch::schedule
