// The bytes of a record: other programs read these files, so a change of one byte is a change of
// the format. ORCH_WRITE_GOLDEN=1 rewrites the golden files.
#include "bench/record/record_json.hpp"

#include "bench/record/measured.hpp"
#include "bench/record/record_texts.hpp"
#include "core/sql/packed.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace orch::record {
namespace record_json_test {

std::string golden(const std::string& name, const std::string& now) {
  const std::string path = fmt::format("{}/tests/bench/record/data/{}", ORCH_SOURCE_DIR, name);
  if (std::getenv("ORCH_WRITE_GOLDEN")) std::ofstream(path, std::ios::binary) << now;
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(RecordJson, WritesMeasurementsToTheByte) {
  const std::string now = measurement_json(spec(), measurements());
  EXPECT_EQ(now, golden("measurement.json", now));
}

TEST(RecordJson, WritesRequestsToTheByte) {
  const std::string now = requests_jsonl(measurements());
  EXPECT_EQ(now, golden("requests.jsonl", now));
}

TEST(RecordJson, PacksAnswersWithTheirLines) {
  EXPECT_EQ(*unpack(answers_packed(measurements()), 1000),
            "{\"line\":2,\"answer\":\"said \\\"so\\\"\"}\n");
  EXPECT_EQ(answers_packed(std::vector{bare_measurement()}), "");
}

TEST(RecordJson, PacksTheValuesOfEachRequestThatHasSome) {
  std::vector<Measurement> with = measurements();
  EXPECT_EQ(values_packed(with), "");
  with[0].records[1].values = R"({"output_log_probs":[-0.5]},{"output_log_probs":[-1]})";
  with[0].records[0].values = R"({"context_logits":[oops})";
  EXPECT_EQ(
      *unpack(values_packed(with), 1000),
      "{\"line\":1,\"events\":\"{\\\"context_logits\\\":[oops}\"}\n"
      "{\"line\":2,\"events\":[{\"output_log_probs\":[-0.5]},{\"output_log_probs\":[-1]}]}\n");
}

}  // namespace record_json_test
}  // namespace orch::record
