// Every stored field of a record reaches its column and comes back from it.
#include "results/tables/ingest.hpp"

#include "bench/record/measured.hpp"
#include "bench/record/record_json.hpp"
#include "bench/record/record_reader.hpp"
#include "bench/record/record_texts.hpp"
#include "results/store/sample.hpp"
#include "results/tables/statements.hpp"

namespace orch {
namespace ingest_test {

using namespace sample;

struct IngestedRecord : testing::Test {
  TemporaryFolder folder;
  const std::vector<record::Measurement> written = {record::full_measurement()};

  void SetUp() override {
    const json measured = json::parse(measurement_json(record::spec(), written));
    std::vector<json> lines;
    std::istringstream text(requests_jsonl(written));
    for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    driver.run_bench(0, driver.run_serve(), measured["measurements"][0], lines);
    driver.commit();
  }

  // The fields of every row of TABLE.
  template <class T, std::size_t N>
  std::vector<std::array<Value, N>> ask(const std::array<Field<T>, N>& fields,
                                        const std::string& table) const {
    auto database = sql::Database::open((folder.path() / "results.db").string(),
                                        {.access = sql::Access::read_only});
    tables::Statements statements(*database);
    std::vector<std::array<Value, N>> found;
    const Status status = statements.rows(
        fmt::format("SELECT {} FROM {}", tables::columns_of(fields), table),
        [&](sql::Statement& row) { found.push_back(tables::fields_at(row, fields)); });
    EXPECT_TRUE(status.ok()) << status.error().text();
    return found;
  }
};

template <class T, std::size_t N>
void expect_equal(const std::array<Field<T>, N>& fields, const T& written,
                  const std::array<Value, N>& found) {
  for (std::size_t i = 0; i < N; ++i) {
    const FieldType type = fields[i].type;
    if (!fields[i].get || fields[i].column.empty() || type == FieldType::object ||
        type == FieldType::sentences || type == FieldType::words)
      continue;
    EXPECT_EQ(found[i], fields[i].get(written)) << fields[i].column;
  }
}

TEST_F(IngestedRecord, has_every_field_of_its_requests) {
  const auto found = ask(record::k_request_fields, "request ORDER BY line");
  ASSERT_EQ(found.size(), 3u);
  for (std::size_t i = 0; i < found.size(); ++i)
    expect_equal(record::k_request_fields, written[0].records[i], found[i]);
  EXPECT_EQ(rows(folder.path(), "SELECT isl_cached FROM requests ORDER BY warmup DESC, idx"),
            (Rows{"-", "16", "-"}));
  EXPECT_EQ(rows(folder.path(),
                 "SELECT valid, ttfr_ms, ttfo_ms FROM requests ORDER BY warmup "
                 "DESC, idx"),
            (Rows{"0|-|-", "0|0.004|0.0065", "0|-|-"}));
}

TEST_F(IngestedRecord, has_every_field_of_the_measurement) {
  const auto found = ask(record::k_measurement_fields, "measurement");
  ASSERT_EQ(found.size(), 1u);
  expect_equal(record::k_measurement_fields, written[0], found[0]);
  EXPECT_EQ(rows(folder.path(),
                 "SELECT valid, steady, reasons, warnings, unsupported, notes, counting FROM "
                 "measurement"),
            Rows{"0|1|one reason; another|a warning|ttft_ms_p99 ttft_ms_p999|a note; another; "
                 "note|{\"isl\":\"prompts\",\"osl\":\"usage\"}"});
  EXPECT_EQ(rows(folder.path(), "SELECT steady FROM results_all"), Rows{"1"});
}

TEST_F(IngestedRecord, has_every_field_of_the_server) {
  const auto models = ask(record::k_model_fields, "model_time ORDER BY model = 'idle'");
  ASSERT_EQ(models.size(), 2u);
  for (std::size_t i = 0; i < models.size(); ++i)
    expect_equal(record::k_model_fields, written[0].server.models->at(i), models[i]);
  const auto gpus = ask(record::k_gpu_fields, "gpu_window ORDER BY gpu DESC");
  ASSERT_EQ(gpus.size(), 2u);
  for (std::size_t i = 0; i < gpus.size(); ++i)
    expect_equal(record::k_gpu_fields, written[0].server.gpus[i], gpus[i]);
}

TEST_F(IngestedRecord, has_every_statistic_of_its_metrics) {
  EXPECT_EQ(rows(folder.path(), fmt::format("SELECT {} FROM metric WHERE name = 'ttft_ms'",
                                            fmt::join(k_statistic_names, ", "))),
            Rows{"4.5|0.25|4.0|5.0|4.4|4.6|4.7|4.8|4.9|2|4.1|4.9|4.3|4.5|-|-|-|-|4.6|-|-|-"});
}

}  // namespace ingest_test
}  // namespace orch
