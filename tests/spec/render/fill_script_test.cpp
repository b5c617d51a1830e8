#include "spec/render/fill_script.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orch::render {
namespace fill_script_test {

// The output of the script of TAG for TEXT, or "error: " and the message.
std::string run(const std::string& tag, const std::string& text, const std::string& substitutions,
                const std::string& participant_ids = "") {
  const auto script = fill_script_of(tag);
  if (!script) return "error: " + script.error().message;
  const auto out = run_fill_script(*script, {.template_bytes = text,
                                             .file = "c.pbtxt",
                                             .substitutions = substitutions,
                                             .participant_ids = participant_ids});
  return out ? *out : "error: " + out.error().message;
}

TEST(FillScript, LaterReleasesPresetMoreKeys) {
  const std::string text =
      "${max_queue_size} ${max_queue_delay_microseconds} ${participant_ids} $a";
  const std::string none = "${max_queue_size} ${max_queue_delay_microseconds} ${participant_ids} 1";
  for (const char* tag : {"0.5", "0.9.0", "v0.11.0"}) EXPECT_EQ(run(tag, text, "a:1"), none) << tag;
  for (const char* tag : {"0.12", "0.14", "0.14.0", "v0.14.0", "0.16.0", "0.18.2"})
    EXPECT_EQ(run(tag, text, "a:1"), "0 ${max_queue_delay_microseconds} ${participant_ids} 1")
        << tag;
  EXPECT_EQ(run("0.15.0", text, "a:1"), "0 ${max_queue_delay_microseconds}  1");
  EXPECT_EQ(run("0.15.0", text, "a:1", "2;3"), "0 ${max_queue_delay_microseconds} 2;3 1");
  for (const char* tag : {"0.19", "0.21.0", "1.0.0", "v1.2.0", "1.3.0rc1", "0.20.0.post1"})
    EXPECT_EQ(run(tag, text, "a:1"), "0 0 ${participant_ids} 1") << tag;
}

TEST(FillScript, BackslashesAreLiteralBefore16AndUnescapedTwiceSince) {
  EXPECT_EQ(run("0.14", "$a $b", "a:x\\,b:1"), "x\\ 1");
  EXPECT_EQ(run("0.16", "$a", "a:x\\,b"), "x,b");
  EXPECT_EQ(
      run("0.16", "$a", "a:x\\:b"),
      "error: 'a:x:b' is not key:value: it has 2 colons, but the script of that release takes one");
  EXPECT_EQ(run("0.16", "$a", "a:x\\\\:b"), "x:b");
  EXPECT_EQ(run("0.16", "$a", "a:x\\"), "x");
}

TEST(FillScript, SubstitutionsWithoutExactlyOneColonAreRefused) {
  EXPECT_EQ(
      run("0.14", "$a", "a:1,"),
      "error: '' is not key:value: it has 0 colons, but the script of that release takes one");
  EXPECT_EQ(
      run("0.14", "$a", "a:1:2"),
      "error: 'a:1:2' is not key:value: it has 2 colons, but the script of that release takes one");
}

TEST(FillScript, Since19AKeyMustOccurInTheText) {
  EXPECT_EQ(run("0.18", "engine ${a}", "b:1"), "engine ${a}");
  EXPECT_EQ(
      run("0.19", "engine ${a}", "b:1"),
      "error: the key 'b' is not in c.pbtxt, and the script of that release refuses such keys");
  EXPECT_EQ(run("0.19", "engine ${a}", "eng:1,:2"), "engine ${a}");
}

TEST(FillScript, LineEndsAreNormalisedAsByPython) {
  EXPECT_EQ(run("0.9", "a\r\nb\rc\n\r", "x:1"), "a\nb\nc\n\n");
}

TEST(FillScript, AFileThatIsNotUtf8IsRefused) {
  EXPECT_EQ(run("0.9", "ab\xff", "x:1"), "error: c.pbtxt is not UTF-8 at byte 2");
}

TEST(FillScript, ArgumentsThatAreNotUtf8AreWrittenToStdoutOnly) {
  const std::string text = run("0.9", "$a $b", "a:\xff\xc3,b:\xc3\xa9");
  EXPECT_EQ(to_output(text, true).value(), "\xff\xc3 \xc3\xa9");
  ASSERT_FALSE(to_output(text, false));
  EXPECT_EQ(to_output(text, false).error().message,
            "the substitutions are not UTF-8, and the script cannot write them");
  EXPECT_EQ(to_output(run("0.16", "$a", "a:\xc3\\\xa9"), true).value(), "\xc3\xa9");
  EXPECT_EQ(run("0.19", "\xc3\xa9 $a", "\xc3:1").substr(0, 6), "error:");
}

TEST(FillScript, AnUnknownReleaseNamesTheKnownOnes) {
  for (const char* tag : {"0.4.9", "2.0", "v2.1.0"})
    EXPECT_EQ(
        run(tag, "", "a:1"),
        fmt::format("error: the fill_template.py of '{}' is unknown; releases 0.5 to 1.x are known",
                    tag));
  for (const char* tag :
       {"", "1", "v", "latest", "0.14.x", "0.14.", "0.-1", "0.14.0.dev1", "0.14.0rc", "00000.14"})
    EXPECT_EQ(
        run(tag, "", "a:1"),
        fmt::format(
            "error: '{}' is not a release of TensorRT-LLM; write it as 0.14, 0.14.0 or v0.14.0",
            tag));
}

}  // namespace fill_script_test
}  // namespace orch::render
