// Descriptions of points and stages.
#include "analysis/report/describe.hpp"

#include "analysis/report/support.hpp"

namespace orch {
namespace describe_test {

using namespace sample;
using Describe = ReportTest;

TEST_F(Describe, show_describes_a_point) {
  const auto named = report::find_named(reader().database(), "tiny_c1");
  const auto text =
      report::describe(reader().database(), reader().layout().root, *named, report::Shape::json);
  ASSERT_TRUE(text.ok()) << text.error().text();
  const json point = json::parse(*text);
  EXPECT_EQ(point["point"], "tiny_c1-aaaaaa");
  EXPECT_EQ(point["parameters"], (json{{"model", "tiny"}, {"batch_size", 8}, {"concurrency", 1}}));
  EXPECT_EQ(
      point["measurements"][0]["metrics"]["ttft_ms"],
      (json{{"mean", 10.0}, {"sd", 0.5}, {"min", 9.0}, {"max", 12.0}, {"p99", 11.5}, {"n", 2}}));
  EXPECT_EQ(point["measurements"][0]["metrics"]["build_s"], 12.5);
  EXPECT_EQ(point["measurements"][0]["client_cpus"], "0");
  EXPECT_EQ(point["measurements"][0]["client_cpus_why"], "the server is bound to CPU 1");
  EXPECT_EQ(point["stages"].size(), 3u);
  EXPECT_EQ(point["stages"][0]["command"], (json{"/usr/bin/build", "--go"}));
  EXPECT_EQ(point["stages"][0]["machine"]["cpu_model"], "Sample CPU");
  const auto people =
      report::describe(reader().database(), reader().layout().root, *named, report::Shape::text);
  EXPECT_THAT(*people, testing::StartsWith("tiny_c1-aaaaaa\n  experiment quick, newest run 1\n"));
}

TEST_F(Describe, show_describes_a_stage) {
  const auto named = report::find_named(reader().database(), "build");
  const json stage = json::parse(
      report::describe(reader().database(), reader().layout().root, *named, report::Shape::json)
          .value());
  EXPECT_EQ(stage["stage"], named->name);
  EXPECT_EQ(stage["digest"], make_plan().stages[0].digest.hex());
  EXPECT_EQ(stage["points"], (json{"tiny_c1-aaaaaa", "tiny_c4-aaaaaa"}));
  EXPECT_EQ(stage["components"][1], (json{"parameter.model", "tiny"}));
  EXPECT_EQ(stage["attempts"][0]["artifact"],
            (reader().layout().root / "artifacts" / named->name).string());
  EXPECT_EQ(stage["attempts"][0]["artifact_bytes"], 1 << 30);
  const auto people =
      report::describe(reader().database(), reader().layout().root, *named, report::Shape::text);
  EXPECT_THAT(*people, testing::HasSubstr("(1 files, 1.0 GiB, digest "));
  EXPECT_THAT(*people, testing::HasSubstr(" components, which --all lists\n"));
  EXPECT_THAT(*people, testing::Not(testing::HasSubstr("model = tiny")));
  const auto all = report::describe(reader().database(), reader().layout().root, *named,
                                    report::Shape::text, {.all = true});
  EXPECT_THAT(*all, testing::HasSubstr("model = tiny"));
}

}  // namespace describe_test
}  // namespace orch
