#include "execute/redact.hpp"

#include "base/text.hpp"
#include "execute/secret_forms.hpp"

#include <algorithm>
#include <cstring>

namespace orch::execute {

namespace {

constexpr std::string_view k_mark = "[secret]";
constexpr std::size_t k_begin = 4;  // bytes that are compared first; every needle is longer
constexpr std::string_view k_token = "hf_";
constexpr std::size_t k_least_token = 20;
constexpr std::string_view k_bearers[] = {"Bearer ", "bearer "};
static_assert(k_shortest_secret > k_begin);

std::uint32_t begin_of(const char* text) {
  std::uint32_t begin = 0;
  std::memcpy(&begin, text, k_begin);
  return begin;
}

std::size_t hash_of(std::uint32_t begin) { return begin * 2654435761u >> 16; }

bool is_token_character(char c) { return is_letter_or_digit(c); }
bool is_bearer_character(char c) {
  return is_letter_or_digit(c) || std::string_view("-._~+/=").find(c) != std::string_view::npos;
}

}  // namespace

Redactor::Redactor(const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets)
    for (std::string& form : secret_forms(secret)) needles_.push_back(std::move(form));
  std::sort(needles_.begin(), needles_.end());
  needles_.erase(std::unique(needles_.begin(), needles_.end()), needles_.end());
  auto expect = [&](const std::string& text) {
    begins_.set(hash_of(begin_of(text.data())));
    first_bytes_.set(static_cast<unsigned char>(text[0]));
  };
  for (std::size_t i = 0; i < needles_.size(); ++i) {
    by_begin_[begin_of(needles_[i].data())].push_back(i);
    expect(needles_[i]);
  }
  for (const std::string_view bearer : k_bearers) expect(std::string(bearer));
  for (int c = 0; c < 128; ++c)
    if (is_token_character(static_cast<char>(c)))
      expect(std::string(k_token) + static_cast<char>(c));
}

std::string Redactor::feed(std::string_view chunk) {
  text_ += chunk;
  return decide(false);
}

std::string Redactor::finish() {
  std::string out = decide(true);
  run_ = Run::none;
  hiding_ = false;
  return out;
}

bool Redactor::may_begin(std::size_t at) const {
  if (at + k_begin > text_.size()) return first_bytes_.test(static_cast<unsigned char>(text_[at]));
  return begins_.test(hash_of(begin_of(text_.data() + at)));
}

std::size_t Redactor::next_candidate(std::size_t at) const {
  while (at + k_begin <= text_.size() && !begins_.test(hash_of(begin_of(text_.data() + at)))) ++at;
  while (at < text_.size() && !may_begin(at)) ++at;
  return at;
}

// The longest match that begins at AT.
Redactor::Match Redactor::match(std::size_t at) const {
  const std::string_view text = std::string_view(text_).substr(at);
  Match match;
  if (text.size() < k_begin) {
    for (const std::string& needle : needles_) match_needle(text, needle, match);
  } else if (const auto found = by_begin_.find(begin_of(text.data())); found != by_begin_.end()) {
    for (const std::size_t needle : found->second) match_needle(text, needles_[needle], match);
  }
  match_pattern(text, k_token, k_least_token, Run::token, match);
  for (const std::string_view bearer : k_bearers)
    match_pattern(text, bearer, k_shortest_secret, Run::bearer, match);
  return match;
}

void Redactor::match_needle(std::string_view text, const std::string& needle, Match& match) const {
  if (text.starts_with(needle)) match.size = std::max(match.size, needle.size());
  else if (needle.starts_with(text)) match.undecided = true;
}

void Redactor::match_pattern(std::string_view text, std::string_view begin, std::size_t least,
                             Run run, Match& match) const {
  const bool is_begun = begin.starts_with(text.substr(0, begin.size()));
  if (!is_begun) return;
  const std::string_view rest = text.substr(std::min(text.size(), begin.size()));
  const std::string_view must = rest.substr(0, least);
  if (!std::all_of(must.begin(), must.end(),
                   run == Run::token ? is_token_character : is_bearer_character))
    return;
  if (must.size() < least || text.size() < begin.size()) {
    match.undecided = true;
    return;
  }
  match.size = std::max(match.size, begin.size() + least);
  match.run = std::max(match.run, run);
}

std::string Redactor::decide(bool is_last) {
  std::string out;
  std::size_t at = 0;
  while (at < text_.size()) {
    if (hidden_ <= at && run_ == Run::none) {
      const std::size_t next = next_candidate(at);
      if (next > at) hiding_ = false;
      out.append(text_, at, next - at);
      at = next;
      if (at == text_.size()) break;
    }
    const Match found = may_begin(at) ? match(at) : Match();
    if (found.undecided && !is_last) break;
    if (found.size) hidden_ = std::max(hidden_, at + found.size);
    if (hidden_ <= at &&
        !(run_ == Run::token ? is_token_character(text_[at]) : is_bearer_character(text_[at])))
      run_ = Run::none;
    run_ = std::max(run_, found.run);
    if (hidden_ <= at && run_ == Run::none) {
      hiding_ = false;
      out += text_[at];
    } else if (!std::exchange(hiding_, true)) {
      out += k_mark;
    }
    ++at;
  }
  text_.erase(0, at);
  hidden_ -= std::min(hidden_, at);
  return out;
}

std::function<std::string(std::string)> line_redactor(const std::vector<std::string>& secrets) {
  return [redactor = std::make_shared<Redactor>(secrets)](const std::string& line) {
    std::string decided = redactor->feed(line);
    return decided += redactor->finish();
  };
}

}  // namespace orch::execute
