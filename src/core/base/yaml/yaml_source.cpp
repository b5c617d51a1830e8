#include "core/base/yaml/yaml_source.hpp"

#include "core/base/text.hpp"

namespace orch {

namespace {

std::size_t character_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// The character that backslash and LETTER encode; DIGITS are the hexadecimal digits after it.
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

// The offset of the first control character other than tabs, \n and \r, or npos. Byte order marks,
// U+FFFE, U+FFFF, U+2028 and U+2029 count as well: parsers disagree on whether the last two, and
// U+0085, end a line. TEXT is UTF-8.
std::size_t find_control_character(std::string_view text) {
  static constexpr std::string_view k_refused[] = {"\xef\xbb\xbf", "\xef\xbf\xbe", "\xef\xbf\xbf",
                                                   "\xe2\x80\xa8", "\xe2\x80\xa9"};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7f) return i;
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte == 0xc2 && next < 0xa0) return i;
    if (byte < 0xe2) continue;
    if (contains(k_refused, text.substr(i, 3))) return i;
  }
  return std::string_view::npos;
}

}  // namespace

std::size_t escape_digits_of(char letter) {
  return letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
}

// Reads one scalar and notes the position of each character.
class ScalarReader {
 public:
  ScalarReader(YamlSource& source, const YamlExtent& extent)
      : source_(source), text_(source.text().substr(0, extent.end)), at_(extent.begin) {}

  ScalarText flow(ScalarStyle style) {
    if (style != ScalarStyle::plain) {
      ++at_;
      text_.remove_suffix(1);
    }
    start();
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_blank(c)) take_blanks();
      else if (is_break(c)) fold(false);
      else if (c == '\\' && style == ScalarStyle::double_quoted) take_escape();
      else if (c == '\'' && style == ScalarStyle::single_quoted) put("'", 2);
      else put(text_.substr(at_, character_size(c)), character_size(c));
    }
    return finish();
  }

  ScalarText block(ScalarStyle style, int indent) {
    const std::string_view header = take_line();
    skip_break();
    start();
    bool any = false;
    bool indented = false;            // the previous line is, more than the block
    std::vector<std::size_t> breaks;  // after the previous line
    while (at_ < text_.size()) {
      at_ += std::min(spaces(), static_cast<std::size_t>(indent));
      if (at_ < text_.size() && !is_break(text_[at_])) {
        const std::size_t line = at_;
        const bool folds = style == ScalarStyle::folded && any && !indented;
        indented = is_blank(text_[line]);
        put_breaks(breaks, folds && !indented);
        at_ = line;
        any = true;
        put_line();
        breaks.clear();
      }
      if (at_ < text_.size()) breaks.push_back(at_);
      skip_break();
    }
    const std::string_view chomping = header.substr(0, header.find_first_of(" \t#"));
    if (chomping.find('+') == std::string_view::npos) {
      const bool strips = chomping.find('-') != std::string_view::npos;
      if (strips && any && !breaks.empty()) at_ = breaks.front();
      breaks.resize(strips || !any ? 0 : std::min<std::size_t>(breaks.size(), 1));
    }
    put_breaks(breaks, false);
    return finish();
  }

 private:
  void start() { read_.places = Places(source_.at(at_)); }

  // The next characters of the text are BYTES; in the source they take WRITTEN bytes from at_ on.
  void put(std::string_view bytes, std::size_t written) {
    place_here();
    read_.text += bytes;
    column_ += static_cast<int>(bytes.size());
    at_ += written;
  }

  // Adds a piece unless Places::at computes the same position from the previous piece by counting
  // bytes.
  void place_here() {
    source_.seek(at_);
    const auto& here = source_.cursor_;
    if (read_.text.empty() || here.line != line_ || here.column != column_)
      read_.places.add_piece(read_.text.size(), here.line, here.column);
    line_ = here.line;
    column_ = here.column;
  }

  ScalarText finish() {
    // The end of a block is after its last character, not on the next line.
    const bool ends_block = at_ > 0 && is_break(text_[at_ - 1]);
    if (!ends_block) place_here();
    return std::move(read_);
  }

  void take_blanks() {
    std::size_t end = at_;
    while (end < text_.size() && is_blank(text_[end])) ++end;
    if (end < text_.size() && is_break(text_[end])) {
      at_ = end;
      return;
    }
    while (at_ < end) put(text_.substr(at_, 1), 1);
  }

  std::size_t break_size(std::size_t at) const { return text_.substr(at, 2) == "\r\n" ? 2 : 1; }

  // Folds line breaks: a single one becomes a space, n become n - 1 newlines. After an escaped one,
  // each further one becomes a newline.
  void fold(bool escaped) {
    const std::size_t first = at_;
    if (!escaped) at_ += break_size(at_);
    bool more = false;
    while (at_ < text_.size() && (is_blank(text_[at_]) || is_break(text_[at_]))) {
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
    const std::size_t digits = escape_digits_of(letter);
    put(unescaped(letter, text_.substr(std::min(at_ + 2, text_.size()), digits)), 2 + digits);
  }

  // --- blocks

  std::size_t spaces() const {
    const std::size_t end = text_.find_first_not_of(' ', at_);
    return (end == std::string_view::npos ? text_.size() : end) - at_;
  }

  std::string_view take_line() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  void put_line() {
    while (at_ < text_.size() && !is_break(text_[at_])) {
      const std::size_t size = character_size(text_[at_]);
      put(text_.substr(at_, size), size);
    }
  }

  void skip_break() {
    if (at_ < text_.size()) at_ += break_size(at_);
  }

  // Appends BREAKS as newlines; if FOLDED, a single one as a space, and n as n - 1 newlines.
  void put_breaks(const std::vector<std::size_t>& breaks, bool folded) {
    for (std::size_t i = 0; i < breaks.size(); ++i) {
      at_ = breaks[i];
      if (!folded || i > 0) put("\n", break_size(at_));
      else if (breaks.size() == 1) put(" ", 1);
    }
  }

  YamlSource& source_;
  std::string_view text_;  // up to the end of the scalar
  std::size_t at_;
  int line_ = 0;
  int column_ = 0;
  ScalarText read_;
};

void YamlSource::advance(Cursor& cursor) const {
  const char c = text_[cursor.byte];
  const bool ends_line = c == '\n' || (c == '\r' && text_.substr(cursor.byte + 1, 1) != "\n");
  cursor.byte = std::min(cursor.byte + character_size(c), text_.size());
  cursor.line += ends_line;
  cursor.column = ends_line ? 1 : cursor.column + 1;
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

ScalarText YamlSource::read(const YamlExtent& extent) {
  ScalarReader reader(*this, extent);
  const bool block = extent.style == ScalarStyle::literal || extent.style == ScalarStyle::folded;
  return block ? reader.block(extent.style, extent.indent) : reader.flow(extent.style);
}

Status check_characters(YamlSource& source) {
  const std::string_view text = source.text();
  // Positions can be computed only up to the first invalid byte.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos && nul < find_not_utf8(text))
    return invalid("a NUL byte; this file is not YAML text", source.at(nul));
  if (const auto bad = find_not_utf8(text); bad != std::string_view::npos)
    return invalid("a byte that is not UTF-8; save the file as UTF-8", source.at(bad));
  if (const auto control = find_control_character(text); control != std::string_view::npos)
    return invalid(
        "a control character; remove it, or write it as an escape ('\\x1b') in double quotes",
        source.at(control));
  return {};
}

}  // namespace orch
