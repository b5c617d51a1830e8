// Sessions of servers as units of evidence: which measurements make one, and which sessions of two
// sides can be compared.
#include "analysis/compare/observations.hpp"

#include <gmock/gmock.h>

namespace orch::compare {
namespace observations_test {

using testing::ElementsAre;

Measured measured(std::int64_t session, const std::string& point, double value) {
  Measured row;
  row.session = session;
  row.point = point;
  row.valid = row.current = row.shown = true;
  row.begun_at = static_cast<double>(session) * 10;
  row.ended_at = row.begun_at + 5;
  row.values = {value};
  return row;
}

Selected selected(std::vector<Measured> rows) {
  return {.parameters = {}, .metrics = {"ttft_ms_p99"}, .rows = std::move(rows)};
}

Observations observed(const Selected& selected, const ObserveOptions& options = {}) {
  return observations_of(
      selected, 0, [](const Measured& row) -> std::optional<std::string> { return row.point; },
      options);
}

// A session with the value 1 of each of POINTS.
ObservedSession session(std::int64_t number, const std::vector<std::string>& points) {
  ObservedSession out;
  out.sessions = {number};
  out.begun_at = static_cast<double>(number) * 10;
  out.ended_at = out.begun_at + 5;
  out.busy_s = 5;
  for (const std::string& point : points) out.observations.push_back({point, 1});
  return out;
}

TEST(Observations, of_one_server_are_one_session) {
  const auto found =
      observed(selected({measured(1, "a", 10), measured(1, "b", 20), measured(2, "a", 11)}));
  ASSERT_EQ(found.sessions.size(), 2u);
  EXPECT_THAT(found.sessions[0].sessions, ElementsAre(1));
  ASSERT_EQ(found.sessions[0].observations.size(), 2u);
  EXPECT_EQ(found.sessions[0].observations[1].pair, "b");
  EXPECT_EQ(found.sessions[0].observations[1].value, 20);
  EXPECT_EQ(found.counts.used, 3u);
}

TEST(Observations, without_a_server_of_ours_are_a_session_for_each_imported_one_or_run) {
  auto rows = std::vector<Measured>{measured(1, "a", 1), measured(1, "b", 1), measured(1, "a", 1)};
  for (Measured& row : rows) row.session.reset();
  rows[0].imported = rows[1].imported = true;
  rows[0].stage = 1, rows[1].stage = 2;
  rows[2].run = 7;
  EXPECT_EQ(observed(selected(rows)).sessions.size(), 3u);
}

TEST(Observations, leave_out_and_count_what_is_no_evidence) {
  std::vector<Measured> rows(5, measured(1, "a", 1));
  rows[0].valid = false;
  rows[1].values = {std::nullopt};
  rows[2].unsupported = "itl_ms_p99 ttft_ms_p99";
  rows[3].shown = false;
  rows[4].disturbed = true;
  const Counts all = observed(selected(rows)).counts;
  EXPECT_EQ(all, (Counts{.used = 2, .invalid = 1, .unsupported = 1, .lacking = 1, .disturbed = 1}));
  const Counts strict =
      observed(selected(rows), {.older_too = false, .disturbed_too = false}).counts;
  EXPECT_EQ(
      strict,
      (Counts{
          .used = 0, .invalid = 1, .older = 1, .unsupported = 1, .lacking = 1, .disturbed = 1}));
}

TEST(Observations, do_not_count_a_measurement_that_was_made_again_as_invalid) {
  Measured row = measured(1, "a", 1);
  row.valid = false, row.retried = true;
  EXPECT_EQ(observed(selected({row})).counts, Counts{});
}

TEST(Rounds, put_servers_of_different_points_together) {
  const auto rounds = rounds_of(
      {session(1, {"short"}), session(2, {"long"}), session(3, {"long"}), session(4, {"short"})});
  ASSERT_EQ(rounds.size(), 2u);
  EXPECT_THAT(rounds[0].sessions, ElementsAre(1, 2));
  EXPECT_THAT(rounds[1].sessions, ElementsAre(3, 4));
  EXPECT_EQ(rounds[0].busy_s, 10);
  EXPECT_DOUBLE_EQ(rounds[0].concentration, 0.5);
}

TEST(Matched, are_all_sessions_that_have_the_same_points) {
  const auto found = matched({session(1, {"a", "b"}), session(3, {"a", "b"})},
                             {session(2, {"a", "b"}), session(4, {"a", "b"})});
  EXPECT_EQ(found.a.size(), 2u);
  EXPECT_EQ(found.b.size(), 2u);
  EXPECT_EQ(found.incomplete_a, 0u);
}

TEST(Matched, lack_a_session_that_was_interrupted_rather_than_most_points) {
  const auto found = matched({session(1, {"a", "b", "c"}), session(3, {"a"})},
                             {session(2, {"a", "b", "c"}), session(4, {"a", "b", "c"})});
  EXPECT_EQ(found.a.size(), 1u);
  EXPECT_EQ(found.a[0].observations.size(), 3u);
  EXPECT_EQ(found.b.size(), 2u);
  EXPECT_EQ(found.incomplete_a, 1u);
}

TEST(Matched, lack_a_point_that_failed_once_rather_than_a_session) {
  const auto found = matched({session(1, {"a", "b", "c", "d"}), session(3, {"a", "b", "c"})},
                             {session(2, {"a", "b", "c", "d"}), session(4, {"a", "b", "c", "d"})});
  EXPECT_EQ(found.a.size(), 2u);
  EXPECT_EQ(found.a[0].observations.size(), 3u) << "without the point that one session lacks";
  EXPECT_EQ(found.b[1].observations.size(), 3u);
}

TEST(Matched, are_none_without_a_common_point) {
  const auto found = matched({session(1, {"a"})}, {session(2, {"b"})});
  EXPECT_TRUE(found.a.empty());
  EXPECT_EQ(found.incomplete_a, 1u);
  EXPECT_EQ(found.incomplete_b, 1u);
}

ObservedSession imported(const std::string& point, double value) {
  ObservedSession out;
  out.imported = true;
  out.observations = {{point, value}};
  return out;
}

TEST(Rounds, leave_imported_sessions_alone) {
  EXPECT_EQ(rounds_of({imported("a", 1), imported("b", 2)}).size(), 2u);
}

TEST(Matched, are_all_imported_sessions_of_points_with_two_on_both_sides) {
  const auto found = matched({imported("a", 1), imported("a", 2), imported("b", 3)},
                             {imported("a", 4), imported("a", 5), imported("b", 6)});
  EXPECT_EQ(found.a.size(), 2u) << "without b, which has one session a side";
  EXPECT_EQ(found.b.size(), 2u);
  EXPECT_EQ(found.incomplete_a, 0u);
}

TEST(Matched, are_rounds_of_ours_beside_imported_sessions) {
  const auto found =
      matched({session(1, {"a", "b"}), session(3, {"a"}), session(5, {"a", "b"})},
              {imported("a", 4), imported("a", 5), imported("b", 6), imported("b", 7)});
  EXPECT_EQ(found.a.size(), 3u) << "a half of the points gives more rounds";
  EXPECT_EQ(found.b.size(), 2u);
}

}  // namespace observations_test
}  // namespace orch::compare
