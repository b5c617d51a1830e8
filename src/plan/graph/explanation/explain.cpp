#include "plan/graph/explanation/explain.hpp"

#include "core/base/text.hpp"
#include "spec/render/template.hpp"

namespace orch::plan {

namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return (a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccd;
}

// A hash of each name, and one of each name with its value; repeated names count separately.
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

constexpr std::size_t k_sha256_digits = 64;
constexpr std::size_t k_shown_digits = 12;
constexpr std::size_t k_long = 60;     // longer values are reduced to where they differ
constexpr std::size_t k_context = 12;  // characters kept before and after

// Values by name and by occurrence of that name: `output` may occur several times.
using Named = std::map<std::pair<std::string, std::size_t>, std::string>;

Named named(std::span<const Component> list) {
  Named out;
  std::map<std::string, std::size_t> seen;
  for (const Component& component : list)
    out.emplace(std::pair(component.name, seen[component.name]++), component.value);
  return out;
}

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// TEXT with every SHA-256 shortened; sets FOUND if there is one.
std::string short_digests(const std::string& text, bool& found) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_hex(text[end])) ++end;
    const bool digest = end - i == k_sha256_digits;
    found = found || digest;
    out += text.substr(i, digest ? k_shown_digits : std::max<std::size_t>(end - i, 1));
    i = std::max(end, i + 1);
  }
  return out;
}

// Shortens the common beginning and end of A and B, unless both are short.
void cut_to_difference(std::string& a, std::string& b) {
  if (std::max(a.size(), b.size()) <= k_long) return;
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t before = 0, after = 0;
  while (before < shorter && a[before] == b[before]) ++before;
  while (after < shorter - before && a[a.size() - 1 - after] == b[b.size() - 1 - after]) ++after;
  auto cut = [&](std::string& text) {
    const std::size_t from = before > k_context ? before - k_context : 0;
    const std::size_t end = text.size() - (after > k_context ? after - k_context : 0);
    std::string middle = text.substr(from, end - from);
    if (middle.size() > 2 * k_long)
      middle = fmt::format("{}...{}", middle.substr(0, k_long),
                           middle.substr(middle.size() - k_context));
    text = fmt::format("{}{}{}", from ? "..." : "", middle, end < text.size() ? "..." : "");
  };
  cut(a);
  cut(b);
}

// The id of the stage in a component "needs.NAME", whose VALUE is its digest, or its key in braces.
std::string stage_of(const std::string& name, const std::string& value) {
  const std::size_t first = value.starts_with('{') ? 1 : 0;
  return fmt::format("{}-{}", name, value.substr(first, k_shown_digits));
}

// TEXT without the digests in {stage:NAME-DIGEST}.
std::string without_ids(const std::string& text) {
  return render::replace_symbols(text, [](std::string_view symbol) -> std::optional<std::string> {
    if (!symbol.starts_with("stage:")) return std::nullopt;
    return fmt::format("{{{}}}", symbol.substr(0, symbol.rfind('-')));
  });
}

// Whether only ids of other stages differ. The components "needs.NAME" report that already, and
// these stages have their own explanations.
bool is_pointer(const Change& change) {
  return change.before && change.now && without_ids(*change.before) == without_ids(*change.now);
}

std::string line_of(const Change& change) {
  constexpr std::string_view k_needs = "needs.";
  if (change.component.starts_with(k_needs)) {
    const std::string name = change.component.substr(k_needs.size());
    if (!change.before)
      return fmt::format("{}: {} is new", change.component, stage_of(name, *change.now));
    if (!change.now)
      return fmt::format("{}: {} was removed", change.component, stage_of(name, *change.before));
    return fmt::format("{}: {} -> {}", change.component, stage_of(name, *change.before),
                       stage_of(name, *change.now));
  }
  bool content = false;
  std::string before = short_digests(change.before.value_or(""), content),
              now = short_digests(change.now.value_or(""), content);
  if (!change.before) return fmt::format("{}: {} is new", change.component, now);
  if (!change.now) return fmt::format("{}: {} was removed", change.component, before);
  cut_to_difference(before, now);
  return fmt::format("{}: {} -> {}{}", change.component, before, now,
                     content ? " (content changed)" : "");
}

std::string header_of(const Stage& stage) {
  std::vector<std::string> values;
  for (const auto& [name, value] : stage.parameters) values.push_back(name + "=" + value.text);
  if (stage.repeat > 0) values.push_back(fmt::format("repeat {}", stage.repeat));
  return fmt::format("{}{}: {}\n", stage.id, values.empty() ? "" : " (" + join(values, " ") + ")",
                     to_string(stage.status));
}

// Names the files of STAGE whose contents are not those of its digest.
std::string equivalents_of(const Stage& stage) {
  if (stage.equivalents.empty()) return "";
  return fmt::format("  equivalent to the content in the digest (equivalent-files.txt): {}\n",
                     printable(join(stage.equivalents, ", ")));
}

std::string reasons_of(const Stage& stage, const Ancestor* before) {
  if (!before) return "  never planned before\n";
  const std::vector<Change> changes = compare(before->components, stage.components);
  if (!changes.empty()) {
    std::string text;
    for (const Change& change : changes)
      if (!is_pointer(change)) text += fmt::format("  {}\n", printable(line_of(change)));
    return text;
  }
  if (stage.spec.kind == runner::Kind::service)
    return "  nothing changed: it is started for the measurements that need it\n";
  if (before->made) return fmt::format("  nothing changed: {}\n", stage.why);
  return fmt::format("  nothing changed: run {} planned it, but its output is not in the store\n",
                     before->run);
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
  // A component that all ancestors have does not distinguish them.
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

std::vector<Change> compare(const Components& before, const Components& now) {
  const std::vector<Component> old_whole = before.list(), new_whole = now.list();
  std::vector<Change> changes;
  // Most lists have the same names in the same order. Only the rest needs lookups.
  std::size_t same = 0;
  for (; same < std::min(old_whole.size(), new_whole.size()) &&
         old_whole[same].name == new_whole[same].name;
       ++same)
    if (old_whole[same].value != new_whole[same].value)
      changes.push_back({new_whole[same].name, old_whole[same].value, new_whole[same].value});
  const auto old_list = std::span(old_whole).subspan(same),
             new_list = std::span(new_whole).subspan(same);
  const Named old_values = named(old_list), new_values = named(new_list);
  std::map<std::string, std::size_t> seen;
  for (const Component& component : new_list) {
    const auto was = old_values.find({component.name, seen[component.name]++});
    if (was == old_values.end()) changes.push_back({component.name, std::nullopt, component.value});
    else if (was->second != component.value)
      changes.push_back({component.name, was->second, component.value});
  }
  seen.clear();
  for (const Component& component : old_list)
    if (!new_values.contains({component.name, seen[component.name]++}))
      changes.push_back({component.name, component.value, std::nullopt});
  return changes;
}

namespace {

// Point name -> its stages of one kind.
using Lineage = std::unordered_map<std::string_view, std::vector<const Ancestor*>>;

Lineage lineage_of(const std::vector<Ancestor>& ancestors) {
  Lineage lineage;
  for (const Ancestor& ancestor : ancestors)
    for (const std::string& point : ancestor.points) lineage[point].push_back(&ancestor);
  return lineage;
}

// The earlier counterpart of STAGE at the first of its points that has one: of several (repeats,
// older runs) the one with the fewest changes, then the newest. Null if no point has one.
const Ancestor* own(const Plan& plan, const Stage& stage, const Lineage& lineage) {
  const Ancestor* best = nullptr;
  std::size_t fewest = 0;
  for (const std::size_t point : stage.points) {
    const auto before = lineage.find(plan.points[point].point.name);
    if (before == lineage.end()) continue;
    for (const Ancestor* ancestor : before->second) {
      const std::size_t changes = compare(ancestor->components, stage.components).size();
      if (best && (changes > fewest || (changes == fewest && ancestor->run < best->run))) continue;
      best = ancestor;
      fewest = changes;
    }
    if (best) return best;
  }
  return nullptr;
}

std::string times_of(const Estimate& estimate) {
  if (estimate.to_seconds <= 0) return "";
  return fmt::format(
      "  takes {}{} to {}\n",
      estimate.least_seconds > 0
          ? fmt::format("at least {}, probably ", human_duration(estimate.least_seconds))
          : "probably ",
      human_duration(estimate.from_seconds), human_duration(estimate.to_seconds));
}

// Stages and their reasons, in the order of the first stage of each entry.
class Entries {
 public:
  explicit Entries(bool grouped) : grouped_(grouped) {}

  void add(const Stage& stage, std::string reasons) {
    if (!grouped_) reasons += times_of(stage.estimate);
    const std::string key = fmt::format("{} {} {}", stage.spec.name, to_string(stage.status),
                                        grouped_ ? reasons : stage.id);
    const auto [at, is_new] = known_.try_emplace(key, entries_.size());
    if (is_new) entries_.push_back({.first = &stage, .stages = 0, .reasons = std::move(reasons)});
    ++entries_[at->second].stages;
  }

  std::string text() const {
    std::string text;
    for (const Entry& entry : entries_)
      text += (entry.stages == 1
                   ? header_of(*entry.first)
                   : fmt::format("{} stages like {}", entry.stages, header_of(*entry.first))) +
              entry.reasons;
    return text;
  }

 private:
  struct Entry {
    const Stage* first = nullptr;
    std::size_t stages = 0;
    std::string reasons;
  };

  bool grouped_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> known_;  // key -> index in entries_
};

}  // namespace

std::string explain_text(const Plan& plan, const Ancestors& ancestors, bool grouped) {
  struct Kin {
    Ancestry all;
    Lineage own;
  };
  std::map<std::string_view, Kin> kin;
  for (const auto& [name, mine] : ancestors)
    kin.emplace(name, Kin{Ancestry(mine), lineage_of(mine)});
  Entries entries(grouped);
  for (const Stage& stage : plan.stages) {
    if (stage.status == Status::failed)
      entries.add(stage, fmt::format("  {}\n", printable(stage.why)));
    if (stage.status != Status::run && stage.status != Status::undecided) continue;
    const auto mine = kin.find(stage.spec.name);
    const Ancestor* before = mine == kin.end() ? nullptr : own(plan, stage, mine->second.own);
    if (!before && mine != kin.end()) before = mine->second.all.nearest(stage);
    entries.add(stage, reasons_of(stage, before) + equivalents_of(stage));
  }
  return entries.text();
}

}  // namespace orch::plan
