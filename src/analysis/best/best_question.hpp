// What is asked of `orchestrate best`, checked against the columns that the results have. Knows the
// names of columns and no row.
#pragma once

#include "core/base/result.hpp"
#include "analysis/best/constraint.hpp"
#include "analysis/best/token_cost.hpp"
#include "analysis/report/front.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orch::best {

enum class Per { nothing, gpu, cost, joule };

// As a user writes it.
struct Asked {
  std::optional<std::int64_t> run{};
  std::string where{};
  std::string maximize{}, minimize{};  // a column, or SQL over columns
  std::string subject_to{};
  std::string front{};            // "X,Y", each with :higher or :lower where that is not known
  std::string per{};              // gpu, cost or joule
  std::vector<std::string> by{};  // columns; `length` stands for isl and osl
  Prices prices{};
};

struct Goal {
  std::string column;     // or SQL over columns, which has no interval
  std::string written{};  // the same as the user wrote it
  report::Direction direction = report::Direction::higher_is_better;
  bool is_set = false;  // a parameter: exact, so that its highest value is nobody's luck
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

  // Latency is limited, so that a price counts only requests that are good.
  bool limits_latency() const;
};

// COLUMNS are those of the view `results`, PARAMETERS those among them that points set. An error
// says what to write instead.
Result<Question> question_of(const Asked& asked, std::span<const std::string> columns,
                             std::span<const std::string> parameters);

// "output_tps", "output_tokens_per_usd": the name of the figure that is ranked, as a column.
std::string figure_name_of(const Question& question);

// "tokens per USD", "tokens/s", "" if the unit is not known.
std::string unit_of(const Question& question);

// What a metric is multiplied by to be per GPU, currency unit or joule.
struct Factor {
  std::optional<double> value;
  std::string why_not;  // if there is no value
};

// The value of a column of a row or of a measurement; empty: NULL, or no such column.
using ValueOf = std::function<std::optional<double>(const std::string& column)>;

Factor factor_of(const Question& question, const ValueOf& value_of);
// The GPUs that the server was given, 0 for a server of ours without one; empty: unknown.
std::optional<double> gpus_of(const ValueOf& value_of);
// The share of requests that met the goodput expression; empty: none was stated.
std::optional<double> good_share_of(const ValueOf& value_of);
// The columns that these functions read.
std::span<const std::string_view> columns_of_factor();

}  // namespace orch::best
