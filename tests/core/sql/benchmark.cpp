// A benchmark, not a test: the cost of expressions per row.
#include "core/sql/expression_table.hpp"

#include <array>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/resource.h>

namespace {

using namespace orch;
using namespace orch::sql;

// Six axes with ten values each, fourteen columns beside them.
constexpr std::array<const char*, 6> k_axes = {"isl",         "osl", "batch_size",
                                               "concurrency", "tp",  "pp"};
constexpr std::size_t k_values = 10;
constexpr std::size_t k_fixed = 14;

void add_expressions(ExpressionTable& table, bool repeating) {
  auto add = [&](const char* name, const std::string& sql) {
    table.add({.name = name, .what = "expression", .sql = sql});
  };
  const std::string all =
      repeating ? "" : " + 0 * (isl + osl + batch_size + concurrency + tp + pp)";
  add("num_prompts", "max(20, 10 * concurrency)" + all);
  add("max_seq_len", "isl + osl" + all);
  add("tokens", "batch_size * max_seq_len" + all);
  const char* predicates[] = {"fixed0 = 'x' AND tp * pp < 8", "isl + osl > 40960",
                              "concurrency > 4 * batch_size", "tp > 8 AND pp = 1",
                              "tokens > 1000000"};
  for (const char* predicate : predicates)
    add("",
        predicate + (repeating
                         ? ""
                         : std::string(" AND isl + osl + batch_size + concurrency + tp + pp > 0")));
}

void measure(const char* description, bool repeating, std::size_t rows) {
  ExpressionTable table;
  for (const char* axis : k_axes) table.add_column(axis, ColumnType::integer);
  for (std::size_t i = 0; i < k_fixed; ++i)
    table.add_column(fmt::format("fixed{}", i), ColumnType::text);
  add_expressions(table, repeating);
  Errors errors;
  if (!table.create(errors)) return fmt::print("{}\n", errors.front().text());
  std::vector<ValueId> values;
  for (std::size_t i = 0; i < k_values; ++i)
    values.push_back(table.intern(static_cast<std::int64_t>(1 + i * i)));
  std::vector<ValueId> inputs(k_axes.size() + k_fixed, table.intern("x"));
  std::vector<ValueId> results(8);
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t rest = row;
    for (std::size_t axis = k_axes.size(); axis-- > 0; rest /= k_values)
      inputs[axis] = values[rest % k_values];
    if (auto status = table.evaluate(inputs, results); !status)
      return fmt::print("{}\n", status.error().text());
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  fmt::print("{}: {} rows, 20 columns, 8 expressions: {:.2f} s, {:.0f} ns per row, peak {} MB\n",
             description, rows, seconds, seconds * 1e9 / static_cast<double>(rows),
             used.ru_maxrss / 1024);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rows = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
  measure("each expression reads one to three axes", true, rows);
  measure("every expression reads every axis", false, rows);
}
