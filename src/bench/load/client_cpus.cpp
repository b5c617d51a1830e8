#include "bench/load/client_cpus.hpp"

#include "core/base/text.hpp"

#include <climits>

#include <unistd.h>

namespace orch::load {

namespace {

using system::CpuSet;

// A thread counts if it has used at least this share of the CPU time of the busiest one: many
// threads of a server have only waited since it started.
constexpr double k_least_share = 0.05;

struct ServerUse {
  CpuSet bound;  // threads may run only here, not on every CPU of the client
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

// Counts the cores of the host: an affinity mask of one core leaves the others to the server.
bool another_core_is_left() { return sysconf(_SC_NPROCESSORS_ONLN) > 1; }

}  // namespace

Status check_asked_cpus(system::Cpus& cpus, const system::CpuSet& asked) {
  const system::CpuSet own = cpus.own();
  for (const int cpu : asked)
    if (!own.contains(cpu))
      return invalid(
          fmt::format("--cpus {}: this process may not run on CPU {}; choose from {}, or write "
                      "--cpus all",
                      system::cpu_list(asked), cpu, system::cpu_list(own)));
  return {};
}

ClientCpus::ClientCpus(system::Cpus* cpus)
    : cpus_(cpus), before_(cpus ? cpus->own() : system::CpuSet()) {}

ClientCpus::~ClientCpus() { leave(); }

void ClientCpus::leave() {
  if (std::exchange(moved_, false))
    static_cast<void>(cpus_->move_to(before_));  // it could run there before
}

std::string ClientCpus::quota_warning() const {
  const auto quota = cpus_ ? cpus_->quota() : std::nullopt;
  if (!quota || *quota >= static_cast<double>(before_.size())) return {};
  return fmt::format(
      "a cgroup allows the client, and everything else in it, the time of {:.3g} of the {} that it "
      "may run on; what exceeds that is stopped for up to 0.1 s at a time, so TTFT and ITL may "
      "come out too high",
      *quota, plural(before_.size(), "CPU"));
}

Status ClientCpus::use(const system::CpuSet& asked) {
  if (!cpus_) return {};
  ORCH_TRY(cpus_->move_to(asked));
  asked_ = moved_ = true;
  why_ = "--cpus was given";
  return {};
}

std::string ClientCpus::choose(const std::set<int>& pids,
                               const std::vector<std::uint16_t>& unseen) {
  if (!cpus_ || asked_ || before_.empty()) return {};
  if (chosen_) {
    moved_ = !choice_.empty() && cpus_->move_to(choice_).ok();
    return {};
  }
  std::string line = choose_beside(pids);
  chosen_ = !line.empty() || !unseen.empty();
  if (unseen.empty()) return line;
  std::vector<std::string> ports;
  for (const std::uint16_t port : unseen) ports.push_back(std::to_string(port));
  const std::string hidden = fmt::format(
      "the CPUs of the server at port {} are unknown, because its process is not "
      "visible (it is another user's, or in a container)",
      join(ports, ", "));
  why_ += (why_.empty() ? "" : "; ") + hidden;
  return fmt::format("{}{}{}; --cpus LIST gives the client CPUs of its own", line,
                     line.empty() ? "" : "; ", hidden);
}

std::string ClientCpus::choose_beside(const std::set<int>& pids) {
  if (pids.empty()) return {};
  CpuEvidence evidence{.allowed = before_, .servers = cpus_->threads_of(pids)};
  if (evidence.servers.empty()) return {};  // the server has just ended
  for (const int cpu : before_) evidence.cores.emplace(cpu, cpus_->core_of(cpu));
  const CpuChoice choice = choose_cpus(evidence);
  if (choice.cpus.empty()) {
    why_ = "no CPU is free: " + choice.why;
    return fmt::format(
        "no CPU is free for the client: it may run on {}, and {}. They take turns: TTFT and ITL "
        "may come out too high, and the server runs slower",
        cpus_text(before_), choice.why);
  }
  if (const Status status = cpus_->move_to(choice.cpus); !status.ok()) {
    why_ = fmt::format("left where it was: {}", status.error().message);
    return fmt::format("the client may share CPUs with the server: {}", status.error().message);
  }
  moved_ = true;
  choice_ = choice.cpus;
  why_ = choice.why;
  return fmt::format("the client runs on {}: {}", cpus_text(choice.cpus), choice.why);
}

std::string cpus_text(const CpuSet& cpus) {
  return (cpus.size() == 1 ? "CPU " : "CPUs ") + system::cpu_list(cpus);
}

CpuChoice choose_cpus(const CpuEvidence& evidence) {
  const ServerUse use = use_of(evidence);
  CpuChoice choice{.why = use_text(use)};
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

RealTimePriority::RealTimePriority() : policy_before_(sched_getscheduler(0)) {
  if (policy_before_ < 0 || sched_getparam(0, &param_before_) != 0 || !another_core_is_left())
    return;
  sched_param lowest{};
  lowest.sched_priority = sched_get_priority_min(SCHED_RR);
  // Child processes must not inherit the priority.
  raised_ = sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest) == 0;
}

RealTimePriority::~RealTimePriority() {
  if (raised_) sched_setscheduler(0, policy_before_, &param_before_);
}

}  // namespace orch::load
