// The record of a measurement is redacted before it is published.
#include "run/attempt/record_redaction.hpp"

#include "core/sql/packed.hpp"
#include "fakes/temp_folder.hpp"
#include "os/system/files.hpp"

#include <gtest/gtest.h>

namespace orch::attempt {
namespace record_redaction_test {

class RecordRedaction : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) {
    ASSERT_TRUE(files.put(folder.file(name), text));
  }
  std::string text(const std::string& name) { return files.read(folder.file(name)).value(); }
  Status redact() { return redact_record(files, folder.path().string(), secrets); }

  system::RealFiles files;
  fakes::TempFolder folder;
  secret::JsonSecrets secrets{{"hunter22", "123456"}};
};

TEST_F(RecordRedaction, RedactsTheFilesThatAreIngested) {
  put("measurement.json", R"({"valid":true,"reasons":["\u0068unter22"],"n":123456})");
  put("requests.jsonl", "{\"sent_ns\":123456,\"error\":\"aHVudGVyMjI=\"}\n{\"error\":\"no\"}\n");
  const std::string long_text(3'000'000, 'x');
  put("answers.jsonl.zst", pack("{\"line\":1,\"answer\":\"" + long_text + " hunter22\"}\n"));
  put("other.txt", "hunter22");
  ASSERT_TRUE(redact());
  EXPECT_EQ(text("measurement.json"), R"({"valid":true,"reasons":["[secret]"],"n":123456})");
  EXPECT_EQ(text("requests.jsonl"),
            "{\"sent_ns\":123456,\"error\":\"[secret]I=\"}\n{\"error\":\"no\"}\n");
  EXPECT_EQ(unpack(text("answers.jsonl.zst"), 10'000'000).value(),
            "{\"line\":1,\"answer\":\"" + long_text + " [secret]\"}\n");
  EXPECT_EQ(text("other.txt"), "hunter22");
  EXPECT_EQ(files.names(folder.path().string())->size(), 4u);
}

TEST_F(RecordRedaction, LeavesAFileWithoutASecretAsItIs) {
  const std::string packed = pack("one ") + pack("two");  // would become one frame
  put("answers.jsonl.zst", packed);
  ASSERT_TRUE(redact());
  EXPECT_EQ(text("answers.jsonl.zst"), packed);
}

TEST_F(RecordRedaction, LeavesAFileThatCannotBeReadToItsReader) {
  put("answers.jsonl.zst", "no frame, hunter22");
  ASSERT_TRUE(files.make_folder(folder.file("requests.jsonl")));
  ASSERT_TRUE(redact());
  EXPECT_EQ(text("answers.jsonl.zst"), "no frame, hunter22");
}

TEST_F(RecordRedaction, FinishesWhatWasInterrupted) {
  put("requests.jsonl", "\"hunter22\"");
  put("requests.jsonl.redacted", "\"[sec");  // torn: the original is still there
  put("measurement.json.redacted", "\"[secret]\"");
  ASSERT_TRUE(redact());
  EXPECT_EQ(text("requests.jsonl"), "\"[secret]\"");
  EXPECT_EQ(text("measurement.json"), "\"[secret]\"");
  EXPECT_EQ(files.names(folder.path().string())->size(), 2u);
}

}  // namespace record_redaction_test
}  // namespace orch::attempt
