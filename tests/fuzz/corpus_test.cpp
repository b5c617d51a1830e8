// Replays every input that once caused a fault, all matrices and manifests of the repository,
// events of every protocol, answers of servers and result files of other tools, and a few thousand
// mutations of them.
#include "fuzz/entries.hpp"
#include "results/imports/format.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace orch::fuzz {
namespace corpus_test {

std::vector<std::string> texts_below(const std::vector<std::string>& folders,
                                     const std::string& name_ends) {
  std::vector<std::string> paths;
  for (const std::string& folder : folders)
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(ORCH_SOURCE_DIR) + "/" + folder))
      if (entry.is_regular_file() && entry.path().string().ends_with(name_ends))
        paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// One of TEXTS with random edits: bytes that have a meaning in YAML or SQL are inserted or replace
// others, bytes are erased, and pieces of other texts are inserted.
std::string mutated(const std::vector<std::string>& texts, std::mt19937& random) {
  static constexpr std::string_view k_syntax =
      "{}[]:,$-'\"#&*!|>%@`\\ \n\t()<>=/;.0aZ\x01\x7f\xc3\xff";
  auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  std::string text = texts[below(texts.size())];
  for (std::size_t edits = 1 + below(6); edits > 0; --edits) {
    const std::size_t at = below(text.size() + 1);
    switch (below(4)) {
      case 0: text.insert(at, 1, k_syntax[below(k_syntax.size())]); break;
      case 1: text.erase(at, below(12)); break;
      case 2: {
        const std::string& other = texts[below(texts.size())];
        const std::size_t from = below(other.size() + 1);
        text.insert(at, other.substr(from, below(40)));
        break;
      }
      default:
        if (at < text.size()) text[at] = k_syntax[below(k_syntax.size())];
    }
  }
  return text;
}

void replay(const std::vector<std::string>& texts, void (*entry)(std::string_view), int mutations) {
  ASSERT_FALSE(texts.empty());
  for (const std::string& text : texts) entry(text);
  std::mt19937 random(20261121);  // NOLINT: the same mutations every time
  for (int i = 0; i < mutations; ++i) entry(mutated(texts, random));
}

TEST(Corpus, of_matrices_is_read_without_harm) {
  replay(texts_below({"experiments", "tests/fuzz/corpus/matrix", "tests/golden"}, ".yaml"),
         read_matrix, 2000);
}

TEST(Corpus, of_manifests_is_read_without_harm) {
  replay(texts_below({"runners", "tests/fuzz/corpus/manifest", "tests/golden"}, ".yaml"),
         read_manifest, 2000);
}

TEST(Corpus, of_templates_is_filled_without_harm) {
  replay(texts_below({"templates", "tests/fuzz/corpus/template"}, ".pbtxt"), fill_template, 2000);
}

TEST(Corpus, of_events_is_read_without_harm) {
  replay(texts_below({"tests/fuzz/corpus/events"}, ".txt"), read_events, 20000);
}

TEST(Corpus, of_tensors_is_read_without_harm_and_contains_tokens) {
  const std::vector<std::string> texts = texts_below({"tests/fuzz/corpus/tensors"}, ".bytes");
  for (const std::string& text : texts) EXPECT_GT(read_tensors(text), 0u);
  replay(
      texts, [](std::string_view bytes) { static_cast<void>(read_tensors(bytes)); }, 20000);
}

TEST(Corpus, of_http_answers_is_read_without_harm) {
  replay(texts_below({"tests/fuzz/corpus/http"}, ".bytes"), read_http_answer, 2000);
}

TEST(Corpus, of_grpc_answers_is_read_without_harm) {
  replay(texts_below({"tests/fuzz/corpus/grpc"}, ".bytes"), read_grpc_answer, 2000);
}

TEST(Corpus, of_result_files_is_read_without_harm_and_each_is_of_one_format) {
  const std::vector<std::string> texts = texts_below({"tests/fuzz/corpus/results"}, ".txt");
  for (const std::string& text : texts) EXPECT_EQ(read_results(text), 1u) << text;
  for (const imports::Format& format : imports::formats())
    EXPECT_TRUE(std::ranges::any_of(texts,
                                    [&](const std::string& text) {
                                      return format.recognise({"results.txt", text});
                                    }))
        << "no example of " << format.name;
  replay(
      texts, [](std::string_view text) { static_cast<void>(read_results(text)); }, 5000);
}

}  // namespace corpus_test
}  // namespace orch::fuzz
