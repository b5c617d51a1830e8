#include "bench/load/client_cpus.hpp"

#include "core/base/text.hpp"
#include "bench/load/cpu_choice.hpp"

namespace orch::load {

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
  CpuEvidence evidence{.allowed = before_, .servers = cpus_->threads_of(pids), .cores = {}};
  if (evidence.servers.empty()) return {};  // it has just ended
  for (const int cpu : before_) evidence.cores.emplace(cpu, cpus_->core_of(cpu));
  const CpuChoice choice = choose_cpus(evidence);
  if (choice.cpus.empty()) {
    why_ = "no CPU is free: " + choice.why;
    return fmt::format(
        "no CPU is free for the client: it may run on {}, and {}. They take turns: TTFT and ITL "
        "may be measured too long, and the server is slower",
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

}  // namespace orch::load
