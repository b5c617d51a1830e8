// What is asked of `orchestrate best`, checked against the columns that the results have. Knows the
// names of columns and no row.
#pragma once

#include "base/result.hpp"
#include "best/constraint.hpp"
#include "best/cost.hpp"
#include "report/front.hpp"

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
  std::optional<std::int64_t> run;
  std::string where;
  std::string maximize, minimize;  // columns
  std::string subject_to;
  std::string front;            // "X,Y", each with :higher or :lower where that is not known
  std::string per;              // gpu, cost or joule
  std::vector<std::string> by;  // columns; `length` stands for isl and osl
  Prices prices;
};

struct Goal {
  std::string column;
  report::Direction direction = report::Direction::higher_is_better;
};

struct Question {
  std::optional<std::int64_t> run;
  std::string where;
  std::optional<Goal> goal;
  Per per = Per::nothing;
  std::string subject_to;   // SQL; "": none
  Condition condition;      // the same in parts
  std::vector<Goal> front;  // two, or none
  std::vector<std::string> by;
  Prices prices;

  // Latency is limited, so that a price counts only requests that are good.
  bool limits_latency() const;
};

// COLUMNS are those of the view `results`. An error says what to write instead.
Result<Question> question_of(const Asked& asked, std::span<const std::string> columns);

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
// The GPUs that the server was given; empty: unknown, or none.
std::optional<double> gpus_of(const ValueOf& value_of);
// The share of requests that met the goodput expression; empty: none was stated.
std::optional<double> good_share_of(const ValueOf& value_of);
// The columns that these functions read.
std::span<const std::string_view> columns_of_factor();

}  // namespace orch::best
