// What tokens cost on a server that is paid by the hour. Pure arithmetic; knows no store.
#pragma once

#include <optional>
#include <string>

namespace orch::best {

// As the site file states them.
struct Prices {
  std::optional<double> gpu_hour{};      // of each GPU of the server
  std::optional<double> machine_hour{};  // of the machine, charged to the one server
  std::optional<double>
      output_token_weight{};  // input tokens that an output token costs as much as
  std::string currency{};     // "": not stated
  std::string file{};         // where they are, or where they would be stated

  std::string currency_name() const { return currency.empty() ? "(currency)" : currency; }
};

// GPUS are those of the server; empty: unknown. Empty if the prices do not tell what it costs.
std::optional<double> price_of_hour(const Prices& prices, std::optional<double> gpus);

struct Rates {
  double output_tps = 0;
  std::optional<double> input_tps;
};

// Of a million tokens each.
struct TokenCost {
  double output = 0;
  std::optional<double> input;  // only where the price is split
};

// The price of an hour over the tokens of an hour at full load. Without WEIGHT, output tokens carry
// the whole price. With it, the price is split: output tokens cost WEIGHT times as much as input
// tokens, so that both together pay the price once. Empty for rates that are not positive.
std::optional<TokenCost> token_cost(double price_of_hour, const Rates& rates,
                                    std::optional<double> weight);

}  // namespace orch::best
