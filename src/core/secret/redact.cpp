#include "core/secret/redact.hpp"

#include "core/base/text.hpp"
#include "core/secret/escapes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

namespace orch::secret {

namespace {

constexpr std::string_view k_mark = "[secret]";
constexpr std::size_t k_coded_before_gap = 4;
constexpr std::size_t k_most_gaps = 16;  // between two characters
constexpr std::string_view k_token = "hf_";
constexpr std::size_t k_least_token = 20;
constexpr std::string_view k_bearers[] = {"Bearer ", "bearer "};

std::size_t hash_of(std::uint32_t begin) { return begin * 2654435761u >> 16; }

// The first SIZE bytes of TEXT, followed by BYTE, as a number.
std::uint32_t begin_of(const char* text, std::size_t size, char byte) {
  std::uint32_t begin = static_cast<unsigned char>(byte);
  for (std::size_t i = size; i-- > 0;) begin = begin << 8 | static_cast<unsigned char>(text[i]);
  return begin;
}
std::uint32_t begin_of(const char* text, std::size_t size) {
  return begin_of(text, size - 1, text[size - 1]);
}

// Flags of a byte: an escape or a gap may begin with it.
constexpr std::uint8_t k_may_escape = 1, k_may_gap = 2;

bool may_be_a_number(const std::string& value) {
  return value.find_first_not_of("0123456789+-.eE") == std::string::npos;
}

std::vector<std::string> without_numbers(std::vector<std::string> values) {
  std::erase_if(values, may_be_a_number);
  return values;
}

// VALUES, also trimmed, and their long lines: a program may print a value without the white space
// around it, or a multi-line key line by line, each with a prefix.
std::set<std::string> searched_values(const std::vector<std::string>& values) {
  static constexpr std::size_t k_least_line = 16;
  std::set<std::string> searched;
  for (const std::string& value : values) {
    searched.insert(value);
    searched.emplace(trim(value));
    if (value.find('\n') == std::string::npos) continue;
    for (const std::string& line : split(value, '\n'))
      if (trim(line).size() >= k_least_line) searched.emplace(trim(line));
  }
  std::erase_if(searched,
                [](const std::string& value) { return value.size() < k_shortest_secret; });
  return searched;
}

}  // namespace

// The needles from FIRST to before LAST match the text up to AT with their first DEPTH bytes.
struct Secrets::State {
  std::size_t first, last, depth, at, gaps;

  // Keeps the needles that continue with BYTE.
  bool narrow(const std::vector<std::string>& needles, char byte) {
    const auto before = [this](const std::string& needle, unsigned char c) {
      return needle.size() <= depth || static_cast<unsigned char>(needle[depth]) < c;
    };
    const auto begin = needles.begin();
    const auto c = static_cast<unsigned char>(byte);
    const auto low = std::lower_bound(begin + static_cast<std::ptrdiff_t>(first),
                                      begin + static_cast<std::ptrdiff_t>(last), c, before);
    const auto high = std::upper_bound(low, begin + static_cast<std::ptrdiff_t>(last), c,
                                       [&](unsigned char value, const std::string& needle) {
                                         return value < static_cast<unsigned char>(needle[depth]);
                                       });
    first = static_cast<std::size_t>(low - begin);
    last = static_cast<std::size_t>(high - begin);
    ++depth;
    return first < last;
  }
  bool operator==(const State& other) const {
    return first == other.first && last == other.last && depth == other.depth && at == other.at;
  }
};

// Follows all needles at once from one position, along every way of reading the text.
class Secrets::Walk {
 public:
  Walk(const Secrets& secrets, const Needles& needles, std::string_view text, std::size_t at)
      : special_(secrets.special_), needles_(needles), text_(text), from_(at) {
    states_.push_back({.first = 0, .last = needles.all.size(), .depth = 0, .at = at, .gaps = 0});
  }

  void go(Match& match) {
    for (std::size_t i = 0; i < states_.size(); ++i) follow(states_[i], match);
  }

 private:
  void add(const State& state) {
    if (!contains(states_, state)) states_.push_back(state);
  }

  void follow(State state, Match& match) {
    while (state.first < state.last) {
      if (needles_.all[state.first].size() == state.depth) {
        match.size = std::max(match.size, state.at - from_);
        if (++state.first == state.last) return;
      }
      if (state.at == text_.size()) {
        match.undecided = true;
        match.begun = std::max(match.begun, state.depth);
        return;
      }
      if (special_[static_cast<unsigned char>(text_[state.at])]) return branch(state, match);
      if (!state.narrow(needles_.all, text_[state.at])) return;
      ++state.at;
      state.gaps = 0;
    }
  }

  void branch(const State& state, Match& match) {
    const Units units = units_at(text_, state.at);
    match.undecided = match.undecided || units.undecided;
    for (const Unit& unit : units) {
      State next = state;
      next.at += unit.size;
      next.gaps = 0;
      const std::string_view bytes = unit.text();
      if (std::ranges::all_of(bytes, [&](char byte) { return next.narrow(needles_.all, byte); }))
        add(next);
    }
    if (state.depth < needles_.least_before_gap || state.gaps == k_most_gaps) return;
    const Gap gap = gap_at(text_, state.at);
    match.undecided = match.undecided || gap.undecided;
    State next = state;
    next.at += gap.size;
    ++next.gaps;
    if (gap.size > 0) add(next);
  }

  const std::array<std::uint8_t, 256>& special_;
  const Needles& needles_;
  const std::string_view text_;
  const std::size_t from_;
  std::vector<State> states_;
};

Secrets::Secrets(const std::vector<std::string>& values) {
  coded_.least_before_gap = k_coded_before_gap;
  const bool has_space = std::ranges::any_of(
      values, [](const std::string& value) { return value.find(' ') != std::string::npos; });
  for (std::size_t byte = 0; byte < special_.size(); ++byte) {
    const char c = static_cast<char>(byte);
    const bool escape = begins_escape(c) && (c != '+' || has_space);
    special_[byte] =
        static_cast<std::uint8_t>((escape ? k_may_escape : 0) | (begins_gap(c) ? k_may_gap : 0));
  }
  for (const std::string& value : searched_values(values)) {
    plain_.all.push_back(value);
    for (std::string& form : coded_forms(value)) coded_.all.push_back(std::move(form));
  }
  for (Needles* needles : {&plain_, &coded_}) {
    std::ranges::sort(needles->all);
    needles->all.erase(std::unique(needles->all.begin(), needles->all.end()), needles->all.end());
    for (const std::string& needle : needles->all) expect(needle, needles == &plain_);
  }
  for (const std::string_view bearer : k_bearers) expect(std::string(bearer), false);
  for (int c = 0; c < 128; ++c)
    if (is_token_character(static_cast<char>(c)))
      expect(std::string(k_token) + static_cast<char>(c), false);
}

void Secrets::expect(const std::string& text, bool with_gaps) {
  for (std::size_t size = 1; size <= k_begin; ++size) {
    const std::size_t hash = hash_of(begin_of(text.data(), size));
    begins_[size - 1].set(hash);
    if (with_gaps && size < k_begin) begins_before_gap_[size - 1].set(hash);
  }
  look_at_all_.set(hash_of(begin_of(text.data(), k_begin)));
  if (!with_gaps) return;
  look_at_two_.set(begin_of(text.data(), 2));
  for (std::size_t byte = 0; byte < special_.size(); ++byte) {
    if (!(special_[byte] & k_may_gap)) continue;
    look_at_two_.set(begin_of(text.data(), 1, static_cast<char>(byte)));
    look_at_all_.set(hash_of(begin_of(text.data(), k_begin - 1, static_cast<char>(byte))));
  }
}

bool Secrets::is_token_character(char c) { return is_letter_or_digit(c); }
bool Secrets::is_bearer_character(char c) {
  return is_letter_or_digit(c) || std::string_view("-._~+/=").find(c) != std::string_view::npos;
}

bool Secrets::may_begin_escaped(std::string_view text, std::size_t at, std::size_t escape) const {
  const std::size_t size = escape - at;
  const char* begin = text.data() + at;
  if (!may_be_escape(text, escape)) return false;
  if (size > 0 && !begins_[size - 1].test(hash_of(begin_of(begin, size)))) return false;
  const Units units = units_at(text, escape);
  return units.undecided || std::ranges::any_of(units, [&](const Unit& unit) {
           return begins_[size].test(hash_of(begin_of(begin, size, unit.bytes[0])));
         });
}

// Checks k_begin bytes, or fewer before an escape or a gap.
bool Secrets::may_begin(std::string_view text, std::size_t at) const {
  const std::size_t size = std::min(k_begin, text.size() - at);
  const char* begin = text.data() + at;
  for (std::size_t before = 0; before < size; ++before) {
    const std::uint8_t special = special_[static_cast<unsigned char>(begin[before])];
    if (special & k_may_escape && may_begin_escaped(text, at, at + before)) return true;
    if (special & k_may_gap && before > 0 &&
        begins_before_gap_[before - 1].test(hash_of(begin_of(begin, before))))
      return true;
  }
  return begins_[size - 1].test(hash_of(begin_of(begin, size)));
}

std::size_t Secrets::next_candidate(std::string_view text, std::size_t at) const {
  const auto is_escape = [&](char c) {
    return (special_[static_cast<unsigned char>(c)] & k_may_escape) != 0;
  };
  while (at < text.size()) {
    std::size_t escape = at;
    while (escape < text.size() && !is_escape(text[escape])) ++escape;
    for (; at + k_begin <= escape; ++at) {
      std::uint32_t begin = 0;
      std::memcpy(&begin, text.data() + at, k_begin);
      if ((look_at_two_.test(begin & 0xffff) || look_at_all_.test(hash_of(begin))) &&
          may_begin(text, at))
        return at;
    }
    for (; at < text.size() && at <= escape; ++at)
      if (may_begin(text, at)) return at;
  }
  return at;
}

// The longest match that begins at AT.
Secrets::Match Secrets::match(std::string_view text, std::size_t at) const {
  Match match;
  for (const Needles* needles : {&plain_, &coded_}) Walk(*this, *needles, text, at).go(match);
  match_pattern(text.substr(at), k_token, k_least_token, Run::token, match);
  for (const std::string_view bearer : k_bearers)
    match_pattern(text.substr(at), bearer, k_shortest_secret, Run::bearer, match);
  return match;
}

void Secrets::match_pattern(std::string_view text, std::string_view begin, std::size_t least,
                            Run run, Match& match) {
  const bool is_begun = begin.starts_with(text.substr(0, begin.size()));
  if (!is_begun) return;
  const std::string_view rest = text.substr(std::min(text.size(), begin.size()));
  const std::string_view must = rest.substr(0, least);
  if (!std::ranges::all_of(must, run == Run::token ? is_token_character : is_bearer_character))
    return;
  if (must.size() < least || text.size() < begin.size()) {
    match.undecided = true;
    return;
  }
  match.size = std::max(match.size, begin.size() + least);
  match.run = std::max(match.run, run);
}

// Calls TAKE(begin, end, hidden) for the stretches of TEXT that can be decided, and returns their
// total size.
template <class Take>
std::size_t Redactor::decide(std::string_view text, bool is_last, End end, Take take) {
  using Run = Secrets::Run;
  std::size_t at = 0;
  while (at < text.size()) {
    if (hidden_ <= at && run_ == Run::none) {
      const std::size_t next = secrets_->next_candidate(text, at);
      if (next > at) take(at, next, false);
      at = next;
      if (at == text.size()) break;
    }
    const bool known = hidden_ <= at && run_ == Run::none;  // known to be a candidate
    const Secrets::Match found =
        known || secrets_->may_begin(text, at) ? secrets_->match(text, at) : Secrets::Match();
    if (found.undecided && !is_last) break;
    if (found.size) hidden_ = std::max(hidden_, at + found.size);
    if (end == End::cut && found.begun >= k_shortest_secret) hidden_ = text.size();
    if (hidden_ <= at && !(run_ == Run::token ? Secrets::is_token_character(text[at])
                                              : Secrets::is_bearer_character(text[at])))
      run_ = Run::none;
    run_ = std::max(run_, found.run);
    take(at, at + 1, hidden_ > at || run_ != Run::none);
    ++at;
  }
  hidden_ -= std::min(hidden_, at);
  return at;
}

std::string Redactor::decided(bool is_last, End end) {
  std::string out;
  const std::size_t size =
      decide(text_, is_last, end, [&](std::size_t from, std::size_t to, bool hidden) {
        if (!hidden) out.append(text_, from, to - from);
        else if (!hiding_) {
          out += k_mark;
          ++found_;
        }
        hiding_ = hidden;
      });
  text_.erase(0, size);
  return out;
}

std::string Redactor::feed(std::string_view chunk) {
  text_ += chunk;
  return decided(false, End::whole);
}

std::string Redactor::finish(End end) {
  std::string out = decided(true, end);
  run_ = Secrets::Run::none;
  hiding_ = false;
  return out;
}

std::vector<std::pair<std::size_t, std::size_t>> find_secrets(const Secrets& secrets,
                                                              std::string_view text, End end) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  // Borrowed: the redactor does not outlive this call.
  Redactor redactor(std::shared_ptr<const Secrets>(std::shared_ptr<void>(), &secrets));
  redactor.decide(text, true, end, [&](std::size_t from, std::size_t to, bool hidden) {
    if (!hidden) return;
    if (!found.empty() && found.back().second == from) found.back().second = to;
    else found.emplace_back(from, to);
  });
  return found;
}

std::string redacted(const Secrets& secrets, std::string_view text, End end) {
  std::string out;
  std::size_t at = 0;
  for (const auto& [from, to] : find_secrets(secrets, text, end)) {
    out.append(text, at, from - at);
    out += k_mark;
    at = to;
  }
  return out.append(text, at);
}

std::function<std::string(std::string)> line_redactor(const std::vector<std::string>& values) {
  return [secrets = std::make_shared<const Secrets>(values)](const std::string& line) {
    return redacted(*secrets, line);
  };
}

JsonSecrets::JsonSecrets(const std::vector<std::string>& values)
    : in_strings(std::make_shared<const Secrets>(values)),
      outside(std::make_shared<const Secrets>(without_numbers(values))) {}

// The size of the rest of the current string, or of the text before the next string.
std::size_t JsonRedactor::end_of_part(std::string_view rest) {
  if (!is_inside_) return std::min(rest.find('"'), rest.size());
  for (std::size_t at = 0; at < rest.size(); ++at) {
    if (rest[at] == '\n') {
      is_escaped_ = false;
      return at;
    }
    if (is_escaped_) is_escaped_ = false;
    else if (rest[at] == '"') return at;
    else is_escaped_ = rest[at] == '\\';
  }
  return rest.size();
}

std::string JsonRedactor::feed(std::string_view chunk) {
  std::string out;
  while (!chunk.empty()) {
    Redactor& redactor = is_inside_ ? inside_ : outside_;
    const std::size_t size = end_of_part(chunk);
    out += redactor.feed(chunk.substr(0, size));
    if (size == chunk.size()) break;
    out += redactor.finish();
    out += chunk[size];
    chunk.remove_prefix(size + 1);
    is_inside_ = !is_inside_;
  }
  return out;
}

std::string JsonRedactor::finish() {
  is_escaped_ = false;
  return (std::exchange(is_inside_, false) ? inside_ : outside_).finish();
}

std::string redacted_json(const JsonSecrets& secrets, std::string_view text) {
  JsonRedactor redactor(secrets);
  std::string out = redactor.feed(text);
  return out += redactor.finish();
}

}  // namespace orch::secret
