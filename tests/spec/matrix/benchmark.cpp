// Measures the expansion of a large matrix: a million points, twenty parameters, five exclude
// rules, three derived columns. Prints points, seconds and peak memory.
#include "spec/matrix/expand.hpp"

#include <chrono>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>

namespace {

using orch::matrix::Type;

orch::matrix::Vocabulary vocabulary() {
  orch::matrix::Vocabulary runner;
  runner.runner = "bench";
  auto add = [&](std::string name, Type type, std::string fallback, std::string sql = {}) {
    orch::matrix::Parameter parameter{.name = name, .type = type};
    if (!fallback.empty()) parameter.fallback = {type, fallback};
    if (!sql.empty()) parameter.fallback_sql = sql;
    runner.parameters.push_back(parameter);
    runner.read.push_back(std::move(name));
  };
  add("model", Type::text, "");
  add("precision", Type::text, "fp16");
  for (const char* name : {"tp", "pp", "isl", "osl", "batch_size", "concurrency"})
    add(name, Type::integer, "1");
  add("prompt_slack", Type::integer, "0");
  add("max_input_len", Type::integer, "", "isl + prompt_slack");
  add("max_seq_len", Type::integer, "", "max_input_len + osl");
  add("max_batch_size", Type::integer, "", "batch_size");
  add("max_num_tokens", Type::integer, "8192");
  add("num_prompts", Type::integer, "", "max(20, 10 * concurrency)");
  add("kv_cache_fraction", Type::real, "0.9");
  add("stream", Type::boolean, "true");
  add("tool_version", Type::version, "0.14.0");
  for (const char* name : {"beam_width", "inference_threads", "queue_delay_us"})
    add(name, Type::integer, "1");
  runner.rules.push_back(
      {.name = "tokens", .require = "max_seq_len <= 100000", .because = "{max_seq_len} tokens"});
  return runner;
}

std::string numbers(int count, int step) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += fmt::format("{}{}", i > 1 ? ", " : "", i * step);
  return text;
}

}  // namespace

int main() {
  const std::string yaml =
      fmt::format(R"(name: big
runner: bench
models: {{a: {{source: "generate:a"}}, b: {{source: "generate:b"}}}}
axes:
  model: [a, b]
  precision: [fp16, fp8, int8_wo, int4_awq, q8]
  parallel: [{{tp: 1, pp: 1}}, {{tp: 2, pp: 1}}, {{tp: 4, pp: 2}}, {{tp: 8, pp: 1}}]
  isl: [{}]
  osl: [{}]
  batch_size: [{}]
  concurrency: [{}]
let:
  total: isl + osl
  ranks: tp * pp
  per_rank: concurrency / (1.0 * ranks)
exclude:
  - model = 'a' AND ranks > 8
  - total > 5000
  - precision = 'fp8' AND tool_version < '0.9'
  - concurrency > 100 * batch_size
  - per_rank < 0.01
)",
                  numbers(25, 64), numbers(25, 32), numbers(4, 4), numbers(10, 8));
  const auto start = std::chrono::steady_clock::now();
  orch::Errors errors;
  const orch::matrix::Matrix matrix = orch::matrix::parse_matrix(yaml, "big.yaml", errors);
  const orch::matrix::Expansion expansion = orch::matrix::expand(matrix, vocabulary(), {}, errors);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  for (const orch::Error& error : errors) fmt::print("{}\n", error.text());
  fmt::print("{} points, {} excluded, {:.2f} s, {:.0f} MB at most\n", expansion.points.size(),
             expansion.excluded, seconds, static_cast<double>(usage.ru_maxrss) * 1024 / 1e6);
  return errors.empty() ? 0 : 1;
}
