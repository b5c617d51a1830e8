#include "os/system/topology/cpus.hpp"

#include "core/base/text.hpp"
#include "os/system/launch.hpp"
#include "os/system/topology/cpu_quota.hpp"
#include "os/system/tree_signal.hpp"

#include <cstring>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace orch::system {

namespace {

constexpr int k_most_cpus = 1 << 16;

// A set in the form of the kernel's calls.
class Mask {
 public:
  explicit Mask(int cpus)
      : cpus_(cpus),
        set_(CPU_ALLOC(static_cast<std::size_t>(cpus)), [](cpu_set_t* each) { CPU_FREE(each); }) {
    CPU_ZERO_S(size(), set_.get());
  }
  explicit Mask(const CpuSet& cpus) : Mask(cpus.empty() ? 1 : *cpus.rbegin() + 1) {
    for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), size(), set_.get());
  }

  std::size_t size() const { return CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus_)); }
  cpu_set_t* get() const { return set_.get(); }
  CpuSet cpus() const {
    CpuSet out;
    for (int cpu = 0; cpu < cpus_; ++cpu)
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size(), set_.get())) out.insert(cpu);
    return out;
  }

 private:
  int cpus_;
  std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set_;
};

// THREAD 0: the calling thread.
bool set_affinity(pid_t thread, const CpuSet& cpus) {
  const Mask mask(cpus);
  return ::sched_setaffinity(thread, mask.size(), mask.get()) == 0;
}

// Calls VISIT for each thread of process NAME, a number or "self", in PROC.
void for_each_thread(const std::string& proc, const std::string& name,
                     const std::function<void(const std::string& folder, int thread)>& visit) {
  const std::string tasks = fmt::format("{}/{}/task", proc, name);
  for_each_number(tasks, [&](int thread) { visit(fmt::format("{}/{}", tasks, thread), thread); });
}

// The value of NAME in STATUS, the text of a `status` file in /proc, or "".
std::string_view status_value(std::string_view status, std::string_view name) {
  const std::string key = fmt::format("\n{}:", name);
  const std::size_t at = status.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = status.substr(at + key.size());
  return trim(rest.substr(0, rest.find('\n')));
}

// The number of a thread of this process in its own PID namespace: /proc may show a different one.
int own_number(const std::string& folder, int shown) {
  const std::string status = read_proc(folder + "/status");
  const std::string_view numbers = status_value(status, "NSpid");
  const std::size_t tab = numbers.rfind('\t');
  return static_cast<int>(
      to_integer(tab == std::string_view::npos ? numbers : numbers.substr(tab + 1))
          .value_or(shown));
}

std::optional<ThreadCpus> thread_cpus(const std::string& folder) {
  const std::vector<std::string> fields = stat_fields(folder + "/stat");
  constexpr std::size_t k_first = 3, k_state = 3, k_utime = 14, k_stime = 15, k_processor = 39;
  if (fields.size() <= k_processor - k_first || fields[k_state - k_first] == "Z") return {};
  const std::string status = read_proc(folder + "/status");
  const auto allowed = parse_cpu_list(status_value(status, "Cpus_allowed_list"));
  if (!allowed.ok()) return {};
  const auto number = [&](std::size_t field) {
    return to_integer(fields[field - k_first]).value_or(0);
  };
  static const auto k_ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return ThreadCpus{.allowed = *allowed,
                    .last = static_cast<int>(number(k_processor)),
                    .cpu_s = static_cast<double>(number(k_utime) + number(k_stime)) / k_ticks};
}

// The node of each CPU that belongs to one.
std::map<int, int> nodes_of_cpus(const std::string& sys) {
  std::map<int, int> nodes;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(sys + "/node", code)) {
    const std::string name = entry.path().filename().string();
    const auto node = name.starts_with("node") ? to_integer(name.substr(4)) : std::nullopt;
    if (!node) continue;
    const auto cpus = parse_cpu_list(read_proc(entry.path().string() + "/cpulist"));
    if (!cpus) continue;
    for (const int cpu : *cpus) nodes[cpu] = static_cast<int>(*node);
  }
  return nodes;
}

// The hardware threads of the core of CPU, according to SYS; empty if it does not list them.
CpuSet siblings_of(int cpu, const std::string& sys) {
  return parse_cpu_list(
             read_proc(fmt::format("{}/cpu/cpu{}/topology/thread_siblings_list", sys, cpu)))
      .value_or(CpuSet());
}

// Values from <numaif.h>, a header of another library.
constexpr int k_default = 0, k_bind = 2;
constexpr std::size_t k_bits = 8 * sizeof(unsigned long);

// The CPUs before anything was bound. The first call must come before that.
const CpuSet& first_cpus() {
  static const CpuSet cpus = own_cpus();
  return cpus;
}

// A kernel without NUMA has one node, and its refusal does not matter.
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

std::string cpu_list(const CpuSet& cpus) {
  std::string out;
  for (auto first = cpus.begin(); first != cpus.end();) {
    auto last = first;
    while (std::next(last) != cpus.end() && *std::next(last) == *last + 1) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ",", *first);
    if (last != first) out += fmt::format("-{}", *last);
    first = std::next(last);
  }
  return out;
}

Result<CpuSet> parse_cpu_list(std::string_view text) {
  CpuSet cpus;
  for (const std::string& part : split(trim(text), ',')) {
    const std::size_t dash = part.find('-');
    const auto first = to_integer(std::string_view(part).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : to_integer(std::string_view(part).substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= k_most_cpus)
      return invalid(fmt::format("{} is not a list of CPUs, such as 0-3,7", quoted(text)));
    for (std::int64_t cpu = *first; cpu <= *last; ++cpu) cpus.insert(static_cast<int>(cpu));
  }
  return cpus;
}

CpuSet own_cpus() {
  // The kernel rejects a mask smaller than its own.
  for (int most = 1024; most <= k_most_cpus; most *= 2) {
    const Mask mask(most);
    if (::sched_getaffinity(0, mask.size(), mask.get()) == 0) return mask.cpus();
  }
  return {};
}

std::vector<ThreadCpus> RealCpus::threads_of(const std::set<int>& pids) {
  const std::string proc = host_proc();
  std::vector<ThreadCpus> out;
  for (const int pid : pids)
    for_each_thread(proc, std::to_string(pid), [&](const std::string& folder, int) {
      if (auto thread = thread_cpus(folder)) out.push_back(std::move(*thread));
    });
  return out;
}

CpuSet RealCpus::core_of(int cpu) {
  CpuSet core = siblings_of(cpu, "/sys/devices/system");
  core.insert(cpu);
  return core;
}

std::optional<double> RealCpus::quota() { return cpu_quota(); }

Status RealCpus::move_to(const CpuSet& cpus) {
  const CpuSet before = own_cpus();
  // The kernel ignores CPUs of the mask that it withholds.
  const bool moved = set_affinity(0, cpus);
  if (!moved || own_cpus() != cpus) {
    if (moved) set_affinity(0, before);
    return invalid(fmt::format("this process may not run on CPUs {}", quoted(cpu_list(cpus))));
  }
  // Repeats until no new thread is found: a thread not yet moved may have just started one.
  std::set<int> seen;
  for (bool grew = true; grew;) {
    grew = false;
    for_each_thread("/proc", "self", [&](const std::string& folder, int shown) {
      if (!seen.insert(shown).second) return;
      grew = true;
      set_affinity(own_number(folder, shown), cpus);  // fails if the thread has ended
    });
  }
  return {};
}

std::vector<HostCore> detect_cores(const CpuSet& own, const std::string& sys) {
  const std::map<int, int> nodes = nodes_of_cpus(sys);
  std::vector<HostCore> cores;
  CpuSet seen;
  for (const int cpu : own) {
    if (seen.contains(cpu)) continue;
    const CpuSet siblings = siblings_of(cpu, sys);
    const auto node = nodes.find(cpu);
    HostCore core{.node = node == nodes.end() ? 0 : node->second};
    for (const int sibling : siblings.contains(cpu) ? siblings : CpuSet{cpu})
      if (own.contains(sibling) && seen.insert(sibling).second) core.cpus.push_back(sibling);
    cores.push_back(std::move(core));
  }
  return cores;
}

std::vector<HostCore> first_cores(std::vector<HostCore> cores, int cpus) {
  std::size_t kept = 0;
  for (auto left = static_cast<std::size_t>(std::max(cpus, 0));
       kept < cores.size() && (kept == 0 || cores[kept].cpus.size() <= left); ++kept)
    left -= std::min(left, cores[kept].cpus.size());
  cores.resize(kept);
  return cores;
}

std::set<int> memory_nodes(const std::string& sys) {
  return parse_cpu_list(read_proc(sys + "/node/has_memory")).value_or(CpuSet());
}

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
