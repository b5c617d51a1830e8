// Whether two sides give the same answers to the same prompts: how many are equal, where they
// diverge, how their scores differ, and how far a side differs from itself.
#pragma once

#include "core/statistics/verdict.hpp"
#include "results/score/kept_answers.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::score {

// The mean of differences paired by prompt, and its interval.

struct PairedDifference {
  std::size_t pairs = 0;
  std::size_t differing = 0;
  double mean = 0;
  statistics::Limits limits{};  // 95 %; unbounded without a pair
};

// DIFFERENCES: B minus A, one per prompt. The interval applies to prompts like these.
//
// Student's t over the differences and two additional ones, which have the largest size seen and
// opposite signs. Without these two, the interval is too narrow if few prompts differ, and has no
// width if none differ: with 30 prompts of which 5 % differ, it covers the true mean in 72 to 80 %
// of samples. For scores of 0 and 1 this is the interval of Bonett and Price (Journal of
// Educational and Behavioral Statistics 37, 2012) with t in place of z. By the simulation in
// tests/results/score/paired_difference_test.cpp it covers at least 94 %. SCALE is the size of a
// possible difference, used if no prompts differ.
PairedDifference paired_difference(std::span<const double> differences, double scale = 1);

struct SideAnswer {
  std::string point;   // several answers of one point to one prompt are repeats
  std::string prompt;  // prompt_key()
  std::string text;    // the prompt's text
  std::string answer;
  std::map<std::string, double> scores;  // by scorer
};

struct Side {
  std::vector<SideAnswer> answers;
  // Possible causes of differing answers within the side: "batching (concurrency 8: ...)".
  std::set<std::string> causes = {};
  std::map<std::string, std::set<std::string>> scorers =
      {};  // name -> digests of scorer and references
};

// The mean over prompts of the fraction of equal answers. For a prompt with several answers on a
// side, this is the fraction of pairs that are equal.
struct EqualShare {
  std::size_t prompts = 0;
  double share = 0;
  statistics::Limits limits{};  // 95 %
};

// Where an answer of A and one of B diverge, counted from 1.
struct Parting {
  std::size_t word = 0;       // words are separated by white space
  std::size_t character = 0;  // in UTF-8 characters
};
// nullopt for equal texts. A text that ends early diverges just after its end.
std::optional<Parting> parting(std::string_view a, std::string_view b);

struct DifferingAnswer {
  std::string prompt;  // the prompt's text
  std::string a, b;
  Parting at{};
};

struct AnswerDifference {
  std::size_t only_a = 0, only_b = 0;  // prompts that the other side did not receive
  EqualShare between;
  // The equal answers within a side, over prompts that a point of it answered more than once;
  // nullopt if there are none.
  std::optional<EqualShare> within_a, within_b;
  std::vector<std::size_t> parting_words;           // where the sides' answers diverge, sorted
  std::vector<std::size_t> parting_characters;      // the same
  std::map<std::string, PairedDifference> scores;   // B minus A
  std::map<std::string, std::string> not_compared;  // scorer -> reason
  std::vector<DifferingAnswer> examples;            // earliest divergence first
};

AnswerDifference answer_difference(const Side& a, const Side& b, std::size_t most_examples);

// A comparison of answers as text for a terminal and as JSON.

// Answers and prompts are on one line each, with control characters escaped; answers are truncated
// to the text around the point where they diverge.
std::string answer_text(const AnswerDifference& difference, const Side& a, const Side& b);

// One JSON object; the texts of examples are complete.
std::string answer_json(const AnswerDifference& difference, const Side& a, const Side& b);

// Reads one side of a comparison of answers from a store.

// The answers of TARGETS with their prompts and stored scores. Errors: those of AnswerReader.
Result<Side> read_side(sql::Database& database, AnswerReader& reader,
                       const std::vector<Target>& targets);

}  // namespace orch::score
