#include "bench/measure/steady_state.hpp"

#include <array>
#include <cmath>

#include "bench/measure/statistics.hpp"

namespace orch::measure {
namespace {

constexpr std::size_t k_batches = 20;
constexpr double k_most_t_of_slope = 2.8;
constexpr double k_most_t_of_step = 3.9;  // of the greatest of 19
constexpr double k_least_change = 0.05;

using Batches = std::array<double, k_batches>;

std::span<const double> without_first(std::span<const double> values, std::size_t batches) {
  return values.subspan(batches * values.size() / k_batches);
}

// Empty when a batch mean is zero.
std::optional<Batches> log_means(std::span<const double> values) {
  Batches out{};
  for (std::size_t i = 0; i < k_batches; ++i) {
    const std::size_t begin = i * values.size() / k_batches;
    const std::size_t end = (i + 1) * values.size() / k_batches;
    const double mean = mean_of(values.subspan(begin, end - begin));
    if (!(mean > 0)) return {};
    out[i] = std::log(mean);
  }
  return out;
}

// The variance of a level that is estimated from one batch, from the residuals of a model with two
// parameters.
double variance_of_one(const Batches& residuals) {
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < k_batches; ++i) {
    squares += residuals[i] * residuals[i];
    if (i > 0) products += residuals[i] * residuals[i - 1];
  }
  if (squares <= 0) return 0;
  const double correlation = std::clamp(products / squares, 0.0, 0.9);
  return squares / (k_batches - 2) * (1 + correlation) / (1 - correlation);
}

bool exceeds(double change, double variance, double most_t) {
  return std::abs(change) >= k_least_change && std::abs(change) > most_t * std::sqrt(variance);
}

bool slopes(const Batches& batches) {
  constexpr double k_middle = (k_batches - 1) / 2.0;
  const double mean = mean_of(batches);
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < k_batches; ++i) {
    const double at = static_cast<double>(i) - k_middle;
    squares += at * at;
    products += at * (batches[i] - mean);
  }
  const double slope = products / squares;
  Batches residuals{};
  for (std::size_t i = 0; i < k_batches; ++i)
    residuals[i] = batches[i] - mean - slope * (static_cast<double>(i) - k_middle);
  constexpr double k_half_run = k_batches / 2.0;
  return exceeds(slope * k_half_run, variance_of_one(residuals) / squares * k_half_run * k_half_run,
                 k_most_t_of_slope);
}

bool steps(const Batches& batches) {
  for (std::size_t split = 1; split < k_batches; ++split) {
    const double before = mean_of(std::span(batches).first(split));
    const double after = mean_of(std::span(batches).subspan(split));
    Batches residuals{};
    for (std::size_t i = 0; i < k_batches; ++i)
      residuals[i] = batches[i] - (i < split ? before : after);
    const double share =
        1.0 / static_cast<double>(split) + 1.0 / static_cast<double>(k_batches - split);
    if (exceeds(after - before, variance_of_one(residuals) * share, k_most_t_of_step)) return true;
  }
  return false;
}

bool is_steady(std::span<const double> values) {
  const std::optional<Batches> batches = log_means(values);
  return !batches || (!slopes(*batches) && !steps(*batches));
}

std::string sentence_of(std::string_view name, std::span<const double> values,
                        std::optional<std::int64_t> settled) {
  if (settled) {
    const auto before = static_cast<std::size_t>(*settled);
    return fmt::format(
        "{} settled only after {} of {}: {:.4g} on average before, {:.4g} after; send more "
        "requests, or warm up longer",
        name, before, values.size(), mean_of(values.first(before)),
        mean_of(values.subspan(before)));
  }
  const std::size_t quarter = values.size() / 4;
  return fmt::format(
      "{} did not settle: {:.4g} on average over the first quarter of {}, {:.4g} over the last; "
      "measure longer, or with less load",
      name, mean_of(values.first(quarter)), values.size(), mean_of(values.last(quarter)));
}

}  // namespace

std::optional<SteadyState> steady_state(std::string_view name, std::span<const double> values) {
  if (std::ssize(values) < k_steady_least) return {};
  SteadyState out{.steady = is_steady(values), .settled = {}, .sentence = {}};
  if (out.steady) return out;
  for (std::size_t batches = 1; batches <= k_batches / 2 && !out.settled; ++batches)
    if (is_steady(without_first(values, batches)))
      out.settled = std::ssize(values) - std::ssize(without_first(values, batches));
  out.sentence = sentence_of(name, values, out.settled);
  return out;
}

}  // namespace orch::measure
