// Help: wrapped, with an example for each command that the parser understands.
#include "app/cli/help.hpp"

#include "app/cli/commands.hpp"
#include "core/base/text.hpp"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>

namespace orch::cli {
namespace help_test {

class Help : public ::testing::Test {
 protected:
  Help() {
    app_.require_subcommand(1);
    add_commands(app_, exit_code_);
  }
  std::vector<CLI::App*> commands() {
    return app_.get_subcommands([](const CLI::App*) { return true; });
  }

  CLI::App app_;
  int exit_code_ = 0;
};

TEST_F(Help, OfEveryCommandFitsEightyColumns) {
  std::vector<std::string> texts = {app_.help()};
  for (CLI::App* command : commands()) texts.push_back(command->help());
  for (const std::string& text : texts)
    for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), 80u) << line;
}

TEST_F(Help, OfEveryCommandHasAnExampleWhoseOptionsExist) {
  for (CLI::App* command : commands()) {
    const auto examples = examples_of(command->get_name());
    EXPECT_FALSE(examples.empty()) << command->get_name();
    for (const std::string& example : examples) {
      EXPECT_THAT(command->help(), testing::HasSubstr("\n  " + example + "\n"));
      EXPECT_THAT(example, testing::HasSubstr("orchestrate " + command->get_name()));
      for (const std::string& word : split(example, ' '))
        if (word.starts_with("-") && word.size() > 1 &&
            example.find("| man") == std::string::npos) {
          EXPECT_NE(command->get_option_no_throw(word), nullptr) << example << ": " << word;
        }
    }
  }
}

// What `orchestrate help WORDS` prints, and its exit status.
std::pair<std::string, int> printed(std::vector<std::string> words) {
  CLI::App app;
  int exit_code = 0;
  app.require_subcommand(1);
  add_commands(app, exit_code);
  words.insert(words.begin(), "help");
  testing::internal::CaptureStdout();
  app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  return {testing::internal::GetCapturedStdout(), exit_code};
}

TEST_F(Help, IsACommand) {
  EXPECT_EQ(printed({"run"}), std::pair(app_.get_subcommand("run")->help(), 0));
  EXPECT_THAT(printed({}).first, testing::HasSubstr("Usage: orchestrate [OPTIONS] COMMAND"));
  testing::internal::CaptureStderr();
  EXPECT_EQ(printed({"rnu"}), std::pair(std::string(), 2));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "unknown command 'rnu'; did you mean 'run'?\n");
}

}  // namespace help_test
}  // namespace orch::cli
