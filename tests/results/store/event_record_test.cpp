// Facts that belong to no run: what was resolved, removed and forgotten.
#include "results/store/event_record.hpp"

#include "core/base/fields_json.hpp"
#include "results/store/sample.hpp"

namespace orch {
namespace event_record_test {

using namespace sample;

Value fact(const std::string& text) { return parse_value(text).value_or(Value()); }

TEST(EventRecord, what_was_forgotten_is_read_as_it_was_written) {
  const store::Forgotten forgotten{.runs = {"a", "b"}, .at = 7.5};
  const auto read = store::parse_fact<store::Forgotten>(fact(store::to_fact(forgotten)));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->runs, forgotten.runs);
  EXPECT_EQ(read->at, 7.5);
}

TEST(EventRecord, a_removal_and_a_resolution_are_read_as_they_were_written) {
  const auto removal = store::parse_fact<store::Removal>(
      fact(store::to_fact(store::Removal{.token = "t", .at = 2})));
  EXPECT_EQ(removal->token, "t");
  const auto resolution = store::parse_fact<store::Resolution>(fact(store::to_fact(
      store::Resolution{.kind = "hf-revision", .name = "X@main", .value = "c", .at = 3})));
  EXPECT_EQ(resolution->value, "c");
}

TEST(EventRecord, an_event_is_read_as_it_was_written) {
  const schedule::Event event = schedule::AttemptLost{.token = "t", .why = "it is gone", .at = 4};
  const auto read = store::parse_event(fact(store::to_fact(event)));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(std::get<schedule::AttemptLost>(*read).why, "it is gone");
  const auto removed = store::parse_event(
      fact(store::to_fact(schedule::OutputRemoved{.stage = "build-1", .tokens = {"t"}, .at = 4})));
  EXPECT_EQ(std::get<schedule::OutputRemoved>(*removed).tokens, std::vector<std::string>{"t"});
}

TEST(EventRecord, what_is_no_fact_is_an_error) {
  for (const char* text : {"", "[]", "{}", R"({"forgotten":{"runs":"a","at":1}})",
                           R"({"forgotten":{"runs":[1],"at":1}})"})
    EXPECT_FALSE(store::parse_fact<store::Forgotten>(fact(text)).ok()) << text;
  EXPECT_FALSE(store::parse_event(fact(R"({"moved":{}})")).ok());
}

TEST(EventRecord, to_forget_a_run_takes_its_points_and_plan_and_leaves_what_it_made) {
  const TemporaryFolder folder;
  complete_run(folder.path());
  const std::string uid = rows(folder.path(), "SELECT uid FROM run").front();
  {
    auto database = sql::Database::open((folder.path() / "results.db").string());
    tables::Statements statements(*database);
    const Status written = store::write_forgotten(statements, {.runs = {uid, "unknown"}, .at = 1});
    ASSERT_TRUE(written.ok()) << written.error().text();
  }
  EXPECT_EQ(rows(folder.path(),
                 "SELECT (SELECT count(*) FROM point), (SELECT count(*) FROM "
                 "run_stage), (SELECT count(*) FROM measurement), (SELECT count(*) "
                 "FROM attempt)"),
            Rows{"0|0|2|4"});
}

}  // namespace event_record_test
}  // namespace orch
