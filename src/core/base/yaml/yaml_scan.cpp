#include "core/base/text.hpp"
#include "core/base/yaml/yaml_words.hpp"

namespace orch {

namespace {

bool is_name_character(char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; }

bool is_one_of(char c, std::string_view set) {
  return c != '\0' && set.find(c) != std::string_view::npos;
}

// Where keys and entries may begin: the collections around the position, and the first fault. A
// member that checks something returns false after a fault.
class YamlStructure : protected YamlWalk {
 protected:
  using enum YamlMistake;

  // A position where a key begins if ':' follows on the same line.
  struct Candidate {
    bool possible = false;
    bool required = false;  // a line of a map must begin with a key
    std::size_t begin = 0;
    std::size_t line = 0;
    std::size_t before = 0;  // where the previous token ends
  };
  struct Flow {
    std::size_t begin;
    bool asks_value = false;  // '?' began the entry, so ':' needs no key on its line
  };
  struct Indent {
    int column;
    bool list;
  };

  YamlStructure(std::string_view text, const YamlLimits& limits)
      : YamlWalk(text), limits_(limits) {}

  // --- faults

  bool fail(YamlMistake mistake, std::size_t at, std::size_t began, std::size_t stop) {
    scan_.fault = YamlFault{.mistake = mistake, .at = at, .began = began, .words = ""};
    scan_.stop = stop;
    return false;
  }
  bool fail(YamlMistake mistake, std::size_t began) { return fail(mistake, at_, began, end_); }
  bool fail(YamlMistake mistake) { return fail(mistake, at_); }
  // The token at at_ is not allowed here.
  bool fail_grammar(YamlMistake mistake, std::size_t began) {
    const Candidate& line = candidates_.front();
    if (line.possible && line.required) return fail_candidate(line);
    return fail(mistake, at_, began, std::min(end_, hidden_));
  }
  // The same, but a value is missing if the last token was one of the characters in AFTER.
  bool fail_token(std::string_view after) {
    if (before_ == '\0' || is_one_of(before_, after)) return fail_grammar(no_content, at_);
    if (!flows_.empty()) return fail_grammar(flow_separator, flows_.back().begin);
    const bool list = !indents_.empty() && indents_.back().list;
    return fail_grammar(indents_.empty() ? after_root : list ? not_an_item : not_a_key, at_);
  }
  bool fail_candidate(const Candidate& key) {
    return fail(no_colon, key.begin, key.begin, key.before);
  }

  // --- structure

  int indent() const { return indents_.empty() ? -1 : indents_.back().column; }

  void unroll(int column) {
    for (; flows_.empty() && indent() > column; before_ = 'x') indents_.pop_back();
  }
  // A block list or map has an entry at COLUMN; BEGIN is its first byte.
  bool roll(int column, bool list, std::size_t begin, std::size_t before) {
    if (!flows_.empty()) return true;
    if (indent() >= column)
      return list || !indents_.back().list || fail(not_an_item, begin, begin, before);
    indents_.push_back({column, list});
    return bound_depth(begin, before);
  }
  bool bound_depth(std::size_t begin, std::size_t before) {
    return indents_.size() + flows_.size() <= limits_.depth + 1 ||
           fail(too_deep, begin, begin, before);
  }
  bool count_node() { return ++nodes_ <= limits_.nodes || fail(too_many_nodes, at_, at_, end_); }

  Candidate& candidate() { return candidates_.back(); }

  // A key is on one line and at most 1024 bytes long.
  bool drop_stale_candidates() {
    for (Candidate& each : candidates_) {
      if (!each.possible || (each.line == line_ && at_ - each.begin <= 1024)) continue;
      if (each.required) return fail_candidate(each);
      each.possible = false;
    }
    return true;
  }
  bool drop_candidate() {
    Candidate& last = candidate();
    if (last.possible && last.required) return fail_candidate(last);
    last.possible = false;
    return true;
  }
  bool save_candidate() {
    if (!key_allowed_) return true;
    if (!drop_candidate()) return false;
    candidate() = {.possible = true,
                   .required = flows_.empty() && indent() == column(),
                   .begin = at_,
                   .line = line_,
                   .before = end_};
    return true;
  }

  bool in_flow_map() const { return !flows_.empty() && text_[flows_.back().begin] == '{'; }

  // yaml-cpp takes 'a' in '{a}' for a key only if it is on the same line as the '}' or ','.
  bool end_entry() {
    if (hidden_ != std::string_view::npos) return fail(key_of_lines, hidden_, hidden_, hidden_);
    if (is_one_of(before_, "x&") && in_flow_map())
      std::fill(sound_.begin() + end_, sound_.begin() + at_, ' ');
    return true;
  }

  bool done(char before) {
    end_ = at_;
    before_ = before;
    return true;
  }
  bool indicator(char c) {
    ++at_;
    return done(c);
  }

  const YamlLimits& limits_;
  YamlScan scan_;
  std::size_t end_ = 0;  // where the last token ends
  char before_ = '\0';   // the last token: its indicator, '&' for an anchor or tag, 'x' for a node
  bool key_allowed_ = true;
  std::size_t nodes_ = 0;
  // Where the token before a multi-line key ends: after a later mistake, the text is sound only
  // up to there.
  std::size_t hidden_ = std::string_view::npos;
  std::vector<Indent> indents_;
  std::vector<Flow> flows_;
  std::vector<Candidate> candidates_{1};  // the block's, and one per flow collection
};

// Follows the text token by token. A member that reads a token returns false after a fault.
class YamlScanner : YamlStructure {
 public:
  YamlScanner(std::string_view text, const YamlLimits& limits) : YamlStructure(text, limits) {}

  YamlScan run() && {
    while (step()) {
    }
    close_sound_text();
    scan_.sound = std::move(sound_);
    return std::move(scan_);
  }

 private:
  void skip_to_token() {
    while (true) {
      while (peek() == ' ' || (peek() == '\t' && (!flows_.empty() || !key_allowed_))) ++at_;
      if (peek() == '#') skip_line();
      if (at_end() || !at_break()) return;
      skip_break();
      if (flows_.empty()) key_allowed_ = true;
    }
  }

  bool step() {
    skip_to_token();
    if (!drop_stale_candidates()) return false;
    if (at_end()) return finish();
    unroll(column());
    const char c = peek();
    if (column() == 0 && c == '%') return directive_line();
    if (at_marker()) return marker();
    if (wants_document_) return fail(after_root);
    document_ = true;
    const bool second = !flows_.empty() && before_ == 'x' && !is_one_of(c, ",:]}");
    if (!second) return token(c);
    // A second node without ',' before it. Mistakes in its spelling are reported first.
    const std::size_t begin = at_;
    const std::size_t end = end_;
    const std::size_t flow = flows_.back().begin;
    if (!token(c)) return false;
    at_ = begin;
    end_ = end;
    return fail_grammar(flow_separator, flow);
  }

  bool token(char c) {
    const bool spaced = blank_or_end(1);
    if (c == '[' || c == '{') return open_flow_collection();
    if (c == ']' || c == '}') return close_flow_collection();
    if (c == ',') return separator();
    if (c == '-' && spaced) return item();
    if (c == '?' && spaced) return question();
    if (c == ':' && (spaced || !flows_.empty())) return value();
    if (is_one_of(c, flows_.empty() ? "#%@`\t" : "?#|>%@`")) return fail(strange_character);
    if (c == '&' || c == '*') return name();
    if (c == '!') return tag();
    if (c == '\'' || c == '"') return quoted_scalar();
    if (flows_.empty() && (c == '|' || c == '>')) return block_scalar();
    return plain_scalar();
  }

  bool finish() {
    for (const Candidate& each : candidates_)
      if (each.possible && each.required) return fail_candidate(each);
    if (!flows_.empty()) return fail(open_flow, at_, flows_.back().begin, std::min(end_, hidden_));
    if (wants_document_) return fail(after_root);
    return false;
  }

  bool open_flow_collection() {
    if (!count_node() || !save_candidate()) return false;
    const std::size_t before = end_;
    flows_.push_back({.begin = at_});
    candidates_.emplace_back();
    key_allowed_ = true;
    return bound_depth(at_, before) && indicator(peek());
  }

  bool close_flow_collection() {
    if (flows_.empty()) return fail_token(":?-");
    if ((text_[flows_.back().begin] == '[') != (peek() == ']')) return fail_token("[{,:?");
    if (!end_entry()) return false;
    flows_.pop_back();
    candidates_.pop_back();
    key_allowed_ = false;
    return indicator('x');
  }

  bool separator() {
    if (flows_.empty()) return fail_token(":?-");
    if (is_one_of(before_, "[{,")) return fail_grammar(no_content, at_);
    if (!end_entry()) return false;
    candidate().possible = false;
    flows_.back().asks_value = false;
    key_allowed_ = true;
    return indicator(',');
  }

  bool item() {
    if (!flows_.empty()) return fail_token("[{,:?");
    if (!key_allowed_) return fail(item_here);
    return drop_candidate() && roll(column(), true, at_, end_) && indicator('-');
  }

  bool question() {
    if (flows_.empty()) {
      if (!key_allowed_) return fail(question_here);
      if (!roll(column(), false, at_, end_)) return false;
    } else {
      if (is_one_of(before_, ":?")) return fail_grammar(no_content, at_);
      flows_.back().asks_value = true;
    }
    if (!drop_candidate()) return false;
    key_allowed_ = flows_.empty();
    return indicator('?');
  }

  bool value() {
    Candidate& key = candidate();
    if (key.possible) {
      const int column = static_cast<int>(key.begin - key.line);
      if (!roll(column, false, key.begin, key.before)) return false;
      key.possible = false;
      key_allowed_ = false;
    } else if (flows_.empty()) {
      if (!key_allowed_) return fail(colon);
      if (!roll(column(), false, at_, end_)) return false;
    } else {
      if (!flows_.back().asks_value || before_ == ':') return fail_token("[{,:");
      if (!blank_or_end(1) && !is_one_of(peek(1), ",]}")) return fail(colon_in_flow);
      flows_.back().asks_value = false;
      key_allowed_ = false;
    }
    return indicator(':');
  }

  // An anchor or an alias. yaml-cpp would accept other characters in the name.
  bool name() {
    const std::size_t begin = at_;
    if (peek() == '*' && !count_node()) return false;
    if (!save_candidate()) return false;
    key_allowed_ = false;
    const char sign = peek();
    ++at_;
    while (is_name_character(peek())) ++at_;
    if (sign == '*' && at_ > begin + 1 && peek() == ':') return fail(alias_colon, begin);
    if (at_ == begin + 1 || !(blank_or_end(0) || is_one_of(peek(), ",]}")))
      return fail(bad_name, begin);
    return sign == '*' ? done('x') : property(begin);
  }

  // '!', '!name' or '!!name'.
  bool tag() {
    const std::size_t begin = at_;
    if (!save_candidate()) return false;
    key_allowed_ = false;
    ++at_;
    const bool standard = peek() == '!';
    at_ += standard ? 1 : 0;
    const std::size_t name = at_;
    while (is_name_character(peek()) || is_one_of(peek(), ";/?:@&=+$.~*'()")) ++at_;
    const bool ends = blank_or_end(0) || (!flows_.empty() && peek() == ',');
    if (!ends || (at_ == name && (standard || at_end()))) return fail(bad_tag, begin);
    return property(begin);
  }

  bool property(std::size_t begin) {
    if (before_ != '&') property_ = before_ == 'x' ? 0 : begin;
    return done('&');
  }

  // yaml-cpp mistakes an anchor or a tag before a text of several lines for the beginning of a key,
  // and its column for the minimum indentation of the lines, unless a tab precedes it.
  void hide_property() {
    const bool apart = before_ == '&' && flows_.empty() && property_ > 0;
    if (apart && text_[property_ - 1] == ' ') sound_[property_ - 1] = '\t';
  }

  // The only directive accepted is the version, before the document.
  bool directive_line() {
    const std::size_t begin = at_;
    unroll(-1);
    if (!drop_candidate()) return false;
    skip_line();
    const std::string_view line = text_.substr(begin, at_ - begin);
    const std::string_view words = trim(line.substr(0, line.find(" #")));
    const std::string_view version = trim(words.substr(std::min<std::size_t>(words.size(), 6)));
    const bool known = words.starts_with("%YAML ") && (version == "1.1" || version == "1.2");
    if (!known || wants_document_) return fail(directive, begin);
    at_ = begin;
    if (!flows_.empty()) return fail_token("[{,:?");
    if (document_) return fail(second_document);
    skip_line();
    wants_document_ = true;
    key_allowed_ = false;
    return done('%');
  }

  bool marker() {
    unroll(-1);
    if (!drop_candidate()) return false;
    if (!flows_.empty()) return fail_token("[{,:?");
    const bool starts = peek() == '-';
    if (starts ? document_ : !document_) return fail(starts ? second_document : no_content);
    document_ = true;
    wants_document_ = false;
    key_allowed_ = false;
    at_ += 3;
    return done(starts ? '-' : '.');
  }

  // --- scalars

  bool plain_scalar() {
    if (!count_node() || !save_candidate()) return false;
    key_allowed_ = false;
    return note(walk_plain(indent() + 1, !flows_.empty()));
  }

  bool quoted_scalar() {
    if (!count_node() || !save_candidate()) return false;
    key_allowed_ = false;
    return note(walk_quoted());
  }

  bool block_scalar() {
    if (!count_node() || !drop_candidate()) return false;
    if (column() == indent() && indents_.back().list) return fail(not_an_item);
    key_allowed_ = true;
    hide_property();
    return note(walk_block(indent()));
  }

  bool note(const Scalar& scalar) {
    if (scalar.fault) {
      scan_.fault = scalar.fault;
      scan_.stop = end_;
      return false;
    }
    const YamlExtent& extent = scalar.extent;
    const std::string_view written = text_.substr(extent.begin, extent.end - extent.begin);
    if (written.find_first_of("\r\n") != std::string_view::npos) {
      if (in_flow_map() && candidate().possible) hidden_ = candidate().before;
      if (extent.style == ScalarStyle::plain) hide_property();
    }
    if (scalar.new_line) key_allowed_ = true;
    scan_.scalars.push_back(extent);
    before_ = 'x';
    end_ = extent.end;
    return true;
  }

  void close_sound_text() {
    if (!scan_.fault) return;
    sound_.resize(std::min(scan_.stop, sound_.size()));
    const auto ends = [&](const YamlExtent& each) { return each.end == scan_.stop; };
    if (sound_.ends_with('-') && std::ranges::any_of(scan_.scalars, ends))
      sound_.back() = '_';  // '-' alone would be an item
    while (!flows_.empty() && flows_.back().begin >= scan_.stop) flows_.pop_back();
    if (!flows_.empty()) sound_ += ',';
    for (auto flow = flows_.rbegin(); flow != flows_.rend(); ++flow)
      sound_ += text_[flow->begin] == '[' ? ']' : '}';
    sound_ += '\n';
  }

  bool document_ = false;        // the document has begun
  bool wants_document_ = false;  // after a directive
  std::size_t property_ = 0;     // begin of the last anchors and tags; 0 if a node precedes them
};

}  // namespace

YamlScan scan_yaml(std::string_view text, const YamlLimits& limits) {
  return YamlScanner(text, limits).run();
}

}  // namespace orch
