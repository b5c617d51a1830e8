#include "base/yaml.hpp"

#include "base/text.hpp"
#include "base/yaml_source.hpp"
#include "base/yaml_words.hpp"

#include <yaml.h>

#include <deque>

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

std::string_view view(const yaml_char_t* text) {
  return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view();
}

bool is_null_word(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

ScalarStyle style_of(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE: return ScalarStyle::single_quoted;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE: return ScalarStyle::double_quoted;
    case YAML_LITERAL_SCALAR_STYLE: return ScalarStyle::literal;
    case YAML_FOLDED_SCALAR_STYLE: return ScalarStyle::folded;
    default: return ScalarStyle::plain;
  }
}

// The tag as a user writes it.
std::string short_tag(std::string_view tag) {
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

// The size of a node with everything below it, aliases expanded.
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

// Builds a tree from the parser's events. Limits are checked before a node is built.
class Builder {
 public:
  Builder(YamlSource& source, const YamlLimits& limits) : source_(source), limits_(limits) {}

  Status take(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        if (++documents_ > 1)
          return invalid("more than one document ('---') in the file; keep one",
                         place(event.start_mark));
        return {};
      case YAML_SCALAR_EVENT: return scalar(event);
      case YAML_ALIAS_EVENT: return alias(event);
      case YAML_SEQUENCE_START_EVENT:
        return open(event, Yaml::Kind::list, event.data.sequence_start.anchor,
                    event.data.sequence_start.tag);
      case YAML_MAPPING_START_EVENT:
        return open(event, Yaml::Kind::map, event.data.mapping_start.anchor,
                    event.data.mapping_start.tag);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: return close();
      default: return {};
    }
  }

  // Where the innermost list or map that is still open began.
  std::optional<std::size_t> open_collection() const {
    if (frames_.empty()) return std::nullopt;
    return frames_.back().begin;
  }

  Yaml root() && { return std::move(root_); }

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
    Anchor* anchor;
    bool has_key_only = false;  // the value of the last entry has not been read yet

    std::uint32_t next_child() const {
      if (node.is_list()) return static_cast<std::uint32_t>(node.items.size());
      return static_cast<std::uint32_t>(2 * node.entries.size() - has_key_only);
    }
  };

  Location place(const yaml_mark_t& mark) { return source_.at(source_.byte_of(mark.index)); }

  bool expects_key() const {
    return !frames_.empty() && frames_.back().node.is_map() && !frames_.back().has_key_only;
  }

  // Where the node of EVENT begins, after its anchor and tag.
  std::size_t begin_of(const yaml_event_t& event, const yaml_char_t* anchor,
                       const yaml_char_t* tag) {
    const std::size_t begin = source_.byte_of(event.start_mark.index);
    return anchor || tag ? source_.skip_properties(begin) : begin;
  }

  Status scalar(const yaml_event_t& event) {
    const auto& read = event.data.scalar;
    const std::size_t tagged = source_.byte_of(event.start_mark.index);
    const std::size_t begin = begin_of(event, read.anchor, read.tag);
    const std::string tag = short_tag(view(read.tag));
    Yaml node;
    node.where = source_.at(begin);
    const std::string_view text(reinterpret_cast<const char*>(read.value), read.length);
    if (text.find('\0') != std::string_view::npos)
      return invalid("the text contains a NUL character; remove it", node.where);
    const ScalarStyle style = style_of(read.style);
    node.quoted = style != ScalarStyle::plain || tag == "!!str" || tag == "!";
    if (node.quoted || !is_null_word(text)) node.kind = Yaml::Kind::scalar;
    const bool meant =
        tag.empty() || (fits(tag, Yaml::Kind::scalar) && (tag != "!!null" || node.is_null()));
    if (!meant) return foreign_tag(tag, tagged);
    if (style == ScalarStyle::plain && text == "<<" && expects_key())
      return invalid(
          "'<<' merges nothing here; give a key a whole value by its alias ('key: *name'), or put "
          "what is shared in a file under "
          "'base:'",
          node.where);
    if (node.is_scalar()) {
      node.text = text;
      node.places = source_.trace(begin, event.end_mark.index, style, text);
    }
    const Weight weight{.nodes = 1, .bytes = text.size(), .height = 0};
    ORCH_TRY(admit(weight, node.where));
    if (Anchor* anchor = anchor_of(read.anchor))
      *anchor = {.open = false, .path = path(), .weight = weight};
    return finish(std::move(node), weight);
  }

  Status open(const yaml_event_t& event, Yaml::Kind kind, const yaml_char_t* anchor,
              const yaml_char_t* tag) {
    const std::size_t tagged = source_.byte_of(event.start_mark.index);
    const std::size_t begin = begin_of(event, anchor, tag);
    const std::string written = short_tag(view(tag));
    if (!written.empty() && !fits(written, kind)) return foreign_tag(written, tagged);
    Frame frame{.node = {}, .weight = {}, .begin = begin, .anchor = nullptr};
    frame.node.kind = kind;
    frame.node.where = source_.at(begin);
    if (expects_key()) return not_a_key(frame.node);
    ORCH_TRY(admit(frame.weight, frame.node.where));
    frame.anchor = anchor_of(anchor);
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

  Status alias(const yaml_event_t& event) {
    const std::string name(view(event.data.alias.anchor));
    const Location where = place(event.start_mark);
    const auto known = names_.find(name);
    if (known == names_.end())
      return invalid(fmt::format("the alias {} stands for nothing: no '&' before it has that name; "
                                 "put a text that begins with '*' in quotes",
                                 quoted("*" + name)),
                     where);
    const Anchor& anchor = anchors_[known->second];
    if (anchor.open)
      return invalid(
          fmt::format(
              "the alias {} is inside the value that it stands for; a value cannot contain itself",
              quoted("*" + name)),
          where);
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
    std::stable_sort(keys.begin(), keys.end(),
                     [](const Yaml* a, const Yaml* b) { return a->text < b->text; });
    const Yaml* second = nullptr;
    for (std::size_t i = 1; i < keys.size(); ++i)
      if (keys[i - 1]->text == keys[i]->text && (!second || keys[i] < second)) second = keys[i];
    if (!second) return {};
    return invalid(fmt::format("duplicate key {}; keep one of the two", quoted(second->text)),
                   second->where);
  }

  // --- anchors: stored as paths, because pointers would dangle when a list grows

  Anchor* anchor_of(const yaml_char_t* name) {
    if (!name) return nullptr;
    names_[std::string(view(name))] = anchors_.size();
    return &anchors_.emplace_back();
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

  YamlSource& source_;
  const YamlLimits& limits_;
  std::size_t documents_ = 0;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
  std::vector<Frame> frames_;
  std::deque<Anchor> anchors_;
  std::map<std::string, std::size_t> names_;  // name -> index of its latest anchor
  Yaml root_;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : made_(yaml_parser_initialize(&parser_) != 0) {
    if (!made_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Parser() {
    if (made_) yaml_parser_delete(&parser_);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // Passes every event to BUILDER.
  Status run(Builder& builder, YamlSource& source) {
    if (!made_)
      return Error{
          .kind = ErrorKind::internal, .message = "out of memory for a YAML parser", .where = {}};
    for (bool more = true; more;) {
      yaml_event_t event;
      if (!yaml_parser_parse(&parser_, &event)) return problem(builder, source);
      const Status taken = builder.take(event);
      more = event.type != YAML_STREAM_END_EVENT;
      yaml_event_delete(&event);
      ORCH_TRY(taken);
    }
    return {};
  }

 private:
  Error problem(const Builder& builder, YamlSource& source) {
    const auto words = [](const char* text) {
      return text ? std::string_view(text) : std::string_view("unknown");
    };
    const std::size_t began = source.byte_of(parser_.context_mark.index);
    return explain({.problem = words(parser_.problem),
                    .context = words(parser_.context),
                    .at = source.byte_of(parser_.problem_mark.index),
                    .began = parser_.context ? began : source.byte_of(parser_.problem_mark.index),
                    .collection = builder.open_collection()},
                   source);
  }

  yaml_parser_t parser_;
  bool made_;
};

constexpr std::string_view k_byte_order_mark = "\xef\xbb\xbf";

// The first character that YAML does not allow, other than line ends and tabs. TEXT is UTF-8.
std::size_t find_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7f) return i;
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte == 0xc2 && next < 0xa0 && next != 0x85) return i;
    const std::string_view three = text.substr(i, 3);
    if (three == k_byte_order_mark || three == "\xef\xbf\xbe" || three == "\xef\xbf\xbf") return i;
  }
  return std::string_view::npos;
}

Status refuse_text(std::string_view text, YamlSource& source) {
  // Positions can be computed up to the first byte that is not UTF-8.
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

}  // namespace

Result<Yaml> parse_yaml(std::string_view text, std::string file, const YamlLimits& limits) {
  if (text.size() > limits.bytes)
    return invalid(fmt::format("the file has {}; at most {} are read", human_bytes(text.size()),
                               human_bytes(limits.bytes)),
                   {file, 0, 0});
  if (text.starts_with(k_byte_order_mark)) text.remove_prefix(k_byte_order_mark.size());
  YamlSource source(text, std::move(file));
  ORCH_TRY(refuse_text(text, source));
  Builder builder(source, limits);
  ORCH_TRY(Parser(text).run(builder, source));
  Yaml root = std::move(builder).root();
  if (root.is_null()) root.where = {source.file(), 1, 1};
  return root;
}

}  // namespace orch
