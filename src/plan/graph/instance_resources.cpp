// What an attempt of a stage holds of the host, writes and takes at least, by its manifest.
#include "plan/graph/making.hpp"

#include <cmath>

namespace orch::plan {

namespace {

constexpr double k_most_held = 1e6;  // cores, CPUs or tokens
constexpr double k_patience = 10;    // a measurement may take so many times its bound
constexpr double k_gib = 1024.0 * 1024 * 1024;

}  // namespace

void Instantiator::estimate(Making& making) const {
  const Instance& from = making.from;
  if (from.kind.gpus)
    if (const double gpus = answer(from.point, *from.kind.gpus); gpus > 0) making.stage.gpus = gpus;
  making.stage.driver = from.kind.driver && answer(from.point, *from.kind.driver) > 0;
  making.stage.passing = !from.kind.shared && matrix_.keep > from.kind.keep;
  share_host(making);
  if (from.kind.disk_gib)
    if (const double gib = answer(from.point, *from.kind.disk_gib); gib >= 0)
      making.stage.estimate.bytes = making.stage.estimate.needed_bytes =
          static_cast<std::uint64_t>(std::min(gib, 1e9) * k_gib);
  Estimate& estimate = making.stage.estimate;
  for (const std::size_t bound : from.kind.seconds)
    if (const double seconds = answer(from.point, bound); seconds > estimate.least_seconds)
      estimate.least_seconds = seconds;
  if (from.kind.kind == runner::Kind::measure)
    making.stage.spec.timeout_s =
        std::max(making.stage.spec.timeout_s, k_patience * estimate.least_seconds);
  if (from.kind.expected_seconds.empty()) return;
  const double begin = answer(from.point, from.kind.expected_seconds.front()),
               end = answer(from.point, from.kind.expected_seconds.back());
  if (std::isnan(begin) || std::isnan(end)) return;
  estimate.from_seconds = std::max(begin, estimate.least_seconds);
  estimate.to_seconds = std::max(end, estimate.from_seconds);
}

void Instantiator::share_host(Making& making) const {
  const Instance& from = making.from;
  const runner::StageKind& kind = from.kind;
  if (!kind.cores && !kind.cpus && !kind.memory_gib && kind.tokens.empty()) return;
  const auto asked = [&](std::size_t question) {
    const double number = answer(from.point, question);
    return number > 0 ? std::min(std::ceil(number), k_most_held) : 0;
  };
  auto share = std::make_shared<Share>();
  if (kind.cores)
    if (const double cores = asked(*kind.cores); cores > 0) share->cores = static_cast<int>(cores);
  if (kind.cpus) share->cpus = static_cast<int>(asked(*kind.cpus));
  if (kind.memory_gib)
    if (const double gib = answer(from.point, *kind.memory_gib); gib > 0) share->memory_gib = gib;
  for (const auto& [name, count] : kind.tokens)
    if (const double number = asked(count); number > 0)
      share->tokens[name] = static_cast<int>(number);
  making.stage.share = std::move(share);
}

// Whether a fact decides if the output is provided. A stage that the fact itself depends on is
// made.
bool Instantiator::may_be_provided(const Instance& from) const {
  return !from.provided && !from.point.waiting.empty() && !fact_stages_.contains(from.kind.name) &&
         is_waiting(from.point, provided_when(from.kind));
}

}  // namespace orch::plan
