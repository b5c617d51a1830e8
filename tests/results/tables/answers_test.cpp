// Answers of any size are ingested a block at a time, and a fault in them loses no metric.
#include "results/tables/answers.hpp"

#include "core/sql/packed.hpp"
#include "results/store/inbox.hpp"
#include "results/store/rebuild.hpp"
#include "results/store/sample.hpp"

#include <sys/stat.h>

namespace orch {
namespace answers_test {

using namespace sample;

constexpr std::size_t k_mib = std::size_t{1} << 20;

// Tests of more than 64 MiB take minutes there. They start no thread.
#ifdef __SANITIZE_THREAD__
#define SKIP_UNDER_THREAD_SANITIZER() \
  GTEST_SKIP() << "more than 64 MiB of answers take minutes under the thread sanitizer"
#else
#define SKIP_UNDER_THREAD_SANITIZER() static_cast<void>(0)
#endif

// A line of answers.jsonl with its fields in the order that bench writes.
std::string answer_line(int line, const std::string& answer) {
  return fmt::format("{{\"line\":{},\"answer\":{}}}\n", line, json(answer).dump());
}

// Text that hardly compresses.
std::string noise(std::size_t bytes, std::uint64_t seed) {
  std::string out(bytes, '\0');
  for (char& c : out) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    c = static_cast<char>('0' + (seed >> 58));
  }
  return out;
}

// requests.jsonl of COUNT requests without answers.
std::string request_lines(int count, int measurement = 0) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    json line = requests()[1];
    line.erase("answer");
    line["index"] = i;
    line["measurement"] = measurement;
    out += line.dump() + "\n";
  }
  return out;
}

store::Publication published(const std::vector<json>& measurements, const std::string& lines,
                             const std::string& answers) {
  store::Publication publication{
      .token = {}, .experiment = "bench", .info = run_info(), .points = {}};
  publication.points.push_back(
      {.name = "tiny",
       .parameters = {},
       .measurement = json{{"schema", 1}, {"measurements", measurements}}.dump(),
       .requests = lines,
       .answers = answers});
  return publication;
}

void ingest_publication(const std::filesystem::path& root, const store::Publication& publication) {
  ASSERT_TRUE(store::publish(real_host().files, store::Layout{root}, publication).ok());
  store::Store store = open_store(root);
  ASSERT_TRUE(store.ingest().ok());
  ASSERT_EQ(store.notices(), Rows{});
}

// Publishes a record of two requests with the answer file BYTES.
void ingest_publication(const std::filesystem::path& root, const std::string& bytes) {
  ingest_publication(root, published({measurement(10, 100)}, request_lines(2), bytes));
}

const char* const k_measured = "SELECT valid, reasons, warnings, ttft_ms FROM results_all";
const char* const k_kept = "SELECT idx, length(answer) FROM answers ORDER BY idx";

TEST(AnswersFile, gives_each_request_its_text) {
  const TemporaryFolder folder;
  ingest_publication(folder.path(),
                     pack(answer_line(2, "it is") +
                          json{{"line", 1}, {"answer", "warm"}, {"more", {{"deep", 1}}}}.dump()));
  EXPECT_EQ(rows(folder.path(), "SELECT idx, answer FROM answers ORDER BY idx"),
            (Rows{"0|warm", "1|it is"}));
  EXPECT_EQ(rows(folder.path(), k_measured), Rows{"1|||10.0"});
}

TEST(AnswersFile, that_is_malformed_loses_no_metric_and_is_reported_in_warnings) {
  const auto warnings_of = [](const std::string& bytes) {
    const TemporaryFolder folder;
    ingest_publication(folder.path(), bytes);
    EXPECT_EQ(rows(folder.path(), "SELECT valid, ttft_ms FROM results_all"), Rows{"1|10.0"});
    return rows(folder.path(), "SELECT warnings, (SELECT count(*) FROM answers) FROM results_all")
        .at(0);
  };
  const std::string none = "only the answers of 0 of 2 requests are kept: answers.jsonl.zst: ",
                    one = "only the answers of 1 of 2 requests are kept: answers.jsonl.zst: ";
  EXPECT_EQ(warnings_of("text"), none + "cannot be unpacked: Unknown frame descriptor|0");
  EXPECT_EQ(warnings_of(pack("{\"line\":1,\"answer\":\"a\"}\n{\"line\":9,\"answer\":\"b\"}\n")),
            one + "line 2: requests.jsonl has no line 9|1");
  EXPECT_EQ(warnings_of(pack("{\"line\":1,\"answer\":\"a\"}\n{\"line\":1,\"answer\":\"b\"}\n")),
            one + "line 2: line 1 of requests.jsonl is answered already|1");
  EXPECT_EQ(warnings_of(pack("{\"line\":0,\"answer\":\"a\"}")),
            none + "line 1: requests.jsonl has no line 0|0");
  for (const char* line : {"{\"line\":1}", "{\"line\":1,\"answer\":[\"a\"]}", "[1]", "7",
                           "{\"line\":1,\"answer\":\"a\""})
    EXPECT_EQ(warnings_of(pack(line)), none + "line 1: not {\"line\": N, \"answer\": TEXT}|0")
        << line;
  const std::string cut =
      pack(answer_line(1, "a")) + pack(answer_line(2, noise(1000, 1))).substr(0, 500);
  EXPECT_EQ(warnings_of(cut), one + "cannot be unpacked: it is truncated|1");
}

TEST(AnswersFile, that_ends_early_is_reported_in_measurements_that_lack_answers) {
  const TemporaryFolder folder;
  const json second = [] {
    json one = measurement(20, 90);
    one["warnings"] = {"slow"};
    return one;
  }();
  ingest_publication(folder.path(), published({measurement(10, 100), second},
                                              request_lines(1, 0) + request_lines(1, 1),
                                              pack(answer_line(1, "a") + "no\n")));
  EXPECT_EQ(rows(folder.path(), "SELECT ttft_ms, warnings FROM results_all ORDER BY measurement"),
            (Rows{"10.0|",
                  "20.0|slow; only the answers of 0 of 1 requests are kept: answers.jsonl.zst: "
                  "line 2: not {\"line\": N, \"answer\": TEXT}"}));
}

TEST(AnswersFile, is_given_to_each_of_several_measurements) {
  const TemporaryFolder folder;
  std::string answers;
  for (int line = 1; line <= 4; ++line)
    answers += answer_line(line, fmt::format("of line {}", line));
  ingest_publication(folder.path(), published({measurement(10, 100), measurement(20, 90)},
                                              request_lines(1, 0) + request_lines(1, 1) +
                                                  request_lines(1, 0) + request_lines(1, 1),
                                              pack(answers)));
  EXPECT_EQ(
      rows(folder.path(), "SELECT measurement, answer FROM answers ORDER BY measurement, answer"),
      (Rows{"1|of line 1", "1|of line 3", "2|of line 2", "2|of line 4"}));
}

TEST(AnswersFile, that_is_a_pipe_does_not_block) {
  const TemporaryFolder folder;
  const auto publication = published({measurement(10, 100)}, request_lines(1), "");
  const auto uid = store::publish(real_host().files, store::Layout{folder.path()}, publication);
  const std::string pipe = store::Layout{folder.path()}.inbox() / *uid / "1/answers.jsonl.zst";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  store::Store store = open_store(folder.path());
  ASSERT_TRUE(store.ingest().ok());
  EXPECT_EQ(rows(folder.path(), k_measured),
            Rows{"1||only the answers of 0 of 1 requests are kept: answers.jsonl.zst: " + pipe +
                 " is not a regular file|10.0"});
}

TEST(AnswersFile, larger_than_64_mib_packed_is_read_completely_by_the_inbox_and_by_a_rebuild) {
  SKIP_UNDER_THREAD_SANITIZER();
  const TemporaryFolder folder;
  std::string lines;
  Rows expected;
  for (int i = 0; i < 96; ++i)
    lines += answer_line(i + 1, noise(k_mib, static_cast<std::uint64_t>(i))),
        expected.push_back(fmt::format("{}|{}", i, k_mib));
  const std::string packed = pack(lines);
  ASSERT_GT(packed.size(), 64 * k_mib);
  ingest_publication(folder.path(), published({measurement(10, 100)}, request_lines(96), packed));
  EXPECT_EQ(rows(folder.path(), k_measured), Rows{"1|||10.0"});
  EXPECT_EQ(rows(folder.path(), k_kept), expected);
  ASSERT_TRUE(store::rebuild(real_host(), folder.path()).ok());
  EXPECT_EQ(rows(folder.path(), k_measured), Rows{"1|||10.0"});
  EXPECT_EQ(rows(folder.path(), k_kept), expected);
}

TEST(AnswersFile, with_an_answer_that_is_too_large_keeps_the_others_and_counts_those_left_out) {
  SKIP_UNDER_THREAD_SANITIZER();
  const TemporaryFolder folder;
  const std::string large(64 * k_mib - 2, 'x'), too_large = large + 'x';  // as JSON it has quotes
  ingest_publication(folder.path(), published({measurement(10, 100)}, request_lines(4),
                                              pack(answer_line(1, "a") + answer_line(2, too_large) +
                                                   answer_line(3, large) +
                                                   answer_line(4, too_large + noise(k_mib, 1)))));
  EXPECT_EQ(rows(folder.path(), k_kept), (Rows{"0|1", fmt::format("2|{}", large.size())}));
  EXPECT_EQ(rows(folder.path(), k_measured),
            Rows{"1||2 answers were left out: each is larger than 64 MiB|10.0"});
}

TEST(Answers, of_an_older_record_that_are_too_large_are_left_out_as_well) {
  SKIP_UNDER_THREAD_SANITIZER();
  const TemporaryFolder folder;
  std::vector<json> lines = requests();
  lines[0]["answer"] = std::string(64 * k_mib, 'x');
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    driver.run_bench(0, driver.run_serve(), measurement(10, 100), lines);
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(), "SELECT answer FROM answers"), Rows{"it is, \"so\""});
  EXPECT_EQ(rows(folder.path(), k_measured),
            Rows{"1||one answer was left out: it is larger than 64 MiB|10.0"});
}

// Checked by EXPLAIN, because the time differs only with many answers.
TEST(Answers, are_unpacked_once_per_block_and_not_once_per_request) {
  const TemporaryFolder folder;
  ingest_publication(folder.path(), pack(answer_line(1, "a")));
  const Rows plan = rows(folder.path(), "EXPLAIN QUERY PLAN SELECT idx, answer FROM answers");
  const auto place = [&](const std::string& wanted) {
    return std::find_if(
               plan.begin(), plan.end(),
               [&](const std::string& step) { return step.find(wanted) != std::string::npos; }) -
           plan.begin();
  };
  EXPECT_LT(place("SEARCH b "), place("SCAN t VIRTUAL TABLE"))
      << fmt::format("{}", fmt::join(plan, "\n"));
  EXPECT_LT(place("SCAN t VIRTUAL TABLE"), place("SEARCH q "))
      << fmt::format("{}", fmt::join(plan, "\n"));
}

// All answers in FILE and the error that ends them.
Rows read(const std::string& file, const tables::AnswerLimits& limits) {
  tables::AnswersFile answers(real_host().files, file, limits);
  tables::Answer answer;
  Rows out;
  while (true) {
    const auto more = answers.next(answer);
    if (!more.ok()) return out.push_back(more.error().text()), out;
    if (!*more) return out;
    out.push_back(fmt::format("{}|{}", answer.line, answer.text.value_or("-")));
  }
}

TEST(AnswersFile, is_read_up_to_its_limits) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "answers.jsonl.zst";
  const std::string lines =
      answer_line(1, "short") + answer_line(2, std::string(200, 'x')) + answer_line(3, "short");
  write_file(file, pack(lines));
  EXPECT_EQ(read(file, {.one = 100, .all = lines.size()}), (Rows{"1|short", "2|-", "3|short"}));
  EXPECT_EQ(read(file, {.one = 100, .all = lines.size() - 1}),
            Rows{fmt::format("unpacks to more than {} bytes", lines.size() - 1)});
  write_file(file, pack(json{{"answer", std::string(200, 'x')}, {"line", 1}}.dump()));
  EXPECT_EQ(read(file, {.one = 100}),
            Rows{"line 1: longer than 164 bytes, and it does not begin with {\"line\": N"});
  write_file(file, pack(std::string(2 * k_mib, 'x')));
  EXPECT_EQ(read(file, {.one = 100, .all = k_mib}), Rows{"unpacks to more than 1048576 bytes"})
      << "a line without end";
}

}  // namespace answers_test
}  // namespace orch
