// The page about a point.
#include "analysis/report/describe.hpp"
#include "analysis/report/support.hpp"

namespace orch {
namespace point_page_test {

using namespace sample;
using testing::HasSubstr;
using testing::Not;

class PointPage : public testing::Test {
 protected:
  // Two repeats of one point; MATRIX is the text of its matrix.
  void run(const std::string& matrix, const std::string& remark = "",
           const std::string& secret_name = "") {
    store::Store store = open_store(folder_.path());
    store::RunInfo info = run_info();
    info.matrix_text = matrix;
    if (!secret_name.empty()) info.machine["cpu_model"] = secret_name;
    Driver driver(store, make_plan({.concurrencies = {1}, .repeats = 2}), info);
    driver.run_build();
    const AttemptKey session = driver.run_serve();
    json first = measurement(10, 100), second = measurement(12.3456, 110);
    if (!remark.empty()) first["warnings"] = {remark, "the load was short"};
    for (json* one : {&first, &second}) {
      json& ttft = (*one)["metrics"]["ttft_ms"];
      ttft["interval_low"] = ttft["mean"].get<double>() - 1;
      ttft["interval_high"] = ttft["mean"].get<double>() + 1;
    }
    driver.run_bench(0, session, first);
    driver.run_bench(1, session, second);
    driver.commit();
    driver.finish(store::Outcome::done);
  }
  std::string page(const report::PageOptions& options = {}) {
    store::Store store = open_store(folder_.path(), store::Mode::read);
    const auto text = report::point_page(store.database(), "tiny_c1-aaaaaa", options);
    return text ? *text : "error: " + text.error().text();
  }
  // The position of a heading.
  static std::size_t at(const std::string& text, const std::string& heading) {
    return text.find("\n" + heading);
  }

  TemporaryFolder folder_;
};

TEST_F(PointPage, has_its_parts_in_the_order_in_which_a_reader_asks) {
  run("axes: {concurrency: [1]}\n", "another program used the cores");
  const std::string text = page();
  const std::vector<std::size_t> order = {at(text, "figures: mean of 2 measurements"),
                                          at(text, "measurements\n"),
                                          at(text, "remarks\n"),
                                          at(text, "parameters\n"),
                                          at(text, "where the figures come from\n"),
                                          at(text, "commands\n")};
  for (const std::size_t place : order) EXPECT_NE(place, std::string::npos) << text;
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << text;
  EXPECT_THAT(text, testing::StartsWith("tiny_c1-aaaaaa\n  experiment quick, newest run 1\n"));
  EXPECT_THAT(text, testing::EndsWith("/usr/bin/bench --go\n"));
}

TEST_F(PointPage, has_the_mean_over_repeats_with_its_interval_and_then_each_measurement) {
  run("axes: {concurrency: [1]}\n");
  const std::string text = page();
  EXPECT_THAT(text, testing::ContainsRegex("\n  ttft_ms +11 +0 to 26 "));
  EXPECT_THAT(text, testing::ContainsRegex("\n +1  2023-11-14 .* yes +10 +100\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\n +2  2023-11-14 .* yes +12.35 +110\n"));
}

TEST_F(PointPage, folds_the_parameters_that_the_matrix_does_not_set) {
  run("axes: {concurrency: [1]}  # not batch_size\ndefaults:\n  \"model\" : tiny\n");
  const std::string text = page();
  EXPECT_THAT(text, testing::ContainsRegex("\n  concurrency +1\n  model +tiny\n"));
  EXPECT_THAT(text, HasSubstr("  + 1 parameter at its default, which the matrix does not set; "
                              "--all shows it\n"));
  EXPECT_THAT(text, Not(testing::ContainsRegex("\n  batch_size +8\n")));
  EXPECT_THAT(page({.all = true}), testing::ContainsRegex("\n  batch_size +8\n"));
}

TEST_F(PointPage, names_each_remark_once_and_whom_it_concerns) {
  run("axes: {concurrency: [1]}\n", "another program used the cores");
  const std::string text = page();
  EXPECT_THAT(text,
              HasSubstr("  - another program used the cores (measurement 1)\n  - the load was "
                        "short (measurement 1)\n"));
  EXPECT_THAT(text, HasSubstr("  - client: CPUs 0 (real-time): the server is bound to CPU 1\n"));
}

TEST_F(PointPage, has_short_digests_and_no_raw_json) {
  run("axes: {concurrency: [1]}\n");
  const std::string digest = make_plan().stages[0].digest.hex();
  EXPECT_THAT(page(), HasSubstr(digest.substr(0, 12) + "\n"));
  EXPECT_THAT(page(), Not(HasSubstr(digest.substr(0, 13))));
  EXPECT_THAT(page({.all = true}), HasSubstr(digest));
  EXPECT_THAT(page(), HasSubstr("  machine: cpu_model Sample CPU, host here\n"));
  for (const char* raw : {"{\"", "[\"", "null"}) EXPECT_THAT(page(), Not(HasSubstr(raw)));
}

TEST_F(PointPage, shows_hostile_texts_as_text) {
  run("axes: {concurrency: [1]}\n", "bad \x1b[2J \u202e text", "CPU \x1b]0;title\x07");
  const std::string text = page();
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("bad \\x1b[2J \\u202e text"));
  EXPECT_THAT(text, HasSubstr("CPU \\x1b]0;title\\x07"));
}

TEST_F(PointPage, of_an_unknown_point_is_an_error) {
  run("axes: {concurrency: [1]}\n");
  store::Store store = open_store(folder_.path(), store::Mode::read);
  EXPECT_EQ(report::point_page(store.database(), "nothing").error().text(), "no point 'nothing'");
}

}  // namespace point_page_test
}  // namespace orch
