// Job files of make_prompts.py that name datasets.
#include "bench/prompt/prompt_cache.hpp"

#include "fakes/memory_files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::prompt {
namespace prompt_jobs_test {

using Json = nlohmann::json;

class PromptJobs : public testing::Test {
 protected:
  PromptJobs() {
    for (const char* folder : {"/a", "/data"}) EXPECT_TRUE(files_.make_folder(folder).ok());
  }
  Status place(const Json& jobs) {
    EXPECT_TRUE(files_.write("/a/jobs.json", jobs.dump()).ok());
    return prepare_prompt_jobs("/a/jobs.json", files_);
  }
  Json placed() { return Json::parse(*files_.read("/a/jobs.json")); }

  fakes::MemoryFiles files_;
};

TEST_F(PromptJobs, ReadADatasetOfSeveralJobsOnceAndPlaceItsRowsBesideThem) {
  ASSERT_TRUE(files_.write("/data/p.jsonl", R"({"input": "a"})").ok());
  ASSERT_TRUE(place({{{"id", "x"}, {"dataset", "local:/data/p.jsonl"}},
                     {{"id", "y"}, {"dataset", ""}},
                     {{"id", "z"}, {"dataset", "local:/data/p.jsonl"}}})
                  .ok());
  EXPECT_EQ(placed(), Json({{{"id", "x"}, {"rows", "/a/rows-0.jsonl"}},
                            {{"id", "y"}},
                            {{"id", "z"}, {"rows", "/a/rows-0.jsonl"}}}));
  EXPECT_EQ(*files_.read("/a/rows-0.jsonl"),
            "{\"text_input\":\"a\",\"warmup\":false,\"block\":0,\"line\":1}\n");
}

TEST_F(PromptJobs, RefuseAJobWhoseDatasetCannotBeReadAndLeaveTheOthers) {
  ASSERT_TRUE(files_.write("/data/bad.jsonl", "{\"input\": \"a\"}\n{\"input\": 1}").ok());
  ASSERT_TRUE(files_.write("/data/good.jsonl", R"({"input": "a"})").ok());
  ASSERT_TRUE(place({{{"dataset", "local:/data/bad.jsonl"}},
                     {{"dataset", "local:/data/none"}},
                     {{"dataset", "local:/data/good.jsonl"}}})
                  .ok());
  const Json jobs = placed();
  EXPECT_EQ(jobs[0]["refused"], "/data/bad.jsonl:2: 'input' is '1'; it must be a JSON string");
  EXPECT_TRUE(jobs[1].contains("refused"));
  EXPECT_FALSE(jobs[1].contains("rows"));
  EXPECT_TRUE(jobs[2].contains("rows"));
}

TEST_F(PromptJobs, WithAStandardDeviationGetLengthsOfTheirSeedAndStream) {
  const Json job = {{"isl", "100"},  {"isl_sd", "20"}, {"isl_max", "110"}, {"requests", "50"},
                    {"warmup", "5"}, {"seed", "7"},    {"stream", "a"},    {"dataset", ""}};
  Json other = job;
  other["stream"] = "b";
  ASSERT_TRUE(place({job, job, other}).ok());
  const Json jobs = placed();
  EXPECT_EQ(jobs[0], jobs[1]);
  EXPECT_NE(jobs[0]["lengths"], jobs[2]["lengths"]);
  const auto measured = jobs[0]["lengths"]["measured"].get<std::vector<int>>();
  ASSERT_EQ(measured.size(), 50u);
  EXPECT_EQ(jobs[0]["lengths"]["warmup"].size(), 5u);
  EXPECT_EQ(*std::max_element(measured.begin(), measured.end()), 110);
  EXPECT_LT(*std::min_element(measured.begin(), measured.end()), 90);
  EXPECT_EQ(jobs[0]["near"], true);
  EXPECT_FALSE(jobs[0].contains("isl_sd") || jobs[0].contains("isl_max"));
}

TEST_F(PromptJobs, ThatReuseADatasetTakeOneBlockOfItsRows) {
  ASSERT_TRUE(files_.write("/data/p.jsonl", "{\"input\": \"a\"}\n{\"input\": \"b\"}\n").ok());
  const Json job = {{"requests", "50"}, {"warmup", "5"}, {"blocks", "3"}, {"reuse", "true"}};
  Json whole = job, once = job;
  whole["dataset"] = "local:/data/p.jsonl";
  once["reuse"] = "false";
  once["batch"] = "4";
  ASSERT_TRUE(place({job, whole, once}).ok());
  EXPECT_EQ(
      placed(),
      Json({{{"requests", "50"}, {"warmup", "0"}, {"blocks", "1"}},
            {{"requests", "2"}, {"warmup", "0"}, {"blocks", "1"}, {"rows", "/a/rows-0.jsonl"}},
            {{"requests", "200"}, {"warmup", "20"}, {"blocks", "3"}}}));
  EXPECT_EQ(rows_needed({{"requests", "50"}, {"warmup", "5"}, {"blocks", "3"}}, 100).all(), 165);
  EXPECT_EQ(rows_needed({{"requests", "50"}, {"blocks", "3"}, {"reuse", "true"}}, 20).all(), 20);
}

TEST_F(PromptJobs, NameAFileThatIsNoArrayOfJobs) {
  EXPECT_EQ(place("text").error().text(),
            "/a/jobs.json: this is not an array of jobs as written for a stage with 'batch'");
  EXPECT_FALSE(place({1}).ok());
  EXPECT_FALSE(place({{{"dataset", 1}}}).ok());
}

}  // namespace prompt_jobs_test
}  // namespace orch::prompt
