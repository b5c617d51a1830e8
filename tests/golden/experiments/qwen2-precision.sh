exit 0
--- stderr
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine; it is hashed by path, not by content
--- stdout
#!/usr/bin/env bash
# qwen2-precision: 1 of 1 points of tests/golden/experiments/qwen2-precision.yaml, on the runner triton-trtllm
#
# The steps of `orchestrate run` with an empty store, by hand: this script makes every artifact, then starts, measures
# and stops one server after the other. All files go into the folder OUT, which must be new:
#
#   OUT=./by-hand bash plan.sh
#
# It does not resume or retry: the first failure ends it. Whether a measurement is valid is recorded in its
# measurement.json. Requires bash 4.4, curl and GNU coreutils, findutils, sed and util-linux (setsid), and what the
# stages call: orchestrate itself and the scripts of the runner. On another machine set ORCHESTRATE and RUNNER to them.
# shellcheck disable=SC2016,SC2034  # '$' in a request may be literal, a variable may serve the reader only
set -euo pipefail

OUT=${OUT:-by-hand}
runner_here=PROJECT/runners/triton-trtllm
orchestrate_here=BINARY
GPUS=${GPUS:-0}  # a stage uses as many as it needs, from the first on
RUNNER=${RUNNER:-$runner_here}
ORCHESTRATE=${ORCHESTRATE:-$orchestrate_here}
least_port=20000 last_port=29999 address=127.0.0.1

...

# environment-1: app_dir=/app, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter,enc_dec, examples_dir=/app/examples, trtllm_version=0.14.0
environment_1=$OUT/artifacts/environment-1/out
task environment-1 14400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/env python3 "$RUNNER/scripts/environment.py" --version 0.14.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter,enc_dec "$environment_1"
made "$environment_1" environment.json options.json versions.json

# templates-2: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_2=$OUT/artifacts/templates-2/out
task templates-2 600 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" python cp \
  -rL /app/all_models/inflight_batcher_llm/tensorrt_llm /app/all_models/inflight_batcher_llm/ensemble \
  /app/all_models/inflight_batcher_llm/preprocessing /app/all_models/inflight_batcher_llm/postprocessing \
  /app/all_models/inflight_batcher_llm/tensorrt_llm_bls "$templates_2"
made "$templates_2" tensorrt_llm/config.pbtxt

# repository-3: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=8, trtllm_version=0.14.0
repository_3=$OUT/artifacts/repository-3/out
task repository-3 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_2" --release 0.14.0 --fill "$ORCHESTRATE" \
  --out "$repository_3/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 8 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --max_beam_width 1 --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_3" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-4: model=qwen2-7b
download_4=$OUT/artifacts/download-4/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-4 86400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:Qwen/Qwen2-7B-Instruct "$revision1" "$download_4" \
  --connections 4
made "$download_4" config.json

# calibration-5
calibration_5=$OUT/artifacts/calibration-5/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task calibration-5 14400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/calibration_texts.py" "$calibration_5" --connections 4
made "$calibration_5" ccdv/cnn_dailymail/README.md ccdv/cnn_dailymail/3.0.0

# quantize-6: awq_block_size=128, calib_batch_size=1, calib_max_seq_length=512, calib_size=512, dtype=float16, examples_dir=/app/examples, kv_cache_dtype=fp8, pp=1, precision=fp8, quant_medusa_head=false, tokenizer_max_seq_length=2048, tp=1, trtllm_version=0.14.0
quantize_6=$OUT/artifacts/quantize-6/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task quantize-6 14400 "HF_HOME=$OUT/work/quantize-6/huggingface" CUDA_DEVICE_ORDER=PCI_BUS_ID \
  "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" quantize python3 \
  /app/examples/quantization/quantize.py --model_dir "$download_4" --output_dir "$quantize_6" --dtype float16 \
  --tp_size 1 --pp_size 1 --qformat fp8 --calib_dataset "$calibration_5/ccdv/cnn_dailymail" --kv_cache_dtype fp8 \
  --calib_size 512 --calib_max_seq_length 512 --batch_size 1 --tokenizer_max_seq_length 2048
made "$quantize_6" config.json rank0.safetensors

# build-7: build_log_level=info, build_workers=1, by_quantize=true, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=8, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.14.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_7=$OUT/artifacts/build-7/out
task build-7 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$quantize_6" --output_dir "$build_7" --max_batch_size 8 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 1 --log_level info --profiling_verbosity layer_names_only
made "$build_7" config.json rank0.engine

# prompts-8: isl=128, load_words=request_rate=10.0 arrival=poisson, num_prompts=100, osl=128
prompts_8=$OUT/artifacts/prompts-8/out

# prompts-9: isl=128, load_words=request_rate=10.0 arrival=poisson, num_prompts=100, osl=128
prompts_9=$OUT/artifacts/prompts-9/out

# prompts-10: isl=128, load_words=request_rate=10.0 arrival=poisson, num_prompts=100, osl=128
prompts_10=$OUT/artifacts/prompts-10/out

mkdir -p "$prompts_8" "$OUT/work/prompts-8" "$prompts_9" "$OUT/work/prompts-9" \
  "$prompts_10" "$OUT/work/prompts-10"
write "$OUT/work/prompts-8/jobs.json" <<END
[{"id":"prompts-8","blocks":"3","dataset":"","isl":"128","out":"$prompts_8","requests":"100","seed":"0","stream":"isl=128 osl=128 request_rate=10.0 arrival=poisson num_prompts=100 repeat=0","warmup":"8"},
 {"id":"prompts-9","blocks":"3","dataset":"","isl":"128","out":"$prompts_9","requests":"100","seed":"0","stream":"isl=128 osl=128 request_rate=10.0 arrival=poisson num_prompts=100 repeat=1","warmup":"8"},
 {"id":"prompts-10","blocks":"3","dataset":"","isl":"128","out":"$prompts_10","requests":"100","seed":"0","stream":"isl=128 osl=128 request_rate=10.0 arrival=poisson num_prompts=100 repeat=2","warmup":"8"}]
END
task prompts-8 5400 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-8/jobs.json" /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_1" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_4/tokenizer.json" --jobs "$OUT/work/prompts-8/jobs.json"
made "$prompts_8" prompts.jsonl
made "$prompts_9" prompts.jsonl
made "$prompts_10" prompts.jsonl

# ----------------------------------------------------------------------------------------------------------------------
# serve-11: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_3/repository" "$OUT/work/serve-11/repository" build "$build_7" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-11 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-11/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-12 of qwen2-7b_fp8_tp1_pp1_isl128_osl128_bs8_rr10_poisson-3796fa
bench_12=$OUT/artifacts/bench-12.1/out
measure bench-12.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --request-rate 10 --arrival poisson --seed 0 --requests 100 \
  --warmup 8 --prompts "$prompts_8/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 --out "$bench_12" --format json
made "$bench_12" measurement.json requests.jsonl

# bench-13 of qwen2-7b_fp8_tp1_pp1_isl128_osl128_bs8_rr10_poisson-3796fa
bench_13=$OUT/artifacts/bench-13.1/out
measure bench-13.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --request-rate 10 --arrival poisson --seed 0 --requests 100 \
  --warmup 8 --prompts "$prompts_9/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 --out "$bench_13" --format json
made "$bench_13" measurement.json requests.jsonl

# bench-14 of qwen2-7b_fp8_tp1_pp1_isl128_osl128_bs8_rr10_poisson-3796fa
bench_14=$OUT/artifacts/bench-14.1/out
measure bench-14.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --request-rate 10 --arrival poisson --seed 0 --requests 100 \
  --warmup 8 --prompts "$prompts_10/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 --out "$bench_14" --format json
made "$bench_14" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
