#include "core/base/yaml/yaml_tree.hpp"

#include "core/base/text.hpp"

namespace orch {

namespace {

Status refuse_duplicates(const Yaml& node) {
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

}  // namespace

Error not_a_key(const Yaml& node) {
  return invalid(fmt::format("a key must be a plain word, not {}", node.describe()), node.where);
}

void YamlTree::Weight::add_child(const Weight& child) {
  nodes += child.nodes;
  bytes += child.bytes;
  height = std::max(height, child.height + 1);
}

std::uint32_t YamlTree::Frame::next_child() const {
  if (node.is_list()) return static_cast<std::uint32_t>(node.items.size());
  return static_cast<std::uint32_t>(2 * node.entries.size() - has_key_only);
}

Status YamlTree::add(Yaml node, std::size_t bytes, std::size_t anchor) {
  const Weight weight{.nodes = 1, .bytes = bytes, .height = 0};
  ORCH_TRY(admit(weight, node.where));
  if (Anchor* named = anchor_of(anchor)) *named = {.open = false, .path = path(), .weight = weight};
  return finish(std::move(node), weight);
}

Status YamlTree::add_alias(std::size_t anchor, std::string_view alias, const Location& where) {
  const Anchor& named = anchors_.at(anchor);
  if (named.open)
    return invalid(
        fmt::format(
            "the alias {} is inside the value that it stands for; a value cannot contain itself",
            quoted(alias)),
        where);
  ORCH_TRY(admit(named.weight, where));
  const Yaml& node = at(named.path);
  if (expects_key() && !node.is_scalar()) return not_a_key(node);
  return finish(Yaml(node), named.weight);
}

Status YamlTree::open(Yaml node, std::size_t begin, bool flow, std::size_t anchor) {
  if (expects_key()) return not_a_key(node);
  Frame frame{
      .node = std::move(node), .weight = {}, .begin = begin, .flow = flow, .anchor = nullptr};
  ORCH_TRY(admit(frame.weight, frame.node.where));
  frame.anchor = anchor_of(anchor);
  if (frame.anchor) *frame.anchor = {.open = true, .path = path(), .weight = {}};
  frames_.push_back(std::move(frame));
  return {};
}

Status YamlTree::close() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  ORCH_TRY(refuse_duplicates(frame.node));
  if (frame.anchor)
    *frame.anchor = {.open = false, .path = std::move(frame.anchor->path), .weight = frame.weight};
  return finish(std::move(frame.node), frame.weight);
}

bool YamlTree::expects_key() const {
  return !frames_.empty() && frames_.back().node.is_map() && !frames_.back().has_key_only;
}

YamlFault YamlTree::unexpected(std::size_t at, std::string_view text) const {
  const auto fault = [&](YamlMistake mistake, std::size_t began) {
    return YamlFault{.mistake = mistake, .at = at, .began = began, .words = ""};
  };
  if (frames_.empty()) return fault(YamlMistake::after_root, at);
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (!frame->flow) break;
    const char open = text[frame->begin];
    if (open != '[' && open != '{') continue;  // 'key: value' without braces in a list
    return fault(YamlMistake::flow_separator, frame->begin);
  }
  const Yaml& node = frames_.back().node;
  const bool is_value = frames_.size() > 1 && frames_.end()[-2].node.is_map() &&
                        frames_.end()[-2].node.where.column == node.where.column;
  // A list in the column of its key ends at any token other than '-'.
  const bool list = node.is_list() && !is_value;
  return fault(list ? YamlMistake::not_an_item : YamlMistake::not_a_key, at);
}

Status YamlTree::admit(const Weight& weight, const Location& where) {
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
    return invalid(fmt::format("more than {} of text after aliases are expanded; shorten the file",
                               human_bytes(limits_.bytes)),
                   where);
  return {};
}

Status YamlTree::finish(Yaml node, const Weight& weight) {
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

YamlTree::Path YamlTree::path() const {
  Path children;
  for (const Frame& frame : frames_) children.push_back(frame.next_child());
  return children;
}

const Yaml& YamlTree::at(const Path& path) const {
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

}  // namespace orch
