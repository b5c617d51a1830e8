// The texts of the fixed sweep: 20 stages of every kind. Runs nothing.
#pragma once

#include <string>

namespace orch::crash {

// An environment that cannot move, a download, 2 conversions, 2 builds, 2 rendered configurations,
// 2 sets of prompts in a batch, 2 servers and 8 measurements.
inline constexpr const char* k_fixed_axes =
    "axes: {precision: [f16, q8], isl: [32, 128], concurrency: [1, 2]}\n";
inline constexpr int k_fixed_stages = 20;
inline constexpr int k_fixed_outputs = 18;  // servers have none

// The fixed sweep, whose download, conversions and builds go.
inline constexpr const char* k_keeping_axes =
    "keep: results\naxes: {precision: [f16, q8], isl: [32, 128], concurrency: [1, 2]}\n";
inline constexpr int k_kept_outputs = k_fixed_outputs - 5;

inline constexpr const char* k_one_point = "axes: {precision: [f16]}\n";
inline constexpr int k_one_point_outputs = 7;

// One point whose server ignores TERM.
inline constexpr const char* k_stubborn_axes =
    "axes: {precision: [f16]}\ndefaults: {mode: ignores-term}\n";

// ACTOR replaces @actor@.
inline constexpr const char* k_runner = R"(
runner: crash
parameters:
  precision: {type: text, default: f16}
  isl: {type: integer, default: 32}
  concurrency: {type: integer, default: 1}
  broken: {type: text, default: nowhere, help: "the kind of stage that fails"}
  mode: {type: text, default: plain, help: "how the server behaves"}
  gpus: {type: integer, default: 0, help: "GPUs of the server"}
  enable_kv_cache_reuse: {type: boolean, default: false, help: "the server keeps no prompts"}
stages:
  environment:
    kind: task
    in_place: true
    shared: true
    inherit: [ORCH_CRASH_*]
    argv: ["@actor@", task, environment, "{out}", environment.txt]
    outputs: [environment.txt]
  download:
    kind: task
    keep: engines
    inherit: [ORCH_CRASH_*]
    argv: ["@actor@", task, download, "{out}", weights.bin, config.json]
    outputs: [weights.bin, config.json]
  convert:
    kind: task
    keep: all
    needs: [environment, download]
    reads: [precision, broken]
    inherit: [ORCH_CRASH_*]
    argv: ["@actor@", task, "convert-{precision}", "{out}", model.bin, --from, "{stage:environment}/environment.txt", --from, "{stage:download}/weights.bin", --fail, "{broken}"]
    outputs: [model.bin]
  build:
    kind: task
    keep: engines
    needs: [convert]
    reads: [precision, broken]
    inherit: [ORCH_CRASH_*]
    argv: ["@actor@", task, "build-{precision}", "{out}", engine.bin, rank0.txt, --from, "{stage:convert}/model.bin", --fail, "{broken}"]
    outputs: [engine.bin, rank0.txt]
  config:
    kind: task
    needs: [build]
    reads: [precision]
    render:
      - {from: templates/crash/config.txt, to: config.txt, values: {precision: "{precision}", engine: "{stage:build}/engine.bin"}}
    outputs: [config.txt]
  prompts:
    kind: task
    batch: true
    needs: [environment]
    reads: [isl, broken]
    inherit: [ORCH_CRASH_*]
    argv: ["@actor@", batch, "{jobs}"]
    job: {name: "prompts-{isl}", fail: "{broken}", out: "{out}"}
    outputs: [prompts.txt, prompts.jsonl]
  serve:
    kind: service
    needs: [build, config]
    reads: [precision, broken, mode]
    inherit: [ORCH_CRASH_*]
    ports: [http]
    shm_prefix: "crash_{token}"
    argv: ["@actor@", serve, "serve-{precision}", "{port:http}", --from, "{stage:build}/engine.bin", --from, "{work}/config/config.txt", --shm, "crash_{token}", --fail, "{broken}", --mode, "{mode}"]
    place:
      - {from: "{stage:config}", to: config}
    ready: {port: http, get: [/ready], timeout_s: 20}
    smoke: {port: http, post: /v2/models/toy/generate, body: '{"text_input": "hello"}', answer: text_output}
    stop_s: 1
    resources: {gpus: gpus}
  bench:
    kind: measure
    needs: [serve, prompts]
    reads: [precision, isl, concurrency, broken]
    inherit: [ORCH_CRASH_*]
    argv: @bench@
    outputs: [measurement.json, requests.jsonl]
)";

inline constexpr const char* k_fake_bench =
    R"(["@actor@", bench, "bench-{precision}-{isl}-{concurrency}", "http://127.0.0.1:{port:serve.http}", "{out}", --from, "{stage:prompts}/prompts.txt", --fail, "{broken}"])";

// The real load generator, for servers with bad answers.
inline constexpr const char* k_real_bench =
    R"(["{orchestrate}", bench, --url, "http://127.0.0.1:{port:serve.http}", --protocol, triton-http, --model, toy, --stream, --concurrency, "{concurrency}", --requests, "3",
           --warmup, "1", --osl, "4", --prompts, "{stage:prompts}/prompts.jsonl", --wake-lag-ms-limit, "1000", --client-cpu-limit, "1000", --out, "{out}", --format, json])";

inline constexpr const char* k_template = "precision ${precision}\nengine ${engine}\nwhole\n";

}  // namespace orch::crash
