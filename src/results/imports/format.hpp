// The file formats of other tools, one row each. A new format needs one file and one row.
#pragma once

#include "core/base/result.hpp"
#include "results/imports/tool_reading.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::imports {

struct Format {
  std::string_view name;  // for --format
  std::string_view tool;
  std::string_view what;  // for display
  // Whether the name or the beginning of the content indicates this format. Cheap.
  bool (*recognise)(const Source& source);
  // Errors name the file, the line or field, the value and the remedy.
  Result<std::vector<Reading>> (*read)(const Source& source);
  // Keys, columns or words by which people recognise the format as well; each file has some of
  // them.
  std::span<const std::string_view> marks;
};

std::span<const Format> formats();
// The format of this name, or that recognises SOURCE; null if there is none.
const Format* find_format(std::string_view name);
const Format* recognise(const Source& source);

// How SOURCE, a file of TOOL, was recognised as FORMAT: "aiperf's results (aiperf-json), by
// `aiperf_version` and `input_config`". NAMED: the user named the format with --format.
std::string known_as(const Format& format, std::string_view tool, const Source& source, bool named);

// If SOURCE, which no format recognises, is truncated JSON: the error that says so; otherwise
// nullopt.
std::optional<Error> why_cut(const Source& source);

// The functions is_... and read_... of each format; see the files named after the tools.
bool is_genai_perf_json(const Source& source);
bool is_genai_perf_csv(const Source& source);
bool is_aiperf_json(const Source& source);
bool is_aiperf_jsonl(const Source& source);
bool is_aiperf_csv(const Source& source);
bool is_profile_export(const Source& source);
bool is_perf_analyzer_csv(const Source& source);
bool is_perf_analyzer_text(const Source& source);
bool is_vllm_json(const Source& source);
bool is_trtllm_json(const Source& source);
bool is_sglang_jsonl(const Source& source);
bool is_inferencex_json(const Source& source);
bool is_vllm_csv(const Source& source);
bool is_lmdeploy_csv(const Source& source);
bool is_lmdeploy_jsonl(const Source& source);
bool is_core_model_table(const Source& source);
bool is_core_model_csv(const Source& source);
bool is_llm_perf_text(const Source& source);
bool is_aiconfigurator_csv(const Source& source);
bool is_model_analyzer_csv(const Source& source);
Result<std::vector<Reading>> read_genai_perf_json(const Source& source);
Result<std::vector<Reading>> read_genai_perf_csv(const Source& source);
Result<std::vector<Reading>> read_aiperf_json(const Source& source);
Result<std::vector<Reading>> read_aiperf_jsonl(const Source& source);
Result<std::vector<Reading>> read_aiperf_csv(const Source& source);
Result<std::vector<Reading>> read_profile_export(const Source& source);
Result<std::vector<Reading>> read_perf_analyzer_csv(const Source& source);
Result<std::vector<Reading>> read_perf_analyzer_text(const Source& source);
Result<std::vector<Reading>> read_vllm_json(const Source& source);
Result<std::vector<Reading>> read_trtllm_json(const Source& source);
Result<std::vector<Reading>> read_sglang_jsonl(const Source& source);
Result<std::vector<Reading>> read_inferencex_json(const Source& source);
Result<std::vector<Reading>> read_vllm_csv(const Source& source);
Result<std::vector<Reading>> read_lmdeploy_csv(const Source& source);
Result<std::vector<Reading>> read_lmdeploy_jsonl(const Source& source);
Result<std::vector<Reading>> read_core_model_table(const Source& source);
Result<std::vector<Reading>> read_core_model_csv(const Source& source);
Result<std::vector<Reading>> read_llm_perf_text(const Source& source);
Result<std::vector<Reading>> read_aiconfigurator_csv(const Source& source);
Result<std::vector<Reading>> read_model_analyzer_csv(const Source& source);

}  // namespace orch::imports
