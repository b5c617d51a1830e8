#include "core/base/yaml/yaml_words.hpp"

#include "core/base/text.hpp"

namespace orch {

namespace {

// Mistakes that one sentence explains. In it {at} is the character at the fault in quotes, {escape}
// the two characters there, {began} the character where the mistake began.
struct Sentence {
  YamlMistake mistake;
  bool is_at_begin;
  std::string_view text;
};

const Sentence& sentence_of(YamlMistake mistake) {
  using enum YamlMistake;
  static constexpr Sentence k_sentences[] = {
      {tab, false, "a tab in the indentation; indent with spaces"},
      {strange_character, false, "a plain value cannot begin with {at}; put it in quotes"},
      {key_of_lines, false,
       "a key must be on one line; join its lines, or put ',' between two keys"},
      {no_colon, true,
       "this line is not 'key: value'; add the ':', or indent it as a part of the value above"},
      {open_quote, true, "a quote ({began}) opens here and is never closed; add the closing one"},
      {no_content, false,
       "a value is missing before {at}; write it, or quote a text that begins like this"},
      {second_document, false, "more than one document ('---') in the file; keep one"},
      {bad_name, true,
       "a name of letters, digits, '-' and '_' must follow '{began}'; quote a text that begins "
       "like this"},
      {alias_colon, true,
       "write a space between an alias and ':', or put a text that begins with '*' in quotes"},
      {bad_tag, true, "'!' begins a YAML tag; quote a text that begins with '!'"},
      {directive, true,
       "a line that begins with '%' is a YAML directive, which is not supported; remove it, or put "
       "the text in quotes"},
      {escape, false,
       "{escape} is not a YAML escape; write a backslash as '\\\\', or use single quotes"},
      {escape_digits, false,
       "an escape that names no character; write \\xNN, \\uNNNN or \\UNNNNNNNN with hexadecimal "
       "digits"},
      {block_header, false,
       "only '+', '-' or a digit from 1 to 9 may follow '{began}'; write the text on the lines "
       "below"},
      {item_here, false,
       "a '-' item cannot begin here; write the list on the lines below or as [a, b], or put a "
       "text that begins with '-' in quotes"},
      {question_here, false,
       "a '?' key cannot begin here; put a text that begins with '?' in quotes"},
      {too_deep, false, "nested deeper than {depth} levels; flatten the file"},
      {too_many_nodes, false,
       "more than {nodes} nodes after aliases are expanded; shorten the file"},
  };
  return *std::ranges::find(k_sentences, mistake, &Sentence::mistake);
}

class Explanation {
  using enum YamlMistake;

 public:
  Explanation(const YamlFault& fault, YamlSource& source, const YamlLimits& limits)
      : fault_(fault), source_(source), limits_(limits), text_(source.text()) {}

  Error error() {
    switch (fault_.mistake) {
      case colon: return second_colon();
      case open_flow:
      case flow_separator: return collection();
      case not_a_key: return misplaced(false);
      case not_an_item: return misplaced(true);
      case after_root: return second_text();
      case colon_in_flow: return unreadable("found unexpected ':'");
      case ambiguous: return unreadable("it can be read in two ways");
      case other: return unreadable(fault_.words);
      default: break;
    }
    const bool is_tab = fault_.mistake == strange_character && character(fault_.at) == '\t';
    const Sentence& sentence = sentence_of(is_tab ? tab : fault_.mistake);
    std::string message =
        fmt::format(fmt::runtime(sentence.text), fmt::arg("at", shown()),
                    fmt::arg("escape", quoted(text_.substr(std::min(fault_.at, text_.size()), 2))),
                    fmt::arg("began", character(fault_.began)), fmt::arg("depth", limits_.depth),
                    fmt::arg("nodes", limits_.nodes));
    return invalid(std::move(message), source_.at(sentence.is_at_begin ? fault_.began : fault_.at));
  }

 private:
  Error here(std::string message) { return invalid(std::move(message), source_.at(fault_.at)); }

  bool at_end() const {
    return text_.find_first_not_of(" \t\r\n", fault_.at) == std::string_view::npos;
  }
  char character(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  std::size_t line_start() const {
    const auto end =
        fault_.at == 0 ? std::string_view::npos : text_.find_last_of("\r\n", fault_.at - 1);
    return end == std::string_view::npos ? 0 : end + 1;
  }
  std::string_view before() const {
    return trim(text_.substr(line_start(), std::min(fault_.at, text_.size()) - line_start()));
  }
  // The character at the fault, in quotes.
  std::string shown() const {
    std::size_t size = 1;
    while ((static_cast<unsigned char>(character(fault_.at + size)) & 0xc0) == 0x80) ++size;
    return quoted(text_.substr(std::min(fault_.at, text_.size()), size));
  }

  Error unreadable(std::string_view words) {
    return here(
        fmt::format("not valid YAML ({}); put a text with special characters in quotes", words));
  }

  Error second_colon() {
    const std::string_view line = before();
    if (line.find(": ") != std::string_view::npos || line.find(":\t") != std::string_view::npos)
      return here("a ':' inside a plain value; put the value in quotes");
    return here(
        "a key is not allowed here, because the line above continues; indent it like the other "
        "keys, or add the ':' to the line above");
  }

  // The error for the flow collection at BEGAN: it lacks a separator or its closing bracket.
  Error collection() {
    const char open = character(fault_.began);
    const char close = open == '[' ? ']' : '}';
    if (at_end())
      return invalid(fmt::format("a '{}' is never closed; add the '{}'", open, close),
                     source_.at(fault_.began));
    const int line = source_.at(fault_.began).line;
    if (character(fault_.at) == ':')
      return here(
          fmt::format("a ':' is not allowed here: the '{}' of line {} is still open; add "
                      "'{}' or ',', or put a text with ':' in quotes",
                      open, line, close));
    return here(fmt::format("',' or '{}' is missing here: the '{}' of line {} is still open", close,
                            open, line));
  }

  // The error for text that is not an item of a list (ITEMS), or not a key of a map.
  Error misplaced(bool items) {
    const std::string_view line = before();
    if (line.ends_with('\'') || line.ends_with('"'))
      return here("text after a closing quote; put the whole value in quotes of the other kind");
    if (!line.empty())
      return here(fmt::format("{} is not allowed here; put the whole value in quotes", shown()));
    const bool dash = character(fault_.at) == '-';
    if (dash && items && is_letter_or_digit(character(fault_.at + 1)))
      return here("an item begins with '- '; add a space after the '-'");
    if (dash && !items)
      return here(
          "a '-' among the keys of a map; indent it below the key whose list it belongs to");
    if (items)
      return here(
          "this line is between the items of a list and is not an item; begin it with '- ', or "
          "indent it like "
          "the item above");
    return here(
        "the indentation of this line matches none of the keys above; indent it like the keys that "
        "it "
        "belongs to");
  }

  Error second_text() {
    if (const char c = character(fault_.at); c == ']' || c == '}')
      return here(fmt::format("this '{}' closes nothing; remove it", c));
    if (before().ends_with('\'') || before().ends_with('"')) return misplaced(false);
    return here(
        "text after the end of the value above; remove it, or put the whole value in quotes");
  }

  const YamlFault& fault_;
  YamlSource& source_;
  const YamlLimits& limits_;
  std::string_view text_;
};

}  // namespace

Error explain(const YamlFault& fault, YamlSource& source, const YamlLimits& limits) {
  return Explanation(fault, source, limits).error();
}

bool YamlWalk::at_marker() const {
  const std::string_view three = text_.substr(std::min(at_, text_.size()), 3);
  return column() == 0 && (three == "---" || three == "...") && blank_or_end(3);
}

void YamlWalk::skip_break() {
  const bool two = peek() == '\r' && peek(1) == '\n';
  if (peek() == '\r' && !two) sound_[at_] = '\n';  // yaml-cpp would read on
  at_ += two ? 2 : 1;
  line_ = at_;
}

void YamlWalk::skip_line() {
  while (!at_end() && !at_break()) ++at_;
}

YamlWalk::Scalar YamlWalk::walk_plain(int least, bool in_flow) {
  Scalar scalar{.extent = {.begin = at_, .end = at_, .style = ScalarStyle::plain}, .fault = {}};
  while (!at_marker() && peek() != '#') {
    for (; !blank_or_end(0); scalar.extent.end = ++at_, scalar.new_line = false) {
      if (in_flow && peek() == ':' && peek_is(",?[]{}", 1)) {
        scalar.fault = fault(YamlMistake::colon_in_flow, at_);
        return scalar;
      }
      if ((peek() == ':' && blank_or_end(1)) || (in_flow && peek_is(",[]{}"))) break;
      if (in_flow && peek() == '?') sound_[at_] = '_';  // yaml-cpp would stop
    }
    if (at_end() || !blank_or_end(0)) break;
    scalar.fault = skip_plain_blanks(least, scalar.new_line);
    if (scalar.fault || (!in_flow && column() < least)) break;
  }
  return scalar;
}

std::optional<YamlFault> YamlWalk::skip_plain_blanks(int least, bool& new_line) {
  while (!at_end() && blank_or_end(0)) {
    if (at_break()) {
      skip_break();
      new_line = true;
    } else if (new_line && peek() == '\t' && column() < least) {
      return fault(YamlMistake::tab, at_);
    } else {
      ++at_;
    }
  }
  return {};
}

YamlWalk::Scalar YamlWalk::walk_quoted() {
  const char quote = peek();
  const bool escapes = quote == '"';
  Scalar scalar{
      .extent = {.begin = at_,
                 .end = at_,
                 .style = escapes ? ScalarStyle::double_quoted : ScalarStyle::single_quoted},
      .fault = {}};
  const std::size_t begin = at_++;
  while (!scalar.fault) {
    const bool doubled = !escapes && peek() == quote && peek(1) == quote;
    if (at_end() || at_marker()) scalar.fault = fault(YamlMistake::open_quote, begin);
    else if (peek() == quote && !doubled) break;
    else if (peek() == '\\' && escapes) scalar.fault = skip_escape(begin);
    else if (at_break()) skip_break();
    else at_ += doubled ? 2 : 1;
  }
  scalar.extent.end = at_ += scalar.fault ? 0 : 1;
  return scalar;
}

std::optional<YamlFault> YamlWalk::skip_escape(std::size_t begin) {
  if (is_break(peek(1))) {
    ++at_;
    skip_break();
    return {};
  }
  const std::size_t digits = escape_digits_of(peek(1));
  if (digits == 0 && !peek_is("0abt\tnvfre \"/\\N_LP", 1)) return fault(YamlMistake::escape, begin);
  at_ += 2;
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const int digit = hex_digit(peek(i));
    if (digit < 0) return fault(YamlMistake::escape_digits, begin);
    code = code << 4 | static_cast<std::uint32_t>(digit);
  }
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    return fault(YamlMistake::escape_digits, begin);
  at_ += digits;
  return {};
}

YamlWalk::Scalar YamlWalk::walk_block(int parent) {
  const bool literal = peek() == '|';
  const std::size_t begin = at_;
  Scalar scalar{.extent = {.begin = at_,
                           .end = at_,
                           .style = literal ? ScalarStyle::literal : ScalarStyle::folded},
                .fault = {}};
  ++at_;
  int increment = 0;
  scalar.fault = skip_block_header(begin, increment);
  if (scalar.fault) return scalar;
  scalar.extent.indent = increment == 0 ? 0 : std::max(parent, 0) + increment;
  scalar.fault = skip_block_breaks(parent, scalar);
  while (!scalar.fault && column() == scalar.extent.indent && !at_end()) {
    skip_line();
    if (!at_end()) skip_break();
    scalar.fault = skip_block_breaks(parent, scalar);
  }
  return scalar;
}

std::optional<YamlFault> YamlWalk::skip_block_header(std::size_t begin, int& increment) {
  for (bool chomp = false; !blank_or_end(0) && peek() != '#'; ++at_) {
    if (peek_is("+-") && !chomp) chomp = true;
    else if (peek_is("123456789") && increment == 0) increment = peek() - '0';
    else return fault(YamlMistake::block_header, begin);
  }
  while (is_blank(peek())) ++at_;
  if (peek() == '#') skip_line();
  if (!blank_or_end(0)) return fault(YamlMistake::block_header, begin);
  if (!at_end()) skip_break();
  return {};
}

// Skips empty lines and the indentation of the next line, which becomes the block's if that is
// still 0.
std::optional<YamlFault> YamlWalk::skip_block_breaks(int parent, Scalar& scalar) {
  int& indent = scalar.extent.indent;
  int most = 0;
  scalar.extent.end = at_;
  while (true) {
    while (peek() == ' ' && (indent == 0 || column() < indent)) ++at_;
    most = std::max(most, column());
    if (peek() == '\t' && (indent == 0 || column() < indent)) return fault(YamlMistake::tab, at_);
    if (!at_break()) break;
    skip_break();
    scalar.extent.end = at_;
  }
  if (indent == 0) indent = std::max({most, parent + 1, 1});
  return {};
}

}  // namespace orch
