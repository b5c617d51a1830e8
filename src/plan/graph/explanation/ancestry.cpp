#include "plan/graph/explanation/ancestry.hpp"

namespace orch::plan {

namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return (a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccd;
}

// A hash of each name and one of each name with its value; a name that comes again counts as
// another one.
std::vector<std::uint64_t> traits_of(const Components& components) {
  const std::hash<std::string> hash;
  std::vector<std::uint64_t> names, traits;
  for (const Component& component : components.list()) {
    names.push_back(hash(component.name));
    const auto nth = static_cast<std::uint64_t>(std::ranges::count(names, names.back()));
    traits.push_back(mixed(names.back(), nth));
    traits.push_back(mixed(traits.back(), hash(component.value)));
  }
  return traits;
}

}  // namespace

// Two lists of M and A components that share N names and P whole components differ in M + A - N - P
// places. So the nearest ancestor has the highest N + P - A.
Ancestry::Ancestry(std::span<const Ancestor> ancestors) {
  for (auto ancestor = ancestors.rbegin(); ancestor != ancestors.rend(); ++ancestor)
    ranks_.push_back(&*ancestor);
  std::stable_partition(ranks_.begin(), ranks_.end(),
                        [](const Ancestor* ancestor) { return ancestor->made; });
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto traits = traits_of(ranks_[rank]->components);
    for (const std::uint64_t trait : traits) owners_[trait].push_back(rank);
    missing_.push_back(-static_cast<std::int32_t>(traits.size() / 2));
  }
  // A component that every ancestor has distinguishes none.
  std::erase_if(owners_, [&](const auto& entry) { return entry.second.size() == ranks_.size(); });
}

const Ancestor* Ancestry::nearest(const Stage& stage) const {
  if (ranks_.empty()) return nullptr;
  std::vector<std::int32_t> nearness = missing_;
  for (const std::uint64_t trait : traits_of(stage.components))
    if (const auto owners = owners_.find(trait); owners != owners_.end())
      for (const std::uint32_t rank : owners->second) ++nearness[rank];
  return ranks_[static_cast<std::size_t>(std::ranges::max_element(nearness) - nearness.begin())];
}

}  // namespace orch::plan
