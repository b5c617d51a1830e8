#include "plan/ancestry.hpp"

#include <limits>

namespace orch::plan {

namespace {

std::size_t in_common(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::size_t common = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (*x == *y) ++common, ++x, ++y;
    else if (*x < *y) ++x;
    else ++y;
  }
  return common;
}

}  // namespace

Ancestry::Ancestry(std::span<const Ancestor> ancestors) : ancestors_(ancestors) {
  prints_.reserve(ancestors.size());
  for (const Ancestor& ancestor : ancestors) prints_.push_back(print_of(ancestor.components));
}

Ancestry::Print Ancestry::print_of(const Components& components) {
  const std::hash<std::string> hash;
  Print print;
  std::map<std::string, std::size_t> seen;
  for (const Component& component : components.list()) {
    const std::string name = fmt::format("{}\n{}", component.name, seen[component.name]++);
    print.names.push_back(hash(name));
    print.pairs.push_back(hash(name + "\n" + component.value));
  }
  std::sort(print.names.begin(), print.names.end());
  std::sort(print.pairs.begin(), print.pairs.end());
  return print;
}

const Ancestor* Ancestry::nearest(const Stage& stage) const {
  const Print mine = print_of(stage.components);
  const Ancestor* best = nullptr;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < ancestors_.size(); ++i) {
    // Added, taken away, and changed: of the names that both have, those whose pairs they do not share.
    const std::size_t names = in_common(mine.names, prints_[i].names);
    const std::size_t changes = mine.names.size() + prints_[i].names.size() - names - in_common(mine.pairs, prints_[i].pairs);
    const bool better = changes < fewest || (changes == fewest && ancestors_[i].made >= best->made);
    if (!better) continue;
    best = &ancestors_[i];
    fewest = changes;
  }
  return best;
}

}  // namespace orch::plan
