#include "run/simulate/simulated_host.hpp"

#include <algorithm>
#include <limits>

namespace orch::simulate {

namespace {

constexpr double k_never = std::numeric_limits<double>::infinity();

}  // namespace

double SimulatedReadiness::next_s() const {
  double next = k_never;
  for (const auto& [token, ready_s] : ready_s_) next = std::min(next, ready_s);
  return next;
}

void SimulatedReadiness::watch(const std::string& token, const attempt::Probe&) {
  ready_s_[token] = clock_.time_s + takes_s_[token];
}

attempt::HealthReport SimulatedReadiness::report(const std::string& token) {
  const auto found = ready_s_.find(token);
  if (found == ready_s_.end() || clock_.time_s < found->second) return {};
  return {.health = attempt::Health::ready};
}

void SimulatedReadiness::forget(const std::string& token) {
  ready_s_.erase(token);
  takes_s_.erase(token);
}

void SimulatedExecutor::takes(const std::string& token, double seconds, bool server) {
  expected_[token] = {seconds, server};
  if (server) readiness_.start_takes(token, seconds);
}

Result<execute::Handle> SimulatedExecutor::start(const execute::Launch& launch) {
  since_s_[launch.token] = clock_.time_s;
  const Expected& expected = expected_.at(launch.token);
  if (!expected.server) ends_.emplace(clock_.time_s + expected.seconds, launch.token);
  return execute::Handle{.tree = {.token = launch.token, .leader = {1, 1}, .containment = {}}};
}

std::vector<execute::Ended> SimulatedExecutor::poll(double wait_s) {
  double next = readiness_.next_s();
  if (!ends_.empty()) next = std::min(next, ends_.begin()->first);
  idle_polls_ = next == k_never ? idle_polls_ + 1 : 0;
  if (next == k_never) next = clock_.time_s + wait_s;
  clock_.time_s = std::max(clock_.time_s, next);
  std::vector<execute::Ended> ended;
  while (!ends_.empty() && ends_.begin()->first <= clock_.time_s) {
    const auto [at_s, token] = *ends_.begin();
    ends_.erase(ends_.begin());
    const auto since = since_s_.extract(token);
    ended.push_back({.token = token, .code = 0, .wall_s = at_s - since.mapped()});
    expected_.erase(token);
  }
  return ended;
}

void SimulatedExecutor::terminate(const std::string& token) {
  const auto running = since_s_.find(token);
  if (running == since_s_.end()) return;
  std::erase_if(ends_, [&](const auto& end) { return end.second == token; });
  ends_.emplace(clock_.time_s, token);
}

Result<std::vector<system::PortLease>> SimulatedPorts::lease(std::size_t count) {
  std::vector<system::PortLease> leases;
  for (std::size_t i = 0; i < count; ++i)
    leases.emplace_back(static_cast<int>(i) + 1, system::Descriptor());
  return leases;
}

SimulatedGpus::SimulatedGpus(const resources::Inventory& inventory) {
  for (const resources::Gpu& gpu : inventory.gpus)
    gpus_.push_back({.index = gpu.index, .uuid = {}, .memory_gib = 0, .used_gib = 0, .pids = {}});
}

std::vector<attempt::Prepared> NoFolders::describe(const std::vector<attempt::Attempt>& attempts) {
  std::vector<attempt::Prepared> prepared;
  double seconds = 0;
  for (const attempt::Attempt& attempt : attempts) {
    seconds += seconds_of_(*attempt.stage);
    attempt::Prepared one{.attempt = attempt};
    one.launch.token = attempt.token;
    one.launch.argv = {attempt.stage->id};
    for (const auto& [name, value] : attempt.stage->spec.env) one.launch.env[name] = value;
    prepared.push_back(std::move(one));
  }
  executor_.takes(attempts.front().token, seconds,
                  attempts.front().stage->spec.kind == runner::Kind::service);
  return prepared;
}

Result<system::FreeSpace> NoFolders::free_space() {
  return Error{ErrorKind::not_found, "a simulation has no disk"};
}

}  // namespace orch::simulate
