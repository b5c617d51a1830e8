// Prints how long the statements of docs/questions.md take in a large store while a thread writes.
// The durations depend on the machine, so no test judges them.
// `cmake --build build/default --target bench_questions`.
#include "results/keep/big_store.hpp"
#include "results/query/query.hpp"
#include "results/store/sample.hpp"
#include "results/tables/statements.hpp"

#include <atomic>
#include <thread>

namespace orch::keep {
namespace {

struct Question {
  std::string name, sql;
};

std::vector<Question> questions() {
  std::ifstream page(ORCH_SOURCE_DIR "/docs/questions.md");
  std::vector<Question> all;
  bool in_sql = false;
  std::string heading;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) heading = line.substr(3);
    if (line == "```sql") all.push_back({heading, ""});
    else if (in_sql && line != "```") all.back().sql += line + "\n";
    if (line.starts_with("```")) in_sql = line == "```sql";
  }
  return all;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::int64_t wanted() {
  const char* text = std::getenv("ORCH_BIG_MEASUREMENTS");
  return text ? std::atoll(text) : 1'000'000;
}

TEST(Questions, print_their_times) {
  const fakes::TempFolder temporary;
  const char* kept = std::getenv("ORCH_BIG_STORE");
  const std::string folder = kept ? kept : temporary.path().string();
  const bool is_there = std::filesystem::exists(folder + "/results.db");
  BigStore big(folder);
  if (!is_there) {
    const double fill = seconds_of([&] {
      const Status filled = big.fill(wanted());
      ASSERT_TRUE(filled.ok()) << filled.error().text();
    });
    fmt::print("made in {:.0f} s: {:.2f} ms a measurement\n", fill,
               1000 * fill / static_cast<double>(wanted()));
  }
  store::Store reader = sample::open_store(folder, store::Mode::read);
  fmt::print("{} measurements, {} requests, {} MiB\n",
             *reader.database().query_int("SELECT count(*) FROM measurement"),
             *reader.database().query_int("SELECT count(*) FROM request"),
             std::filesystem::file_size(folder + "/results.db") >> 20);
  std::atomic<bool> is_over = false;
  std::atomic<int> written = 0;
  std::thread writer([&] {
    while (!is_over) {
      const Status status = big.write_one();
      EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().text());
      ++written;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  for (const Question& question : questions()) {
    double best = 1e9, worst = 0;
    std::size_t rows = 0;
    for (int round = 0; round < 3; ++round) {
      const double took = seconds_of([&] {
        const auto table =
            report::select(reader.database(), question.sql, sql::QueryLimits{.seconds = 60});
        if (table) rows = table->rows.size();
        else fmt::print("{}: {}\n", question.name, table.error().text());
      });
      best = std::min(best, took);
      worst = std::max(worst, took);
      if (took > 20) break;
    }
    fmt::print("{:7.3f} s (first {:.3f}) {:4} rows  {}\n", best, worst, rows, question.name);
  }
  is_over = true;
  writer.join();
  fmt::print("{} measurements were written meanwhile\n", written.load());
}

}  // namespace
}  // namespace orch::keep
