// The entries for matrices, manifests and templates.
#include "fuzz/entries.hpp"

#include "fuzz/expect.hpp"
#include "spec/matrix/expand.hpp"
#include "spec/matrix/matrix.hpp"
#include "spec/render/fill_script.hpp"
#include "spec/render/pbtxt_fill.hpp"
#include "spec/runner/manifest.hpp"

namespace orch::fuzz {

namespace {

constexpr std::size_t k_points = 48;

// A runner with one parameter of each type, a rule, facts, a `when` and a computed default.
constexpr std::string_view k_runner = R"(
runner: toy
parameters:
  model: {type: text}
  precision: {type: text, values: [fp16, int8_wo, fp8], default: fp16}
  tp: {type: integer, min: 1, default: 1}
  isl: {type: integer, min: 1, default: 128}
  osl: {type: integer, min: 1, default: 128}
  batch_size: {type: integer, min: 1, default: 4}
  concurrency: {type: integer, min: 1, optional: true, sql: "CASE WHEN request_rate IS NULL THEN 1 END"}
  request_rate: {type: real, optional: true}
  trtllm_version: {type: version, default: "0.14.0"}
  stream: {type: boolean, default: true}
  max_len: {type: integer, sql: "isl + osl"}
rules:
  - {name: heads, require: "model_heads % tp = 0", because: "tp {tp} does not divide {model_heads} heads", when: "tp > 1"}
facts: {from: make, file: config.json, names: {model_heads: {type: integer, keys: [num_attention_heads]}}}
stages:
  make:
    kind: task
    reads: [model, precision, tp, max_len, trtllm_version, stream]
    argv: [/bin/true, "{model.source}", "{precision}", {when: stream, then: [--stream]}]
    outputs: [out.bin, config.json]
  serve:
    kind: service
    needs: [make]
    reads: [batch_size]
    argv: [/bin/true, "{port:http}"]
    ports: [http]
    ready: {port: http, get: [/ready]}
  bench:
    kind: measure
    needs: [serve]
    reads: [isl, osl, concurrency, request_rate]
    argv: ["{orchestrate}", bench, "{port:serve.http}", {when: concurrency IS NOT NULL, then: [--concurrency, "{concurrency}"]}]
    outputs: [measurement.json]
)";

void check(const Errors& errors) {
  for (const Error& error : errors) {
    check_message(error);
    expect(!error.where.file.empty() && error.where.line >= 0 && error.where.column >= 0,
           "an error without a position", error.text());
  }
}

const matrix::Vocabulary& toy() {
  static const matrix::Vocabulary vocabulary = [] {
    Errors errors;
    const runner::Manifest manifest = runner::parse_manifest(k_runner, "runner.yaml", errors);
    for (const Error& error : errors) expect(false, "the fuzzer's own runner", error.text());
    return manifest.vocabulary();
  }();
  return vocabulary;
}

}  // namespace

void read_matrix(std::string_view text) {
  Errors errors;
  const auto base = [](const std::string& path) -> Result<std::string> {
    if (path.ends_with("none.yaml")) return io_error("open", path, 2);
    return std::string(
        "axes: {tp: [1, 2], isl: [64]}\nmodels: {m: {source: 'generate:x'}}\nbase: base.yaml\n");
  };
  const matrix::Matrix matrix = matrix::parse_matrix(text, "m.yaml", errors, base);
  const matrix::Expansion expansion =
      matrix::expand(matrix, toy(), {}, errors, {.points = k_points, .where = {}});
  check(errors);
  expect(errors.empty() || expansion.points.empty(), "points despite errors", text);
  for (const matrix::Point& point : expansion.points)
    expect(!point.name.empty() && point.answers.size() == toy().questions.size(),
           "a point without name or answers", point.name);
}

void read_manifest(std::string_view text) {
  Errors errors;
  const runner::Manifest manifest = runner::parse_manifest(text, "runner.yaml", errors);
  check(errors);
  if (errors.empty()) static_cast<void>(manifest.vocabulary());
}

void fill_template(std::string_view text) {
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::string argument(text.substr(0, line));
  Errors errors;
  const auto values = render::read_substitutions({&argument, 1}, errors);
  for (const Error& error : errors)
    expect(!error.message.empty() && error.message.size() < 1000, "an empty or too long error",
           error.message);
  const render::PbtxtTemplate from{.text = text.substr(line), .file = "c.pbtxt", .release = {}};
  render::FilledPbtxt filled = render::fill_pbtxt(from, values);
  for (const std::string& key : filled.unknown)
    filled.errors.push_back(render::unknown_key(from, key, values.at(key)));
  check(filled.errors);
  check(filled.warnings);
  const auto is_left = [&](const std::string& key) {
    return std::any_of(filled.unfilled.begin(), filled.unfilled.end(),
                       [&](const render::UnfilledKey& unfilled) { return unfilled.key == key; });
  };
  for (const auto& [key, value] : values) expect(!is_left(key), "a key with a value stays", key);
}

}  // namespace orch::fuzz
