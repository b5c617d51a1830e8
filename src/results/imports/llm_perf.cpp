// What llm_perf.py prints, and `orchestrate llm-perf` as well: per concurrency a list of figures.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.hpp"
#include "results/imports/format.hpp"
#include "results/imports/point_parameters.hpp"
#include "results/imports/sheet.hpp"
#include "results/imports/text_lines.hpp"

namespace orch::imports {

namespace {

constexpr std::string_view k_llm_perf = "llm-perf";

// Its rates of tokens are over the sum of latencies: no throughput of the server, which our
// input_tps and output_tps are.
constexpr FigureKey k_llm_perf_figures[] = {
    {"average_input_token_per_sec", "llm_perf_average_input_token_per_sec"},
    {"average_output_token_per_sec", "llm_perf_average_output_token_per_sec"},
    {"average_ttft", "ttft_ms", "", k_ms_per_s},
    {"average_latency", "request_latency_ms", "", k_ms_per_s},
    {"p99_ttft", "ttft_ms", "p99", k_ms_per_s},
    {"p99_latency", "request_latency_ms", "p99", k_ms_per_s},
    {"throughput", "requests_per_s"},
};

struct Block {
  Reading reading{.tool = std::string(k_llm_perf)};
  Figures figures;
  bool any = false;
};

Status read_line(const Source& source, std::string_view line, int number, Block& block) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view name = trim(line.substr(0, colon));
  const auto key = std::ranges::find_if(k_llm_perf_figures,
                                        [&](const FigureKey& one) { return one.theirs == name; });
  if (key == std::end(k_llm_perf_figures)) return {};
  const auto value = number_after(line, ":");
  const Status set = value ? block.figures.set(key->figure, key->statistic, *value * key->factor)
                           : invalid("a number is needed here");
  block.any = true;
  return set ? set
             : Status(
                   invalid(fmt::format("{}:{}: {} {}: {}", source.name, number, quoted(name),
                                       quoted(trim(line.substr(colon + 1))), set.error().message)));
}

}  // namespace

bool is_llm_perf_text(const Source& source) {
  return source.text.find("average_ttft:") != std::string_view::npos &&
         source.text.find("average_latency:") != std::string_view::npos;
}

Result<std::vector<Reading>> read_llm_perf_text(const Source& source) {
  static constexpr std::string_view k_begin = "Request concurrency:";
  std::vector<Reading> readings;
  std::optional<std::string> model;
  Block block;
  const auto finish = [&] {
    if (!block.any) return;
    block.reading.figures = block.figures.take();
    block.reading.expected = {"ttft_ms", "request_latency_ms", "requests_per_s", "itl_ms",
                              "output_tps"};
    set_text(block.reading, "model", model);
    readings.push_back(std::move(block.reading));
    block = {};
  };
  int number = 0;
  for (const std::string_view line : lines_of(source.text)) {
    ++number;
    // "triton_url: HOST, protocol: grpc, model: ensemble"
    if (const auto at = line.find(", model: "); line.starts_with("triton_url:") && at < line.size())
      model = std::string(trim(line.substr(at + 9)));
    if (line.starts_with(k_begin)) {
      finish();
      const auto value = number_after(line, k_begin);
      if (!value || *value < 1 || *value > 1e9)
        return invalid(fmt::format("{}:{}: {}: a number of requests from 1 on is needed here",
                                   source.name, number, quoted(line)));
      set_integer(block.reading, "concurrency", static_cast<std::int64_t>(*value));
      continue;
    }
    ORCH_TRY(read_line(source, line, number, block));
  }
  finish();
  return readings;
}

}  // namespace orch::imports
