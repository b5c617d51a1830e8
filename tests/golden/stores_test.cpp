// Stores that earlier programs made (stores/README.md), each read, verified, rebuilt, run again and
// merged by the program of today. With ORCH_UPDATE_GOLDEN=1 the tests write the recorded answers.
#include "core/base/digest.hpp"
#include "core/base/text.hpp"
#include "e2e/sweep.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace orch::e2e {
namespace stores_test {

namespace fs = std::filesystem;

const fs::path k_stores = fs::path(ORCH_SOURCE_DIR) / "tests/golden/stores";

// Their answers stand in the recorded text as they are. Of every view there is a hash beside them.
constexpr std::string_view k_queries[] = {
    "SELECT experiment, run, point, tool, repeats, round(ttft_ms, 6) AS ttft_ms, "
    "round(request_latency_ms_p99, 6) AS p99, round(requests_per_s, 6) AS requests_per_s, "
    "warnings FROM results_by_tool ORDER BY 1, 2, 3, 4",
    "SELECT experiment, run, stage, kind, attempt, class, message, final, points, exit_code, "
    "signal "
    "FROM failures ORDER BY 1, 2, 3, 5",
    "SELECT experiment, run, stage, planned, state, why, attempts, points, artifact, "
    "artifact_bytes "
    "FROM stages ORDER BY 1, 2, 3",
    "SELECT experiment, run, point, stage, digest, artifact_digest, made_by_run, attempt, job, "
    "node, orchestrate_version FROM provenance ORDER BY 1, 2, 3, 4",
};

struct View {
  std::string name, columns;  // columns as a SELECT lists them
};

class Stores : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("XDG_CACHE_HOME", sweep.folder().c_str(), 1); }

  std::string unpack(const std::string& name, const std::string& as) {
    const std::string folder = sweep.folder() + "/" + as;
    fs::create_directories(folder);
    const std::string tar = k_stores / (name + ".tar.xz");
    const Finished done = sweep.run({"tar", "-xJf", tar, "-C", folder, "--strip-components=1"});
    EXPECT_EQ(done.code, 0) << done.err;
    return folder;
  }
  Finished in(const std::string& store, std::vector<std::string> words) {
    words.insert(words.end(), {"--store", store});
    return sweep.orchestrate(words);
  }
  std::string csv(const std::string& store, const std::string& sql) {
    const Finished done = in(store, {"query", sql, "--format", "csv"});
    EXPECT_EQ(done.code, 0) << sql << "\n" << done.err;
    return done.out;
  }
  std::string value(const std::string& store, const std::string& sql) {
    const std::string lines = csv(store, sql);
    return std::string(trim(lines.substr(lines.find('\n') + 1)));
  }
  void expect_whole(const std::string& store) {
    const Finished done = in(store, {"verify"});
    EXPECT_EQ(done.code, 0) << done.out << done.err;
  }
  void copy_project() {
    fs::copy(k_stores / "project", sweep.folder(), fs::copy_options::recursive);
  }
  Finished run(const std::string& matrix, const std::string& store) {
    return in(store, {"run", matrix});
  }
  // Points that MATRIX would reuse on the machine of STORE, which need not be this one.
  int reused(const std::string& matrix, const std::string& store) {
    const Finished done = in(store, {"plan", matrix, "--json", "--machine", "machine.yaml"});
    const Json plan = Json::parse(done.out, nullptr, false);
    int count = 0;
    for (const Json& point : plan["points"]) count += point["status"] == "reuse";
    return count;
  }
  // Attempts of tasks, which do not depend on the machine. The environment is made again where the
  // store stands elsewhere.
  std::string tasks_made(const std::string& store) {
    return value(store,
                 "SELECT count(*) FROM attempt a JOIN stage s ON s.id = a.stage_id WHERE s.kind = "
                 "'task' AND s.name <> 'environment'");
  }

  Sweep sweep;
};

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(k_stores))
    if (const std::string name = entry.path().filename(); name.ends_with(".tar.xz"))
      found.push_back(name.substr(0, name.size() - 7));
  std::sort(found.begin(), found.end());
  return found;
}

class EachStore : public Stores, public ::testing::WithParamInterface<std::string> {
 protected:
  fs::path recorded() const { return k_stores / (GetParam() + ".expected"); }

  // Views and columns that the recorded text has: later programs may add more.
  std::vector<View> recorded_views() const {
    std::vector<View> views;
    for (const std::string& line : split(Sweep::read(recorded()), '\n'))
      if (line.starts_with("view "))
        views.push_back({.name = line.substr(5, line.find(' ', 5) - 5),
                         .columns = line.substr(line.find('"'))});
    return views;
  }
  std::vector<View> views_of(const std::string& store) {
    std::vector<View> views;
    for (const Json& row :
         Json::parse(in(store, {"schema", "views", "--format", "json"}).out, nullptr, false)) {
      const std::string view = row["view"], column = row["column"];
      if (views.empty() || views.back().name != view)
        views.push_back({.name = view, .columns = ""});
      std::string& columns = views.back().columns;
      columns += fmt::format("{}\"{}\"", columns.empty() ? "" : ", ", column);
    }
    return views;
  }
  std::string answers(const std::string& store, const std::vector<View>& views) {
    std::string text;
    for (const std::string_view sql : k_queries) text += csv(store, std::string(sql)) + "\n";
    for (const View& view : views) {
      const std::string rows =
          csv(store, fmt::format("SELECT {} FROM {}", view.columns, view.name));
      std::vector<std::string> lines = split(rows, '\n');
      std::sort(lines.begin(), lines.end());
      text += fmt::format("view {} has {} rows, {}, of {}\n", view.name, lines.size() - 2,
                          sha256(join(lines, "\n")).prefix(12), view.columns);
    }
    return text;
  }
};

TEST_P(EachStore, GivesTheRecordedAnswersBeforeAndAfterARebuild) {
  const std::string store = unpack(GetParam(), "elsewhere/copied");
  if (std::getenv("ORCH_UPDATE_GOLDEN"))
    std::ofstream(recorded()) << answers(store, views_of(store));
  const std::string expected = Sweep::read(recorded());
  const std::vector<View> views = recorded_views();
  EXPECT_EQ(answers(store, views), expected);
  for (const View& view : views_of(store))
    EXPECT_EQ(in(store, {"query", view.name, "--rows", "1"}).code, 0) << view.name;
  expect_whole(store);
  const Finished rebuilt = in(store, {"verify", "--rebuild"});
  EXPECT_EQ(rebuilt.code, 0) << rebuilt.out << rebuilt.err;
  EXPECT_EQ(answers(store, views), expected) << "after a rebuild";
}

// Its schema is older than that of this program.
TEST_P(EachStore, IsReadWithoutAChangeAndMigratedWithACopyKept) {
  const std::string store = unpack(GetParam(), "elsewhere/read"), file = store + "/results.db";
  const std::string before = Sweep::read(file);
  expect_whole(store);
  EXPECT_EQ(in(store, {"verify", "--quick"}).code, 0);
  EXPECT_EQ(in(store, {"query", "results"}).code, 0);
  EXPECT_EQ(Sweep::read(file), before);
  const auto copies = [&] {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(store))
      if (const std::string name = entry.path().filename(); name.starts_with("results.db.version-"))
        found.push_back(name);
    return found;
  };
  EXPECT_TRUE(copies().empty());
  EXPECT_EQ(in(store, {"gc", "--apply"}).code, 0);
  EXPECT_EQ(copies().size(), 1u);
  EXPECT_NE(Sweep::read(file), before);
  expect_whole(store);
}

INSTANTIATE_TEST_SUITE_P(Golden, EachStore, testing::ValuesIn(names()),
                         [](const auto& store) { return store.param; });

TEST_F(Stores, FinishedRunsAreReusedAsAWhole) {
  copy_project();
  for (const auto& [name, points] :
       std::map<std::string, int>{{"finished", 4}, {"resumed", 6}, {"slurm", 4}}) {
    const std::string store = unpack(name, name), tasks = tasks_made(store);
    EXPECT_EQ(reused(name + ".yaml", store), points) << name;
    const Finished again = run(name + ".yaml", store);
    EXPECT_EQ(again.code, 0) << again.out << again.err;
    EXPECT_EQ(tasks_made(store), tasks) << name << again.err;
    expect_whole(store);
  }
}

TEST_F(Stores, AnInterruptedRunIsResumedAndKeepsWhatItHad) {
  copy_project();
  const std::string store = unpack("interrupted", "interrupted"), tasks = tasks_made(store);
  EXPECT_EQ(reused("interrupted.yaml", store), 2);
  const Finished resumed = run("interrupted.yaml", store);
  EXPECT_EQ(resumed.code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(value(store, "SELECT count(*) FROM results"), "6");
  EXPECT_EQ(tasks_made(store), tasks) << resumed.err;
  expect_whole(store);
}

TEST_F(Stores, FailuresOfTheSystemStayAndAreNotTriedAgain) {
  copy_project();
  const std::string store = unpack("failed", "failed"), tasks = tasks_made(store);
  EXPECT_EQ(reused("failed.yaml", store), 2);
  const Finished again = run("failed.yaml", store);
  EXPECT_EQ(again.code, 1) << again.out << again.err;
  EXPECT_EQ(tasks_made(store), tasks) << again.err;
}

TEST_F(Stores, ExportedAndMergedAreOneStore) {
  constexpr const char* k_rows =
      "SELECT experiment, point, tool, repeats, ttft_ms, requests_per_s FROM results_by_tool";
  std::vector<std::string> rows;
  const auto lines_of = [&](const std::string& store) {
    std::vector<std::string> lines = split(csv(store, k_rows), '\n');
    lines.erase(lines.begin());  // the names of the columns
    std::erase(lines, "");
    return lines;
  };
  for (const std::string& name : names()) {
    if (name == "interrupted") continue;  // its run is not over
    const std::string store = unpack(name, name), bundle = sweep.folder() + "/" + name + ".export";
    for (const std::string& line : lines_of(store)) rows.push_back(line);
    const Finished exported = in(store, {"export", bundle});
    EXPECT_EQ(exported.code, 0) << name << exported.err;
    const Finished merged = in(sweep.folder() + "/all", {"merge", bundle});
    EXPECT_EQ(merged.code, 0) << name << merged.err;
  }
  std::vector<std::string> merged = lines_of(sweep.folder() + "/all");
  std::sort(rows.begin(), rows.end());
  std::sort(merged.begin(), merged.end());
  EXPECT_EQ(merged, rows);
  expect_whole(sweep.folder() + "/all");
}

}  // namespace stores_test
}  // namespace orch::e2e
