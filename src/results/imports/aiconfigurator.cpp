// Tables of measurements on real GPUs: AIConfigurator's silicon_sample.csv and InferenceX's
// aggregated results.
#include "bench/measure/metric_names.hpp"
#include "core/base/text.hpp"
#include "results/imports/csv.hpp"
#include "results/imports/figures.hpp"
#include "results/imports/format.hpp"
#include "results/imports/sheet.hpp"

namespace orch::imports {

namespace {

constexpr FigureKey k_silicon_figures[] = {{"silicon_ttft_ms", metric::ttft_ms},
                                           {"silicon_tpot_ms", metric::tpot_ms}};
constexpr ParameterKey k_silicon_parameters[] = {
    {"model_path", "model"},
    {"isl", "isl", matrix::Type::integer},
    {"osl", "osl", matrix::Type::integer},
    {"tp_size", "tp", matrix::Type::integer},
    {"pp_size", "pp", matrix::Type::integer},
};
constexpr std::string_view k_silicon_passed[] = {"id"};
constexpr std::string_view k_silicon_own[] = {"silicon_data_source",
                                              "backend",
                                              "backend_version",
                                              "system",
                                              "precision",
                                              "mode",
                                              "gemm_quant_mode",
                                              "moe_quant_mode",
                                              "batch_size",
                                              "attention_dp_size",
                                              "moe_tp_size",
                                              "moe_ep_size",
                                              "prefill_batch_size",
                                              "prefill_num_workers",
                                              "prefill_tp_size",
                                              "prefill_pp_size",
                                              "prefill_attention_dp_size",
                                              "prefill_moe_tp_size",
                                              "prefill_moe_ep_size",
                                              "decode_batch_size",
                                              "decode_num_workers",
                                              "decode_tp_size",
                                              "decode_pp_size",
                                              "decode_attention_dp_size",
                                              "decode_moe_tp_size",
                                              "decode_moe_ep_size"};
constexpr Sheet k_silicon = {"aiconfigurator", k_silicon_figures, k_silicon_parameters, {},
                             k_silicon_own,    k_silicon_passed};

// Times are in seconds; rates are per GPU.
constexpr FigureKey k_inferencex_figures[] = {
    {"tput_per_gpu", "inferencex_total_tps_per_gpu"},
    {"output_tput_per_gpu", "inferencex_output_tps_per_gpu"},
    {"input_tput_per_gpu", "inferencex_input_tps_per_gpu"},
};
constexpr SeriesKey k_inferencex_series[] = {{"ttft", metric::ttft_ms, k_ms_per_s},
                                             {"tpot", metric::tpot_ms, k_ms_per_s},
                                             {"itl", metric::event_gap_ms, k_ms_per_s},
                                             {"e2el", metric::request_latency_ms, k_ms_per_s},
                                             {"intvty", "_interactivity_tps"}};
constexpr ParameterKey k_inferencex_parameters[] = {
    {"conc", "concurrency", matrix::Type::integer},
    {"isl", "isl", matrix::Type::integer},
    {"osl", "osl", matrix::Type::integer},
};
constexpr std::string_view k_inferencex_own[] = {"hw",
                                                 "hardware",
                                                 "model",
                                                 "infmax_model_prefix",
                                                 "image",
                                                 "framework",
                                                 "precision",
                                                 "spec_decoding",
                                                 "disagg",
                                                 "is_multinode",
                                                 "tp",
                                                 "ep",
                                                 "dp_attention",
                                                 "prefill_tp",
                                                 "prefill_ep",
                                                 "prefill_dp_attention",
                                                 "prefill_num_workers",
                                                 "decode_tp",
                                                 "decode_ep",
                                                 "decode_dp_attention",
                                                 "decode_num_workers",
                                                 "num_prefill_gpu",
                                                 "num_decode_gpu"};
constexpr Sheet k_inferencex = {"inferencex", k_inferencex_figures, k_inferencex_parameters,
                                k_inferencex_series, k_inferencex_own};

bool is_silicon(const Source& source) {
  return first_line(source.text).find("silicon_ttft_ms") != std::string_view::npos;
}

// The load is part of the text about the row's origin: "...; silicon_concurrency=128; ...".
Status set_concurrency(const CsvTable& table, std::size_t row, Reading& reading) {
  static constexpr std::string_view k_key = "silicon_concurrency=",
                                    k_column = "silicon_data_source";
  const std::string_view origin = table.text(row, k_column);
  const auto at = origin.find(k_key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = origin.substr(at + k_key.size());
  const auto value = to_integer(trim(rest.substr(0, rest.find(';'))));
  if (!value || *value < 1)
    return table.refuse(row, k_column, "silicon_concurrency must be a whole number, at least 1");
  set_integer(reading, "concurrency", value);
  return {};
}

Status read_silicon(const CsvTable& table, std::size_t row, Reading& reading) {
  ORCH_TRY(read_row(k_silicon, table, row, reading));
  ORCH_TRY(set_concurrency(table, row, reading));
  reading.name = std::string(table.text(row, "id"));
  reading.expect({metric::output_tps, metric::requests_per_s, metric::request_latency_ms});
  return {};
}

}  // namespace

bool is_aiconfigurator_csv(const Source& source) {
  const std::string_view header = first_line(source.text);
  return is_silicon(source) ||
         (!is_json(header) && header.find("tput_per_gpu") != std::string_view::npos &&
          header.find("conc") != std::string_view::npos);
}

Result<std::vector<Reading>> read_aiconfigurator_csv(const Source& source) {
  const bool silicon = is_silicon(source);
  return read_rows(source, silicon ? k_silicon.tool : k_inferencex.tool,
                   [&](const CsvTable& table, std::size_t row, Reading& reading) {
                     return silicon ? read_silicon(table, row, reading)
                                    : read_row(k_inferencex, table, row, reading);
                   });
}

bool is_inferencex_json(const Source& source) {
  const auto has = [&](std::string_view key) { return has_key(source.text, key); };
  return is_json(source.text) && has("tput_per_gpu") && has("conc") &&
         (has("hw") || has("framework") || has("precision"));
}

Result<std::vector<Reading>> read_inferencex_json(const Source& source) {
  return read_objects(source, [](const Node& object) {
    Reading reading{.tool = std::string(k_inferencex.tool)};
    read_object(k_inferencex, object, reading);
    return reading;
  });
}

}  // namespace orch::imports
