#include "os/system/topology/binding.hpp"

#include "core/base/text.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace orch::system {

namespace {

// Of <numaif.h>, which belongs to another library.
constexpr int k_default = 0, k_bind = 2;
constexpr std::size_t k_bits = 8 * sizeof(unsigned long);

// Before anything was bound.
const CpuSet& first_cpus() {
  static const CpuSet cpus = own_cpus();
  return cpus;
}

// A kernel without NUMA has one node and refuses nothing that matters.
void bind_memory(const std::vector<int>& nodes) {
  std::vector<unsigned long> mask;
  for (const int node : nodes) {
    if (node < 0) continue;
    const auto bit = static_cast<std::size_t>(node);
    if (mask.size() <= bit / k_bits) mask.resize(bit / k_bits + 1);
    mask[bit / k_bits] |= 1ul << bit % k_bits;
  }
  ::syscall(SYS_set_mempolicy, mask.empty() ? k_default : k_bind,
            mask.empty() ? nullptr : mask.data(), mask.size() * k_bits + 1);
}

}  // namespace

Status bind_to(const CpuSet& cpus, const std::vector<int>& nodes) {
  const CpuSet& first = first_cpus();
  bind_memory(nodes);
  const CpuSet& wanted = cpus.empty() ? first : cpus;
  if (wanted.empty() || wanted == own_cpus()) return {};
  RealCpus host;
  if (const Status moved = host.move_to(wanted); !moved)
    return moved.error().within(fmt::format("CPUs {} cannot be used", cpu_list(wanted)));
  return {};
}

}  // namespace orch::system
