#include "results/score/answer_difference.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "core/statistics/student.hpp"
#include "results/query/query.hpp"
#include "results/score/score_targets.hpp"
#include "results/tables/statements.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace orch::score {

namespace {

using ByPrompt = std::map<std::string, std::vector<const SideAnswer*>>;
using nlohmann::json;
using report::rounded;

ByPrompt by_prompt(const Side& side) {
  ByPrompt out;
  for (const SideAnswer& one : side.answers) out[one.prompt].push_back(&one);
  return out;
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The number of words that begin in TEXT before AT.
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

// The fraction of equal pairs among the answers of one point to one prompt.
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

// The first pair of differing answers.
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
      if (!a_.scorers.contains(scorer)) out_.not_compared[scorer] = "side A has no such scores";
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
      out_.not_compared[scorer] = "side B has no such scores";
      return;
    }
    if (digests.size() != 1 || other->second != digests) {
      out_.not_compared[scorer] =
          "the sides were scored by different versions or against different references";
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

constexpr std::size_t k_shown_bytes = 70;
constexpr std::size_t k_shown_before = 25;

std::string percent(double share) { return rounded(100 * share) + " %"; }

std::string limits_text(const statistics::Limits& limits, double factor, std::string_view unit) {
  if (!limits.low || !limits.high) return "";
  return fmt::format(" (95 %: {}..{}{})", rounded(factor * *limits.low),
                     rounded(factor * *limits.high), unit);
}

std::string share_text(const EqualShare& share) {
  return fmt::format("{}{} of {} prompts", percent(share.share),
                     limits_text(share.limits, 100, " %"), share.prompts);
}

std::size_t quantile(const std::vector<std::size_t>& sorted, double at) {
  return sorted[static_cast<std::size_t>(at * static_cast<double>(sorted.size() - 1))];
}

// TEXT around the byte AT, on one line.
std::string excerpt(std::string_view text, std::size_t at) {
  const std::size_t begin = at > k_shown_before ? at - k_shown_before : 0;
  std::string_view part = text.substr(std::min(begin, text.size()), k_shown_bytes);
  const bool cut = begin + part.size() < text.size();
  // Removes the rest of a character at the cut, which would appear as escaped bytes.
  while (begin > 0 && !part.empty() && (static_cast<unsigned char>(part.front()) & 0xc0) == 0x80)
    part.remove_prefix(1);
  std::size_t bad = find_not_utf8(part);
  if (cut && bad != std::string_view::npos && bad + 4 > part.size()) part = part.substr(0, bad);
  return fmt::format("{}{}{}", begin > 0 ? "..." : "", printable_line(part), cut ? "..." : "");
}

std::size_t byte_of_parting(std::string_view a, std::string_view b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  return at;
}

std::string within_text(char name, const std::optional<EqualShare>& within, const Side& side) {
  const std::string causes =
      side.causes.empty()
          ? "no known reason for its repeats to differ: concurrency 1, no sampling"
          : fmt::format("possible reasons for differing repeats: {}", fmt::join(side.causes, "; "));
  if (!within)
    return fmt::format(
        "{} answered each prompt once, so whether its repeats differ is unknown (repeats: "
        "{{serve: 2}} asks again); {}\n",
        name, causes);
  if (within->share == 1)
    return fmt::format("{} against itself: its repeats are equal, {}\n", name, share_text(*within));
  return fmt::format("{} against itself: its repeats are equal for {}; {}\n", name,
                     share_text(*within), causes);
}

std::string parting_text(const AnswerDifference& difference) {
  const auto& words = difference.parting_words;
  if (words.empty()) return "";
  return fmt::format(
      "where differing answers diverge (counted in words, as the store keeps no token ids): "
      "word {} in the median, quartiles {} and {}; character {} in the median\n",
      quantile(words, 0.5), quantile(words, 0.25), quantile(words, 0.75),
      quantile(difference.parting_characters, 0.5));
}

std::string scores_text(const AnswerDifference& difference) {
  std::string out;
  for (const auto& [scorer, one] : difference.scores)
    out += fmt::format("score_{}, B - A: {:+.4g}{}; {} of {} prompts differ\n", scorer, one.mean,
                       limits_text(one.limits, 1, ""), one.differing, one.pairs);
  for (const auto& [scorer, why] : difference.not_compared)
    out += fmt::format("score_{}: not compared: {}\n", scorer, why);
  if (out.empty()) out = "no scores are stored for both sides: `orchestrate score` makes them\n";
  return out;
}

json json_of(const statistics::Limits& limits) {
  return {limits.low ? json(*limits.low) : json(nullptr),
          limits.high ? json(*limits.high) : json(nullptr)};
}

json json_of(const EqualShare& share) {
  return {{"prompts", share.prompts}, {"share", share.share}, {"interval", json_of(share.limits)}};
}

json json_of(const std::optional<EqualShare>& within, const Side& side) {
  return {{"equal", within ? json_of(*within) : json(nullptr)}, {"causes", side.causes}};
}

// Possible reasons why a server answers the same prompt differently.
class Causes {
 public:
  void add(const Target& target) {
    if (target.temperature.value_or(0) > 0)
      causes_.insert(target.seed ? fmt::format("sampling (temperature {}, random_seed {})",
                                               *target.temperature, *target.seed)
                                 : fmt::format("sampling (temperature {}) without a random_seed",
                                               *target.temperature));
    if (!target.concurrency) is_open_ = true;
    else if (*target.concurrency > 1) concurrencies_.insert(*target.concurrency);
  }

  std::set<std::string> take() {
    static constexpr std::string_view k_batching =
        "which requests share a step depends on timing, and sums over other batch sizes round "
        "differently";
    if (is_open_) causes_.insert(fmt::format("batching (open loop: {})", k_batching));
    if (!concurrencies_.empty())
      causes_.insert(fmt::format("batching (concurrency {}: {})", fmt::join(concurrencies_, ", "),
                                 k_batching));
    return std::move(causes_);
  }

 private:
  std::set<std::string> causes_;
  std::set<std::int64_t> concurrencies_;
  bool is_open_ = false;
};

}  // namespace

PairedDifference paired_difference(std::span<const double> differences, double scale) {
  PairedDifference out{.pairs = differences.size()};
  if (differences.empty()) return out;
  double largest = 0, sum = 0;
  for (const double one : differences) {
    out.differing += one != 0;
    largest = std::max(largest, std::abs(one));
    sum += one;
  }
  out.mean = sum / static_cast<double>(out.pairs);
  std::vector<double> all(differences.begin(), differences.end());
  all.push_back(largest > 0 ? largest : scale);
  all.push_back(-all.back());
  const auto n = static_cast<double>(all.size());
  const double center = sum / n;
  double squares = 0;
  for (const double one : all) squares += (one - center) * (one - center);
  const double half = statistics::student_quantile(0.975, n - 1) * std::sqrt(squares / (n - 1) / n);
  out.limits = {.low = center - half, .high = center + half};
  return out;
}

std::optional<Parting> parting(std::string_view a, std::string_view b) {
  std::size_t at =
      std::mismatch(a.begin(),
                    a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())),
                    b.begin())
          .first -
      a.begin();
  if (at == a.size() && at == b.size()) return std::nullopt;
  // Moves back to the beginning of the character.
  while (at > 0 && ((at < a.size() && continues_character(a[at])) ||
                    (at < b.size() && continues_character(b[at]))))
    --at;
  const auto characters =
      static_cast<std::size_t>(std::count_if(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(at),
                                             [](char c) { return !continues_character(c); }));
  // If they diverge inside a word, it is that word that differs.
  const bool in_word = at > 0 && !is_blank(a[at - 1]);
  const bool goes_on = (at < a.size() && !is_blank(a[at])) || (at < b.size() && !is_blank(b[at]));
  const std::size_t whole = words_before(a, at) - (in_word && goes_on ? 1 : 0);
  return Parting{.word = whole + 1, .character = characters + 1};
}

AnswerDifference answer_difference(const Side& a, const Side& b, std::size_t most_examples) {
  return Comparing(a, b).run(most_examples);
}

std::string answer_text(const AnswerDifference& difference, const Side& a, const Side& b) {
  if (difference.between.prompts == 0)
    return fmt::format(
        "no prompt was sent to both sides ({} to A, {} to B): answers are compared where the "
        "lengths, the load and the number of requests are the same\n",
        difference.only_a, difference.only_b);
  std::string out = fmt::format("equal answers of A and B: {}\n", share_text(difference.between));
  if (difference.only_a + difference.only_b > 0)
    out += fmt::format("left out: {} sent only to A, {} sent only to B\n",
                       plural(difference.only_a, "prompt"), plural(difference.only_b, "prompt"));
  out += within_text('A', difference.within_a, a) + within_text('B', difference.within_b, b);
  out += parting_text(difference) + scores_text(difference);
  for (const DifferingAnswer& one : difference.examples) {
    const std::size_t at = byte_of_parting(one.a, one.b);
    out +=
        fmt::format("\n  prompt  {}\n  A       {}\n  B       {}\n          diverges at word {}\n",
                    excerpt(one.prompt, 0), excerpt(one.a, at), excerpt(one.b, at), one.at.word);
  }
  return out;
}

std::string answer_json(const AnswerDifference& difference, const Side& a, const Side& b) {
  json scores = json::object(), examples = json::array();
  for (const auto& [scorer, one] : difference.scores)
    scores[scorer] = {{"difference", one.mean},
                      {"interval", json_of(one.limits)},
                      {"prompts", one.pairs},
                      {"differing", one.differing}};
  for (const DifferingAnswer& one : difference.examples)
    examples.push_back({{"prompt", one.prompt},
                        {"a", one.a},
                        {"b", one.b},
                        {"word", one.at.word},
                        {"character", one.at.character}});
  return dump(json{{"equal", json_of(difference.between)},
                   {"only_a", difference.only_a},
                   {"only_b", difference.only_b},
                   {"within_a", json_of(difference.within_a, a)},
                   {"within_b", json_of(difference.within_b, b)},
                   {"parting_words", difference.parting_words},
                   {"parting_characters", difference.parting_characters},
                   {"scores", std::move(scores)},
                   {"not_compared", difference.not_compared},
                   {"examples", std::move(examples)}},
              1) +
         "\n";
}

Result<Side> read_side(sql::Database& database, AnswerReader& reader,
                       const std::vector<Target>& targets) {
  tables::Statements statements(database);
  Side side;
  Causes causes;
  for (const Target& target : targets) {
    ORCH_ASSIGN(KeptAnswers kept, reader.read(target, true));
    causes.add(target);
    std::map<std::int64_t, std::map<std::string, double>> scores;  // by line
    ORCH_TRY(
        statements.rows("SELECT s.scorer, CAST(t.key AS INTEGER), t.value FROM score s CROSS JOIN "
                        "json_each(packed_text(s.scores)) t WHERE s.measurement_id = ?",
                        target.id, [&](sql::Statement& row) {
                          scores[row.column_int(1)][row.column_text(0)] = row.column_real(2);
                        }));
    ORCH_TRY(statements.rows(
        "SELECT scorer, digest || ' ' || references_sha256 FROM score WHERE measurement_id = ?",
        target.id,
        [&](sql::Statement& row) { side.scorers[row.column_text(0)].insert(row.column_text(1)); }));
    for (KeptAnswer& one : kept.answers) {
      const auto found = scores.find(one.line);
      side.answers.push_back({.point = target.point,
                              .prompt = std::move(one.prompt),
                              .text = std::move(one.text),
                              .answer = std::move(one.answer),
                              .scores = found == scores.end() ? std::map<std::string, double>()
                                                              : std::move(found->second)});
    }
  }
  side.causes = causes.take();
  return side;
}

}  // namespace orch::score
