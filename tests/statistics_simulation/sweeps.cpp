#include "sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace orch::statistics {
namespace {

double student_t4(Random& random) {
  double chi_squared = 0;
  for (int i = 0; i < 4; ++i) {
    const double z = random.normal();
    chi_squared += z * z;
  }
  return random.normal() / std::sqrt(chi_squared / 4);
}

// With mean 1 and the model's coefficient of variation, before outliers.
std::vector<double> latencies(const SweepModel& model, Random& random) {
  const double sd = std::sqrt(std::log(1 + model.request_cv * model.request_cv));
  const double innovation = std::sqrt(1 - model.correlation * model.correlation);
  std::vector<double> out(static_cast<std::size_t>(model.requests));
  double z = random.normal();
  for (double& latency : out) {
    latency = std::exp(sd * z - sd * sd / 2);
    if (random.uniform() < model.outliers) latency *= 3;
    z = model.correlation * z + innovation * random.normal();
  }
  return out;
}

// Requests per unit of time of a closed loop: each request takes the slot that is free first.
double throughput_of(const std::vector<double>& latencies) {
  constexpr std::size_t k_slots = 8;
  std::vector<double> free(k_slots, 0);
  for (const double latency : latencies) *std::min_element(free.begin(), free.end()) += latency;
  return static_cast<double>(latencies.size()) / *std::max_element(free.begin(), free.end());
}

// By linear interpolation, as the store's percentiles.
double percentile_99(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double rank = 0.99 * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  if (below + 1 >= values.size()) return values.back();
  return values[below] + (rank - static_cast<double>(below)) * (values[below + 1] - values[below]);
}

}  // namespace

SimulatedSession simulate_session(const SweepModel& model, Random& random) {
  SimulatedSession out;
  const double shared =
      model.session_sd *
      (model.normal_sessions ? random.normal() : student_t4(random) / std::sqrt(2));
  for (int point = 0; point < model.points; ++point) {
    const double factor = std::exp(shared + model.session_point_sd * random.normal());
    std::vector<double> values = latencies(model, random);
    double sum = 0;
    for (double& value : values) sum += value *= factor;
    const std::string name = "p" + std::to_string(point);
    out.mean_latency.push_back({name, sum / static_cast<double>(values.size())});
    out.throughput.push_back({name, throughput_of(values)});
    out.p99_latency.push_back({name, percentile_99(std::move(values))});
  }
  return out;
}

SimulatedSweep simulate_sweep(const SweepModel& model, int sessions, int earlier, Random& random) {
  SimulatedSweep out;
  for (int i = 0; i < sessions; ++i) {
    out.a.push_back(simulate_session(model, random));
    out.b.push_back(simulate_session(model, random));
  }
  for (int i = 0; i < earlier; ++i) out.earlier.push_back(simulate_session(model, random));
  return out;
}

Sessions first_sessions(const std::vector<SimulatedSession>& sessions,
                        Session SimulatedSession::*metric, int count) {
  Sessions out;
  for (int i = 0; i < count; ++i) out.push_back(sessions[static_cast<std::size_t>(i)].*metric);
  return out;
}

Sessions scaled(Sessions sessions, double factor) {
  for (Session& session : sessions)
    for (Observation& one : session) one.value *= factor;
  return sessions;
}

int sweeps_to_run(int ordinarily) {
  const char* text = std::getenv("ORCH_SWEEPS");
  const int asked = text == nullptr ? 0 : std::atoi(text);
  return asked > 0 ? asked : ordinarily;
}

double chance(double truth_percent, int count) {
  constexpr double k_quantile = 3.29;
  return k_quantile * std::sqrt(truth_percent * (100 - truth_percent) / count);
}

}  // namespace orch::statistics
