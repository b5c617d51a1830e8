#include "core/base/yaml/yaml.hpp"

#include "core/base/text.hpp"
#include "core/base/yaml/yaml_tree.hpp"
#include "core/base/yaml/yaml_words.hpp"

#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace orch {

const Yaml* Yaml::find(std::string_view key) const {
  for (const auto& [name, value] : entries)
    if (name.text == key) return &value;
  return nullptr;
}

std::string Yaml::describe() const {
  switch (kind) {
    case Kind::null: return "nothing";
    case Kind::scalar: return fmt::format("the value {}", orch::quoted(text));
    case Kind::list: return "a list";
    case Kind::map: return "a map";
  }
  return "";
}

namespace {

bool is_null_word(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

// The tag as a user writes it, or "".
std::string short_tag(std::string_view tag) {
  if (tag == "?") return "";
  static constexpr std::string_view k_yaml = "tag:yaml.org,2002:";
  return tag.starts_with(k_yaml) ? fmt::format("!!{}", tag.substr(k_yaml.size()))
                                 : std::string(tag);
}

bool fits(const std::string& tag, Yaml::Kind kind) {
  static const std::set<std::string> k_scalars = {"!",       "!!str",  "!!int",
                                                  "!!float", "!!bool", "!!null"};
  switch (kind) {
    case Yaml::Kind::list: return tag == "!!seq";
    case Yaml::Kind::map: return tag == "!!map";
    default: return k_scalars.contains(tag);
  }
}

// Thrown to leave the parser with the text's error.
struct YamlRefused {
  Error error;
};

std::size_t byte_of(const YAML::Mark& mark) { return static_cast<std::size_t>(mark.pos); }

// Reads the nodes of a tree from the parser's events. Limits are checked before a node is built.
class Builder : public YAML::EventHandler {
 public:
  Builder(const YamlScan& scan, YamlSource& source, const YamlLimits& limits)
      : scan_(scan), source_(source), limits_(limits), tree_(limits) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    const Head document = head(mark, YAML::NullAnchor, "");
    if (++documents_ > 1) check(fault(YamlMistake::after_root, document.at));
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(null(head(mark, anchor, "")));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t at = head(mark, YAML::NullAnchor, "").at;
    check(tree_.add_alias(anchor, alias_at(at), source_.at(at)));
    read_ = std::max(read_, at + 1);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check(scalar_or_empty(head(mark, anchor, short_tag(tag)), value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    check(open(head(mark, anchor, short_tag(tag)), Yaml::Kind::list,
               style == YAML::EmitterStyle::Flow));
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    check(open(head(mark, anchor, short_tag(tag)), Yaml::Kind::map,
               style == YAML::EmitterStyle::Flow));
  }
  void OnSequenceEnd() override { check(tree_.close()); }
  void OnMapEnd() override { check(tree_.close()); }

  // The error that the parser's exception stands for.
  Error problem(const YAML::Exception& exception) {
    const std::size_t at = byte_of(exception.mark);
    if (at >= scan_.stop) return fault(*scan_.fault);
    const std::string& words = exception.msg;
    if (words == YAML::ErrorMsg::UNKNOWN_ANCHOR)
      return invalid(
          fmt::format("the alias {} is undefined: no anchor '&' before it has that name; "
                      "put a text that begins with '*' in quotes",
                      quoted(alias_at(at))),
          source_.at(at));
    if (words == YAML::ErrorMsg::TAB_IN_INDENTATION) return fault(YamlMistake::tab, at);
    if (words == YAML::ErrorMsg::UNKNOWN_TOKEN) return fault(YamlMistake::strange_character, at);
    for (const char* token :
         {YAML::ErrorMsg::FLOW_END, YAML::ErrorMsg::BLOCK_ENTRY, YAML::ErrorMsg::MAP_KEY,
          YAML::ErrorMsg::MAP_VALUE, YAML::ErrorMsg::END_OF_MAP, YAML::ErrorMsg::END_OF_SEQ,
          YAML::ErrorMsg::END_OF_MAP_FLOW, YAML::ErrorMsg::END_OF_SEQ_FLOW,
          YAML::ErrorMsg::MULTIPLE_TAGS, YAML::ErrorMsg::MULTIPLE_ANCHORS})
      if (words == token) return fault(tree_.unexpected(at, source_.text()));
    return fault({.mistake = YamlMistake::other, .at = at, .began = at, .words = words});
  }

  Error fault(const YamlFault& fault) { return explain(fault, source_, limits_); }

  // The tree, unless the text has a fault or the parser read it differently from the scan.
  Result<Yaml> result() && {
    if (scan_.fault) return fault(*scan_.fault);
    if (extent_ < scan_.scalars.size())
      return fault(YamlMistake::ambiguous, scan_.scalars[extent_].begin);
    return std::move(tree_).take();
  }

 private:
  // The common part of all node events.
  struct Head {
    std::size_t at;     // of its first anchor or tag, if any
    std::size_t begin;  // of the node after them
    YAML::anchor_t anchor;
    std::string tag;
  };

  static void check(const Status& status) {
    if (!status) throw YamlRefused{status.error()};
  }

  Error fault(YamlMistake mistake, std::size_t at) {
    return fault({.mistake = mistake, .at = at, .began = at, .words = ""});
  }

  Head head(const YAML::Mark& mark, YAML::anchor_t anchor, std::string tag) {
    const std::size_t at = byte_of(mark);
    const bool has_properties = anchor != YAML::NullAnchor || !tag.empty();
    const std::size_t begin = has_properties ? source_.skip_properties(at) : at;
    if (begin >= scan_.stop) check(fault(*scan_.fault));
    return {.at = at, .begin = begin, .anchor = anchor, .tag = std::move(tag)};
  }

  // The next scalar if it is written at BEGIN, otherwise null.
  const YamlExtent* extent_at(std::size_t begin) const {
    const bool is_next = extent_ < scan_.scalars.size() && scan_.scalars[extent_].begin == begin;
    return is_next ? &scan_.scalars[extent_] : nullptr;
  }

  Status null(Head head) {
    const std::string_view text = source_.text();
    const YamlExtent* extent = extent_at(head.begin);
    if (extent && extent->style == ScalarStyle::plain &&
        is_null_word(text.substr(extent->begin, extent->end - extent->begin)))
      return scalar(head, *extent);
    const std::string_view next = text.substr(head.begin, 1);
    if (tree_.expects_key() && next == ":") return fault(tree_.unexpected(head.begin, text));
    if (tree_.expects_key() && (next == "[" || next == "{")) {
      Yaml key;  // spans several lines
      key.kind = next == "[" ? Yaml::Kind::list : Yaml::Kind::map;
      key.where = source_.at(head.begin);
      return not_a_key(key);
    }
    // At the end of the text yaml-cpp drops the tag.
    const std::string_view properties = text.substr(head.at, head.begin - head.at + 1);
    if (!tree_.innermost() && properties.find('!') != std::string_view::npos)
      return fault(YamlMistake::bad_tag, head.at);
    const bool is_item = tree_.innermost() && tree_.innermost()->is_list();
    if (head.anchor == YAML::NullAnchor)
      head.begin = is_item ? after_dash() : std::max(head.begin, read_);  // not before its key
    return empty(head);
  }

  // Where the '-' of the next item of the innermost list ends.
  std::size_t after_dash() {
    const std::string_view text = source_.text();
    std::size_t at = tree_.begin_of_innermost();
    if (!tree_.innermost()->items.empty()) {
      at = std::max(read_, at);
      if (at > 0 && !is_break(text[at - 1])) at = text.find_first_of("\r\n", at);
      while (at < text.size() && text[at] != '-') {
        at = text.find_first_not_of(" \t\r\n", at);
        if (at < text.size() && text[at] != '-') at = text.find_first_of("\r\n", at);
      }
    }
    return read_ = std::min(at, text.size() - 1) + 1;
  }

  // With a tag the parser reports an empty node as an empty scalar.
  Status scalar_or_empty(const Head& head, const std::string& value) {
    const YamlExtent* extent = extent_at(head.begin);
    if (value.empty() && (!extent || extent->style == ScalarStyle::plain)) return empty(head);
    return extent ? scalar(head, *extent) : fault(YamlMistake::ambiguous, head.begin);
  }

  // A node without text, with or without anchor and tag.
  Status empty(const Head& head) {
    if (head.anchor != YAML::NullAnchor || !head.tag.empty()) read_ = head.at;
    return scalar(head, {.begin = head.begin, .end = head.begin, .style = ScalarStyle::plain});
  }

  // yaml-cpp 0.7 loses newlines at the end of quoted and folded texts and writes \N and \_ as
  // invalid UTF-8. The text is therefore read from the source, which also gives its positions.
  Status scalar(const Head& head, const YamlExtent& extent) {
    if (extent.end > extent.begin) {
      ++extent_;
      read_ = extent.end;
    }
    Yaml node;
    node.where = source_.at(extent.begin);
    auto [text, places] = source_.read(extent);
    if (text.find('\0') != std::string_view::npos)
      return invalid("the text contains a NUL character; remove it", node.where);
    const bool plain = extent.style == ScalarStyle::plain;
    const std::string& tag = head.tag;
    node.quoted = !plain || tag == "!!str" || tag == "!";
    if (node.quoted || !is_null_word(text)) node.kind = Yaml::Kind::scalar;
    const bool meant =
        tag.empty() || (fits(tag, Yaml::Kind::scalar) && (tag != "!!null" || node.is_null()));
    if (!meant) return foreign_tag(tag, head.at);
    if (plain && text == "<<" && tree_.expects_key())
      return invalid(
          "'<<' merge keys are not supported; reuse a value by its alias ('key: *name'), or put "
          "the shared part in a file under "
          "'base:'",
          node.where);
    const std::size_t bytes = text.size();
    if (node.is_scalar()) {
      node.text = std::move(text);
      node.places = std::move(places);
    }
    return tree_.add(std::move(node), bytes, head.anchor);
  }

  Status open(const Head& head, Yaml::Kind kind, bool flow) {
    if (!head.tag.empty() && !fits(head.tag, kind)) return foreign_tag(head.tag, head.at);
    Yaml node;
    node.kind = kind;
    node.where = source_.at(head.begin);
    read_ = head.begin;
    return tree_.open(std::move(node), head.begin, flow, head.anchor);
  }

  // "*name" at AT.
  std::string alias_at(std::size_t at) const {
    const std::string_view text = source_.text().substr(at);
    return std::string(text.substr(0, text.find_first_of(" \t\r\n,]}", 1)));
  }

  Error foreign_tag(const std::string& tag, std::size_t begin) {
    return invalid(fmt::format("the tag {} has no meaning here; remove it, or put a text that "
                               "begins with '!' in quotes",
                               quoted(tag)),
                   source_.at(begin));
  }

  const YamlScan& scan_;
  YamlSource& source_;
  const YamlLimits& limits_;
  YamlTree tree_;
  std::size_t documents_ = 0;
  std::size_t extent_ = 0;  // index in scan_.scalars of the next one
  std::size_t read_ = 0;    // no unread item of the innermost list begins before it
};

Result<Yaml> read(const YamlScan& scan, YamlSource& source, const YamlLimits& limits) {
  std::istringstream text(scan.sound);
  Builder builder(scan, source, limits);
  try {
    YAML::Parser parser(text);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YamlRefused& refused) {
    return refused.error;
  } catch (const YAML::Exception& exception) {
    return builder.problem(exception);
  }
  return std::move(builder).result();
}

}  // namespace

Result<Yaml> parse_yaml(std::string_view text, std::string file, const YamlLimits& limits) {
  if (text.size() > limits.bytes)
    return invalid(fmt::format("the file has {}; at most {} are read", human_bytes(text.size()),
                               human_bytes(limits.bytes)),
                   {file, 0, 0});
  static constexpr std::string_view k_byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(k_byte_order_mark)) text.remove_prefix(k_byte_order_mark.size());
  YamlSource source(text, std::move(file));
  ORCH_TRY(check_characters(source));
  ORCH_ASSIGN(Yaml root, read(scan_yaml(text, limits), source, limits));
  if (root.is_null()) root.where = {source.file(), 1, 1};
  return root;
}

}  // namespace orch
