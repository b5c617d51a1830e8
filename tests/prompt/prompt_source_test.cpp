// Where prompts come from: what is missing is named, what is made is kept, and a stand-in does the
// helper's work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include <fstream>
#include <sstream>
#include <thread>

#include "fakes/temp_folder.hpp"
#include "prompt/prompt_source.hpp"
#include "system/process.hpp"

namespace orch::prompt {
namespace {

using Words = std::vector<std::string>;

// Knows its own calls: a line in the file `calls` beside its folder for each.
constexpr std::string_view k_stand_in = R"sh(
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
    stand_in(k_stand_in);
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
  void stand_in(std::string_view script) const { write("helper/make_prompts.py", script); }

  PromptOptions made() const {
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
    return find_prompts(options,
                        {.host = host_.host(),
                         .stopped = stopped_,
                         .progress = [this](std::string_view line) { said_.emplace_back(line); }});
  }
  PromptMaking quietly() { return {.host = host_.host(), .stopped = stopped_}; }
  std::string error(const PromptOptions& options) {
    const auto found = find(options);
    return found.ok() ? "" : found.error().text();
  }
  std::size_t calls() const {
    const std::string text = read("calls");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  // Without what is noted of tokenizers, on machines so slow that the file is old when it is read.
  Words kept() const {
    Words names;
    for (const auto& entry : std::filesystem::directory_iterator(path("cache")))
      if (const std::string name = entry.path().filename(); !name.starts_with("stamp-"))
        names.push_back(name);
    return names;
  }

  fakes::TempFolder folder_;
  system::RealHost host_;
  std::atomic<bool> stopped_ = false;
  Words said_;
};

TEST_F(PromptSource, IsNamedWhenItIsMissing) {
  EXPECT_EQ(
      error({}),
      "nothing says where prompts come from; give --prompts FILE, or --isl N with --tokenizer DIR");
  PromptOptions both = made();
  both.file = "p.jsonl";
  EXPECT_EQ(error(both),
            "--isl makes prompts up, and --prompts names a file of them; give one of them");
  PromptOptions no_tokenizer = made();
  no_tokenizer.tokenizer.clear();
  EXPECT_EQ(error(no_tokenizer),
            "--isl makes prompts of an exact number of tokens, and nothing says whose tokens; add "
            "--tokenizer DIR, the model's folder with tokenizer.json");
  PromptOptions elsewhere = made();
  elsewhere.tokenizer = path("none");
  EXPECT_EQ(error(elsewhere), "--tokenizer " + path("none") +
                                  " is not there; name the model's folder, or its tokenizer.json");
  elsewhere.tokenizer = path("helper");
  EXPECT_EQ(error(elsewhere),
            "--tokenizer " + path("helper") +
                " holds no tokenizer.json; name the folder of the model as it was downloaded");
  PromptOptions too_much = made();
  too_much.shared_prefix = 1.5;
  EXPECT_EQ(error(too_much), "--shared-prefix is 1.5; it must be a share from 0 to 1");
  PromptOptions no_length = made();
  no_length.osl.reset();
  no_length.tokenizer = path("none");
  EXPECT_EQ(error(no_length), "nothing says how long the answers are to be; add --osl N")
      << "whatever making prompts would find";
}

TEST_F(PromptSource, IsMadeOnceAndKept) {
  const auto first = find(made());
  ASSERT_TRUE(first.ok()) << first.error().text();
  EXPECT_EQ(first->warmup.size(), 1u);
  EXPECT_EQ(first->measured.size(), 2u);
  EXPECT_EQ(first->measured[1].text_input, "b");
  EXPECT_EQ(first->notices, Words{"1 of 3 prompts could not be made exactly as long as asked; "
                                  "'isl' says how long they are"});
  EXPECT_EQ(said_, Words{"making 3 prompts"});
  const auto second = find(made());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->measured[1].text_input, "b");
  EXPECT_EQ(calls(), 1u);
  EXPECT_EQ(said_.size(), 1u);
  EXPECT_EQ(kept().size(), 1u);
}

TEST_F(PromptSource, KeepsTheVariableOfTheTokenFromTheHelper) {
  ::setenv("ORCH_TEST_TOKEN", "s3cr3t", 1);
  stand_in(fmt::format("env > {}\n{}", path("env"), k_stand_in));
  PromptOptions options = made();
  options.helper.withheld = "ORCH_TEST_TOKEN";
  ASSERT_TRUE(find(options).ok());
  ::unsetenv("ORCH_TEST_TOKEN");
  EXPECT_NE(read("env").find("PATH="), std::string::npos);
  EXPECT_EQ(read("env").find("s3cr3t"), std::string::npos);
}

TEST_F(PromptSource, GivesTheHelperALengthForEachPrompt) {
  PromptOptions options = made();
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

TEST_F(PromptSource, IsMadeAgainWhenAnythingThatDecidesItDiffers) {
  std::size_t expected = 1;
  ASSERT_TRUE(find(made()).ok());
  const auto differs = [&](const char* what, const std::function<void(PromptOptions&)>& change) {
    PromptOptions options = made();
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
  differs("helper", [this](PromptOptions& /*same*/) { stand_in(fmt::format("{}\n", k_stand_in)); });
}

TEST_F(PromptSource, WhatIsNotOfTheCacheIsLeftAlone) {
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
  ASSERT_TRUE(find(made()).ok());
  for (const std::string& name : foreign)
    EXPECT_TRUE(std::filesystem::exists(path("cache/" + name))) << name;
  for (const std::string& name : ours)
    EXPECT_FALSE(std::filesystem::exists(path("cache/" + name))) << name;
}

TEST_F(PromptSource, OfAFileThatChangesMeanwhileIsNotKept) {
  PromptOptions counted = file(R"({"text_input": "old", "osl": 3})");
  counted.tokenizer = path("model");
  counted.helper = made().helper;
  stand_in(fmt::format(
      R"sh(echo '{{"text_input": "new", "isl": 3, "osl": 3}}' > "$(dirname "$4")/prompts.jsonl"; echo '{{"text_input": "new"}}' > '{}')sh",
      path("p.jsonl")));
  EXPECT_EQ(error(counted),
            path("p.jsonl") +
                " changed while its tokens were counted; run this again once nobody writes to it");
  for (const std::string& name : kept()) EXPECT_TRUE(name.starts_with("stamp-")) << name;
}

TEST_F(PromptSource, ThatIsDamagedIsMadeAgain) {
  ASSERT_TRUE(find(made()).ok());
  ASSERT_EQ(kept().size(), 1u);
  const std::string file = "cache/" + kept()[0] + "/prompts.jsonl";
  const std::string whole = read(file);
  std::string flipped = whole;
  flipped[whole.find('b')] = 'c';
  std::size_t expected = 1;
  for (const std::string& damaged : {whole.substr(0, whole.size() / 2), flipped, std::string()}) {
    write(file, damaged);
    const auto found = find(made());
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->measured[1].text_input, "b");
    EXPECT_EQ(calls(), ++expected);
    EXPECT_EQ(read(file), whole);
  }
}

TEST_F(PromptSource, ThatFailsSaysWhyAndLeavesNothing) {
  stand_in("echo noise; echo 'make_prompts.py: it is no tokenizer.json' >&2; exit 1");
  EXPECT_EQ(error(made()), "prompts could not be made: it is no tokenizer.json");
  stand_in("exit 3");
  EXPECT_EQ(error(made()), "prompts could not be made: " + path("helper/make_prompts.py") +
                               " ended with status 3");
  EXPECT_EQ(kept(), Words{});
  PromptOptions options = made();
  options.helper.python = "/no/python";
  EXPECT_EQ(error(options),
            "cannot run '/no/python': no such program, or it is not executable; name a Python that "
            "has the package 'tokenizers' with --python");
  EXPECT_EQ(kept(), Words{});
}

TEST_F(PromptSource, EndsItsHelperWhenItIsInterrupted) {
  stand_in("echo $$ > \"$(dirname \"$0\")/../pid\"; exec sleep 600");
  std::thread user([this] {
    while (read("pid").empty()) std::this_thread::yield();
    stopped_ = true;
  });
  const auto found = find(made());
  user.join();
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, ErrorKind::interrupted);
  EXPECT_EQ(found.error().text(), "interrupted while prompts were made");
  EXPECT_EQ(::kill(std::stoi(read("pid")), 0), -1);
  EXPECT_EQ(kept(), Words{});
}

TEST_F(PromptSource, ACacheThatCannotBeIsNamedWithTheOption) {
  write("cache", "a file");
  EXPECT_EQ(error(made()), "cannot make the folder " + path("cache") +
                               ": Not a directory; give a folder for prompts with --prompt-cache");
}

TEST_F(PromptSource, AFileGivesItsLastPromptsForWarmingUpWhenItMarksNone) {
  PromptOptions options = file("{\"input\": \"a\"}\n{\"input\": \"b\"}\n{\"input\": \"c\"}");
  options.warmup = 1;
  const auto found = find(options);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->warmup.size(), 1u);
  EXPECT_EQ(found->warmup[0].text_input, "c");
  EXPECT_EQ(found->measured.size(), 2u);
}

TEST_F(PromptSource, AFileWithATokenizerIsCountedInItsOrder) {
  PromptOptions options = file("{\"input\": \"a\"}");
  options.tokenizer = path("model/tokenizer.json");
  options.helper = made().helper;
  options.ids = false;
  const auto found = find(options);
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->measured[0].isl, 5);
  EXPECT_EQ(said_, Words{"counting the tokens of " + path("p.jsonl")});
  EXPECT_THAT(read("jobs"), testing::HasSubstr("\"file\":\"" + path("p.jsonl") + "\""));
  ASSERT_TRUE(find(file("{\"input\": \"b\"}")).ok());
  EXPECT_EQ(calls(), 1u);
}

TEST_F(PromptSource, MessagesAreKeptWhetherATokenizerCountsThemOrNot) {
  stand_in(
      R"sh(printf '%s\n' '{"text_input": "a\n\nb", "isl": 5, "messages": [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]}' > "$(dirname "$4")/prompts.jsonl")sh");
  PromptOptions options = file(
      R"({"body": {"messages": [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]}})");
  for (const bool counted : {false, true}) {
    if (counted) options.tokenizer = path("model");
    options.helper = made().helper;
    const auto found = find(options);
    ASSERT_TRUE(found.ok()) << found.error().text();
    EXPECT_EQ(found->measured[0].isl.has_value(), counted);
    EXPECT_EQ(found->measured[0].text_input, "a\n\nb");
    EXPECT_EQ(found->measured[0].messages,
              R"([{"role":"system","content":"a"},{"role":"user","content":"b"}])");
  }
}

TEST_F(PromptSource, MessagesThatAreNoJsonAreNamed) {
  EXPECT_EQ(
      error(file("{\"prompt\": \"a\"}\n{\"messages\": [{\"role\": user, \"content\": \"b\"}]}")),
      path("p.jsonl") +
          R"(:2: '{"messages": [{"role": user, "content": "b"}]}' is no JSON at 'user, "content": "b"}]}': no value)");
}

TEST_F(PromptSource, ATraceWithoutATokenizerHasNothingToSend) {
  EXPECT_EQ(error(file(R"({"timestamp": 0, "input_length": 3, "output_length": 2})")),
            path("p.jsonl") +
                " has lengths and no texts; add --tokenizer DIR, so that prompts of these lengths "
                "are made");
}

TEST_F(PromptSource, AnswersAreAsLongAsTheirPromptSaysElseAsDrawn) {
  PromptOptions options =
      file("{\"input\": \"a\", \"osl\": 3}\n{\"input\": \"b\"}\n{\"input\": \"c\"}");
  options.osl = Length{.mean = 50, .sd = 10};
  const auto found = find(options);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->measured[0].osl, 3);
  EXPECT_TRUE(found->measured[1].osl);
  EXPECT_NE(found->measured[1].osl, found->measured[2].osl);
  options.osl = Length{.mean = 50};
  EXPECT_EQ(find(options)->measured[1].osl, std::nullopt);
  options.osl.reset();
  EXPECT_EQ(error(options),
            "prompt 2 of " + path("p.jsonl") +
                ", line 2, does not say how long its answer is to be, the first of 2 such; add "
                "--osl N, which is for those alone, or 'osl' to each of them");
}

TEST_F(PromptSource, ThatDoesNotSayHowLongItsAnswersAreIsToldOfAllThatWouldHelp) {
  const auto without_osl = [this](std::string_view text) {
    PromptOptions options = file(text);
    options.osl.reset();
    options.warmup = 1;
    return options;
  };
  constexpr std::string_view k_counts =
      ", or --tokenizer DIR, which counts the tokens of the answers that are recorded there";
  const std::string
      p = path("p.jsonl"),
      asked =
          R"({"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]})";
  EXPECT_EQ(
      error(without_osl(asked + "\n" + asked)),
      fmt::format(
          "nothing says how long the answers are to be; add --osl N, 'osl' to each prompt of {}{}",
          p, k_counts));
  EXPECT_EQ(
      error(without_osl(R"({"conversations": [{"from": "human", "value": "q"}]})")),
      fmt::format(
          "nothing says how long the answers are to be; add --osl N, or 'osl' to each prompt of {}",
          p));
  EXPECT_EQ(
      error(
          without_osl("{\"input\": \"a\", \"osl\": 3}\n\n{\"input\": \"b\"}\n{\"input\": \"c\"}")),
      fmt::format("prompt 2 of {}, line 3, does not say how long its answer is to be, the first of "
                  "2 such; add --osl N, which is for those alone, or 'osl' to each of them",
                  p));
  EXPECT_EQ(
      error(without_osl("{\"conversations\": [], \"osl\": 3}\n" +
                        asked.substr(0, asked.size() - 1) + ", \"osl\": 3}\n" + asked)),
      fmt::format("prompt 2 of {}, line 3, does not say how long its answer is to be, the first of "
                  "1 such; add --osl N, which is for those alone, 'osl' to each of them{}",
                  p, k_counts));
  stand_in(
      R"sh(echo '{"text_input": "a", "osl": 3}' > "$(dirname "$4")/prompts.jsonl"; echo '{"text_input": "b"}' >> "$(dirname "$4")/prompts.jsonl")sh");
  PromptOptions counted = without_osl(asked);
  counted.tokenizer = path("model");
  counted.helper = made().helper;
  EXPECT_EQ(error(counted),
            fmt::format("prompt 2 of {} does not say how long its answer is to be, the first of 1 "
                        "such; add --osl N, which is for those alone, or 'osl' to each of them",
                        p));
}

TEST_F(PromptSource, TextsAreCountedAsTheyStandAndNothingIsKept) {
  const std::vector<std::string_view> texts = {"x", "y\n\xff"};
  const auto counted = count_texts(made(), texts, quietly());
  ASSERT_TRUE(counted.ok()) << counted.error().text();
  EXPECT_EQ(*counted, (std::vector<std::int64_t>{5, 6}));
  EXPECT_THAT(read("calls"), testing::HasSubstr("--no-special-tokens"));
  EXPECT_EQ(kept(), Words{});
  const auto odd = count_texts(made(), std::vector<std::string_view>{"x"}, quietly());
  ASSERT_FALSE(odd.ok());
  EXPECT_EQ(odd.error().text(), "2 texts came back in place of 1");
}

}  // namespace
}  // namespace orch::prompt
