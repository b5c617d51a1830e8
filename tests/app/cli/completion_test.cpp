// Completion scripts, run by the real shell where it is installed.
#include "app/cli/completion/completion.hpp"

#include "app/cli/commands.hpp"
#include "core/base/text.hpp"
#include "fakes/temp_folder.hpp"

#include <fstream>
#include <sstream>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace orch::cli {
namespace completion_test {

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
    std::ofstream(folder_.file(".ask"))
        << "PATH=$PWD:$PATH\nsource ./.completion\n"
        << "COMP_WORDS=(orchestrate " << shell_quote(words) << ")\nCOMP_CWORD=" << words.size()
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

// Names that the program knows only while the user types: a program of the same name in the folder
// answers, and writes down its arguments.
class AskedNames : public Completion {
 protected:
  AskedNames() {
    CLI::App* show = app_.add_subcommand("show", "Show a point");
    show->add_option("NAME", text_, "A point")->required();
    show->add_option("--store", text_, "The results folder");
    CLI::App* plan = app_.add_subcommand("plan", "Plan");
    plan->add_option("MATRIX", text_, "The matrix file")->required();
    plan->add_option("--until", text_, "The last stage");
    plan->add_option("--where", text_, "SQL");
    app_.add_subcommand("query", "Query")->add_option("SQL", text_, "A view");
    app_.add_subcommand("explain", "Explain")->add_option("NAME", text_, "A metric");
    std::ofstream(folder_.file("orchestrate"))
        << "#!/bin/sh\n[ \"$1\" = complete ] || exit 1\n"
           "printf '%s|' \"$@\" >.asked\nprintf '%s\\n' alpha-1 alpha-2 beta\n";
    std::filesystem::permissions(folder_.file("orchestrate"), std::filesystem::perms::owner_all);
  }

  std::string asked() const { return read(folder_.file(".asked")); }

  // The completions that an interactive zsh adds when the tabulator is typed after LINE.
  std::string typed_in_zsh(const std::string& line) {
    std::ofstream(folder_.file("_orchestrate")) << script("zsh");
    std::ofstream(folder_.file(".zshrc")) << R"(PATH=$PWD:$PATH
autoload -U compinit && compinit -D -u
source ./_orchestrate
compadd() {
  local -a hits
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    builtin compadd -A hits "$@"
    print -rl -- $hits >>.added
  fi
  builtin compadd "$@"
}
leave() { exit }
zle -N leave
bindkey '^I' complete-word
bindkey '^X' leave
)";
    std::ofstream(folder_.file(".keys.zsh")) << R"(zmodload zsh/zpty
: >.added
zpty shell 'ZDOTDIR=$PWD HOME=$PWD TERM=dumb zsh -d -i'
zpty -w -n shell "$1"$'\t\x18'
while zpty -r shell line; do :; done
sort -u .added | grep .
)";
    return answer("zsh -f .keys.zsh " + shell_quote(line));
  }

  std::string typed_in_fish(const std::string& line) {
    std::ofstream(folder_.file("orchestrate.fish")) << script("fish");
    std::ofstream(folder_.file("ask.fish"))
        << "set -x PATH $PWD $PATH\nsource orchestrate.fish\ncomplete -C " << shell_quote(line)
        << " | string replace -r '\\t.*' ''\ntrue\n";
    return answer("HOME=$PWD fish --no-config ask.fish");
  }
};

TEST_F(AskedNames, InBashBeginWithTheWord) {
  EXPECT_EQ(offered({"show", "al"}), "alpha-1|alpha-2");
  EXPECT_EQ(asked(), "complete|points|show|al|");
  EXPECT_EQ(offered({"show", "--store", "=", "other", "b"}), "beta");
  EXPECT_EQ(asked(), "complete|points|show|--store|=|other|b|");
  EXPECT_EQ(offered({"plan", "m.yaml", "--until", "be"}), "beta");
  EXPECT_EQ(asked(), "complete|stages|plan|m.yaml|--until|be|");
  EXPECT_EQ(offered({"plan", "--where", ""}), "alpha-1|alpha-2|beta");
  EXPECT_EQ(asked(), "complete|parameters|plan|--where||");
}

TEST_F(AskedNames, OfABrokenProgramAreNone) {
  std::ofstream(folder_.file("orchestrate")) << "#!/bin/sh\necho no >&2\nexit 1\n";
  EXPECT_EQ(offered({"show", ""}), "");
}

TEST_F(AskedNames, AreOfferedBesideTheMetrics) {
  EXPECT_EQ(offered({"explain", "be"}), "beta");
  EXPECT_EQ(asked(), "complete|explained|explain|be|");
  EXPECT_EQ(offered({"explain", "itl"}), "itl_ms");
}

TEST_F(AskedNames, ViewsAreKnownWithoutAsking) {
  EXPECT_EQ(offered({"query", "results_a"}), "results_all");
  EXPECT_FALSE(std::filesystem::exists(folder_.file(".asked")));
}

TEST_F(AskedNames, InZshBeginWithTheWord) {
  if (!has("zsh")) GTEST_SKIP() << "zsh is not installed";
  EXPECT_EQ(typed_in_zsh("orchestrate show al"), "alpha-1|alpha-2");
  EXPECT_EQ(asked(), "complete|points|show|al|");
  EXPECT_EQ(typed_in_zsh("orchestrate show --store 'a b' be"), "beta");
  EXPECT_EQ(asked(), "complete|points|show|--store|a b|be|");
  EXPECT_EQ(typed_in_zsh("orchestrate plan m.yaml --until b"), "beta");
  EXPECT_EQ(asked(), "complete|stages|plan|m.yaml|--until|b|");
  EXPECT_EQ(typed_in_zsh("orchestrate explain itl"), "itl_ms");
  EXPECT_EQ(typed_in_zsh("orchestrate query results_a"), "results_all");
}

TEST_F(AskedNames, InFishBeginWithTheWord) {
  if (!has("fish")) GTEST_SKIP() << "fish is not installed";
  EXPECT_EQ(typed_in_fish("orchestrate show al"), "alpha-1|alpha-2");
  EXPECT_EQ(asked(), "complete|points|show|al|");
  EXPECT_EQ(typed_in_fish("orchestrate plan m.yaml --until b"), "beta");
  EXPECT_EQ(asked(), "complete|stages|plan|m.yaml|--until|b|");
  EXPECT_EQ(typed_in_fish("orchestrate explain itl"), "itl_ms");
  EXPECT_EQ(typed_in_fish("orchestrate query results_a"), "results_all");
}

TEST_F(Completion, AnUnknownShellIsRefused) {
  EXPECT_THROW(app_.parse(std::vector<std::string>{"tcsh", "completion"}), CLI::ValidationError);
}

TEST_F(Completion, ExplainCompletesMetricNames) {
  CLI::App* explain = app_.add_subcommand("explain", "What a metric is");
  explain->add_option("NAME", text_, "A metric");
  EXPECT_EQ(offered({"explain", "itl"}), "itl_ms");
}

// What only the user knows: numbers, names that a command gives, addresses, texts.
constexpr std::string_view k_free =
    " --arrival-rate --jobs --repeats --sessions --most-sessions --size --budget --machine --gpus "
    "--timeout --max-memory --rows --watch --tolerance --level --examples --url --model "
    "--token-env "
    "--header --max-in-flight --block --shared-prefix --temperature --top-k --top-p "
    "--repetition-penalty --random-seed --beam-width --lora-task-id --stop-word --bad-word "
    "--stop-after-ms --timeout-s --tokens-per-event --gpu-clock --cpus --metrics-interval-s "
    "--wake-lag-ms-limit --send-lag-ms-limit --client-cpu-limit --concurrency --request-rate "
    "--burstiness --requests --duration --warmup --seed --isl --osl --batch --input --metrics-url "
    "-u -m --new-runner --name --port --release --compat --participant_ids --prefix --max-size "
    "--set "
    "KEY:VALUE,KEY:VALUE ... ";

TEST(CompletedValues, AreThoseOfEveryOptionWhoseValuesTheProgramKnows) {
  CLI::App app;
  int exit_code = 0;
  add_commands(app, exit_code);
  for (const CompletedCommand& command : completed_commands(app)) {
    std::vector<CompletedOption> all = command.options;
    all.insert(all.end(), command.words.begin(), command.words.end());
    for (const CompletedOption& option : all) {
      const std::string name = option.names.empty() ? option.help : option.names.back();
      const bool is_free = k_free.find(" " + name + " ") != std::string_view::npos;
      const bool is_completed = !option.takes_value || option.completes != Completes::nothing;
      EXPECT_TRUE(is_completed || is_free) << command.name << " " << name;
    }
  }
}

}  // namespace completion_test
}  // namespace orch::cli
