#include "results/tables/published_tables.hpp"

#include "core/sql/database.hpp"

#include <fmt/format.h>

#include <span>
#include <string_view>

namespace orch::tables {

namespace {

struct Column {
  std::string_view name;
  std::string_view expression;  // of columns in braces
};

// Tokens of all requests over the sum of their latencies; times in seconds.
constexpr Column k_llm_perf[] = {
    {"concurrency", "{concurrency}"},
    {"average_input_token_per_sec",
     "coalesce({llm_perf_average_input_token_per_sec}, 1000.0 * {isl_counted} / "
     "nullif({request_latency_ms}, 0))"},
    {"average_output_token_per_sec",
     "coalesce({llm_perf_average_output_token_per_sec}, 1000.0 * {osl_counted} / "
     "nullif({request_latency_ms}, 0))"},
    {"average_ttft", "{ttft_ms} / 1000.0"},
    {"average_latency", "{request_latency_ms} / 1000.0"},
    {"p99_ttft", "{ttft_ms_p99} / 1000.0"},
    {"p99_latency", "{request_latency_ms_p99} / 1000.0"},
    {"throughput", "{requests_per_s}"},
};

// The names are those of the CSV that LMDeploy's profile_serving.py writes.
constexpr Column k_lmdeploy[] = {
    {"batch", "{concurrency}"},
    {"num_prompts", "coalesce({num_prompts}, {request_latency_ms_n})"},
    {"RPS", "{requests_per_s}"},
    {"RPM", "coalesce({lmdeploy_requests_per_minute}, 60.0 * {requests_per_s})"},
    {"FTL(ave)(s)", "{ttft_ms} / 1000.0"},
    {"FTL(min)(s)", "{ttft_ms_min} / 1000.0"},
    {"FTL(max)(s)", "{ttft_ms_max} / 1000.0"},
    {"throughput(out tok/s)", "{output_tps}"},
    {"throughput(total tok/s)", "coalesce({lmdeploy_total_tps}, {input_tps} + {output_tps})"},
};

// EXPRESSION with each {name} as a column of results_by_tool, or NULL where no row has it.
std::string of_columns(const Wide& wide, std::string_view expression) {
  std::string out;
  while (true) {
    const std::size_t begin = std::min(expression.find('{'), expression.size());
    out += expression.substr(0, begin);
    if (begin == expression.size()) return out;
    const std::size_t end = expression.find('}', begin);
    const std::string name(expression.substr(begin + 1, end - begin - 1));
    out += wide.columns().contains(name) ? "r." + sql::quote_name(name) : "NULL";
    expression.remove_prefix(end + 1);
  }
}

std::string table_sql(const Wide& wide, std::span<const Column> columns) {
  std::string list;
  for (const Column& column : columns)
    list += fmt::format(",\n  {} AS {}", of_columns(wide, column.expression),
                        sql::quote_name(column.name));
  return fmt::format(
      "SELECT r.experiment AS experiment, r.run AS run, r.point AS point, r.tool AS tool{}\n"
      "FROM results_by_tool r",
      list);
}

}  // namespace

std::string llm_perf_sql(const Wide& wide) { return table_sql(wide, k_llm_perf); }

std::string lmdeploy_sql(const Wide& wide) { return table_sql(wide, k_lmdeploy); }

}  // namespace orch::tables
