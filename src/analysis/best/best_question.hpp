// A question to `orchestrate best`, checked against the columns of the results. Reads no rows.
#pragma once

#include "analysis/report/digits.hpp"
#include "core/base/result.hpp"
#include "core/statistics/verdict.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::best {

// A condition on configurations in SQL, and whether the intervals of figures leave it open. Reads
// no store: SQLite evaluates the condition with the figures themselves.

// COLUMN OPERATOR NUMBER, such as ttft_ms_p99 < 50.
struct Comparison {
  std::string column;
  std::string operation;  // <, <=, >, >=, =, <>
  double number = 0;
  std::string written;  // as in the condition
};

// A condition as the conjunction of its parts.
struct Condition {
  std::vector<Comparison> comparisons;
  std::vector<std::string> others;  // parts of any other form, as written
};

// Error: a text that is not a single expression.
Result<Condition> read_condition(const std::string& sql);

// A figure with the limits of its interval, which may be unknown.
struct Figure {
  double value = 0;
  statistics::Limits limits{};
};

enum class Kept {
  surely,  // the whole interval meets the condition
  open,    // a part of the interval meets it, or may, because an end is unknown
  broken,  // the whole interval breaks it
};

Kept judge(const Comparison& comparison, const Figure& figure);

// "44.3 (38.2 to 61)" with the digits that the interval allows.
std::string figure_text(const Figure& figure);

// The cost of tokens on a server that is paid by the hour. Pure arithmetic.

// Prices as the site file states them.
struct Prices {
  std::optional<double> gpu_hour{};             // of each GPU of the server
  std::optional<double> machine_hour{};         // of the machine, charged to the one server
  std::optional<double> output_token_weight{};  // the price of an output token in input tokens
  std::string currency{};                       // "": not stated
  std::string file{};                           // the site file that states them, or could

  std::string currency_name() const { return currency.empty() ? "(currency)" : currency; }
};

// The price of an hour of a server with GPUS GPUs (nullopt: unknown); nullopt if PRICES do not
// determine it.
std::optional<double> price_of_hour(const Prices& prices, std::optional<double> gpus);

struct Rates {
  double output_tps = 0;
  std::optional<double> input_tps;
};

// The prices of a million tokens.
struct TokenCost {
  double output = 0;
  std::optional<double> input;  // only if the price is split
};

// PRICE_OF_HOUR divided by the tokens of an hour at full load. Without WEIGHT, output tokens carry
// the whole price. With it, the price is split: output tokens cost WEIGHT times as much as input
// tokens, so that both together pay the price once. nullopt if the output rate is not positive or,
// with WEIGHT, the input rate is unknown.
std::optional<TokenCost> token_cost(double price_of_hour, const Rates& rates,
                                    std::optional<double> weight);

enum class Per { nothing, gpu, cost, joule };

// A question as a user writes it.
struct Asked {
  std::optional<std::int64_t> run{};
  std::string where{};
  std::string maximize{}, minimize{};  // a column, or SQL over columns
  std::string subject_to{};
  // "X,Y", each with :higher or :lower if its better direction is unknown.
  std::string front{};
  std::string per{};              // gpu, cost or joule
  std::vector<std::string> by{};  // columns; `length` stands for isl and osl
  Prices prices{};
};

struct Goal {
  std::string column;     // or SQL over columns, without an interval
  std::string written{};  // the same, as the user wrote it
  report::Direction direction = report::Direction::higher_is_better;
  bool is_set = false;  // a parameter: it is exact, so its highest value is not due to luck
};

struct Question {
  std::optional<std::int64_t> run{};
  std::string where{};
  std::optional<Goal> goal{};
  Per per = Per::nothing;
  std::string subject_to{};   // SQL; "": none
  Condition condition{};      // the same in parts
  std::vector<Goal> front{};  // two, or none
  std::vector<std::string> by{};
  Prices prices{};

  // Whether latency is limited; if so, a price counts only good requests.
  bool limits_latency() const;
};

// COLUMNS are the columns of the view `results`; PARAMETERS are those of them that points set. An
// error says what to write instead.
Result<Question> question_of(const Asked& asked, std::span<const std::string> columns,
                             std::span<const std::string> parameters);

// The column name of the figure that is ranked: "output_tps", "output_tokens_per_usd".
std::string figure_name_of(const Question& question);

// The unit of that figure: "tokens per USD", "tokens/s"; "" if it is unknown.
std::string unit_of(const Question& question);

// The factor that converts a metric to one per GPU, currency unit or joule.
struct Factor {
  std::optional<double> value;
  std::string why_not;  // if there is no value
};

// Returns the value of a column in a row or measurement; nullopt: NULL, or no such column.
using ValueOf = std::function<std::optional<double>(std::string_view column)>;

Factor factor_of(const Question& question, const ValueOf& value_of);
// The number of GPUs of the server; 0 if we started it without GPUs; nullopt: unknown.
std::optional<double> gpus_of(const ValueOf& value_of);
// The share of requests that met the goodput expression; nullopt without one.
std::optional<double> good_share_of(const ValueOf& value_of);
// The columns that factor_of(), gpus_of() and good_share_of() read.
std::span<const std::string_view> columns_of_factor();

}  // namespace orch::best
