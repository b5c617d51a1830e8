#include "core/base/yaml/yaml.hpp"

#include "core/base/text.hpp"
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

// The size of a node including everything below it, with aliases expanded.
struct Weight {
  std::size_t nodes = 1;
  std::size_t bytes = 0;   // of texts
  std::size_t height = 0;  // levels below it

  void add_child(const Weight& child) {
    nodes += child.nodes;
    bytes += child.bytes;
    height = std::max(height, child.height + 1);
  }
};

// Thrown to leave the parser with the text's error.
struct YamlRefused {
  Error error;
};

// Builds a tree from the parser's events. Limits are checked before a node is built.
class Builder : public YAML::EventHandler {
 public:
  Builder(const YamlScan& scan, YamlSource& source, const YamlLimits& limits)
      : scan_(scan), source_(source), limits_(limits) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    const Head document = head(mark, YAML::NullAnchor, "");
    if (++documents_ > 1) check(fault(YamlMistake::after_root, document.at));
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(null(head(mark, anchor, "")));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Head alias_head = head(mark, YAML::NullAnchor, "");
    alias_head.anchor = anchor;
    check(alias(alias_head));
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
  void OnSequenceEnd() override { check(close()); }
  void OnMapEnd() override { check(close()); }

  // The error that the parser's exception stands for.
  Error problem(const YAML::Exception& exception) {
    const std::size_t at = byte_of(exception.mark);
    if (at >= scan_.stop) return fault(*scan_.fault);
    const std::string& words = exception.msg;
    if (words == YAML::ErrorMsg::UNKNOWN_ANCHOR) return unknown_alias(at);
    if (words == YAML::ErrorMsg::TAB_IN_INDENTATION) return fault(YamlMistake::tab, at);
    if (words == YAML::ErrorMsg::UNKNOWN_TOKEN) return fault(YamlMistake::strange_character, at);
    for (const char* token :
         {YAML::ErrorMsg::FLOW_END, YAML::ErrorMsg::BLOCK_ENTRY, YAML::ErrorMsg::MAP_KEY,
          YAML::ErrorMsg::MAP_VALUE, YAML::ErrorMsg::END_OF_MAP, YAML::ErrorMsg::END_OF_SEQ,
          YAML::ErrorMsg::END_OF_MAP_FLOW, YAML::ErrorMsg::END_OF_SEQ_FLOW,
          YAML::ErrorMsg::MULTIPLE_TAGS, YAML::ErrorMsg::MULTIPLE_ANCHORS})
      if (words == token) return unexpected(at);
    return fault({.mistake = YamlMistake::other, .at = at, .began = at, .words = words});
  }

  Error fault(const YamlFault& fault) { return explain(fault, source_, limits_); }

  // The tree, unless the text has a fault or the parser read it differently from the scan.
  Result<Yaml> result() && {
    if (scan_.fault) return fault(*scan_.fault);
    if (extent_ < scan_.scalars.size())
      return fault(YamlMistake::ambiguous, scan_.scalars[extent_].begin);
    return std::move(root_);
  }

 private:
  // Child indices from the root down. Item i of a list is i; of entry i of a map, the key is 2 i
  // and the value 2 i + 1.
  using Path = std::vector<std::uint32_t>;

  struct Anchor {
    bool open = true;
    Path path;
    Weight weight;
  };

  // A list or map being read.
  struct Frame {
    Yaml node;
    Weight weight;
    std::size_t begin;
    bool flow;
    Anchor* anchor;
    bool has_key_only = false;  // the value of the last entry is still to be read

    std::uint32_t next_child() const {
      if (node.is_list()) return static_cast<std::uint32_t>(node.items.size());
      return static_cast<std::uint32_t>(2 * node.entries.size() - has_key_only);
    }
  };

  static std::size_t byte_of(const YAML::Mark& mark) { return static_cast<std::size_t>(mark.pos); }

  static void check(const Status& status) {
    if (!status) throw YamlRefused{status.error()};
  }

  Error fault(YamlMistake mistake, std::size_t at) {
    return fault({.mistake = mistake, .at = at, .began = at, .words = ""});
  }

  // The error for the token at AT, which does not continue the innermost list or map.
  Error unexpected(std::size_t at) {
    if (frames_.empty()) return fault(YamlMistake::after_root, at);
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
      if (!frame->flow) break;
      const char open = source_.text()[frame->begin];
      if (open != '[' && open != '{') continue;  // 'key: value' without braces in a list
      return fault(
          {.mistake = YamlMistake::flow_separator, .at = at, .began = frame->begin, .words = ""});
    }
    const Yaml& node = frames_.back().node;
    const bool is_value = frames_.size() > 1 && frames_.end()[-2].node.is_map() &&
                          frames_.end()[-2].node.where.column == node.where.column;
    const bool list = node.is_list() && !is_value;  // below its key, it ends at any other token
    return fault(list ? YamlMistake::not_an_item : YamlMistake::not_a_key, at);
  }

  bool expects_key() const {
    return !frames_.empty() && frames_.back().node.is_map() && !frames_.back().has_key_only;
  }

  // What every node event has.
  struct Head {
    std::size_t at;  // of its first property
    std::size_t begin;
    YAML::anchor_t anchor;
    std::string tag;
  };

  Head head(const YAML::Mark& mark, YAML::anchor_t anchor, std::string tag) {
    const std::size_t at = byte_of(mark);
    const bool has_properties = anchor != YAML::NullAnchor || !tag.empty();
    const std::size_t begin = has_properties ? source_.skip_properties(at) : at;
    if (begin >= scan_.stop) check(fault(*scan_.fault));
    return {.at = at, .begin = begin, .anchor = anchor, .tag = std::move(tag)};
  }

  std::string_view written(const YamlExtent& extent) const {
    return source_.text().substr(extent.begin, extent.end - extent.begin);
  }

  // The scalar written at BEGIN, if it is the next one.
  const YamlExtent* extent_at(std::size_t begin) const {
    const bool is_next = extent_ < scan_.scalars.size() && scan_.scalars[extent_].begin == begin;
    return is_next ? &scan_.scalars[extent_] : nullptr;
  }

  Status null(Head head) {
    const YamlExtent* extent = extent_at(head.begin);
    if (extent && extent->style == ScalarStyle::plain && is_null_word(written(*extent)))
      return scalar(head, *extent);
    const std::string_view next = source_.text().substr(head.begin, 1);
    if (expects_key() && next == ":") return unexpected(head.begin);
    if (expects_key() && (next == "[" || next == "{")) {
      Yaml key;  // spans several lines
      key.kind = next == "[" ? Yaml::Kind::list : Yaml::Kind::map;
      key.where = source_.at(head.begin);
      return not_a_key(key);
    }
    // At the end of the text yaml-cpp drops the tag.
    const std::string_view properties = source_.text().substr(head.at, head.begin - head.at + 1);
    if (frames_.empty() && properties.find('!') != std::string_view::npos)
      return fault(YamlMistake::bad_tag, head.at);
    const bool is_item = !frames_.empty() && frames_.back().node.is_list();
    if (head.anchor == YAML::NullAnchor)
      head.begin = is_item ? after_dash() : std::max(head.begin, read_);  // not before its key
    return empty(head);
  }

  // Where the '-' of the next item of the innermost list ends.
  std::size_t after_dash() {
    const std::string_view text = source_.text();
    const Frame& list = frames_.back();
    std::size_t at = list.begin;
    if (!list.node.items.empty()) {
      at = std::max(read_, list.begin);
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

  // A node with only properties, without text.
  Status empty(const Head& head) {
    if (head.anchor != YAML::NullAnchor || !head.tag.empty()) read_ = head.at;
    return scalar(head, {.begin = head.begin, .end = head.begin, .style = ScalarStyle::plain});
  }

  // yaml-cpp 0.7 loses line ends at the end of quoted and folded texts and writes \N and \_ as
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
    if (plain && text == "<<" && expects_key())
      return invalid(
          "'<<' merges nothing here; give a key a whole value by its alias ('key: *name'), or put "
          "what is shared in a file under "
          "'base:'",
          node.where);
    const Weight weight{.nodes = 1, .bytes = text.size(), .height = 0};
    if (node.is_scalar()) {
      node.text = std::move(text);
      node.places = std::move(places);
    }
    ORCH_TRY(admit(weight, node.where));
    if (Anchor* anchor = anchor_of(head.anchor))
      *anchor = {.open = false, .path = path(), .weight = weight};
    return finish(std::move(node), weight);
  }

  Status open(const Head& head, Yaml::Kind kind, bool flow) {
    if (!head.tag.empty() && !fits(head.tag, kind)) return foreign_tag(head.tag, head.at);
    Frame frame{.node = {}, .weight = {}, .begin = head.begin, .flow = flow, .anchor = nullptr};
    frame.node.kind = kind;
    frame.node.where = source_.at(head.begin);
    if (expects_key()) return not_a_key(frame.node);
    ORCH_TRY(admit(frame.weight, frame.node.where));
    read_ = head.begin;
    frame.anchor = anchor_of(head.anchor);
    if (frame.anchor) *frame.anchor = {.open = true, .path = path(), .weight = {}};
    frames_.push_back(std::move(frame));
    return {};
  }

  Status close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    ORCH_TRY(refuse_duplicates(frame.node));
    if (frame.anchor)
      *frame.anchor = {
          .open = false, .path = std::move(frame.anchor->path), .weight = frame.weight};
    return finish(std::move(frame.node), frame.weight);
  }

  // "*name" at AT.
  std::string alias_at(std::size_t at) const {
    const std::string_view text = source_.text().substr(at);
    return std::string(text.substr(0, text.find_first_of(" \t\r\n,]}", 1)));
  }

  Error unknown_alias(std::size_t at) {
    return invalid(fmt::format("the alias {} stands for nothing: no '&' before it has that name; "
                               "put a text that begins with '*' in quotes",
                               quoted(alias_at(at))),
                   source_.at(at));
  }

  Status alias(const Head& head) {
    const Location where = source_.at(head.at);
    const Anchor& anchor = anchors_.at(head.anchor);
    if (anchor.open)
      return invalid(
          fmt::format(
              "the alias {} is inside the value that it stands for; a value cannot contain itself",
              quoted(alias_at(head.at))),
          where);
    read_ = std::max(read_, head.at + 1);
    ORCH_TRY(admit(anchor.weight, where));
    const Yaml& node = at(anchor.path);
    if (expects_key() && !node.is_scalar()) return not_a_key(node);
    return finish(Yaml(node), anchor.weight);
  }

  // Checks the limits for a node of WEIGHT that is about to be added below the open frames.
  Status admit(const Weight& weight, const Location& where) {
    if (frames_.size() + weight.height > limits_.depth)
      return invalid(fmt::format("nested deeper than {} levels; flatten the file", limits_.depth),
                     where);
    nodes_ += weight.nodes;
    if (nodes_ > limits_.nodes)
      return invalid(fmt::format("more than {} nodes after aliases are expanded; shorten the file",
                                 limits_.nodes),
                     where);
    bytes_ += weight.bytes;
    if (bytes_ > limits_.bytes)
      return invalid(
          fmt::format("more than {} of text after aliases are expanded; shorten the file",
                      human_bytes(limits_.bytes)),
          where);
    return {};
  }

  Status finish(Yaml node, const Weight& weight) {
    if (frames_.empty()) {
      root_ = std::move(node);
      return {};
    }
    Frame& frame = frames_.back();
    frame.weight.add_child(weight);
    if (frame.node.is_list()) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.has_key_only) {
      if (!node.is_scalar()) return not_a_key(node);
      frame.node.entries.push_back({std::move(node), Yaml{}});
      frame.has_key_only = true;
    } else {
      auto& [key, value] = frame.node.entries.back();
      value = std::move(node);
      if (value.is_null()) value.where = key.where;
      frame.has_key_only = false;
    }
    return {};
  }

  static Error not_a_key(const Yaml& node) {
    return invalid(fmt::format("a key must be a plain word, not {}", node.describe()), node.where);
  }

  Error foreign_tag(const std::string& tag, std::size_t begin) {
    return invalid(fmt::format("the tag {} has no meaning here; remove it, or put a text that "
                               "begins with '!' in quotes",
                               quoted(tag)),
                   source_.at(begin));
  }

  static Status refuse_duplicates(const Yaml& node) {
    std::vector<const Yaml*> keys;
    for (const auto& [key, value] : node.entries) keys.push_back(&key);
    std::ranges::stable_sort(keys, [](const Yaml* a, const Yaml* b) { return a->text < b->text; });
    const Yaml* second = nullptr;
    for (std::size_t i = 1; i < keys.size(); ++i)
      if (keys[i - 1]->text == keys[i]->text && (!second || keys[i] < second)) second = keys[i];
    if (!second) return {};
    return invalid(fmt::format("duplicate key {}; keep one of the two", quoted(second->text)),
                   second->where);
  }

  // --- anchors: stored as paths, because pointers would dangle when a list grows

  Anchor* anchor_of(YAML::anchor_t name) {
    return name == YAML::NullAnchor ? nullptr : &anchors_[name];
  }

  Path path() const {
    Path path;
    for (const Frame& frame : frames_) path.push_back(frame.next_child());
    return path;
  }

  const Yaml& at(const Path& path) const {
    const Yaml* node = nullptr;  // null: the path has not left the open frames yet
    for (std::size_t level = 0; level < path.size(); ++level) {
      const bool is_open =
          !node && level + 1 < frames_.size() && frames_[level].next_child() == path[level];
      if (is_open) continue;
      const Yaml& parent = node ? *node : frames_[level].node;
      if (parent.is_list()) node = &parent.items[path[level]];
      else if (path[level] % 2) node = &parent.entries[path[level] / 2].value;
      else node = &parent.entries[path[level] / 2].key;
    }
    return node ? *node : root_;
  }

  const YamlScan& scan_;
  YamlSource& source_;
  const YamlLimits& limits_;
  std::size_t documents_ = 0;
  std::size_t extent_ = 0;  // index in scan_.scalars of the next one
  std::size_t read_ = 0;    // no unread item of the innermost list begins before it
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchor> anchors_;
  Yaml root_;
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
