// Reading a record returns what was written: every field of every table, present or absent.
#include "bench/record/record_reader.hpp"

#include "bench/record/measured.hpp"
#include "bench/record/record_json.hpp"
#include "bench/record/record_texts.hpp"
#include "fakes/temp_folder.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace orch::record {
namespace record_reader_test {

using testing::ElementsAre;

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

Result<Record> read(const std::filesystem::path& folder) {
  system::RealFiles files;
  return read_record(files, folder);
}

Record written_and_read(const std::vector<Measurement>& written) {
  const fakes::TempFolder folder;
  write(folder.path() / "measurement.json", measurement_json(spec(), written));
  write(folder.path() / "requests.jsonl", requests_jsonl(written));
  auto record = read(folder.path());
  if (!record.ok()) throw std::runtime_error(record.error().text());
  return std::move(record).value();
}

template <class T, std::size_t N>
void expect_equal(const std::array<Field<T>, N>& fields, const T& written,
                  const std::array<Value, N>& read) {
  for (std::size_t i = 0; i < N; ++i) {
    if (!fields[i].get || fields[i].type == FieldType::object) continue;
    EXPECT_EQ(read[i], fields[i].get(written)) << fields[i].group.key << " " << fields[i].key;
  }
}

// The fields that have a value in one of OBJECTS, and a default in another.
template <class T, std::size_t N>
void expect_covered(const std::array<Field<T>, N>& fields, const std::vector<T>& objects) {
  for (const Field<T>& field : fields) {
    if (!field.get) continue;
    const auto differs = [&](const T& object) {
      return field.get(object) != field.get(objects.front());
    };
    EXPECT_TRUE(std::any_of(objects.begin(), objects.end(), differs))
        << field.key << " has one value in tests/bench/record/measured.hpp";
  }
}

TEST(RecordReader, RefusesLinksAndPipes) {
  const std::vector<Measurement> written = measurements();
  for (const char* name : {"measurement.json", "requests.jsonl", "answers.jsonl.zst"}) {
    const fakes::TempFolder folder;
    const auto at = folder.path() / "record", file = at / name;
    std::filesystem::create_directory(at);
    write(at / "measurement.json", measurement_json(spec(), written));
    write(at / "requests.jsonl", requests_jsonl(written));
    write(folder.path() / "foreign", requests_jsonl(written));
    std::filesystem::remove(file);
    std::filesystem::create_symlink(folder.path() / "foreign", file);
    const auto record = read(at);
    ASSERT_FALSE(record.ok()) << name;
    EXPECT_EQ(record.error().text(), file.string() + " is a link; a record is made of files");
    if (name == std::string("answers.jsonl.zst")) continue;
    std::filesystem::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    EXPECT_EQ(read(at).error().text(), file.string() + " is not a regular file");
  }
  const fakes::TempFolder folder;
  std::filesystem::create_directory_symlink("/etc", folder.path() / "record");
  EXPECT_FALSE(read(folder.path() / "record").ok());
}

TEST(RecordReader, ReadsEveryFieldOfARequestAsItWasWritten) {
  const std::vector<Measurement> written = measurements();
  const Record record = written_and_read(written);
  std::vector<measure::RequestRecord> all;
  int line = 0;
  ASSERT_EQ(record.measurements.size(), written.size());
  for (std::size_t m = 0; m < written.size(); ++m) {
    const auto& rows = record.measurements[m].requests;
    ASSERT_EQ(rows.size(), written[m].records.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].line, ++line);
      expect_equal(k_request_fields, written[m].records[i], rows[i].values);
      const measure::RequestRecord read_back = request_of(rows[i].values);
      for (const auto& field : k_request_fields)
        EXPECT_EQ(field.get(read_back), field.get(written[m].records[i])) << field.key;
      EXPECT_EQ(read_back.event_ns, written[m].records[i].event_ns);
      all.push_back(written[m].records[i]);
    }
  }
  expect_covered(k_request_fields, all);
}

TEST(RecordReader, ReadsEveryFieldOfAMeasurementAsItWasWritten) {
  const std::vector<Measurement> written = measurements();
  const Record record = written_and_read(written);
  for (std::size_t m = 0; m < written.size(); ++m)
    expect_equal(k_measurement_fields, written[m], record.measurements[m].values);
  expect_covered(k_measurement_fields, written);
  EXPECT_EQ(record.measurements[0].values[position(k_measurement_fields, "counting")],
            Value(R"({"isl":"prompts","osl":"usage"})"));
}

TEST(RecordReader, ReadsEveryFieldOfModelsAndGpusAsItWasWritten) {
  const Record record = written_and_read(measurements());
  const observe::ServerReport written = server_report();
  const MeasurementRow& row = record.measurements[0];
  ASSERT_EQ(row.models.size(), written.models->size());
  for (std::size_t i = 0; i < row.models.size(); ++i)
    expect_equal(k_model_fields, written.models->at(i), row.models[i]);
  expect_covered(k_model_fields, *written.models);
  ASSERT_EQ(row.gpus.size(), written.gpus.size());
  for (std::size_t i = 0; i < row.gpus.size(); ++i)
    expect_equal(k_gpu_fields, written.gpus[i], row.gpus[i]);
  expect_covered(k_gpu_fields, written.gpus);
  EXPECT_EQ(row.gpus[0][position(k_gpu_fields, "throttled")],
            Value(R"({"hw_slowdown":0.25,"sw_power_cap":0.5})"));
}

TEST(RecordReader, ReadsEveryStatisticOfAMetric) {
  const MeasurementRow row = written_and_read(measurements()).measurements[0];
  ASSERT_EQ(row.metrics.size(), 3u);
  EXPECT_EQ(row.metrics[2].name, "ttft_ms");
  EXPECT_EQ(row.metrics[2].mean, 4.5);
  const StatisticValues& values = row.metrics[2].statistics;
  std::vector<std::optional<double>> first;
  for (const Statistic one : std::span(k_suffixed).first(11)) first.push_back(values[one]);
  EXPECT_THAT(first, ElementsAre(0.25, 4, 5, 4.4, 4.6, 4.7, 4.8, 4.9, 2, 4.1, 4.9));
  EXPECT_EQ(values[Statistic::p50_interval_low], 4.3);
  EXPECT_EQ(values[Statistic::p50_interval_high], 4.5);
  EXPECT_EQ(values[Statistic::p99_interval_low], 4.6);
  EXPECT_EQ(values[Statistic::p99_interval_high], std::nullopt) << "p99 has no upper limit";
  EXPECT_EQ(row.metrics[1].name, "output_tps");
  EXPECT_EQ(row.metrics[1].mean, 100.5);
  EXPECT_EQ(row.metrics[1].statistics[Statistic::n], std::nullopt);
  EXPECT_EQ(row.metrics[1].statistics[Statistic::interval_high], 102);
}

TEST(RecordReader, ReadsTheFiguresOfAnotherTool) {
  const MeasurementRow row = written_and_read(measurements()).measurements[2];
  ASSERT_EQ(row.metrics.size(), 2u);
  EXPECT_EQ(row.metrics[0].name, "output_tps");
  EXPECT_EQ(row.metrics[0].mean, 12.5);
  EXPECT_EQ(row.metrics[1].name, "ttft_ms");
  EXPECT_EQ(row.metrics[1].mean, 4);
  EXPECT_EQ(row.metrics[1].statistics[Statistic::sd], 0.5);
  EXPECT_EQ(row.values[position(k_measurement_fields, "load")],
            Value(R"({"concurrency":8,"stream":true})"));
}

TEST(RecordReader, ReadsTheSeriesOfAServer) {
  const MeasurementRow row = written_and_read(measurements()).measurements[0];
  ASSERT_EQ(row.counters.size(), 2u);
  EXPECT_EQ(row.counters[0].name, "nv_gpu_power_usage");
  EXPECT_EQ(row.counters[0].kind, "gauge");
  EXPECT_EQ(row.counters[0].mean, 350);
  EXPECT_EQ(row.counters[1].before, 3);
  EXPECT_EQ(row.counters[1].after, 7);
  EXPECT_EQ(row.counters[1].n, std::nullopt);
}

TEST(RecordReader, LeavesFieldsAbsentThatAnOlderRecordLacks) {
  const fakes::TempFolder folder;
  write(folder.path() / "measurement.json", R"({"schema":1,"measurements":[{"valid":true}]})");
  write(folder.path() / "requests.jsonl", "{\"answer\":\"a\"}\n");
  const auto record = read(folder.path());
  ASSERT_TRUE(record.ok()) << record.error().text();
  const RequestRow& row = record->measurements[0].requests.at(0);
  EXPECT_EQ(row.answer, "a");
  std::vector<std::string_view> present;
  for (std::size_t i = 0; i < row.values.size(); ++i)
    if (!is_absent(row.values[i])) present.push_back(k_request_fields[i].key);
  EXPECT_THAT(present, ElementsAre("index", "warmup", "gaps_ns", "stopped"));
  EXPECT_EQ(row.values[position(k_request_fields, "index")], Value(std::int64_t{1}));
  EXPECT_EQ(record->measurements[0].values[position(k_measurement_fields, "steady")], Value());
  EXPECT_EQ(record->measurements[0].values[position(k_measurement_fields, "load")], Value("{}"));
}

TEST(RecordReader, NamesTheLineThatBreaksTheFormat) {
  const fakes::TempFolder folder;
  write(folder.path() / "measurement.json", R"({"schema":1,"measurements":[{"valid":true}]})");
  write(folder.path() / "requests.jsonl", "{}\n{\"gaps_ns\":7}\n");
  const auto record = read(folder.path());
  ASSERT_FALSE(record.ok());
  EXPECT_EQ(record.error().text(), "requests.jsonl:2: gaps_ns is not a list");
}

TEST(RecordReader, RefusesRequestsThatAreNotAsManyAsWereWritten) {
  const fakes::TempFolder folder;
  write(folder.path() / "measurement.json", measurement_json(spec(), measurements()));
  std::string lines = requests_jsonl(measurements());
  lines.resize(lines.rfind('\n', lines.size() - 2) + 1);
  write(folder.path() / "requests.jsonl", lines);
  EXPECT_EQ(read(folder.path()).error().text(),
            "requests.jsonl: has 0 requests of a measurement that wrote 1");
}

TEST(RecordReader, GivesAReasonForARecordThatCannotBeRead) {
  const Record record = unreadable_record("no such file");
  ASSERT_EQ(record.measurements.size(), 1u);
  EXPECT_EQ(record.measurements[0].values[position(k_measurement_fields, "valid")], Value(false));
  EXPECT_EQ(record.measurements[0].values[position(k_measurement_fields, "reasons")],
            Value(Texts{"the record cannot be read: no such file"}));
}

}  // namespace record_reader_test
}  // namespace orch::record
