// The trace of a run, as a viewer reads it.
#include "run/schedule/traced_journal.hpp"

#include "fakes/fake_world.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace orch::schedule {
namespace traced_journal_test {

using nlohmann::json;

const AttemptKey k_build{.stage = "build-1a2b", .number = 1};
const AttemptKey k_serve{.stage = "serve-3c4d", .number = 2};

// The lines of a run that EVENTS tell of, which begins at 1,000 s.
json trace_of(const std::vector<Event>& events) {
  fakes::MemoryJournal journal;
  fakes::FakeClock clock;
  std::ostringstream out;
  {
    TracedJournal traced(journal, clock, out);
    for (const Event& event : events) traced.append(event);
    EXPECT_TRUE(traced.commit());
  }
  EXPECT_EQ(journal.events.size(), events.size());
  const json trace = json::parse(out.str());
  // Perfetto refuses an event without a phase, and treats thread 0 specially.
  for (const json& line : trace) EXPECT_NE(line.value("ph", ""), "") << line;
  for (const json& line : trace) EXPECT_NE(line.value("tid", 1), 0) << line;
  return trace;
}

json span(const json& trace, const std::string& name) {
  for (const json& line : trace)
    if (line.value("ph", "") == "X" && line["name"] == name) return line;
  return {};
}

TEST(TracedJournal, AnAttemptIsASpanWithItsResult) {
  const double at = fakes::FakeClock().wall_s();
  const json trace = trace_of(
      {AttemptSpawned{.attempt = k_build, .handle = {}, .at = at + 1},
       AttemptEnded{
           .attempt = k_build, .failure_class = "exit_status", .message = {}, .at = at + 3.5}});
  const json build = span(trace, "build-1a2b");
  EXPECT_EQ(build["ts"], 1e6);
  EXPECT_EQ(build["dur"], 2.5e6);
  EXPECT_EQ(build["args"]["result"], "exit_status");
  EXPECT_NE(span(trace, "commit"), json());
}

TEST(TracedJournal, AServerHasItsStartAndWhatRunsBesideItAnotherLane) {
  const double at = fakes::FakeClock().wall_s();
  const json trace = trace_of(
      {AttemptSpawned{.attempt = k_serve, .handle = {}, .at = at},
       ServiceReady{.attempt = k_serve, .start_s = 4, .at = at + 4},
       AttemptSpawned{.attempt = k_build, .handle = {}, .at = at + 5},
       AttemptEnded{
           .attempt = k_build, .ok = true, .failure_class = {}, .message = {}, .at = at + 6}});
  EXPECT_EQ(span(trace, "start")["dur"], 4e6);
  EXPECT_EQ(span(trace, "ready")["ts"], 4e6);
  EXPECT_NE(span(trace, "serve-3c4d")["tid"], span(trace, "build-1a2b")["tid"]);
  EXPECT_EQ(span(trace, "serve-3c4d")["args"]["open"], true);
}

TEST(TracedJournal, ProcessesAreCounted) {
  const double at = fakes::FakeClock().wall_s();
  const json trace = trace_of(
      {AttemptSpawned{.attempt = k_build, .handle = {}, .at = at},
       AttemptEnded{
           .attempt = k_build, .ok = true, .failure_class = {}, .message = {}, .at = at + 6}});
  std::vector<int> running;
  for (const json& line : trace)
    if (line.value("ph", "") == "C") running.push_back(line["args"]["running"]);
  EXPECT_EQ(running, (std::vector{1, 0}));
}

}  // namespace traced_journal_test
}  // namespace orch::schedule
