#include "analysis/best/token_cost.hpp"

namespace orch::best {

namespace {

constexpr double k_seconds_of_hour = 3600, k_million_tokens = 1e6;

}  // namespace

std::optional<double> price_of_hour(const Prices& prices, std::optional<double> gpus) {
  if (prices.gpu_hour && !gpus) return {};  // 0 GPUs cost nothing beside the machine
  const double of_gpus = prices.gpu_hour.value_or(0) * gpus.value_or(0);
  const double price = of_gpus + prices.machine_hour.value_or(0);
  if (price <= 0) return {};
  return price;
}

std::optional<TokenCost> token_cost(double price_of_hour, const Rates& rates,
                                    std::optional<double> weight) {
  if (!(rates.output_tps > 0)) return {};
  const double per_second = price_of_hour / k_seconds_of_hour;
  if (!weight) return TokenCost{per_second / rates.output_tps * k_million_tokens, {}};
  if (!(*weight > 0) || !rates.input_tps || *rates.input_tps < 0) return {};
  const double output = per_second / (rates.output_tps + *rates.input_tps / *weight);
  return TokenCost{output * k_million_tokens, output / *weight * k_million_tokens};
}

}  // namespace orch::best
