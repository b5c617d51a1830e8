// Which files tell of one measurement.
#include "results/imports/gather.hpp"

#include "results/imports/reading_of.hpp"

namespace orch::imports {
namespace gather_test {

Gathered file(const std::string& path, const std::string& format, const std::string& load = "4") {
  Gathered one;
  one.format = find_format(format);
  one.reading.tool = one.format->tool;
  one.files = {{path, "sha-" + path}};
  if (!load.empty())
    one.reading.parameters["concurrency"] = matrix::Value{matrix::Type::integer, load};
  if (format == "profile-export" || format == "aiperf-jsonl") {
    one.reading.requests.records.emplace_back();
  } else {
    one.reading.figures.push_back(
        {.name = format == "genai-perf-csv" ? "itl_ms" : "ttft_ms", .mean = {}});
    one.reading.figures.back().mean = 1;
  }
  return one;
}

// "a.json+b.json c.json": the files of each measurement.
std::string gathered(std::vector<Gathered> all, Together how = Together::by_name) {
  std::string text;
  for (const Gathered& one : gather(std::move(all), how)) {
    if (!text.empty()) text += " ";
    for (std::size_t i = 0; i < one.files.size(); ++i)
      text += (i > 0 ? "+" : "") + one.files[i].path;
  }
  return text;
}

TEST(Gather, JoinsAReportWithTheExportOfItsName) {
  EXPECT_EQ(gathered({file("a/x.json", "profile-export"),
                      file("a/x_genai_perf.csv", "genai-perf-csv", ""),
                      file("a/x_genai_perf.json", "genai-perf-json")}),
            "a/x_genai_perf.json+a/x.json+a/x_genai_perf.csv");
  EXPECT_EQ(
      gathered({file("a/e_aiperf.json", "aiperf-json"), file("a/e.jsonl", "aiperf-jsonl", "")}),
      "a/e_aiperf.json+a/e.jsonl");
}

TEST(Gather, KeepsFilesOfOtherNamesFoldersAndLoadsApart) {
  EXPECT_EQ(
      gathered({file("a/x.json", "profile-export"), file("b/x_genai_perf.json", "genai-perf-json"),
                file("a/y_genai_perf.json", "genai-perf-json")}),
      "a/x.json b/x_genai_perf.json a/y_genai_perf.json");
  EXPECT_EQ(gathered({file("a/x.json", "profile-export", "8"),
                      file("a/x_genai_perf.json", "genai-perf-json", "4")}),
            "a/x.json a/x_genai_perf.json");
}

TEST(Gather, JoinsPerfAnalyzersFilesOfAFolderByTheirLoad) {
  EXPECT_EQ(
      gathered({file("a/r.csv", "perf-analyzer-csv", "1"),
                file("a/r.csv", "perf-analyzer-csv", "4"), file("a/e.json", "profile-export", "4"),
                file("a/log.txt", "perf-analyzer-text", "1")}),
      "a/r.csv+a/log.txt a/r.csv+a/e.json");
  EXPECT_EQ(gathered({file("a/r.csv", "perf-analyzer-csv"), file("a/s.csv", "perf-analyzer-csv"),
                      file("a/e.json", "profile-export")}),
            "a/r.csv a/s.csv a/e.json")
      << "which of the two reports it belongs to is unknown";
}

TEST(Gather, JoinsTheFilesOfComposingModelsWithTheirReport) {
  Gathered model = file("a/pre_v1.r.csv", "perf-analyzer-csv");
  model.reading.figures.clear();
  model.reading.models.emplace_back();
  EXPECT_EQ(gathered({model, file("a/r.csv", "perf-analyzer-csv"),
                      file("a/q.csv", "perf-analyzer-csv", "8")}),
            "a/r.csv+a/pre_v1.r.csv a/q.csv");
}

// Compared with each other, they would take longer than any test may.
TEST(Gather, TakesAsLongAsThereAreRows) {
  constexpr std::size_t k_rows = 100'000;
  std::vector<Gathered> rows(k_rows, file("a/stats.csv", "benchmark-core-model-csv", ""));
  EXPECT_EQ(gather(rows, Together::by_name).size(), k_rows);
  EXPECT_EQ(gather(std::move(rows), Together::one_call).size(), k_rows);
}

TEST(Gather, JoinsAllFilesOfOneCall) {
  EXPECT_EQ(gathered({file("stdout.txt", "perf-analyzer-text"),
                      file("other.json", "profile-export"), file("r.csv", "perf-analyzer-csv")},
                     Together::one_call),
            "r.csv+other.json+stdout.txt");
}

TEST(Gather, JoinsTheTableAndTheFileOfBenchmarkCoreModel) {
  EXPECT_EQ(gathered({file("stdout.txt", "benchmark-core-model"),
                      file("op_stats.csv", "benchmark-core-model-csv")},
                     Together::one_call),
            "stdout.txt+op_stats.csv");
}

TEST(Gather, TakesFiguresThatTheReportLacks) {
  const auto all = gather({file("a/x_genai_perf.json", "genai-perf-json"),
                           file("a/x_genai_perf.csv", "genai-perf-csv")},
                          Together::by_name);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(figure(all[0].reading, "ttft_ms"), 1);
  EXPECT_EQ(figure(all[0].reading, "itl_ms"), 1);
}

}  // namespace gather_test
}  // namespace orch::imports
