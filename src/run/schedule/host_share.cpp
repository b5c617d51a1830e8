#include "run/schedule/host_share.hpp"

#include "core/base/text.hpp"

#include <algorithm>

namespace orch::schedule {

namespace {

// How far the use of a free GPU may exceed the lowest ever seen, because driver contexts come and
// go.
constexpr double k_tolerance_gib = 0.5;
// Drivers keep less than this on an idle GPU. Memory beyond this belongs to processes, even if the
// driver lists none: processes in other containers, or that crashed.
constexpr double k_most_of_driver_gib = 2;

}  // namespace

HostShare::HostShare(system::GpuMemory& memory, resources::Inventory inventory, bool apart,
                     std::string chosen)
    : memory_(memory),
      chosen_(std::move(chosen)),
      apart_(apart),
      ledger_(std::move(inventory), apart) {}

std::string HostShare::unclean(const system::GpuUse& gpu) const {
  const double above = gpu.used_gib - least_gib_.at(gpu.index);
  if (gpu.pids.empty() && above <= k_tolerance_gib) return "";
  std::vector<std::string> pids;
  for (const int pid : gpu.pids) pids.push_back(fmt::format("pid {}", pid));
  return fmt::format("GPU {}: {:.1f} of {:.1f} GiB are in use by {}", gpu.index, gpu.used_gib,
                     gpu.memory_gib,
                     pids.empty() ? "processes that the driver does not name" : join(pids, ", "));
}

void HostShare::learn(const std::vector<system::GpuUse>& gpus) {
  resources::Inventory inventory = ledger_.inventory();
  const std::size_t before = inventory.gpus.size();
  for (const system::GpuUse& gpu : gpus)
    if (std::ranges::none_of(inventory.gpus,
                             [&](const auto& known) { return known.index == gpu.index; }))
      inventory.gpus.push_back({.index = gpu.index});
  if (inventory.gpus.size() == before) return;
  std::ranges::sort(inventory.gpus, [](const auto& a, const auto& b) { return a.index < b.index; });
  resources::Ledger larger(std::move(inventory), apart_);
  for (const auto& [holder, held] : ledger_.held()) larger.take(holder, held.request, held.grant);
  ledger_ = std::move(larger);
}

HostShare::Answer HostShare::ask(const std::string& holder, const resources::Request& request) {
  resources::Request wanted = request;
  std::set<int> clean;
  std::vector<std::string> dirty;
  if (request.gpus > 0) {
    const std::vector<system::GpuUse> all = memory_.read();
    const auto count = static_cast<std::size_t>(request.gpus);
    if (!chosen_.empty() && all.size() < count)
      return {.granted = false,
              .dirty = fmt::format("only {} of the chosen GPUs ({}) answer, and {} are needed",
                                   all.size(), chosen_, count),
              .missing = true};
    learn(all);
    for (const system::GpuUse& gpu : all) {
      const auto least =
          least_gib_.try_emplace(gpu.index, std::min(gpu.used_gib, k_most_of_driver_gib)).first;
      least->second = std::min(least->second, gpu.used_gib);
      if (ledger_.is_taken(gpu.index)) continue;
      const std::string why = unclean(gpu);
      if (why.empty()) clean.insert(gpu.index);
      else dirty.push_back(why);
    }
    // Limited to the visible GPUs: `run` has already rejected plans that need more GPUs than the
    // machine has.
    wanted.gpus = static_cast<int>(std::min(count, all.size()));
  }
  auto grant = ledger_.find(wanted, clean);
  // If other attempts hold resources that the request needs, GPU memory is not the reason.
  if (!grant && !dirty.empty() && !ledger_.find(wanted)) dirty.clear();
  if (!grant) return {.granted = false, .dirty = join(dirty, "; ")};
  hold(holder, wanted, std::move(*grant));
  return {.granted = true};
}

bool HostShare::can_ever_grant(const resources::Request& request, const std::string& beside) const {
  resources::Ledger ledger(ledger_.inventory(), apart_);
  if (const auto other = ledger_.held().find(beside); other != ledger_.held().end())
    ledger.take(beside, other->second.request, other->second.grant);
  return ledger.find(request).has_value();
}

void HostShare::complete_adopted() {
  const std::map<std::string, resources::Ledger::Held> adopted = ledger_.held();
  for (const auto& [holder, held] : adopted)
    ledger_.take(holder, held.request, ledger_.with_client_core(held.request, held.grant));
}

resources::Grant HostShare::held(const std::string& holder) const {
  const resources::Grant* grant = ledger_.held(holder);
  return grant ? *grant : resources::Grant{};
}

}  // namespace orch::schedule
