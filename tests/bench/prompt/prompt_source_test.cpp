// Prompt sources: errors for incomplete options, and the cache of synthetic prompts. A fake helper
// makes the prompts.
#include "bench/prompt/prompt_source.hpp"

#include "fakes/temp_folder.hpp"
#include "os/system/process.hpp"

#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::prompt {
namespace prompt_source_test {

using Words = std::vector<std::string>;

// Appends one line per call to the file `calls` beside its folder.
constexpr std::string_view k_fake_helper = R"sh(
echo "$@" >> "$(dirname "$0")/../calls"
cat "$4" >> "$(dirname "$0")/../jobs"
out=$(dirname "$4")
echo '{"text_input": "w", "isl": 5, "warmup": true}' > "$out/prompts.jsonl"
echo '{"text_input": "a", "isl": 5}' >> "$out/prompts.jsonl"
echo '{"text_input": "b", "isl": 6, "isl_asked": 5}' >> "$out/prompts.jsonl"
)sh";

class PromptSource : public testing::Test {
 protected:
  PromptSource() {
    std::filesystem::create_directories(path("model"));
    std::filesystem::create_directories(path("helper"));
    write("model/tokenizer.json", "{}");
    write_helper(k_fake_helper);
  }

  std::string path(const std::string& name) const { return folder_.file(name); }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(path(name)) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  void write_helper(std::string_view script) const { write("helper/make_prompts.py", script); }

  PromptOptions synthetic() const {
    PromptOptions options;
    options.isl = Length{.mean = 5};
    options.osl = Length{.mean = 7};
    options.tokenizer = path("model");
    options.warmup = 1;
    options.measured = 2;
    options.helper = {.script = path("helper/make_prompts.py"),
                      .python = "/bin/sh",
                      .cache_folder = path("cache")};
    return options;
  }
  PromptOptions file(std::string_view text) const {
    write("p.jsonl", text);
    PromptOptions options;
    options.file = path("p.jsonl");
    options.osl = Length{.mean = 7};
    return options;
  }

  Result<PromptSet> find(const PromptOptions& options) {
    return find_prompts(
        options, {.host = host_.host(),
                  .stopped = stopped_,
                  .progress = [this](std::string_view line) { progress_.emplace_back(line); }});
  }
  PromptContext without_progress() { return {.host = host_.host(), .stopped = stopped_}; }
  std::string error(const PromptOptions& options) {
    const auto found = find(options);
    return found.ok() ? "" : found.error().text();
  }
  std::size_t calls() const {
    const std::string text = read("calls");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  // The entries of the cache. Stamps of tokenizers are left out: they exist only if the tokenizer's
  // file was old enough when it was read.
  Words cached() const {
    Words names;
    for (const auto& entry : std::filesystem::directory_iterator(path("cache")))
      if (const std::string name = entry.path().filename(); !name.starts_with("stamp-"))
        names.push_back(name);
    return names;
  }

  fakes::TempFolder folder_;
  system::RealHost host_;
  std::atomic<bool> stopped_ = false;
  Words progress_;
};

TEST_F(PromptSource, IncompleteOptionsAreAnErrorWithTheRemedy) {
  EXPECT_EQ(error({}),
            "prompts have no source; give --prompts FILE, or --isl N with --tokenizer DIR");
  PromptOptions both = synthetic();
  both.file = "p.jsonl";
  EXPECT_EQ(
      error(both),
      "--isl makes synthetic prompts and --prompts reads them from a file; give one of the two");
  PromptOptions no_tokenizer = synthetic();
  no_tokenizer.tokenizer.clear();
  EXPECT_EQ(error(no_tokenizer),
            "--isl counts tokens and needs a tokenizer; add --tokenizer DIR, the model's folder "
            "with tokenizer.json");
  PromptOptions elsewhere = synthetic();
  elsewhere.tokenizer = path("none");
  EXPECT_EQ(error(elsewhere),
            "--tokenizer " + path("none") +
                " does not exist; name the model's folder, or its tokenizer.json");
  elsewhere.tokenizer = path("helper");
  EXPECT_EQ(error(elsewhere),
            "--tokenizer " + path("helper") +
                " has no tokenizer.json; name the folder of the downloaded model");
  PromptOptions too_much = synthetic();
  too_much.shared_prefix = 1.5;
  EXPECT_EQ(error(too_much), "--shared-prefix is 1.5; it must be a share from 0 to 1");
  PromptOptions no_length = synthetic();
  no_length.osl.reset();
  no_length.tokenizer = path("none");
  EXPECT_EQ(error(no_length), "the length of the answers is not given; add --osl N")
      << "the length is checked before the tokenizer";
}

TEST_F(PromptSource, SyntheticPromptsAreMadeOnceAndCached) {
  const auto first = find(synthetic());
  ASSERT_TRUE(first.ok()) << first.error().text();
  EXPECT_EQ(first->warmup.size(), 1u);
  EXPECT_EQ(first->measured.size(), 2u);
  EXPECT_EQ(first->measured[1].text_input, "b");
  EXPECT_EQ(first->notices, Words{"1 of 3 prompts could not be made exactly as long as requested; "
                                  "'isl' has their real lengths"});
  EXPECT_EQ(progress_, Words{"making 3 prompts"});
  const auto second = find(synthetic());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->measured[1].text_input, "b");
  EXPECT_EQ(calls(), 1u);
  EXPECT_EQ(progress_.size(), 1u);
  EXPECT_EQ(cached().size(), 1u);
}

TEST_F(PromptSource, TheHelperDoesNotInheritTheTokenVariable) {
  ::setenv("ORCH_TEST_TOKEN", "s3cr3t", 1);
  write_helper(fmt::format("env > {}\n{}", path("env"), k_fake_helper));
  PromptOptions options = synthetic();
  options.helper.withheld = "ORCH_TEST_TOKEN";
  ASSERT_TRUE(find(options).ok());
  ::unsetenv("ORCH_TEST_TOKEN");
  EXPECT_NE(read("env").find("PATH="), std::string::npos);
  EXPECT_EQ(read("env").find("s3cr3t"), std::string::npos);
}

TEST_F(PromptSource, TheHelperReceivesALengthPerPrompt) {
  PromptOptions options = synthetic();
  options.isl = Length{.mean = 100, .sd = 10};
  options.seed = 3;
  options.shared_prefix = 0.5;
  ASSERT_TRUE(find(options).ok());
  const auto lengths = [&](std::uint64_t seed, std::size_t count) {
    return fmt::format("[{}]", fmt::join(draw_lengths(*options.isl, seed, count), ","));
  };
  constexpr std::uint64_t k_step = 0x9E3779B97F4A7C15;
  EXPECT_THAT(read("jobs"),
              testing::HasSubstr(R"("lengths":{"measured":)" + lengths(3 ^ (2 * k_step), 2) +
                                 R"(,"warmup":)" + lengths(3 ^ k_step, 1) + "}"));
  EXPECT_THAT(read("jobs"), testing::HasSubstr(R"("shared_prefix":0.5)"));
  EXPECT_EQ(read("calls").substr(0, 12 + path("model/tokenizer.json").size()),
            "--tokenizer " + path("model/tokenizer.json"));
}

TEST_F(PromptSource, PromptsAreMadeAgainIfAnyInputDiffers) {
  std::size_t expected = 1;
  ASSERT_TRUE(find(synthetic()).ok());
  const auto differs = [&](const char* what, const std::function<void(PromptOptions&)>& change) {
    PromptOptions options = synthetic();
    change(options);
    ASSERT_TRUE(find(options).ok()) << what;
    EXPECT_EQ(calls(), ++expected) << what;
  };
  differs("isl", [](PromptOptions& options) { options.isl->mean = 6; });
  differs("sd", [](PromptOptions& options) { options.isl->sd = 2; });
  differs("seed", [](PromptOptions& options) { options.seed = 1; });
  differs("count", [](PromptOptions& options) { options.measured = 3; });
  differs("warm-up", [](PromptOptions& options) { options.warmup = 2; });
  differs("share", [](PromptOptions& options) { options.shared_prefix = 0.25; });
  differs("special tokens", [](PromptOptions& options) { options.special_tokens = false; });
  differs("ids", [](PromptOptions& options) { options.ids = true; });
  differs("tokenizer", [this](PromptOptions& /*same*/) { write("model/tokenizer.json", "{ }"); });
  differs("helper",
          [this](PromptOptions& /*same*/) { write_helper(fmt::format("{}\n", k_fake_helper)); });
}

TEST_F(PromptSource, TheCleanUpRemovesOnlyItsOwnFolders) {
  const std::string token = system::new_token(), digest(64, 'a');
  const Words foreign = {".git", "my.project", "thesis.tex", digest + ".bak", "texts.txt"},
              ours = {digest + "." + token, "texts." + token};
  for (const Words* names : {&foreign, &ours})
    for (const std::string& name : *names) {
      std::filesystem::create_directories(path("cache/" + name));
      std::filesystem::last_write_time(
          path("cache/" + name),
          std::filesystem::file_time_type::clock::now() - std::chrono::hours(48));
    }
  ASSERT_TRUE(find(synthetic()).ok());
  for (const std::string& name : foreign)
    EXPECT_TRUE(std::filesystem::exists(path("cache/" + name))) << name;
  for (const std::string& name : ours)
    EXPECT_FALSE(std::filesystem::exists(path("cache/" + name))) << name;
}

TEST_F(PromptSource, PromptsOfATokenizerThatChangesMeanwhileAreNotCached) {
  PromptOptions counted = file(R"({"text_input": "old", "osl": 3})");
  counted.tokenizer = path("model");
  counted.helper = synthetic().helper;
  write_helper(fmt::format(
      R"sh(echo '{{"text_input": "old", "isl": 3, "osl": 3}}' > "$(dirname "$4")/prompts.jsonl"; echo '{{ }}' > '{}')sh",
      path("model/tokenizer.json")));
  EXPECT_EQ(
      error(counted),
      fmt::format("{} or {} changed while tokens were counted; run this again once both are stable",
                  path("model/tokenizer.json"), counted.helper.script));
  for (const std::string& name : cached()) EXPECT_TRUE(name.starts_with("stamp-")) << name;
}

TEST_F(PromptSource, PromptsOfAFileThatChangesMeanwhileAreCachedForTheTextThatWasRead) {
  PromptOptions counted = file(R"({"text_input": "old", "osl": 3})");
  counted.tokenizer = path("model");
  counted.helper = synthetic().helper;
  write_helper(fmt::format(
      R"sh(cp "$(dirname "$4")/rows.jsonl" "$(dirname "$4")/prompts.jsonl"; echo '{{"text_input": "new"}}' > '{}')sh",
      path("p.jsonl")));
  const auto first = find(counted);
  ASSERT_TRUE(first.ok()) << first.error().text();
  EXPECT_EQ(first->measured[0].text_input, "old");
  const auto second = find(counted);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->measured[0].text_input, "new") << "a set of another text";
}

TEST_F(PromptSource, AFaultyFileIsAnErrorBeforeTheHelperStarts) {
  PromptOptions counted = file("{\"input\": \"a\"}\n{\"input\": 1}");
  counted.tokenizer = path("model");
  counted.helper = synthetic().helper;
  EXPECT_EQ(error(counted), path("p.jsonl") + ":2: 'input' is '1'; it must be a JSON string");
  EXPECT_EQ(calls(), 0u);
}

TEST_F(PromptSource, DamagedPromptsInTheCacheAreMadeAgain) {
  ASSERT_TRUE(find(synthetic()).ok());
  ASSERT_EQ(cached().size(), 1u);
  const std::string file = "cache/" + cached()[0] + "/prompts.jsonl";
  const std::string whole = read(file);
  std::string flipped = whole;
  flipped[whole.find('b')] = 'c';
  std::size_t expected = 1;
  for (const std::string& damaged : {whole.substr(0, whole.size() / 2), flipped, std::string()}) {
    write(file, damaged);
    const auto found = find(synthetic());
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->measured[1].text_input, "b");
    EXPECT_EQ(calls(), ++expected);
    EXPECT_EQ(read(file), whole);
  }
}

TEST_F(PromptSource, AFailedHelperIsAnErrorAndLeavesNoFiles) {
  write_helper("echo noise; echo 'make_prompts.py: it is no tokenizer.json' >&2; exit 1");
  EXPECT_EQ(error(synthetic()), "prompts could not be made: it is no tokenizer.json");
  write_helper("exit 3");
  EXPECT_EQ(error(synthetic()), "prompts could not be made: " + path("helper/make_prompts.py") +
                                    " ended with status 3");
  EXPECT_EQ(cached(), Words{});
  PromptOptions options = synthetic();
  options.helper.python = "/no/python";
  EXPECT_EQ(
      error(options),
      "cannot run '/no/python': no such program, or it is not executable; give --python a Python "
      "that has the package 'tokenizers'");
  EXPECT_EQ(cached(), Words{});
}

TEST_F(PromptSource, AnInterruptionEndsTheHelper) {
  write_helper("echo $$ > \"$(dirname \"$0\")/../pid\"; exec sleep 600");
  std::thread user([this] {
    while (read("pid").empty()) std::this_thread::yield();
    stopped_ = true;
  });
  const auto found = find(synthetic());
  user.join();
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, ErrorKind::interrupted);
  EXPECT_EQ(found.error().text(), "interrupted while making prompts");
  EXPECT_EQ(::kill(std::stoi(read("pid")), 0), -1);
  EXPECT_EQ(cached(), Words{});
}

TEST_F(PromptSource, AnUnusableCacheIsAnErrorThatNamesItsOption) {
  write("cache", "a file");
  EXPECT_EQ(error(synthetic()),
            "cannot make the folder " + path("cache") +
                ": Not a directory; give a folder for prompts with --prompt-cache");
}

TEST_F(PromptSource, TheLastPromptsOfAnUnmarkedFileWarmUp) {
  PromptOptions options = file("{\"input\": \"a\"}\n{\"input\": \"b\"}\n{\"input\": \"c\"}");
  options.warmup = 1;
  const auto found = find(options);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->warmup.size(), 1u);
  EXPECT_EQ(found->warmup[0].text_input, "c");
  EXPECT_EQ(found->measured.size(), 2u);
}

TEST_F(PromptSource, ATokenizerCountsThePromptsOfAFileInTheirOrder) {
  PromptOptions options = file("{\"input\": \"a\"}");
  options.tokenizer = path("model/tokenizer.json");
  options.helper = synthetic().helper;
  options.ids = false;
  const auto found = find(options);
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->measured[0].isl, 5);
  EXPECT_EQ(progress_, Words{"counting the tokens of " + path("p.jsonl")});
  EXPECT_THAT(read("jobs"), testing::HasSubstr("/rows.jsonl\""));
  ASSERT_TRUE(find(file("{\"input\": \"b\"}")).ok());
  EXPECT_EQ(calls(), 1u);
}

TEST_F(PromptSource, MessagesAreKeptWithAndWithoutATokenizer) {
  write_helper(
      R"sh(printf '%s\n' '{"text_input": "a\n\nb", "isl": 5, "messages": [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]}' > "$(dirname "$4")/prompts.jsonl")sh");
  PromptOptions options = file(
      R"({"body": {"messages": [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]}})");
  for (const bool counted : {false, true}) {
    if (counted) options.tokenizer = path("model");
    options.helper = synthetic().helper;
    const auto found = find(options);
    ASSERT_TRUE(found.ok()) << found.error().text();
    EXPECT_EQ(found->measured[0].isl.has_value(), counted);
    EXPECT_EQ(found->measured[0].text_input, "a\n\nb");
    EXPECT_EQ(found->measured[0].messages,
              R"([{"role":"system","content":"a"},{"role":"user","content":"b"}])");
  }
}

TEST_F(PromptSource, MessagesThatAreNotJsonAreAnErrorWithTheirLine) {
  EXPECT_EQ(
      error(file("{\"prompt\": \"a\"}\n{\"messages\": [{\"role\": user, \"content\": \"b\"}]}")),
      path("p.jsonl") +
          R"(:2: '{"messages": [{"role": user, "content": "b"}]}' is not valid JSON at 'user, "content": "b"}]}': no value)");
}

TEST_F(PromptSource, ATraceOfLengthsNeedsATokenizer) {
  EXPECT_EQ(error(file(R"({"timestamp": 0, "input_length": 3, "output_length": 2})")),
            path("p.jsonl") +
                " has lengths but no texts; add --tokenizer DIR to make prompts of these lengths");
}

TEST_F(PromptSource, AnswerLengthsComeFromThePromptOrAreDrawn) {
  PromptOptions options =
      file("{\"input\": \"a\", \"osl\": 3}\n{\"input\": \"b\"}\n{\"input\": \"c\"}");
  options.osl = Length{.mean = 50, .sd = 10};
  const auto found = find(options);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->measured[0].osl, 3);
  EXPECT_THAT(found->notices, testing::Contains(testing::StartsWith("1 of 3 prompts of")));
  EXPECT_TRUE(found->measured[1].osl);
  EXPECT_NE(found->measured[1].osl, found->measured[2].osl);
  options.osl = Length{.mean = 50};
  EXPECT_EQ(find(options)->measured[1].osl, std::nullopt);
  options.osl.reset();
  EXPECT_EQ(error(options),
            "prompt 2 of " + path("p.jsonl") +
                ", line 2, is the first of 2 without an answer length; add --osl N, which applies "
                "only to prompts without one, or 'osl' to each of them");
}

TEST_F(PromptSource, AMissingAnswerLengthIsAnErrorWithEveryRemedy) {
  const auto without_osl = [this](std::string_view text) {
    PromptOptions options = file(text);
    options.osl.reset();
    options.warmup = 1;
    return options;
  };
  constexpr std::string_view k_counts =
      ", or --tokenizer DIR to count the tokens of the recorded answers";
  const std::string
      p = path("p.jsonl"),
      asked =
          R"({"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]})";
  EXPECT_EQ(error(without_osl(asked + "\n" + asked)),
            fmt::format(
                "the length of the answers is not given; add --osl N, 'osl' to each prompt of {}{}",
                p, k_counts));
  EXPECT_EQ(
      error(without_osl(R"({"conversations": [{"from": "human", "value": "q"}]})")),
      fmt::format(
          "the length of the answers is not given; add --osl N, or 'osl' to each prompt of {}", p));
  EXPECT_EQ(
      error(
          without_osl("{\"input\": \"a\", \"osl\": 3}\n\n{\"input\": \"b\"}\n{\"input\": \"c\"}")),
      fmt::format("prompt 2 of {}, line 3, is the first of 2 without an answer length; add "
                  "--osl N, which applies only to prompts without one, or 'osl' to each of them",
                  p));
  EXPECT_EQ(
      error(without_osl("{\"conversations\": [], \"osl\": 3}\n" +
                        asked.substr(0, asked.size() - 1) + ", \"osl\": 3}\n" + asked)),
      fmt::format("prompt 2 of {}, line 3, is the first of 1 without an answer length; add "
                  "--osl N, which applies only to prompts without one, 'osl' to each of them{}",
                  p, k_counts));
  write_helper(
      R"sh(echo '{"text_input": "a", "osl": 3}' > "$(dirname "$4")/prompts.jsonl"; echo '{"text_input": "b"}' >> "$(dirname "$4")/prompts.jsonl")sh");
  PromptOptions counted = without_osl(asked);
  counted.tokenizer = path("model");
  counted.helper = synthetic().helper;
  EXPECT_EQ(error(counted),
            fmt::format("prompt 2 of {} is the first of 1 without an answer length; add --osl N, "
                        "which applies only to prompts without one, or 'osl' to each of them",
                        p));
}

TEST_F(PromptSource, TextsAreCountedUnchangedAndNotCached) {
  const std::vector<std::string_view> texts = {"x", "y\n\xff"};
  const auto counted = count_texts(synthetic(), texts, without_progress());
  ASSERT_TRUE(counted.ok()) << counted.error().text();
  EXPECT_EQ(*counted, (std::vector<std::int64_t>{5, 6}));
  EXPECT_THAT(read("calls"), testing::HasSubstr("--no-special-tokens"));
  EXPECT_EQ(cached(), Words{});
  const auto odd = count_texts(synthetic(), std::vector<std::string_view>{"x"}, without_progress());
  ASSERT_FALSE(odd.ok());
  EXPECT_EQ(odd.error().text(), "the helper returned 2 texts instead of 1");
}

}  // namespace prompt_source_test
}  // namespace orch::prompt
