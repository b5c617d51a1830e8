// Job files of make_prompts.py that name datasets.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fakes/memory_files.hpp"
#include "prompt/dataset_jobs.hpp"

namespace orch::prompt {
namespace {

using Json = nlohmann::json;

class DatasetJobs : public testing::Test {
 protected:
  DatasetJobs() {
    for (const char* folder : {"/a", "/data"}) EXPECT_TRUE(files_.make_folder(folder).ok());
  }
  Status place(const Json& jobs) {
    EXPECT_TRUE(files_.write("/a/jobs.json", jobs.dump()).ok());
    return place_dataset_rows("/a/jobs.json", files_);
  }
  Json placed() { return Json::parse(*files_.read("/a/jobs.json")); }

  fakes::MemoryFiles files_;
};

TEST_F(DatasetJobs, ReadADatasetOfSeveralJobsOnceAndPlaceItsRowsBesideThem) {
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

TEST_F(DatasetJobs, RefuseAJobWhoseDatasetCannotBeReadAndLeaveTheOthers) {
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

TEST_F(DatasetJobs, NameAFileThatIsNoArrayOfJobs) {
  EXPECT_EQ(place("text").error().text(),
            "/a/jobs.json: this is not an array of jobs as a stage with 'batch' writes it");
  EXPECT_FALSE(place({1}).ok());
  EXPECT_FALSE(place({{{"dataset", 1}}}).ok());
}

}  // namespace
}  // namespace orch::prompt
