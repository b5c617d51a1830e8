#include "results/score/answer_difference.hpp"

#include "results/score/score_summary.hpp"

#include <algorithm>
#include <cmath>

namespace orch::score {

namespace {

using ByPrompt = std::map<std::string, std::vector<const SideAnswer*>>;

ByPrompt by_prompt(const Side& side) {
  ByPrompt out;
  for (const SideAnswer& one : side.answers) out[one.prompt].push_back(&one);
  return out;
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Words that begin in TEXT before AT.
std::size_t words_before(std::string_view text, std::size_t at) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < at; ++i)
    words += !is_blank(text[i]) && (i == 0 || is_blank(text[i - 1]));
  return words;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

EqualShare share_of(const std::vector<double>& by_prompt) {
  EqualShare out{.prompts = by_prompt.size()};
  for (const double one : by_prompt) out.share += one;
  if (!by_prompt.empty()) out.share /= static_cast<double>(by_prompt.size());
  out.limits = limits_of_mean(by_prompt);
  return out;
}

// The share of equal pairs among the answers of one point to one prompt.
std::optional<EqualShare> within(const ByPrompt& side) {
  std::vector<double> shares;
  for (const auto& [prompt, answers] : side) {
    std::size_t pairs = 0, equal = 0;
    for (std::size_t i = 0; i < answers.size(); ++i)
      for (std::size_t j = i + 1; j < answers.size(); ++j) {
        if (answers[i]->point != answers[j]->point) continue;
        ++pairs;
        equal += answers[i]->answer == answers[j]->answer;
      }
    if (pairs > 0) shares.push_back(static_cast<double>(equal) / static_cast<double>(pairs));
  }
  return shares.empty() ? std::nullopt : std::optional(share_of(shares));
}

double equal_pairs(const std::vector<const SideAnswer*>& a,
                   const std::vector<const SideAnswer*>& b) {
  std::size_t equal = 0;
  for (const SideAnswer* one : a)
    for (const SideAnswer* other : b) equal += one->answer == other->answer;
  return static_cast<double>(equal) / static_cast<double>(a.size() * b.size());
}

// The first pair of answers that differ.
std::optional<DifferingAnswer> first_differing(const std::vector<const SideAnswer*>& a,
                                               const std::vector<const SideAnswer*>& b) {
  for (const SideAnswer* one : a)
    for (const SideAnswer* other : b)
      if (const auto at = parting(one->answer, other->answer))
        return DifferingAnswer{
            .prompt = one->text, .a = one->answer, .b = other->answer, .at = *at};
  return std::nullopt;
}

std::optional<double> mean_score(const std::vector<const SideAnswer*>& answers,
                                 const std::string& scorer) {
  double sum = 0, n = 0;
  for (const SideAnswer* one : answers) {
    const auto found = one->scores.find(scorer);
    if (found == one->scores.end()) continue;
    sum += found->second;
    ++n;
  }
  return n > 0 ? std::optional(sum / n) : std::nullopt;
}

class Comparing {
 public:
  Comparing(const Side& a, const Side& b)
      : a_(a), b_(b), of_a_(by_prompt(a)), of_b_(by_prompt(b)) {}

  AnswerDifference run(std::size_t most_examples) {
    compare_texts();
    out_.within_a = within(of_a_);
    out_.within_b = within(of_b_);
    for (const auto& [scorer, digests] : a_.scorers) compare_scores(scorer, digests);
    for (const auto& [scorer, digests] : b_.scorers)
      if (!a_.scorers.contains(scorer)) out_.not_compared[scorer] = "side A is not scored by it";
    std::ranges::sort(out_.parting_words);
    std::ranges::sort(out_.parting_characters);
    std::ranges::stable_sort(out_.examples, [](const auto& x, const auto& y) {
      return x.at.character < y.at.character;
    });
    if (out_.examples.size() > most_examples) out_.examples.resize(most_examples);
    return std::move(out_);
  }

 private:
  void compare_texts() {
    std::vector<double> shares;
    for (const auto& [prompt, answers] : of_a_) {
      const auto other = of_b_.find(prompt);
      if (other == of_b_.end()) {
        ++out_.only_a;
        continue;
      }
      shares.push_back(equal_pairs(answers, other->second));
      auto differing = first_differing(answers, other->second);
      if (!differing) continue;
      out_.parting_words.push_back(differing->at.word);
      out_.parting_characters.push_back(differing->at.character);
      out_.examples.push_back(std::move(*differing));
    }
    for (const auto& [prompt, answers] : of_b_) out_.only_b += !of_a_.contains(prompt);
    out_.between = share_of(shares);
  }

  void compare_scores(const std::string& scorer, const std::set<std::string>& digests) {
    const auto other = b_.scorers.find(scorer);
    if (other == b_.scorers.end()) {
      out_.not_compared[scorer] = "side B is not scored by it";
      return;
    }
    if (digests.size() != 1 || other->second != digests) {
      out_.not_compared[scorer] =
          "the sides were scored by other versions of it, or against other references";
      return;
    }
    std::vector<double> differences;
    double least = 0, most = 0;
    for (const auto& [prompt, answers] : of_a_) {
      const auto of_b = of_b_.find(prompt);
      const auto a = mean_score(answers, scorer);
      const auto b = of_b == of_b_.end() ? std::nullopt : mean_score(of_b->second, scorer);
      if (!a || !b) continue;
      differences.push_back(*b - *a);
      least = std::min({least, *a, *b});
      most = std::max({most, *a, *b});
    }
    if (differences.empty()) out_.not_compared[scorer] = "no prompt has a score on both sides";
    else out_.scores[scorer] = paired_difference(differences, std::max(1.0, most - least));
  }

  const Side& a_;
  const Side& b_;
  const ByPrompt of_a_, of_b_;
  AnswerDifference out_;
};

}  // namespace

std::optional<Parting> parting(std::string_view a, std::string_view b) {
  std::size_t at =
      std::mismatch(a.begin(),
                    a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())),
                    b.begin())
          .first -
      a.begin();
  if (at == a.size() && at == b.size()) return std::nullopt;
  // Back to the beginning of the character.
  while (at > 0 && ((at < a.size() && continues_character(a[at])) ||
                    (at < b.size() && continues_character(b[at]))))
    --at;
  const auto characters =
      static_cast<std::size_t>(std::count_if(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(at),
                                             [](char c) { return !continues_character(c); }));
  // Within a word, that word differs.
  const bool in_word = at > 0 && !is_blank(a[at - 1]);
  const bool goes_on = (at < a.size() && !is_blank(a[at])) || (at < b.size() && !is_blank(b[at]));
  const std::size_t whole = words_before(a, at) - (in_word && goes_on ? 1 : 0);
  return Parting{.word = whole + 1, .character = characters + 1};
}

AnswerDifference answer_difference(const Side& a, const Side& b, std::size_t most_examples) {
  return Comparing(a, b).run(most_examples);
}

}  // namespace orch::score
