#include "core/base/yaml/yaml_words.hpp"

#include "core/base/text.hpp"

namespace orch {

namespace {

class Explanation {
  using enum YamlMistake;

 public:
  Explanation(const YamlFault& fault, YamlSource& source, const YamlLimits& limits)
      : fault_(fault), source_(source), limits_(limits), text_(source.text()) {}

  Error error() {
    switch (fault_.mistake) {
      case tab: return in_indentation();
      case strange_character: return begins_plain();
      case colon: return second_colon();
      case colon_in_flow: return unreadable("found unexpected ':'");
      case key_of_lines: return lines_of_key();
      case no_colon: return line_without_colon();
      case open_quote: return quote();
      case open_flow:
      case flow_separator: return collection();
      case no_content: return value_missing();
      case not_a_key: return misplaced(false);
      case not_an_item: return misplaced(true);
      case after_root: return second_text();
      case second_document: return here("more than one document ('---') in the file; keep one");
      case bad_name: return name();
      case alias_colon: return alias();
      case bad_tag: return at_begin("'!' begins a YAML tag; put a text that begins so in quotes");
      case directive: return percent();
      case escape: return unknown_escape();
      case escape_digits: return digits();
      case block_header: return header();
      case item_here: return dash();
      case question_here:
        return here("a '?' key cannot begin here; put a text that begins so in quotes");
      case too_deep: return deep();
      case too_many_nodes: return many();
      case ambiguous: return unreadable("it can be read in two ways");
      case other: break;
    }
    return unreadable(fault_.words);
  }

 private:
  Error here(std::string message) { return invalid(std::move(message), source_.at(fault_.at)); }
  Error at_begin(std::string message) {
    return invalid(std::move(message), source_.at(fault_.began));
  }

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

  Error in_indentation() { return here("a tab in the indentation; indent with spaces"); }

  Error begins_plain() {
    if (character(fault_.at) == '\t') return in_indentation();
    return here(fmt::format("a plain value cannot begin with {}; put it in quotes", shown()));
  }

  Error second_colon() {
    const std::string_view line = before();
    if (line.find(": ") != std::string_view::npos || line.find(":\t") != std::string_view::npos)
      return here("a ':' inside a plain value; put the value in quotes");
    return here(
        "a key cannot stand here, because the line above continues; indent it like the other keys, "
        "or give the line above its ':'");
  }

  Error lines_of_key() {
    return here("a key must be on one line; join its lines, or put ',' between two keys");
  }

  // The error for the flow collection at BEGAN: it lacks a separator or its closing bracket.
  Error collection() {
    const char open = character(fault_.began);
    const char close = open == '[' ? ']' : '}';
    if (at_end()) return at_begin(fmt::format("a '{}' is never closed; add the '{}'", open, close));
    const int line = source_.at(fault_.began).line;
    if (character(fault_.at) == ':')
      return here(
          fmt::format("a ':' cannot stand here, because the '{}' of line {} is still open; add "
                      "'{}' or ',', or put a text with ':' in quotes",
                      open, line, close));
    return here(fmt::format("',' or '{}' is missing here: the '{}' of line {} is still open", close,
                            open, line));
  }

  Error value_missing() {
    return here(fmt::format(
        "a value is missing before {}; write it, or put a text that begins so in quotes", shown()));
  }

  // The error for text that is not an item of a list (ITEMS), or not a key of a map.
  Error misplaced(bool items) {
    const std::string_view line = before();
    if (line.ends_with('\'') || line.ends_with('"'))
      return here("text after a closing quote; put the whole value in quotes of the other kind");
    if (!line.empty())
      return here(fmt::format("{} cannot stand here; put the whole value in quotes", shown()));
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

  Error line_without_colon() {
    return at_begin(
        "this line is not 'key: value'; add the ':', or indent it as a part of the value above");
  }

  Error quote() {
    const char mark = character(fault_.began);
    return at_begin(
        fmt::format("a quote ({}) opens here and is never closed; add the closing one", mark));
  }

  Error name() {
    return at_begin(
        fmt::format("a name of letters, digits, '-' and '_' must follow '{}'; put a text that "
                    "begins so in quotes",
                    character(fault_.began)));
  }

  Error alias() {
    return at_begin(
        "a blank must stand between an alias and ':'; put a text that begins with '*' in quotes");
  }

  Error percent() {
    return at_begin(
        "a line that begins with '%' is a YAML directive, which is not supported; remove it, or "
        "put the text in quotes");
  }

  Error unknown_escape() {
    const std::string letter = quoted(text_.substr(std::min(fault_.at, text_.size()), 2));
    return here(fmt::format(
        "{} is not a YAML escape; write a backslash as '\\\\', or use single quotes", letter));
  }
  Error digits() {
    return here(
        "an escape that names no character; write \\xNN, \\uNNNN or \\UNNNNNNNN with hexadecimal "
        "digits");
  }

  Error header() {
    return here(fmt::format(
        "only '+', '-' or a digit from 1 may follow '{}'; write the text on the lines below",
        character(fault_.began)));
  }

  Error dash() {
    return here(
        "a '-' item cannot begin here; write the list on the lines below or as [a, b], or put a "
        "text that begins so in quotes");
  }
  Error second_text() {
    if (const char c = character(fault_.at); c == ']' || c == '}')
      return here(fmt::format("this '{}' closes nothing; remove it", c));
    if (before().ends_with('\'') || before().ends_with('"')) return misplaced(false);
    return here(
        "text after the end of the value above; remove it, or put the whole value in quotes");
  }

  Error deep() {
    return here(fmt::format("nested deeper than {} levels; flatten the file", limits_.depth));
  }
  Error many() {
    return here(fmt::format("more than {} nodes after aliases are expanded; shorten the file",
                            limits_.nodes));
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
    const char c = peek(i);
    if (!std::isxdigit(static_cast<unsigned char>(c)))
      return fault(YamlMistake::escape_digits, begin);
    code = code << 4 | static_cast<std::uint32_t>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
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

// Skips empty lines and the indentation of the next line, which becomes that of the block if it is
// 0.
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
