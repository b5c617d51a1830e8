#include "results/score/answer_text.hpp"

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "results/query/query.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace orch::score {

namespace {

using nlohmann::json;
using report::rounded;

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
  // A cut within a character would show as bytes.
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
          ? "nothing that is known to make it differ from itself: concurrency 1, no sampling"
          : fmt::format("what can make it differ from itself: {}", fmt::join(side.causes, "; "));
  if (!within)
    return fmt::format(
        "{} answered each prompt once, so that what it differs from itself is not known (repeats: "
        "{{serve: 2}} asks again); {}\n",
        name, causes);
  if (within->share == 1)
    return fmt::format("{} by itself: its repeats are equal, {}\n", name, share_text(*within));
  return fmt::format("{} by itself: its repeats are equal for {}; {}\n", name, share_text(*within),
                     causes);
}

std::string parting_text(const AnswerDifference& difference) {
  const auto& words = difference.parting_words;
  if (words.empty()) return "";
  return fmt::format(
      "where differing answers part (words between white space; the store keeps no token ids): "
      "word "
      "{} in the median, quartiles {} and {}; character {} in the median\n",
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

}  // namespace

std::string answer_text(const AnswerDifference& difference, const Side& a, const Side& b) {
  if (difference.between.prompts == 0)
    return fmt::format(
        "no prompt was sent to both sides ({} to A, {} to B): answers are compared where the "
        "lengths, the load and the number of requests are the same\n",
        difference.only_a, difference.only_b);
  std::string out = fmt::format("equal answers of A and B: {}\n", share_text(difference.between));
  if (difference.only_a + difference.only_b > 0)
    out += fmt::format("left out: {} prompts that only A was sent, {} that only B was\n",
                       difference.only_a, difference.only_b);
  out += within_text('A', difference.within_a, a) + within_text('B', difference.within_b, b);
  out += parting_text(difference) + scores_text(difference);
  for (const DifferingAnswer& one : difference.examples) {
    const std::size_t at = byte_of_parting(one.a, one.b);
    out += fmt::format("\n  prompt  {}\n  A       {}\n  B       {}\n          parts at word {}\n",
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

}  // namespace orch::score
