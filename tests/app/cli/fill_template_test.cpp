// `orchestrate fill-template`: files, stdout and exit status. Arguments of the original scripts
// are compared with Python's argparse.
#include "app/cli/commands.hpp"
#include "app/cli/fill_template_compat.hpp"
#include "fakes/temp_folder.hpp"

#include <fstream>
#include <random>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace orch::cli {
namespace fill_template_test {

namespace fs = std::filesystem;

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Runs the program in this process and returns "EXIT|stdout|stderr".
std::string run(std::vector<std::string> words) {
  words.insert(words.begin(), {"orchestrate", "fill-template"});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = orch::cli::main(static_cast<int>(argv.size()), argv.data());
  const std::string out = testing::internal::GetCapturedStdout();
  return fmt::format("{}|{}|{}", status, out, testing::internal::GetCapturedStderr());
}

class FillTemplate : public testing::Test {
 protected:
  void put(const std::string& text) { write(file, text); }

  const fakes::TempFolder folder;
  const std::string file = folder.file("config.pbtxt");
};

TEST_F(FillTemplate, PrintsTheFilledTextByteForByte) {
  put("a: ${a}\r\nb: \"${b}\"");
  EXPECT_EQ(run({file, "a:1", "b:x:y"}), "0|a: 1\r\nb: \"x:y\"|");
  EXPECT_EQ(read(file), "a: ${a}\r\nb: \"${b}\"");
}

TEST_F(FillTemplate, InPlaceKeepsTheModeAndTheSymbolicLink) {
  put("a: ${a}\n");
  ASSERT_EQ(::chmod(file.c_str(), 0604), 0);
  const std::string link = folder.file("link");
  fs::create_symlink("config.pbtxt", link);
  EXPECT_EQ(run({"-i", link, "a:1"}), "0||");
  EXPECT_EQ(read(file), "a: 1\n");
  EXPECT_TRUE(fs::is_symlink(link));
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0604u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2)
      << "something was left beside the file";
}

TEST_F(FillTemplate, ReportsEveryErrorAndLeavesTheFileUnchanged) {
  const std::string text =
      "name: \"preprocessing\"\nmax_batch_size: ${triton_max_batch_size}\nt: \"${tokenizer_dir}\" "
      "s: \"${add_special_tokens}\"\n";
  put(text);
  EXPECT_EQ(
      run({"-i", file, "triton_max_batch_size:x,tokenizer_dri:/t,add_special_tokens:on", "b"}),
      fmt::format("2||warning: {0}:3:27: add_special_tokens: 'on' would silently become the "
                  "default: true (false up to "
                  "0.10); write true, false, 1, 0, t, f, y, n, yes or no\n"
                  "the substitution 'b' has no colon; write KEY:VALUE\n"
                  "{0}: there is no placeholder ${{tokenizer_dri}} for 'tokenizer_dri:/t'; did you "
                  "mean 'tokenizer_dir'?\n"
                  "{0}:2:17: triton_max_batch_size: 'x' keeps the model from loading; write an "
                  "integer from 0 to 2147483647\n"
                  "{0}:3:5: ${{tokenizer_dir}} has no value, and without one the model does not "
                  "load; add tokenizer_dir:VALUE, a text\n",
                  file));
  EXPECT_EQ(read(file), text);
}

TEST_F(FillTemplate, ListsUnfilledPlaceholdersInOneNote) {
  put("name: \"tensorrt_llm\"\na: \"${max_beam_width}\" b: \"${own}\"\nc: \"${own}\"\n");
  EXPECT_EQ(run({"-i", file, "own:1"}),
            fmt::format("0||note: {}: no value for max_beam_width (line 2: 1); they stay, and the "
                        "backend uses its defaults\n",
                        file));
}

TEST_F(FillTemplate, ChecksValuesForTheGivenRelease) {
  // The placeholders fit 0.10 and later: only from 0.16 on does 'eagle' load.
  put("name: \"tensorrt_llm\"\na: \"${decoding_mode}\" b: \"${triton_backend}\"\n");
  EXPECT_EQ(run({file, "decoding_mode:eagle,triton_backend:x", "--release", "v0.16.0"}),
            "0|name: \"tensorrt_llm\"\na: \"eagle\" b: \"x\"\n|");
  EXPECT_EQ(run({file, "decoding_mode:eagle,triton_backend:x", "--release", "0.14.0"}),
            fmt::format("0|name: \"tensorrt_llm\"\na: \"eagle\" b: \"x\"\n|warning: {}:2:5: "
                        "decoding_mode: 'eagle' would silently become the default: top_k_top_p, or "
                        "beam_search when max_beam_width is "
                        "above 1; write top_k, top_p, top_k_top_p, "
                        "beam_search or medusa\n",
                        file));
  EXPECT_EQ(run({file, "decoding_mode:eagle,triton_backend:x", "--release", "newest"}),
            "2||'newest' is not a release of TensorRT-LLM; write it as 0.14, 0.14.0 or v0.14.0\n");
  const std::string none = folder.file("none");
  EXPECT_EQ(
      run({none, "a:1", "--release", "newest"}),
      fmt::format("2||cannot open {}: No such file or directory\n'newest' is not a release of "
                  "TensorRT-LLM; write it as 0.14, 0.14.0 or v0.14.0\n",
                  none));
}

TEST_F(FillTemplate, NamesAnUnreadableFile) {
  EXPECT_EQ(run({file, "a:1"}),
            fmt::format("2||cannot open {}: No such file or directory\n", file));
  put("a: 1\nb: \xff\n");
  EXPECT_EQ(run({file, "a:1"}),
            fmt::format(
                "2||{}:2: this line is not UTF-8, which Triton does not read; write it as UTF-8\n",
                file));
}

TEST_F(FillTemplate, TheOptionOf015IsRefusedWithoutCompat) {
  put("${a}");
  EXPECT_EQ(run({file, "a:1", "--participant_ids", "1"}),
            "2||--participant_ids is an option of --compat 0.15; write participant_ids:VALUE among "
            "the substitutions\n");
}

TEST_F(FillTemplate, CompatPrintsOneMoreNewlineAndRewritesTheFile) {
  put("a: ${a}\r\n");
  EXPECT_EQ(run({file, "a:1", "--compat", "0.14"}), "0|a: 1\n\n|");
  EXPECT_EQ(run({"--compat=v0.14.0", "-i", file, "a:1,b:2"}), "0||");
  EXPECT_EQ(read(file), "a: 1\n");
}

TEST_F(FillTemplate, CompatFailsAsTheScriptDoes) {
  put("a: ${a}\n");
  EXPECT_EQ(run({"--compat", "0.19", "-i", file, "b:1"}),
            fmt::format("1||--compat 0.19: the key 'b' is not in {}, and the script of that "
                        "release refuses such keys\n",
                        file));
  EXPECT_EQ(read(file), "a: ${a}\n");
  EXPECT_EQ(
      run({"--compat", "0.19", "-i", file, "a:\xff"}),
      "1||--compat 0.19: the substitutions are not UTF-8, and the script cannot write them\n");
  EXPECT_EQ(read(file), "");
}

TEST_F(FillTemplate, CompatRefusesArgumentsThatTheReleaseDoesNotHave) {
  const std::string more = "Run 'orchestrate fill-template --help' for more information.\n";
  put("${participant_ids}");
  EXPECT_EQ(run({"--compat", "0.15", "--participant_ids", "1;2", file, "a:1"}), "0|1;2\n|");
  EXPECT_EQ(run({"--compat", "0.16", "--participant_ids", "1;2", file, "a:1"}),
            "2||--compat 0.16: '--participant_ids' is not an argument of the script\n" + more);
  EXPECT_EQ(
      run({"--compat", "0.4", file, "a:1"}),
      "2||--compat: the fill_template.py of '0.4' is unknown; releases 0.5 to 1.x are known\n" +
          more);
  EXPECT_EQ(run({file, "a:1", "--compat"}),
            "2||--compat needs a release, such as --compat 0.14\n" + more);
  EXPECT_EQ(run({"--compat", "0.14", file}), "2||--compat 0.14: FILE and SUBS are needed\n" + more);
}

std::string outcome(const ScriptArguments& arguments) {
  if (arguments.outcome != ScriptArguments::Outcome::run)
    return arguments.outcome == ScriptArguments::Outcome::help ? "help" : "refused";
  return fmt::format("{}|{}|{}|{}", arguments.file, arguments.substitutions, arguments.in_place,
                     arguments.participant_ids);
}

TEST(ReadAsArgparse, AgreesWithPythonOnRandomCommandLines) {
  if (std::system("python3 -c '' >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no python3";
  constexpr int k_lines = 5000;
  const std::vector<std::string> words = {"f",
                                          "f",
                                          "a:1",
                                          "a:1",
                                          "-i",
                                          "-i",
                                          "--in_place",
                                          "--in",
                                          "--i",
                                          "-ii",
                                          "-ih",
                                          "-ix",
                                          "-i=x",
                                          "-i=",
                                          "--in_place=",
                                          "--in_place=x",
                                          "-h",
                                          "--help",
                                          "--he=1",
                                          "-x",
                                          "--x",
                                          "-",
                                          "--",
                                          "",
                                          "-1",
                                          "-.5",
                                          "-1.",
                                          "-x y",
                                          "-i y",
                                          "--no pe",
                                          "--participant_ids",
                                          "--p",
                                          "--p=3",
                                          "--participant_ids=",
                                          "--participant_ids=a b",
                                          "-p"};
  const fakes::TempFolder folder;
  std::mt19937 random(20261121);  // NOLINT: the same lines every time
  std::vector<std::string> ours;
  {
    std::ofstream in(folder.file("in"));
    for (int i = 0; i < k_lines; ++i) {
      std::vector<std::string> line;
      for (std::size_t n = random() % 6; n > 0; --n) {
        const std::string& word = words[random() % words.size()];
        // Python 3.11 turns a second "--" into an empty list, and later versions differ.
        if (word != "--" || std::find(line.begin(), line.end(), word) == line.end())
          line.push_back(word);
      }
      const bool takes_ids = random() % 2;
      in << takes_ids;
      for (const std::string& word : line) in << "\t" << word;
      in << "\n";
      ours.push_back(outcome(read_as_argparse(line, takes_ids)));
    }
  }
  ASSERT_EQ(std::system(fmt::format("python3 '{}/tests/app/cli/argparse_oracle.py' <'{}' >'{}'",
                                    ORCH_SOURCE_DIR, folder.file("in"), folder.file("out"))
                            .c_str()),
            0);
  std::ifstream in(folder.file("in")), out(folder.file("out"));
  std::string command_line, theirs;
  for (const std::string& outcome : ours) {
    ASSERT_TRUE(std::getline(in, command_line) && std::getline(out, theirs));
    EXPECT_EQ(outcome, theirs) << command_line;
  }
}

}  // namespace fill_template_test
}  // namespace orch::cli
