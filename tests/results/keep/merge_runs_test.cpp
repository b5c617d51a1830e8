// Merges: the same rows in another store, once; and exports that are damaged or hostile.
#include "results/keep/merge_runs.hpp"

#include "analysis/report/describe.hpp"
#include "core/base/text.hpp"
#include "results/keep/support.hpp"
#include "results/score/score_targets.hpp"
#include "results/store/killed.hpp"
#include "results/store/rebuild.hpp"

#include <filesystem>

namespace orch {
namespace merge_runs_test {

using namespace sample;

constexpr const char* k_shown =
    "SELECT experiment, point, ttft_ms, output_tps, build_s, engine_gib, repeats FROM results "
    "ORDER BY 1, 2";

class Merge : public KeepTest {
 protected:
  void write_export() {
    two_experiments(false);
    store::Store store = open_store(store_.path(), store::Mode::read);
    ASSERT_TRUE(keep::export_runs(store, from_.path().string(), {}));
  }
  Result<keep::MergeReport> merge(const std::string& prefix = "") {
    store::Store store = open_store(to_.path());
    return keep::merge(store, from_.path().string(), {.prefix = prefix});
  }
  Rows merged(const std::string& sql) { return sample::rows(to_.path(), sql); }
  std::string why_not() {
    const auto report = merge();
    return report ? "" : report.error().text();
  }
  // The object with the facts of the first run.
  std::filesystem::path facts() {
    const auto bundle = keep::read_bundle(files_, from_.path().string());
    return keep::object_path(from_.path().string(), bundle->runs[0].facts);
  }
  // Changes the facts of the first run and the list to match.
  void change_facts(const std::function<std::string(std::string)>& change) {
    auto bundle = keep::read_bundle(files_, from_.path().string());
    const std::string text = change(files_.read(facts().string()).value());
    bundle->runs[0].facts = *keep::put_object(files_, from_.path().string(), text);
    ASSERT_TRUE(keep::write_bundle(files_, from_.path().string(), *bundle));
  }
  static std::string replaced(std::string text, const std::string& what, const std::string& with) {
    EXPECT_NE(text.find(what), std::string::npos) << what;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
      text.replace(at, what.size(), with);
    return text;
  }
  // Everything in the store that is merged into.
  std::string state() {
    return fmt::format("{} {} {}", fmt::join(merged("SELECT uid FROM run"), ";"),
                       fmt::join(merged("SELECT count(*) FROM measurement"), ""),
                       fmt::join(*files_.names((to_.path() / "artifacts").string()), " "));
  }

  TemporaryFolder from_, to_;
};

TEST_F(Merge, brings_the_scores_of_answers_along) {
  two_experiments(false);
  {
    const std::string token =
        rows("SELECT a.token FROM measurement m JOIN attempt a ON a.id = m.attempt_id LIMIT 1")[0];
    store::Store store = open_store(store_.path());
    ASSERT_TRUE(score::write_scores(store, {{.token = token,
                                             .scorer = "f1",
                                             .version = "1",
                                             .digest = "d",
                                             .answers_sha256 = "a",
                                             .references = "qa.jsonl",
                                             .references_sha256 = "r",
                                             .metric = {.name = "score_f1", .mean = 0.5},
                                             .scores = {{2, 0.5}}}}));
    ASSERT_TRUE(keep::export_runs(store, from_.path().string(), {}));
  }
  ASSERT_TRUE(merge().ok());
  const char* const k_scores = "SELECT experiment, point, scorer, score FROM scores ORDER BY 1, 2";
  EXPECT_FALSE(rows(k_scores).empty());
  EXPECT_EQ(merged(k_scores), rows(k_scores));
}

TEST_F(Merge, into_an_empty_store_makes_the_same_results) {
  write_export();
  const auto report = merge();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->runs, 2u);
  EXPECT_EQ(report->measurements, 3u);
  EXPECT_EQ(merged(k_shown), rows(k_shown));
  EXPECT_EQ(merged("SELECT count(*) FROM requests"), rows("SELECT count(*) FROM requests"));
  EXPECT_EQ(merged("PRAGMA foreign_key_check"), Rows{});
  store::Store store = open_store(to_.path(), store::Mode::read);
  EXPECT_EQ(store.verify(false)->problems, Rows{});
}

TEST_F(Merge, done_twice_changes_nothing) {
  write_export();
  ASSERT_TRUE(merge());
  const std::string before = state();
  const auto again = merge();
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(again->runs, 0u);
  EXPECT_EQ(again->known, 2u);
  EXPECT_EQ(state(), before);
}

TEST_F(Merge, into_a_store_with_the_same_stages_keeps_both_and_numbers_the_attempts) {
  write_export();
  complete_run(to_.path(), {.experiment = "quick"}, 20);
  ASSERT_EQ(merged("SELECT count(*) FROM results_all"), Rows{"2"});
  // The sample makes tokens of stage and number, which two real stores never share.
  for (const char* sql :
       {"UPDATE attempt SET token = 'here-' || token, process = 'here-' || process"}) {
    auto database = sql::Database::open((to_.path() / "results.db").string());
    ASSERT_TRUE(database->execute(sql));
  }
  const auto report = merge();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(merged("SELECT count(*) FROM measurement"), Rows{"5"});
  EXPECT_EQ(merged("SELECT max(number) FROM attempt a JOIN stage s ON s.id = a.stage_id WHERE "
                   "s.name = 'build'"),
            Rows{"2"});
}

TEST_F(Merge, under_a_prefix_keeps_experiments_of_one_name_apart) {
  write_export();
  ASSERT_TRUE(merge("hosta-"));
  EXPECT_EQ(merged("SELECT DISTINCT experiment FROM results ORDER BY 1"),
            (Rows{"hosta-other", "hosta-quick"}));
}

TEST_F(Merge, leaves_no_attempt_that_recovery_would_look_for) {
  write_export();
  ASSERT_TRUE(merge());
  EXPECT_EQ(rows("SELECT count(*) FROM attempt WHERE ended_at IS NULL"), Rows{"1"});
  EXPECT_EQ(merged("SELECT count(*) FROM attempt WHERE ended_at IS NULL"), Rows{"0"});
  EXPECT_EQ(merged("SELECT count(*) FROM attempt WHERE pid <> 0 OR work <> '' OR log <> '' OR "
                   "handle LIKE '%g1%'"),
            Rows{"0"});
  store::Store store = open_store(to_.path(), store::Mode::read);
  EXPECT_TRUE(store.unfinished()->empty());
  EXPECT_FALSE(report::read_run_command(store.database(), std::nullopt)->has_value())
      << "it is not resumed here";
}

TEST_F(Merge, survives_a_rebuild) {
  write_export();
  ASSERT_TRUE(merge());
  const Rows before = merged(k_shown);
  const auto rebuilt = store::rebuild(real_host(), to_.path());
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.error().text();
  EXPECT_EQ(rebuilt->notices, Rows{});
  EXPECT_EQ(merged(k_shown), before);
  EXPECT_TRUE(merge()) << "and knows the runs by their uids";
}

TEST_F(Merge, outputs_are_not_here_and_are_made_again) {
  write_export();
  ASSERT_TRUE(merge());
  EXPECT_EQ(merged("SELECT count(*) FROM artifact WHERE removed_at IS NULL"), Rows{"0"});
}

TEST_F(Merge, of_a_damaged_or_truncated_export_changes_nothing) {
  write_export();
  { const store::Store made = open_store(to_.path()); }
  const std::string before = state();
  const Rows objects = files_.names((from_.path() / "objects").string()).value();
  for (const std::string& name : objects) {
    const std::filesystem::path object = from_.path() / "objects" / name;
    const std::string whole = files_.read(object.string()).value();
    write_file(object, whole.substr(0, whole.size() / 2));
    EXPECT_NE(why_not(), "") << name << " was truncated";
    std::string other = whole;
    other[other.size() / 2] ^= 1;
    write_file(object, other);
    EXPECT_NE(why_not(), "") << name << " was changed";
    std::filesystem::remove(object);
    EXPECT_NE(why_not(), "") << name << " was removed";
    write_file(object, whole);
    EXPECT_EQ(state(), before) << name;
  }
  EXPECT_EQ(why_not(), "");
}

// Read or hashed, it would take hours.
TEST_F(Merge, of_a_file_of_holes_is_refused) {
  write_export();
  { const store::Store made = open_store(to_.path()); }
  const std::string before = state();
  const Rows objects = files_.names((from_.path() / "objects").string()).value();
  for (const std::string& name : objects) {
    const std::filesystem::path object = from_.path() / "objects" / name;
    const std::string whole = files_.read(object.string()).value();
    std::filesystem::resize_file(object, std::uintmax_t{1} << 40);
    EXPECT_NE(why_not(), "") << name;
    std::filesystem::resize_file(object, 0);
    write_file(object, whole);
    EXPECT_EQ(state(), before) << name;
  }
}

struct Hostile {
  const char *what, *with, *why;
};

class HostileFacts : public Merge, public testing::WithParamInterface<Hostile> {};

TEST_P(HostileFacts, are_refused_with_nothing_changed) {
  write_export();
  { const store::Store made = open_store(to_.path()); }
  const std::string before = state();
  change_facts(
      [&](const std::string& text) { return replaced(text, GetParam().what, GetParam().with); });
  EXPECT_THAT(why_not(), testing::HasSubstr(GetParam().why));
  EXPECT_EQ(state(), before);
  EXPECT_EQ(merged("SELECT count(*) FROM attempt"), Rows{"0"});
}

INSTANTIATE_TEST_SUITE_P(
    Each, HostileFacts,
    testing::Values(
        Hostile{"\"experiment\":\"quick\"", "\"experiment\":\"../../quick\"",
                "cannot name an experiment"},
        Hostile{"\"runner\":\"", "\"runner\":\"../", "cannot name a runner"},
        Hostile{"tiny_c1-aaaaaa", "../../tiny", "cannot name a point"},
        Hostile{"[\\\"parameter.model\\\",\\\"tiny\\\"]", "[\\\"parameter.model\\\",\\\"other\\\"]",
                "is not that of its components"},
        Hostile{"\"measure\"", "\"other\"", "is not a kind of stage"},
        Hostile{"\"outcome\":\"done\"", "\"outcome\":\"x\"", "is not an outcome of a run"},
        Hostile{"\"path\":\"artifacts/bench", "\"path\":\"/etc/bench", "is missing"},
        Hostile{"{\"finished\"", "{\"forgotten\"", "a run cannot contain a fact"},
        Hostile{"{\"finished\"", "{\"nonsense\"", "fact"},
        Hostile{"\"token\":\"bench", "\"token\":\"../bench", "cannot name an attempt"},
        Hostile{"\\\"concurrency\\\":1", "\\\"x y\\\":1", "cannot be a column of results"}),
    [](const auto& one) { return fmt::format("case_{}", one.index); });

// A facts file that lost the lines of a KIND.
std::string without(const std::string& kind, const std::string& text) {
  std::string out;
  for (const std::string& line : split(text, '\n'))
    if (!line.starts_with("{\"" + kind + "\"")) out += line + "\n";
  return out;
}

TEST_F(Merge, of_an_event_without_its_attempt_is_refused) {
  write_export();
  change_facts([](const std::string& text) { return without("intended", text); });
  EXPECT_THAT(why_not(), testing::HasSubstr("which never began"));
  EXPECT_EQ(merged("SELECT count(*) FROM run"), Rows{"0"});
  EXPECT_TRUE(files_.names((to_.path() / "artifacts").string())->empty());
}

TEST_F(Merge, of_facts_that_end_before_their_measurements_is_refused) {
  write_export();
  change_facts([](const std::string& text) { return without("measured", text); });
  EXPECT_THAT(why_not(), testing::HasSubstr("its facts lack the measurement of the record"));
  EXPECT_EQ(merged("SELECT count(*) FROM run"), Rows{"0"});
}

TEST_F(Merge, DISABLED_in_a_process_that_is_killed) {
  const std::filesystem::path folder = folder_to_be_killed_in();
  store::Store store = open_store(folder / "to");
  static_cast<void>(keep::merge(store, (folder / "from").string(), {}).ok());
}

TEST_F(Merge, done_again_after_a_kill_at_any_point_ends_as_without_one) {
  write_export();
  ASSERT_TRUE(merge());
  const std::string undisturbed = state();
  for (const auto& [point, hit] :
       std::vector<std::pair<std::string, int>>{{"merge-placed", 1},
                                                {"merge-placed", 2},
                                                {"record-appended", 1},
                                                {"merge-committed", 1}}) {
    const TemporaryFolder work;
    std::filesystem::copy(from_.path(), work.path() / "from",
                          std::filesystem::copy_options::recursive);
    ASSERT_TRUE(
        killed_at(point, hit, "Merge.DISABLED_in_a_process_that_is_killed", work.path().string()))
        << point;
    std::filesystem::remove_all(to_.path());
    std::filesystem::rename(work.path() / "to", to_.path());
    const auto report = merge();
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_EQ(state(), undisturbed) << point << ":" << hit;
  }
}

}  // namespace merge_runs_test
}  // namespace orch
