// Completion scripts, run by the real shell where it is installed.
#include "cli/completion.hpp"

#include "cli/commands.hpp"

#include "base/text.hpp"
#include "fakes/temp_folder.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace orch::cli {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Completion : public ::testing::Test {
 protected:
  Completion() : app_("a program") {
    CLI::App* run = app_.add_subcommand("run", "Do it: it's [all] done");
    run->add_option("MATRIX", text_, "The matrix file")->required();
    run->add_option("--store", text_, "The results folder");
    run->add_option("--jobs", number_, "Tasks at a time")->check(CLI::Range(1, 8));
    run->add_flag("-f,--fail-fast", flag_, "Stop soon");
    run->add_option("--format", text_, "How")->check(CLI::IsMember({"table", "json"}));
    add_completion(app_, exit_code_);
    std::ofstream(folder_.file("a matrix.yaml"));
    std::ofstream(folder_.file("other.yaml"));
    std::filesystem::create_directory(folder_.path() / "results");
  }

  std::string script(const std::string& shell) {
    testing::internal::CaptureStdout();
    app_.parse(std::vector<std::string>{shell, "completion"});  // CLI11 takes words from the back
    std::fflush(stdout);
    return testing::internal::GetCapturedStdout();
  }

  // Runs COMMAND in the folder. Returns its output lines, sorted and joined by '|'.
  std::string answer(const std::string& command) {
    EXPECT_EQ(
        std::system(
            fmt::format("cd {} && {} >.answer 2>.err", folder_.path().string(), command).c_str()),
        0)
        << read(folder_.file(".err"));
    EXPECT_EQ(read(folder_.file(".err")), "");
    std::vector<std::string> lines = split(trim(read(folder_.file(".answer"))), '\n');
    std::sort(lines.begin(), lines.end());
    return join(lines, "|");
  }

  // The completions that bash offers for the last of WORDS.
  std::string offered(const std::vector<std::string>& words) {
    std::ofstream(folder_.file(".completion")) << script("bash");
    std::ofstream(folder_.file(".ask")) << "source ./.completion\nCOMP_WORDS=(orchestrate "
                                        << shell_quote(words) << ")\nCOMP_CWORD=" << words.size()
                                        << "\n_orchestrate\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
    return answer("bash --norc --noprofile .ask");
  }

  static bool has(const std::string& shell) {
    return std::system(("command -v " + shell + " >/dev/null").c_str()) == 0;
  }

  CLI::App app_;
  std::string text_;
  int number_ = 0;
  bool flag_ = false;
  int exit_code_ = -1;
  fakes::TempFolder folder_;
};

TEST_F(Completion, BashOffersCommandsFirst) {
  EXPECT_EQ(offered({""}), "completion|run");
  EXPECT_EQ(offered({"r"}), "run");
  EXPECT_EQ(offered({"--v"}), "--version");
}

TEST_F(Completion, BashOffersTheOptionsOfACommand) {
  EXPECT_EQ(offered({"run", "-"}), "--fail-fast|--format|--help|--jobs|--store|-f|-h");
  EXPECT_EQ(offered({"run", "--f"}), "--fail-fast|--format");
  EXPECT_EQ(offered({"run", "m.yaml", "--s"}), "--store");
}

TEST_F(Completion, BashOffersFilesForAMatrixAndFoldersForAStore) {
  EXPECT_EQ(offered({"run", "a"}), "a matrix.yaml");
  EXPECT_EQ(offered({"run", "--store", "r"}), "results");
  EXPECT_EQ(offered({"run", "--store", "o"}), "");
  EXPECT_EQ(offered({"run", "--store", "=", "r"}), "results");
  EXPECT_EQ(offered({"run", "--store", "=", "o"}), "");
}

TEST_F(Completion, BashOffersFixedChoicesAndNothingForANumber) {
  EXPECT_EQ(offered({"run", "--format", ""}), "json|table");
  EXPECT_EQ(offered({"run", "--format", "="}), "json|table");
  EXPECT_EQ(offered({"run", "--jobs", ""}), "");
  EXPECT_EQ(offered({"completion", ""}), "bash|fish|zsh");
}

TEST_F(Completion, BashOffersNothingForAnUnknownCommand) {
  EXPECT_EQ(offered({"unknown", "--"}), "");
}

TEST_F(Completion, ZshReadsItsScriptAndFindsCommandsAndOptions) {
  const std::string text = script("zsh");
  EXPECT_NE(text.find("    'run:Do it\\: it'\\''s \\[all\\] done'\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find(
          "        '--format[How]:--format:(table json)' \\\n        '*:The matrix file:_files'\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("        '--store[The results folder]:--store:_files -/' \\\n"),
            std::string::npos)
      << text;
  if (!has("zsh")) GTEST_SKIP() << "zsh is not installed";
  std::ofstream(folder_.file("_orchestrate")) << text;
  EXPECT_EQ(answer("zsh -n _orchestrate"), "");
  EXPECT_EQ(answer("zsh -fc 'autoload -U compinit && compinit -D && source ./_orchestrate && print "
                   "$_comps[orchestrate]'"),
            "_orchestrate");
}

TEST_F(Completion, FishOffersTheSameAsBash) {
  const std::string text = script("fish");
  EXPECT_NE(text.find("complete -c orchestrate -n __fish_use_subcommand -a run -d 'Do it: it\\'s "
                      "[all] done'\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("complete -c orchestrate -n '__fish_seen_subcommand_from run' -l format -r "
                      "-f -a 'table json' -d 'How'\n"),
            std::string::npos)
      << text;
  if (!has("fish")) GTEST_SKIP() << "fish is not installed";
  std::ofstream(folder_.file("orchestrate.fish")) << text;
  const auto ask = [&](const std::string& line) {
    std::ofstream(folder_.file("ask.fish"))
        << "source orchestrate.fish\ncomplete -C " << shell_quote(line)
        << " | string replace -r '\\t.*' ''\ntrue\n";
    return answer("HOME=$PWD fish --no-config ask.fish");
  };
  EXPECT_EQ(ask("orchestrate "), "completion|run");
  EXPECT_EQ(ask("orchestrate run --fo"), "--format");
  EXPECT_EQ(ask("orchestrate run --format "), "json|table");
  EXPECT_EQ(ask("orchestrate run oth"), "other.yaml");
  EXPECT_EQ(ask("orchestrate run --store r"), "results/");
  EXPECT_EQ(ask("orchestrate completion "), "bash|fish|zsh");
}

TEST_F(Completion, AnUnknownShellIsRefused) {
  EXPECT_THROW(app_.parse(std::vector<std::string>{"tcsh", "completion"}), CLI::ValidationError);
}

TEST_F(Completion, ExplainCompletesMetricNames) {
  CLI::App* explain = app_.add_subcommand("explain", "What a metric is");
  explain->add_option("NAME", text_, "A metric");
  EXPECT_EQ(offered({"explain", "itl"}), "itl_ms");
}

}  // namespace
}  // namespace orch::cli
