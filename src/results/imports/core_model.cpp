// The statistics of tensorrtllm_backend's benchmark_core_model.py: the table that it prints, and
// the CSV of --op-stats-csv, which names two of them differently.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.hpp"
#include "results/imports/format.hpp"
#include "results/imports/sheet.hpp"
#include "results/imports/text_lines.hpp"

namespace orch::imports {

namespace {

constexpr std::string_view k_core_model = "benchmark_core_model";

constexpr FigureKey k_core_model_figures[] = {
    {"Requests/Sec", "requests_per_s"},
    {"OP tokens/sec", "output_tps"},
    {"Avg. latency (ms)", "request_latency_ms"},
    {"P99 latency (ms)", "request_latency_ms", "p99"},
    {"P90 latency (ms)", "request_latency_ms", "p90"},
    {"Avg. IP tokens per request", "isl_counted"},
    {"Avg. Input tokens per request", "isl_counted"},
    {"Avg. OP tokens per request", "osl_counted"},
    {"Avg. Output tokens per request", "osl_counted"},
    {"Avg. InFlight requests", "benchmark_core_model_in_flight"},
    {"Total latency (ms)", "benchmark_core_model_total_latency_ms"},
    {"Total requests", "benchmark_core_model_total_requests"},
};
constexpr std::string_view k_core_model_expected[] = {
    "requests_per_s", "output_tps", "request_latency_ms", "isl_counted", "osl_counted",
    "ttft_ms",        "itl_ms"};

// The output tokens are the ids of an answer less those of the prompt: negative where the server
// does not repeat the prompt.
bool may_be_negative(std::string_view figure) {
  return figure == "output_tps" || figure == "osl_counted";
}

constexpr char k_in_flight[] =
    "benchmark_core_model prints 0 in-flight requests always: the script never counts them";

Reading core_model_reading(Figures& figures) {
  Reading reading{.tool = std::string(k_core_model)};
  reading.figures = figures.take();
  reading.expected.assign(std::begin(k_core_model_expected), std::end(k_core_model_expected));
  reading.warnings.emplace_back(k_in_flight);
  return reading;
}

const FigureKey* core_model_key(std::string_view theirs) {
  const auto found = std::ranges::find_if(
      k_core_model_figures, [&](const FigureKey& key) { return key.theirs == theirs; });
  return found == std::end(k_core_model_figures) ? nullptr : found;
}

}  // namespace

bool is_core_model_table(const Source& source) {
  return source.text.find("OP tokens/sec") != std::string_view::npos &&
         source.text.find('|') != std::string_view::npos;
}

// Each table, "| Requests/Sec | 40.82 |", is a measurement; the log may hold several.
Result<std::vector<Reading>> read_core_model_table(const Source& source) {
  std::vector<Reading> readings;
  Figures figures;
  int number = 0, figures_read = 0;
  for (const std::string_view line : lines_of(source.text)) {
    ++number;
    const auto cells = split(trim(line), '|');
    if (cells.size() < 3) continue;
    const std::string_view name = trim(cells[1]), text = trim(cells[2]);
    const FigureKey* key = core_model_key(name);
    if (key == nullptr) continue;
    if (name == "Requests/Sec" && figures_read > 0) readings.push_back(core_model_reading(figures));
    const auto value = to_number(text);
    const Status set =
        value ? figures.set(key->figure, key->statistic, *value, may_be_negative(key->figure))
              : invalid("a number is needed here");
    if (!set)
      return invalid(fmt::format("{}:{}: {} {}: {}", source.name, number, quoted(name),
                                 quoted(text), set.error().message));
    ++figures_read;
  }
  if (figures_read > 0) readings.push_back(core_model_reading(figures));
  if (readings.empty())
    return invalid(
        fmt::format("{}: no row of a table has a statistic; import the whole output of "
                    "benchmark_core_model.py",
                    source.name));
  return readings;
}

bool is_core_model_csv(const Source& source) {
  return first_line(source.text).find("OP tokens/sec") != std::string_view::npos &&
         first_line(source.text).find(',') != std::string_view::npos;
}

Result<std::vector<Reading>> read_core_model_csv(const Source& source) {
  ORCH_ASSIGN(const auto rows, read_csv(source.name, source.text));
  ORCH_ASSIGN(const CsvTable table, CsvTable::of(source.name, rows));
  std::vector<Reading> readings;
  for (std::size_t row = 0; row < table.size(); ++row) {
    Figures figures;
    for (const std::string& column : table.columns()) {
      const FigureKey* key = core_model_key(column);
      if (key == nullptr) continue;
      ORCH_ASSIGN(const auto value, table.number(row, column));
      if (!value) continue;
      const Status set =
          figures.set(key->figure, key->statistic, *value, may_be_negative(key->figure));
      if (!set) return table.refuse(row, column, set.error().message);
    }
    readings.push_back(core_model_reading(figures));
  }
  return readings;
}

}  // namespace orch::imports
