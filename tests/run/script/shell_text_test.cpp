#include "run/script/shell_text.hpp"

#include "run/script/bash.hpp"

#include <gtest/gtest.h>

namespace orch::script {
namespace shell_text_test {

TEST(ShellText, AnyWordComesOutOfBashUnchanged) {
  const fakes::TempFolder folder;
  for (const std::string& text : k_hostile) {
    EXPECT_EQ(bash(folder, "printf '%s' " + shell_word({{"", text}})).out, text);
    EXPECT_EQ(
        bash(folder, "v='$x \"'\nprintf '%s' " + shell_word({{"", text}, {"v", text}, {"", text}}))
            .out,
        text + "$x \"" + text + text);
  }
}

TEST(ShellText, AnyTextComesOutOfAHereDocumentUnchanged) {
  const fakes::TempFolder folder;
  for (const std::string& text : k_hostile) {
    const std::string ended = text.empty() || text.ends_with('\n') ? text : text + "\n";
    EXPECT_EQ(bash(folder, "cat " + here_document({{"", ended}}) + "printf after").out,
              ended + "after");
    EXPECT_EQ(bash(folder, "v='$x \"'\ncat " +
                               here_document({{"", text}, {"v", ""}, {"", "\n" + ended}}) +
                               "printf after")
                  .out,
              text + "$x \"\n" + ended + "after");
  }
}

TEST(ShellText, OnlyVariablesAreExpandedInLines) {
  const fakes::TempFolder folder;
  for (const std::string& text : k_hostile) {
    if (text.find("END") != std::string::npos) continue;  // only JSON is written this way
    EXPECT_EQ(
        bash(folder, "v=value\ncat <<END\n" + shell_lines({{"", text}, {"v", text}}) + "|\nEND\n")
            .out,
        text + "value" + text + "|\n");
  }
}

TEST(ShellText, NoLineOfACommentEndsIt) {
  const fakes::TempFolder folder;
  for (const std::string& text : k_hostile)
    EXPECT_EQ(bash(folder, "printf before\n" + shell_comment(text) +
                               shell_comment(text + "\necho out") + "printf after")
                  .out,
              "beforeafter");
}

TEST(ShellText, LongCommandsBreakBeforeOptionsButNotBeforeTheirValues) {
  std::vector<std::string> words = {"program"};
  for (int i = 0; i < 9; ++i) words.insert(words.end(), {"--option-of-some-length", "\"$value\""});
  EXPECT_EQ(shell_command(words),
            "program --option-of-some-length \"$value\" --option-of-some-length \"$value\" "
            "--option-of-some-length \"$value\" \\\n"
            "  --option-of-some-length \"$value\" --option-of-some-length \"$value\" "
            "--option-of-some-length \"$value\" \\\n"
            "  --option-of-some-length \"$value\" --option-of-some-length \"$value\" "
            "--option-of-some-length \"$value\"");
}

TEST(ShellText, KnownSymbolsBecomeVariablesAndOthersStay) {
  const ShellText text =
      shell_text("a{out}b{other}", [](std::string_view symbol) -> std::optional<ShellPart> {
        if (symbol == "out") return ShellPart{"out_1", "/x"};
        return std::nullopt;
      });
  EXPECT_EQ(shell_word(text), "\"a$out_1/xb{other}\"");
}

}  // namespace shell_text_test
}  // namespace orch::script
