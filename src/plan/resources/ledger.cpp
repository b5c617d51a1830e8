#include "plan/resources/ledger.hpp"

#include "core/base/text.hpp"

namespace orch::resources {

namespace {

// How far apart the GPUs of a group are; the members are compared in this order.
struct Distance {
  int unlinked = 0;    // pairs without NVLink
  int apart = 0;       // pairs on different nodes
  int neighbours = 0;  // free GPUs on the nodes of the group, counted for each of its members

  auto operator<=>(const Distance&) const = default;
};

class Chooser {
 public:
  explicit Chooser(const std::vector<Gpu>& free) : free_(free) {
    for (const Gpu& gpu : free) ++on_node_[gpu.node];
  }

  // Grows a group from SEED by adding the nearest GPU each time.
  std::pair<Distance, std::vector<const Gpu*>> grow(const Gpu& seed, std::size_t count) const {
    std::vector<const Gpu*> group = {&seed};
    Distance total{.unlinked = 0, .apart = 0, .neighbours = on_node_.at(seed.node)};
    while (group.size() < count) {
      const Gpu* nearest = nullptr;
      Distance least;
      for (const Gpu& gpu : free_) {
        if (contains(group, &gpu)) continue;
        const Distance distance = added(group, gpu);
        if (!nearest || distance < least) {
          nearest = &gpu;
          least = distance;
        }
      }
      group.push_back(nearest);
      total = {total.unlinked + least.unlinked, total.apart + least.apart,
               total.neighbours + least.neighbours};
    }
    return {total, group};
  }

 private:
  Distance added(const std::vector<const Gpu*>& group, const Gpu& gpu) const {
    Distance distance{.unlinked = 0, .apart = 0, .neighbours = on_node_.at(gpu.node)};
    for (const Gpu* other : group) {
      if (!gpu.linked.contains(other->index)) ++distance.unlinked;
      if (gpu.node != other->node) ++distance.apart;
    }
    return distance;
  }

  const std::vector<Gpu>& free_;
  std::map<int, int> on_node_;
};

// At least one core in this many belongs to no GPU: for the orchestrator and stages without GPUs.
constexpr std::size_t k_least_rest = 16;
// A server with fewer cores shares them with the client that measures it.
constexpr std::size_t k_least_for_client = 4;

}  // namespace

Inventory plain_inventory(int cores, int gpus) {
  Inventory inventory;
  for (int core = 0; core < cores; ++core) inventory.cores.push_back({.cpus = {core}});
  for (int gpu = 0; gpu < gpus; ++gpu) {
    Gpu one{.index = gpu, .node = 0};
    for (int other = 0; other < gpus; ++other)
      if (other != gpu) one.linked.insert(other);
    inventory.gpus.push_back(std::move(one));
  }
  return inventory;
}

std::vector<int> nearest_gpus(const std::vector<Gpu>& free, std::size_t count) {
  if (count == 0) return {};
  const Chooser chooser(free);
  std::vector<int> best;
  Distance least;
  for (const Gpu& seed : free) {
    const auto [distance, group] = chooser.grow(seed, count);
    if (!best.empty() && !(distance < least)) continue;
    least = distance;
    best.clear();
    for (const Gpu* gpu : group) best.push_back(gpu->index);
  }
  std::ranges::sort(best);
  return best;
}

CoreTable::CoreTable(const Inventory& inventory) {
  const std::size_t cores = inventory.cores.size(), gpus = inventory.gpus.size();
  for (std::size_t core = 0; core < cores; ++core) {
    cores_.push_back({.node = inventory.cores[core].node});
    for (const int cpu : inventory.cores[core].cpus) core_of_cpu_[cpu] = core;
  }
  if (gpus == 0) return;
  const std::size_t rest = std::max<std::size_t>(1, (cores + k_least_rest - 1) / k_least_rest);
  per_gpu_ = cores > rest ? (cores - rest) / gpus : 0;
  for (const Gpu& gpu : inventory.gpus) {
    const auto own = pick(per_gpu_, {gpu.node}, [](const State& core) { return !core.is_of_gpus; });
    for (const std::size_t core : *own) cores_[core].is_of_gpus = true;
  }
}

template <class Usable>
std::optional<CoreTable::Indices> CoreTable::pick(std::size_t wanted, const std::set<int>& nodes,
                                                  const Usable& usable) const {
  Indices cores;
  for (const bool near : {true, false})
    for (std::size_t core = 0; core < cores_.size() && cores.size() < wanted; ++core)
      if (nodes.contains(cores_[core].node) == near && usable(cores_[core])) cores.push_back(core);
  if (cores.size() < wanted) return std::nullopt;
  return cores;
}

std::size_t CoreTable::counted_of(const Request& request) const {
  return std::min(static_cast<std::size_t>(std::max(request.cores, 0)), cores_.size());
}

std::optional<CoreTable::Indices> CoreTable::find(const Request& request,
                                                  const std::vector<Gpu>& gpus) const {
  std::set<int> nodes;
  for (const Gpu& gpu : gpus) nodes.insert(gpu.node);
  const auto is_free = [](const State& core) { return core.is_free(); };
  switch (request.which) {
    case Request::Cores::none: return Indices();
    case Request::Cores::all: return pick(cores_.size(), {}, is_free);
    case Request::Cores::shared: {
      Indices cores;
      for (std::size_t core = 0; core < cores_.size(); ++core)
        if (!cores_[core].is_of_gpus && cores_[core].own == 0) cores.push_back(core);
      if (cores.empty()) return std::nullopt;
      return cores;
    }
    // Assigns no cores if the host has too few for all its GPUs: per_gpu_ is 0.
    case Request::Cores::by_gpus:
      return pick(per_gpu_ * gpus.size(), nodes,
                  [](const State& core) { return core.is_of_gpus && core.is_free(); });
    case Request::Cores::counted: break;
  }
  // Cores that belong to GPUs come last, unless the holder has GPUs itself.
  const std::size_t wanted = counted_of(request);
  const bool has_gpus = !gpus.empty();
  const auto first = pick(wanted, nodes, [&](const State& core) {
    return core.is_of_gpus == has_gpus && core.is_free();
  });
  return first ? first : pick(wanted, nodes, is_free);
}

std::optional<std::size_t> CoreTable::find_beside(const std::set<std::size_t>& own) const {
  std::set<int> nodes;
  for (const std::size_t core : own) nodes.insert(cores_[core].node);
  const bool is_of_gpus = cores_[*own.begin()].is_of_gpus;
  const auto free = pick(
      1, nodes, [&](const State& core) { return core.is_free() && core.is_of_gpus == is_of_gpus; });
  return free ? std::optional(free->front()) : std::nullopt;
}

std::set<std::size_t> CoreTable::of(const std::vector<int>& cpus) const {
  std::set<std::size_t> cores;
  for (const int cpu : cpus)
    if (const auto core = core_of_cpu_.find(cpu); core != core_of_cpu_.end())
      cores.insert(core->second);
  return cores;
}

void CoreTable::count(const std::set<std::size_t>& cores, bool are_shared, int sign) {
  for (const std::size_t core : cores)
    (are_shared ? cores_[core].shared : cores_[core].own) += sign;
}

Ledger::Ledger(Inventory inventory, bool apart)
    : inventory_(std::move(inventory)),
      apart_(apart && !inventory_.cores.empty()),
      cores_(inventory_) {
  for (const Gpu& gpu : inventory_.gpus) all_gpus_.insert(gpu.index);
}

std::optional<Grant> Ledger::find(const Request& request, const std::set<int>& free) const {
  if (inventory_.memory_gib > 0 && request.memory_gib > 0 &&
      memory_gib_ + request.memory_gib > inventory_.memory_gib)
    return std::nullopt;
  // The only writer is not kept waiting: no other stage's end would make room for it.
  if (inventory_.disk_bytes && request.disk_bytes > 0 && disk_bytes_ > 0 &&
      disk_bytes_ + request.disk_bytes > *inventory_.disk_bytes)
    return std::nullopt;
  for (const auto& [name, wanted] : request.tokens) {
    const auto has = inventory_.tokens.find(name);
    const auto used = tokens_.find(name);
    // A name without a stated count stands for a single thing.
    if ((has == inventory_.tokens.end() ? 1 : has->second) <
        wanted + (used == tokens_.end() ? 0 : used->second))
      return std::nullopt;
  }
  std::vector<Gpu> usable;
  for (const Gpu& gpu : inventory_.gpus)
    if (free.contains(gpu.index) && !gpus_.contains(gpu.index)) usable.push_back(gpu);
  const std::size_t wanted =
      std::min(static_cast<std::size_t>(request.gpus), inventory_.gpus.size());
  if (usable.size() < wanted) return std::nullopt;
  Grant grant{.gpus = nearest_gpus(usable, wanted)};
  if (!apart_) {
    const bool counts = request.which == Request::Cores::counted && cores_.size() > 0;
    if (counts && counted_cores_ + cores_.counted_of(request) > cores_.size()) return std::nullopt;
    return grant;
  }
  std::erase_if(usable, [&](const Gpu& gpu) { return !contains(grant.gpus, gpu.index); });
  const auto cores = cores_.find(request, usable);
  if (!cores) return std::nullopt;
  for (std::size_t i = 0; i < cores->size(); ++i) {
    const Core& core = inventory_.cores[(*cores)[i]];
    const bool of_client =
        request.with_client && cores->size() >= k_least_for_client && i + 1 == cores->size();
    auto& cpus = of_client ? grant.client_cpus : grant.cpus;
    cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
    grant.nodes.insert(core.node);
  }
  std::ranges::sort(grant.cpus);
  return grant;
}

Grant Ledger::with_client_core(const Request& request, Grant grant) const {
  if (!apart_ || !request.with_client || !grant.client_cpus.empty()) return grant;
  const std::set<std::size_t> own = cores_.of(grant.cpus);
  if (own.size() + 1 < k_least_for_client) return grant;
  if (const auto free = cores_.find_beside(own)) grant.client_cpus = inventory_.cores[*free].cpus;
  return grant;
}

void Ledger::take(const std::string& holder, const Request& request, Grant grant) {
  give_back(holder);
  const auto at = held_.emplace(holder, Held{request, std::move(grant)}).first;
  count(at->second, 1);
}

void Ledger::give_back(const std::string& holder) {
  const auto at = held_.find(holder);
  if (at == held_.end()) return;
  count(at->second, -1);
  held_.erase(at);
}

void Ledger::count(const Held& held, int sign) {
  for (const int gpu : held.grant.gpus)
    if (sign > 0) gpus_.insert(gpu);
    else gpus_.erase(gpu);
  std::set<std::size_t> cores = cores_.of(held.grant.cpus);
  cores.merge(cores_.of(held.grant.client_cpus));
  cores_.count(cores, held.request.which == Request::Cores::shared, sign);
  if (held.request.which == Request::Cores::counted) {
    if (sign > 0) counted_cores_ += cores_.counted_of(held.request);
    else counted_cores_ -= cores_.counted_of(held.request);
  }
  memory_gib_ += sign * held.request.memory_gib;
  if (sign > 0) disk_bytes_ += held.request.disk_bytes;
  else disk_bytes_ -= held.request.disk_bytes;
  for (const auto& [name, number] : held.request.tokens) tokens_[name] += sign * number;
}

const Grant* Ledger::held(const std::string& holder) const {
  const auto at = held_.find(holder);
  return at == held_.end() ? nullptr : &at->second.grant;
}

}  // namespace orch::resources
