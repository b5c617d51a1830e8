// Tables of measurements on real GPUs: AIConfigurator's silicon_sample.csv and InferenceX's
// aggregated results.
#include <fmt/format.h>

#include "base/text.hpp"
#include "toolfile/format.hpp"
#include "toolfile/point_parameters.hpp"
#include "toolfile/sheet.hpp"
#include "toolfile/text_lines.hpp"

namespace orch::toolfile {

namespace {

constexpr FigureKey k_silicon_figures[] = {{"silicon_ttft_ms", "ttft_ms"},
                                           {"silicon_tpot_ms", "tpot_ms"}};
constexpr ParameterKey k_silicon_parameters[] = {
    {"model_path", "model"},
    {"isl", "isl", matrix::Type::integer},
    {"osl", "osl", matrix::Type::integer},
    {"tp_size", "tp", matrix::Type::integer},
    {"pp_size", "pp", matrix::Type::integer},
};
constexpr std::string_view k_silicon_passed[] = {"id"};
constexpr Sheet k_silicon = {"aiconfigurator", k_silicon_figures, k_silicon_parameters, true,
                             k_silicon_passed};

// Times are in seconds; rates are per GPU.
constexpr FigureKey k_inferencex_figures[] = {
    {"tput_per_gpu", "inferencex_total_tps_per_gpu"},
    {"output_tput_per_gpu", "inferencex_output_tps_per_gpu"},
    {"input_tput_per_gpu", "inferencex_input_tps_per_gpu"},
    {"mean_ttft", "ttft_ms", "", k_ms_per_s},
    {"median_ttft", "ttft_ms", "p50", k_ms_per_s},
    {"p99_ttft", "ttft_ms", "p99", k_ms_per_s},
    {"std_ttft", "ttft_ms", "sd", k_ms_per_s},
    {"mean_tpot", "tpot_ms", "", k_ms_per_s},
    {"median_tpot", "tpot_ms", "p50", k_ms_per_s},
    {"p99_tpot", "tpot_ms", "p99", k_ms_per_s},
    {"std_tpot", "tpot_ms", "sd", k_ms_per_s},
    {"mean_itl", "event_gap_ms", "", k_ms_per_s},
    {"median_itl", "event_gap_ms", "p50", k_ms_per_s},
    {"p99_itl", "event_gap_ms", "p99", k_ms_per_s},
    {"mean_e2el", "request_latency_ms", "", k_ms_per_s},
    {"median_e2el", "request_latency_ms", "p50", k_ms_per_s},
    {"p99_e2el", "request_latency_ms", "p99", k_ms_per_s},
};
constexpr ParameterKey k_inferencex_parameters[] = {
    {"conc", "concurrency", matrix::Type::integer},
    {"isl", "isl", matrix::Type::integer},
    {"osl", "osl", matrix::Type::integer},
};
constexpr Sheet k_inferencex = {"inferencex", k_inferencex_figures, k_inferencex_parameters, true};

bool is_silicon(const Source& source) {
  return first_line(source.text).find("silicon_ttft_ms") != std::string_view::npos;
}

// The load stands in the words about the row's origin: "...; silicon_concurrency=128; ...".
Status set_concurrency(const CsvTable& table, std::size_t row, Reading& reading) {
  static constexpr std::string_view k_key = "silicon_concurrency=",
                                    k_column = "silicon_data_source";
  const std::string_view origin = table.text(row, k_column);
  const auto at = origin.find(k_key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = origin.substr(at + k_key.size());
  const auto value = to_integer(trim(rest.substr(0, rest.find(';'))));
  if (!value || *value < 1)
    return table.refuse(row, k_column, "silicon_concurrency is a whole number from 1 on");
  set_integer(reading, "concurrency", value);
  return {};
}

Status read_silicon(const CsvTable& table, std::size_t row, Reading& reading) {
  ORCH_TRY(read_row(k_silicon, table, row, reading));
  ORCH_TRY(set_concurrency(table, row, reading));
  reading.name = std::string(table.text(row, "id"));
  reading.expected.insert(reading.expected.end(),
                          {"output_tps", "requests_per_s", "request_latency_ms"});
  return {};
}

}  // namespace

bool is_aiconfigurator_csv(const Source& source) {
  const std::string_view header = first_line(source.text);
  return is_silicon(source) || (header.find("tput_per_gpu") != std::string_view::npos &&
                                header.find("conc") != std::string_view::npos);
}

Result<std::vector<Reading>> read_aiconfigurator_csv(const Source& source) {
  ORCH_ASSIGN(const auto rows, read_csv(source.name, source.text));
  ORCH_ASSIGN(const CsvTable table, CsvTable::of(source.name, rows));
  const bool silicon = is_silicon(source);
  std::vector<Reading> readings;
  for (std::size_t row = 0; row < table.size(); ++row) {
    Reading reading{.tool = std::string(silicon ? k_silicon.tool : k_inferencex.tool)};
    ORCH_TRY(silicon ? read_silicon(table, row, reading)
                     : read_row(k_inferencex, table, row, reading));
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace orch::toolfile
