#include "base/yaml_source.hpp"

#include "base/text.hpp"

namespace orch {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_break(char c) { return c == '\n' || c == '\r'; }

std::size_t character_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

std::string utf8(std::uint32_t code) {
  std::string out;
  auto rest = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  if (code < 0x800) return out += static_cast<char>(0xc0 | code >> 6), rest(0), out;
  if (code < 0x10000) return out += static_cast<char>(0xe0 | code >> 12), rest(6), rest(0), out;
  return out += static_cast<char>(0xf0 | code >> 18), rest(12), rest(6), rest(0), out;
}

// The character that backslash and LETTER stand for; DIGITS are the hexadecimal digits after it.
std::string unescaped(char letter, std::string_view digits) {
  switch (letter) {
    case '0': return std::string(1, '\0');
    case 'a': return "\a";
    case 'b': return "\b";
    case 't': return "\t";
    case 'n': return "\n";
    case 'v': return "\v";
    case 'f': return "\f";
    case 'r': return "\r";
    case 'e': return "\x1b";
    case 'N': return utf8(0x85);
    case '_': return utf8(0xa0);
    case 'L': return utf8(0x2028);
    case 'P': return utf8(0x2029);
    case 'x':
    case 'u':
    case 'U': return utf8(static_cast<std::uint32_t>(std::stoul(std::string(digits), nullptr, 16)));
    default: return std::string(1, letter);
  }
}

std::size_t escape_digits(char letter) {
  return letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
}

}  // namespace

// Reads a scalar again, beside the value that the parser returned for it, and notes the position of
// each character. Where the two disagree it gives up: positions then count on from the scalar's
// first character.
class ScalarTrace {
 public:
  ScalarTrace(YamlSource& source, std::size_t begin, std::size_t end, std::string_view value)
      : source_(source), text_(source.text().substr(0, end)), at_(begin), value_(value) {}

  Places flow(ScalarStyle style) {
    const bool quoted = style != ScalarStyle::plain;
    if (quoted) {
      ++at_;
      text_.remove_suffix(at_ < text_.size() ? 1 : 0);
    }
    start();
    while (fine_ && at_ < text_.size()) {
      const char c = text_[at_];
      if (is_blank(c)) take_blanks();
      else if (is_break(c)) fold(false);
      else if (c == '\\' && style == ScalarStyle::double_quoted) take_escape();
      else if (c == '\'' && style == ScalarStyle::single_quoted) put("'", 2);
      else put(text_.substr(at_, character_size(c)), character_size(c));
    }
    return finish();
  }

  Places block(ScalarStyle style) {
    skip_line();  // the header
    find_indent();
    start();
    while (fine_ && at_ < text_.size() && given_ < value_.size()) {
      const std::size_t skip = spaces_at(at_);
      at_ += std::min(skip, indent_);
      while (fine_ && at_ < text_.size() && !is_break(text_[at_]) && given_ < value_.size()) {
        const std::size_t size = character_size(text_[at_]);
        put(text_.substr(at_, size), size);
      }
      if (given_ < value_.size()) take_breaks(style);
    }
    return finish();
  }

 private:
  void start() { places_ = Places(source_.at(at_)); }

  // The next characters of the value are BYTES; they are written as WRITTEN bytes from at_ on.
  void put(std::string_view bytes, std::size_t written) {
    if (value_.substr(given_, bytes.size()) != bytes) {
      fine_ = false;
      return;
    }
    place_here();
    given_ += bytes.size();
    column_ += static_cast<int>(bytes.size());
    at_ += written;
  }

  // Places::at counts bytes from the last piece on.
  void place_here() {
    source_.seek(at_);
    const auto& here = source_.cursor_;
    if (given_ == 0 || here.line != line_ || here.column != column_)
      places_.add_piece(given_, here.line, here.column);
    line_ = here.line;
    column_ = here.column;
  }

  Places finish() {
    if (!fine_ || given_ != value_.size()) return Places(places_.first());
    const bool ends_block =
        at_ > 0 && is_break(text_[at_ - 1]);  // after its last character, not on the next line
    if (!ends_block) place_here();
    return std::move(places_);
  }

  void take_blanks() {
    std::size_t end = at_;
    while (end < text_.size() && is_blank(text_[end])) ++end;
    if (end < text_.size() && is_break(text_[end])) {
      at_ = end;
      return;
    }
    while (fine_ && at_ < end) put(text_.substr(at_, 1), 1);
  }

  std::size_t break_size(std::size_t at) const { return text_.substr(at, 2) == "\r\n" ? 2 : 1; }

  // One line end reads as a space, n line ends as n - 1; after an escaped one all of them count.
  void fold(bool escaped) {
    const std::size_t first = at_;
    if (!escaped) at_ += break_size(at_);
    bool more = false;
    while (fine_ && at_ < text_.size() && (is_blank(text_[at_]) || is_break(text_[at_]))) {
      if (is_blank(text_[at_])) {
        ++at_;
      } else {
        put("\n", break_size(at_));
        more = true;
      }
    }
    if (more || escaped) return;
    const std::size_t next = std::exchange(at_, first);
    put(" ", 1);
    at_ = next;
  }

  void take_escape() {
    const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\\';
    if (is_break(letter)) {
      at_ += 1 + break_size(at_ + 1);
      return fold(true);
    }
    const std::size_t digits = escape_digits(letter);
    put(unescaped(letter, text_.substr(std::min(at_ + 2, text_.size()), digits)), 2 + digits);
  }

  // --- blocks

  std::size_t spaces_at(std::size_t at) const {
    const std::size_t end = text_.find_first_not_of(' ', at);
    return (end == std::string_view::npos ? text_.size() : end) - at;
  }

  void skip_line() {
    at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    if (at_ < text_.size()) at_ += break_size(at_);
  }

  // The indentation is the number of blanks that the first line with text lost by being read.
  void find_indent() {
    const std::size_t line = value_.find_first_not_of("\n");
    if (line == std::string_view::npos) {
      indent_ = std::string_view::npos;
      return;
    }
    const std::size_t spaces = std::min(value_.find_first_not_of(' ', line), value_.size()) - line;
    std::size_t at = at_;
    for (std::size_t skipped = 0; skipped < line && at < text_.size(); ++skipped) {
      at = std::min(text_.find_first_of("\r\n", at), text_.size());
      if (at < text_.size()) at += break_size(at);
    }
    indent_ = spaces_at(at) - std::min(spaces, spaces_at(at));
  }

  // Takes the line ends up to the next line with text. In a folded block the first one may read as
  // a space or as nothing.
  void take_breaks(ScalarStyle style) {
    std::vector<std::size_t> breaks;
    std::size_t at = at_;
    while (at < text_.size() && is_break(text_[at])) {
      breaks.push_back(at);
      at += break_size(at);
      const std::size_t content = at + std::min(spaces_at(at), indent_);
      if (content < text_.size() && is_break(text_[content])) at = content;
    }
    const std::size_t wanted =
        std::min(value_.find_first_not_of('\n', given_), value_.size()) - given_;
    if (breaks.empty()) fine_ = false;
    for (std::size_t i = 0; fine_ && i < breaks.size() && given_ < value_.size(); ++i) {
      at_ = breaks[i];
      if (style == ScalarStyle::folded && i == 0 && wanted < breaks.size() &&
          given_ + wanted < value_.size()) {
        if (wanted == 0) put(" ", 1);
      } else {
        put("\n", 1);
      }
    }
    at_ = at;
  }

  YamlSource& source_;
  std::string_view text_;
  std::size_t at_;
  std::string_view value_;
  std::size_t given_ = 0;  // bytes of value_ that have a position
  std::size_t indent_ = 0;
  int line_ = 0;
  int column_ = 0;
  bool fine_ = true;
  Places places_;
};

void YamlSource::advance(Cursor& cursor) const {
  const char c = text_[cursor.byte];
  const bool ends_line = c == '\n' || (c == '\r' && text_.substr(cursor.byte + 1, 1) != "\n");
  cursor.byte = std::min(cursor.byte + character_size(c), text_.size());
  ++cursor.index;
  cursor.line += ends_line;
  cursor.column = ends_line ? 1 : cursor.column + 1;
}

std::size_t YamlSource::byte_of(std::size_t index) {
  if (index < cursor_.index) cursor_ = {};
  while (cursor_.index < index && cursor_.byte < text_.size()) advance(cursor_);
  return cursor_.byte;
}

void YamlSource::seek(std::size_t byte) {
  if (byte < cursor_.byte) cursor_ = {};
  while (cursor_.byte < byte && cursor_.byte < text_.size()) advance(cursor_);
}

Location YamlSource::at(std::size_t byte) {
  seek(byte);
  return {file_, cursor_.line, cursor_.column};
}

std::size_t YamlSource::skip_properties(std::size_t byte) const {
  while (byte < text_.size()) {
    const char c = text_[byte];
    if (is_blank(c) || is_break(c)) ++byte;
    else if (c == '#') byte = std::min(text_.find_first_of("\r\n", byte), text_.size());
    else if (c == '&' || c == '!')
      byte = std::min(text_.find_first_of(" \t\r\n,]}", byte), text_.size());
    else break;
  }
  return byte;
}

Places YamlSource::trace(std::size_t begin, std::size_t end, ScalarStyle style,
                         std::string_view value) {
  seek(begin);
  Cursor ahead = cursor_;
  while (ahead.index < end && ahead.byte < text_.size()) advance(ahead);
  ScalarTrace trace(*this, begin, ahead.byte, value);
  return style == ScalarStyle::literal || style == ScalarStyle::folded ? trace.block(style)
                                                                       : trace.flow(style);
}

}  // namespace orch
