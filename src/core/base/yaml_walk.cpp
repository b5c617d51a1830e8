#include "core/base/yaml_walk.hpp"

#include "core/base/text.hpp"

namespace orch {

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

// Skips empty lines and the indentation of the next one. Indentation 0 is set to the one found.
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
