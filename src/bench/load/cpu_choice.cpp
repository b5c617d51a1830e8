#include "bench/load/cpu_choice.hpp"

#include <algorithm>
#include <climits>

namespace orch::load {
namespace {

using system::CpuSet;

// A thread counts if it has used at least this share of the CPU time of the busiest one: a server
// has many threads that only waited since it started.
constexpr double k_least_share = 0.05;

struct ServerUse {
  CpuSet bound;  // threads may run only here, and not on every CPU of the client
  CpuSet ran;    // threads that may run everywhere last ran here
};

ServerUse use_of(const CpuEvidence& evidence) {
  double busiest_s = 0;
  for (const system::ThreadCpus& thread : evidence.servers)
    busiest_s = std::max(busiest_s, thread.cpu_s);
  ServerUse use;
  for (const system::ThreadCpus& thread : evidence.servers) {
    const bool runs_everywhere = std::includes(thread.allowed.begin(), thread.allowed.end(),
                                               evidence.allowed.begin(), evidence.allowed.end());
    if (!runs_everywhere) use.bound.insert(thread.allowed.begin(), thread.allowed.end());
    else if (thread.cpu_s >= k_least_share * busiest_s) use.ran.insert(thread.last);
  }
  return use;
}

// How much client and server disturb each other on a CPU that no thread is bound to.
enum Disturbance { k_nothing = 0, k_ran_on_sibling = 1, k_bound_to_sibling = 2, k_ran_here = 4 };

int disturbance(int cpu, const CpuEvidence& evidence, const ServerUse& use) {
  int sum = use.ran.contains(cpu) ? k_ran_here : k_nothing;
  const auto core = evidence.cores.find(cpu);
  if (core == evidence.cores.end()) return sum;
  const auto has_sibling_in = [&](const CpuSet& cpus) {
    return std::ranges::any_of(
        core->second, [&](int sibling) { return sibling != cpu && cpus.contains(sibling); });
  };
  if (has_sibling_in(use.bound)) sum += k_bound_to_sibling;
  else if (has_sibling_in(use.ran)) sum += k_ran_on_sibling;
  return sum;
}

std::string use_text(const ServerUse& use) {
  if (use.bound.empty()) return "the server last ran on " + cpus_text(use.ran);
  std::string text = "the server is bound to " + cpus_text(use.bound);
  return use.ran.empty()
             ? text
             : text + ", and threads of it that are not bound last ran on " + cpus_text(use.ran);
}

}  // namespace

std::string cpus_text(const CpuSet& cpus) {
  return (cpus.size() == 1 ? "CPU " : "CPUs ") + system::cpu_list(cpus);
}

CpuChoice choose_cpus(const CpuEvidence& evidence) {
  const ServerUse use = use_of(evidence);
  CpuChoice choice{.cpus = {}, .why = use_text(use)};
  int least = use.bound.empty() ? k_ran_here - 1 : INT_MAX;
  for (const int cpu : evidence.allowed) {
    if (use.bound.contains(cpu)) continue;
    const int here = disturbance(cpu, evidence, use);
    if (here < least) choice.cpus.clear();
    least = std::min(least, here);
    if (here == least) choice.cpus.insert(cpu);
  }
  if (!choice.cpus.empty() && (least & (k_ran_on_sibling | k_bound_to_sibling)) != 0)
    choice.why += "; no other core is free of it";
  return choice;
}

}  // namespace orch::load
