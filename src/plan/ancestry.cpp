#include "plan/ancestry.hpp"

#include <bit>

namespace orch::plan {

namespace {

constexpr std::size_t k_bits = 64;  // of a word

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return (a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccd; }

// A hash of each name and one of each name with its value; a name that comes again counts as another one.
std::vector<std::uint64_t> traits_of(const Components& components) {
  const std::hash<std::string> hash;
  std::vector<std::uint64_t> names, traits;
  for (const Component& component : components.list()) {
    names.push_back(hash(component.name));
    const auto nth = static_cast<std::uint64_t>(std::count(names.begin(), names.end(), names.back()));
    traits.push_back(mixed(names.back(), nth));
    traits.push_back(mixed(traits.back(), hash(component.value)));
  }
  return traits;
}

}  // namespace

// What was added, taken away or changed between lists of M and of A components, N of whose names and P of whose components
// they share, is M + A - N - P. So the nearest ancestor is the one whose N + P - A is highest.
Ancestry::Ancestry(std::span<const Ancestor> ancestors) {
  for (auto ancestor = ancestors.rbegin(); ancestor != ancestors.rend(); ++ancestor) ranks_.push_back(&*ancestor);
  std::stable_partition(ranks_.begin(), ranks_.end(), [](const Ancestor* ancestor) { return ancestor->made; });
  std::vector<std::size_t> sizes;
  for (Place place = 0; place < ranks_.size(); ++place) {
    const auto traits = traits_of(ranks_[place]->components);
    for (const std::uint64_t trait : traits) owners_[trait].places.push_back(place);
    sizes.push_back(traits.size() / 2);
  }
  const std::size_t words = (ranks_.size() + k_bits - 1) / k_bits;
  const std::size_t longest = ranks_.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  // What all have tells none from another.
  std::erase_if(owners_, [&](const auto& entry) { return entry.second.places.size() == ranks_.size(); });
  for (auto& [trait, owners] : owners_) {
    if (owners.places.size() < words) continue;
    owners.bits.resize(words);
    for (const Place place : owners.places) owners.bits[place / k_bits] |= Word{1} << place % k_bits;
    owners.places = {};
  }
  lacking_.bits = static_cast<std::size_t>(std::bit_width(2 * longest));  // N and P are at most A
  lacking_.words.resize(words * lacking_.bits);
  for (Place place = 0; place < ranks_.size(); ++place)
    for (std::size_t bit = 0; bit < lacking_.bits; ++bit)
      if ((longest - sizes[place]) >> bit & 1) lacking_.words[place / k_bits * lacking_.bits + bit] |= Word{1} << place % k_bits;
}

void Ancestry::Counters::add(std::size_t word, Word to) {
  for (Word* digit = &words[word * bits]; to; ++digit) {
    const Word carry = *digit & to;
    *digit ^= to;
    to = carry;
  }
}

void Ancestry::count(Counters& counters, const Owners& owners) {
  for (const Place place : owners.places) counters.add(place / k_bits, Word{1} << place % k_bits);
  for (std::size_t word = 0; word < owners.bits.size(); ++word) counters.add(word, owners.bits[word]);
}

const Ancestor* Ancestry::nearest(const Stage& stage) const {
  if (ranks_.empty()) return nullptr;
  Counters counters = lacking_;
  for (const std::uint64_t trait : traits_of(stage.components))
    if (const auto known = owners_.find(trait); known != owners_.end()) count(counters, known->second);
  return highest(counters);
}

// The first of those with the highest number, which is found bit by bit.
const Ancestor* Ancestry::highest(const Counters& counters) const {
  std::vector<Word> left(counters.bits ? counters.words.size() / counters.bits : 0, ~Word{0});
  if (const std::size_t rest = ranks_.size() % k_bits; rest && !left.empty()) left.back() = (Word{1} << rest) - 1;
  for (std::size_t bit = counters.bits; bit-- > 0;) {
    Word any = 0;
    for (std::size_t word = 0; word < left.size(); ++word) any |= left[word] & counters.words[word * counters.bits + bit];
    if (!any) continue;
    for (std::size_t word = 0; word < left.size(); ++word) left[word] &= counters.words[word * counters.bits + bit];
  }
  for (std::size_t word = 0; word < left.size(); ++word)
    if (left[word]) return ranks_[word * k_bits + static_cast<std::size_t>(std::countr_zero(left[word]))];
  return ranks_.front();
}

}  // namespace orch::plan
