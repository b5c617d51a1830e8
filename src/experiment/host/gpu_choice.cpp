#include "experiment/host/gpu_choice.hpp"

#include "base/text.hpp"
#include "experiment/host/host_facts.hpp"

#include <algorithm>

namespace orch::experiment {

namespace {

constexpr std::string_view k_gpus = "gpus";
constexpr std::int64_t k_last_index = 1023;

void state_count(matrix::StatedMachine& stated, const GpuIds& wanted) {
  std::erase_if(stated, [](const auto& fact) { return fact.first == k_gpus; });
  Yaml count;
  count.kind = Yaml::Kind::scalar;
  count.text = std::to_string(wanted.ids.size());
  count.where = wanted.where;
  stated.emplace_back(k_gpus, std::move(count));
}

// Of a machine that is only described: its GPUs have no UUIDs.
void refuse_beyond(const GpuIds& wanted, const matrix::StatedMachine& stated, Errors& errors) {
  const auto fact = std::find_if(stated.begin(), stated.end(),
                                 [](const auto& one) { return one.first == k_gpus; });
  const auto count = fact == stated.end() ? std::nullopt : to_integer(fact->second.text);
  if (!count) return;
  for (const std::string& id : wanted.ids)
    if (const auto index = to_integer(id); index && *index >= *count)
      errors.push_back(invalid(
          *count == 0
              ? fmt::format("GPU {} is chosen, and the machine is stated to have none", id)
              : fmt::format("GPU {} is chosen, and the machine is stated to have {}: 0 to {}", id,
                            *count, *count - 1),
          wanted.where));
  if (static_cast<std::int64_t>(wanted.ids.size()) > *count)
    errors.push_back(invalid(fmt::format("{} GPUs are chosen, and the machine is stated to have {}",
                                         wanted.ids.size(), *count),
                             wanted.where));
}

}  // namespace

std::string why_no_gpu_id(const std::string& id) {
  if (const auto index = to_integer(id); index && *index >= 0 && *index <= k_last_index) return "";
  const auto is_part_of_uuid = [](char c) { return is_letter_or_digit(c) || c == '-'; };
  for (const std::string_view begin : {"GPU-", "MIG-"})
    if (id.size() > begin.size() && id.starts_with(begin) &&
        std::all_of(id.begin(), id.end(), is_part_of_uuid))
      return "";
  return fmt::format(
      "{} is no GPU; write the indices or UUIDs that `nvidia-smi -L` prints, such as 4,5",
      quoted(id));
}

std::set<int> GpuChoice::indices() const {
  std::set<int> indices;
  for (const system::Gpu& gpu : gpus) indices.insert(gpu.index);
  return indices;
}

UsedMachine choose_gpus(const GpuIds& wanted, const matrix::StatedMachine& stated,
                        const system::Machine& detected, Errors& errors) {
  UsedMachine used{.choice = {.wanted = wanted, .gpus = {}}, .stated = stated, .machine = detected};
  if (wanted.ids.empty()) return used;
  if (!detected.gpus || is_elsewhere(stated, detected)) {
    refuse_beyond(wanted, stated, errors);
    state_count(used.stated, wanted);
    return used;
  }
  auto part = system::part_of(*detected.gpus, wanted.ids);
  if (!part) {
    errors.push_back({part.error().kind, part.error().message, wanted.where});
    return used;
  }
  used.choice.gpus = part->each;
  used.machine.gpus = std::move(*part);
  if (std::any_of(stated.begin(), stated.end(),
                  [](const auto& one) { return one.first == k_gpus; }))
    state_count(used.stated, wanted);
  return used;
}

void refuse_absent_gpus(const GpuChoice& choice, Errors& errors) {
  if (!choice.is_made() || !choice.gpus.empty()) return;
  errors.push_back(invalid(
      fmt::format("{} is chosen by --gpus or gpu_ids of the site file, and no GPU was detected on "
                  "this machine; check that `nvidia-smi -L` works, or choose none",
                  quoted(join(choice.wanted.ids, ", "))),
      choice.wanted.where));
}

}  // namespace orch::experiment
