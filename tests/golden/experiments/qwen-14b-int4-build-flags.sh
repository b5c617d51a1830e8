exit 0
--- stderr
warning: waiting: 4 points: only 128 of 500 open requests run at once (max_batch_size 64 x pp 2 x instances 1); the others wait, and their latency includes the wait (float16_float16_enable_enable_paged_mbs64_kvf0.9-ddc9d8)
warning: memory-batch: 4 points: 2048 x pp 2 sequences of 256 and 256 tokens need 192 GiB of KV cache on each rank, and about 64.1 GiB remain for it; requests will wait for free blocks (float16_float16_enable_enable_paged_mbs2048_kvf0.9-7e5da5)
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine; it is hashed by path, not by content
--- stdout
#!/usr/bin/env bash
# qwen-14b-int4-build-flags: 8 of 8 points of experiments/qwen-14b-int4-build-flags.yaml, on the runner triton-trtllm
#
# The steps of `orchestrate run` with an empty store, by hand: it makes every artifact, then starts, measures and stops
# one server after the other. All files go into the folder OUT, which must be new:
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
RUNNER=${RUNNER:-$runner_here}
ORCHESTRATE=${ORCHESTRATE:-$orchestrate_here}
least_port=20000 last_port=29999 address=127.0.0.1

...

# environment-1: app_dir=/app, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, trtllm_version=0.14.0
environment_1=$OUT/artifacts/environment-1/out
task environment-1 14400 -- \
  /usr/bin/env python3 "$RUNNER/scripts/environment.py" --version 0.14.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter "$environment_1"
made "$environment_1" environment.json options.json versions.json

# templates-2: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_2=$OUT/artifacts/templates-2/out
task templates-2 600 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" python cp \
  -rL /app/all_models/inflight_batcher_llm/tensorrt_llm /app/all_models/inflight_batcher_llm/ensemble \
  /app/all_models/inflight_batcher_llm/preprocessing /app/all_models/inflight_batcher_llm/postprocessing \
  /app/all_models/inflight_batcher_llm/tensorrt_llm_bls "$templates_2"
made "$templates_2" tensorrt_llm/config.pbtxt

# repository-3: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=64, trtllm_version=0.14.0
repository_3=$OUT/artifacts/repository-3/out
task repository-3 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_2" --release 0.14.0 --fill "$ORCHESTRATE" \
  --out "$repository_3/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 64 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --max_beam_width 1 --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_3" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-4: model=qwen-14b
download_4=$OUT/artifacts/download-4/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-4 86400 -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:Qwen/Qwen2.5-14B-Instruct "$revision1" "$download_4" \
  --connections 4
made "$download_4" config.json

# convert-5: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=2, precision=int4_wo, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.14.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_5=$OUT/artifacts/convert-5/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-5 14400 "HF_HOME=$OUT/work/convert-5/huggingface" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" convert python3 \
  /app/examples/qwen/convert_checkpoint.py --model_dir "$download_4" --output_dir "$convert_5" --dtype float16 \
  --tp_size 1 --pp_size 2 --use_weight_only --weight_only_precision int4 --workers 1
made "$convert_5" config.json rank0.safetensors

# build-6: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=float16, gemm_swiglu_plugin=disable, gpt_attention_plugin=float16, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=64, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, max_seq_len=2048, moe_plugin=auto, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.14.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_6=$OUT/artifacts/build-6/out
task build-6 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_5" --output_dir "$build_6" --max_batch_size 64 --max_input_len 1024 \
  --max_seq_len 2048 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin float16 --gpt_attention_plugin float16 \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 2 --log_level info --profiling_verbosity layer_names_only
made "$build_6" config.json rank0.engine

# prompts-7: isl=256, load_words=concurrency=500, num_prompts=500, osl=256
prompts_7=$OUT/artifacts/prompts-7/out

# prompts-8: isl=256, load_words=concurrency=500, num_prompts=500, osl=256
prompts_8=$OUT/artifacts/prompts-8/out

# prompts-9: isl=256, load_words=concurrency=500, num_prompts=500, osl=256
prompts_9=$OUT/artifacts/prompts-9/out

mkdir -p "$prompts_7" "$OUT/work/prompts-7" "$prompts_8" "$OUT/work/prompts-8" \
  "$prompts_9" "$OUT/work/prompts-9"
write "$OUT/work/prompts-7/jobs.json" <<END
[{"id":"prompts-7","blocks":"3","dataset":"","isl":"256","out":"$prompts_7","requests":"500","seed":"0","stream":"isl=256 osl=256 concurrency=500 num_prompts=500 repeat=0","warmup":"64"},
 {"id":"prompts-8","blocks":"3","dataset":"","isl":"256","out":"$prompts_8","requests":"500","seed":"0","stream":"isl=256 osl=256 concurrency=500 num_prompts=500 repeat=1","warmup":"64"},
 {"id":"prompts-9","blocks":"3","dataset":"","isl":"256","out":"$prompts_9","requests":"500","seed":"0","stream":"isl=256 osl=256 concurrency=500 num_prompts=500 repeat=2","warmup":"64"}]
END
task prompts-7 5400 PYTHONDONTWRITEBYTECODE=1 -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-7/jobs.json" /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_1" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_4/tokenizer.json" --jobs "$OUT/work/prompts-7/jobs.json"
made "$prompts_7" prompts.jsonl
made "$prompts_8" prompts.jsonl
made "$prompts_9" prompts.jsonl

# build-10: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=float16, gemm_swiglu_plugin=disable, gpt_attention_plugin=float16, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=2048, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, max_seq_len=2048, moe_plugin=auto, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.14.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_10=$OUT/artifacts/build-10/out
task build-10 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_5" --output_dir "$build_10" --max_batch_size 2048 --max_input_len 1024 \
  --max_seq_len 2048 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin float16 --gpt_attention_plugin float16 \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 2 --log_level info --profiling_verbosity layer_names_only
made "$build_10" config.json rank0.engine

# build-11: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=float16, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=64, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, max_seq_len=2048, moe_plugin=auto, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.14.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_11=$OUT/artifacts/build-11/out
task build-11 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_5" --output_dir "$build_11" --max_batch_size 64 --max_input_len 1024 \
  --max_seq_len 2048 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin float16 --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 2 --log_level info --profiling_verbosity layer_names_only
made "$build_11" config.json rank0.engine

# build-12: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=float16, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=2048, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, max_seq_len=2048, moe_plugin=auto, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.14.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_12=$OUT/artifacts/build-12/out
task build-12 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_5" --output_dir "$build_12" --max_batch_size 2048 --max_input_len 1024 \
  --max_seq_len 2048 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin float16 --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 2 --log_level info --profiling_verbosity layer_names_only
made "$build_12" config.json rank0.engine

# repository-13: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.5, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=64, trtllm_version=0.14.0
repository_13=$OUT/artifacts/repository-13/out
task repository-13 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_2" --release 0.14.0 --fill "$ORCHESTRATE" \
  --out "$repository_13/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 64 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --max_beam_width 1 --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.5 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_13" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# ----------------------------------------------------------------------------------------------------------------------
# serve-14: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_3/repository" "$OUT/work/serve-14/repository" build "$build_6" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-14 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-14/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-14/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-15 of float16_float16_enable_enable_paged_mbs64_kvf0.9-ddc9d8
bench_15=$OUT/artifacts/bench-15.1/out
measure bench-15.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_7/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_15" --format json
made "$bench_15" measurement.json requests.jsonl

# bench-16 of float16_float16_enable_enable_paged_mbs64_kvf0.9-ddc9d8
bench_16=$OUT/artifacts/bench-16.1/out
measure bench-16.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_8/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_16" --format json
made "$bench_16" measurement.json requests.jsonl

# bench-17 of float16_float16_enable_enable_paged_mbs64_kvf0.9-ddc9d8
bench_17=$OUT/artifacts/bench-17.1/out
measure bench-17.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_9/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_17" --format json
made "$bench_17" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-18: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_3/repository" "$OUT/work/serve-18/repository" build "$build_10" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-18 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-18/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-18/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-19 of float16_float16_enable_enable_paged_mbs2048_kvf0.9-7e5da5
bench_19=$OUT/artifacts/bench-19.1/out
measure bench-19.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_7/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_19" --format json
made "$bench_19" measurement.json requests.jsonl

# bench-20 of float16_float16_enable_enable_paged_mbs2048_kvf0.9-7e5da5
bench_20=$OUT/artifacts/bench-20.1/out
measure bench-20.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_8/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_20" --format json
made "$bench_20" measurement.json requests.jsonl

# bench-21 of float16_float16_enable_enable_paged_mbs2048_kvf0.9-7e5da5
bench_21=$OUT/artifacts/bench-21.1/out
measure bench-21.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_9/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_21" --format json
made "$bench_21" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-22: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_3/repository" "$OUT/work/serve-22/repository" build "$build_11" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-22 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-22/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-22/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-23 of float16_mbs64_kvf0.9-2b7919
bench_23=$OUT/artifacts/bench-23.1/out
measure bench-23.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_7/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_23" --format json
made "$bench_23" measurement.json requests.jsonl

# bench-24 of float16_mbs64_kvf0.9-2b7919
bench_24=$OUT/artifacts/bench-24.1/out
measure bench-24.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_8/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_24" --format json
made "$bench_24" measurement.json requests.jsonl

# bench-25 of float16_mbs64_kvf0.9-2b7919
bench_25=$OUT/artifacts/bench-25.1/out
measure bench-25.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_9/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_25" --format json
made "$bench_25" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-26: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_3/repository" "$OUT/work/serve-26/repository" build "$build_12" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-26 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-26/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-26/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-27 of float16_mbs2048_kvf0.9-3d6cec
bench_27=$OUT/artifacts/bench-27.1/out
measure bench-27.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_7/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_27" --format json
made "$bench_27" measurement.json requests.jsonl

# bench-28 of float16_mbs2048_kvf0.9-3d6cec
bench_28=$OUT/artifacts/bench-28.1/out
measure bench-28.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_8/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_28" --format json
made "$bench_28" measurement.json requests.jsonl

# bench-29 of float16_mbs2048_kvf0.9-3d6cec
bench_29=$OUT/artifacts/bench-29.1/out
measure bench-29.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_9/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_29" --format json
made "$bench_29" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-30: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_13/repository" "$OUT/work/serve-30/repository" build "$build_6" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-30 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-30/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-30/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-31 of float16_float16_enable_enable_paged_mbs64_kvf0.5-ab47fe
bench_31=$OUT/artifacts/bench-31.1/out
measure bench-31.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_7/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_31" --format json
made "$bench_31" measurement.json requests.jsonl

# bench-32 of float16_float16_enable_enable_paged_mbs64_kvf0.5-ab47fe
bench_32=$OUT/artifacts/bench-32.1/out
measure bench-32.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_8/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_32" --format json
made "$bench_32" measurement.json requests.jsonl

# bench-33 of float16_float16_enable_enable_paged_mbs64_kvf0.5-ab47fe
bench_33=$OUT/artifacts/bench-33.1/out
measure bench-33.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_9/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_33" --format json
made "$bench_33" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-34: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_13/repository" "$OUT/work/serve-34/repository" build "$build_10" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-34 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-34/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-34/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-35 of float16_float16_enable_enable_paged_mbs2048_kvf0.5-2fd71c
bench_35=$OUT/artifacts/bench-35.1/out
measure bench-35.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_7/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_35" --format json
made "$bench_35" measurement.json requests.jsonl

# bench-36 of float16_float16_enable_enable_paged_mbs2048_kvf0.5-2fd71c
bench_36=$OUT/artifacts/bench-36.1/out
measure bench-36.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_8/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_36" --format json
made "$bench_36" measurement.json requests.jsonl

# bench-37 of float16_float16_enable_enable_paged_mbs2048_kvf0.5-2fd71c
bench_37=$OUT/artifacts/bench-37.1/out
measure bench-37.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_9/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_37" --format json
made "$bench_37" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-38: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_13/repository" "$OUT/work/serve-38/repository" build "$build_11" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-38 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-38/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-38/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-39 of float16_mbs64_kvf0.5-08e290
bench_39=$OUT/artifacts/bench-39.1/out
measure bench-39.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_7/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_39" --format json
made "$bench_39" measurement.json requests.jsonl

# bench-40 of float16_mbs64_kvf0.5-08e290
bench_40=$OUT/artifacts/bench-40.1/out
measure bench-40.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_8/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_40" --format json
made "$bench_40" measurement.json requests.jsonl

# bench-41 of float16_mbs64_kvf0.5-08e290
bench_41=$OUT/artifacts/bench-41.1/out
measure bench-41.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_9/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_41" --format json
made "$bench_41" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-42: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_13/repository" "$OUT/work/serve-42/repository" build "$build_12" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-42 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-42/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-42/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-43 of float16_mbs2048_kvf0.5-53562b
bench_43=$OUT/artifacts/bench-43.1/out
measure bench-43.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_7/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_43" --format json
made "$bench_43" measurement.json requests.jsonl

# bench-44 of float16_mbs2048_kvf0.5-53562b
bench_44=$OUT/artifacts/bench-44.1/out
measure bench-44.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_8/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_44" --format json
made "$bench_44" measurement.json requests.jsonl

# bench-45 of float16_mbs2048_kvf0.5-53562b
bench_45=$OUT/artifacts/bench-45.1/out
measure bench-45.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_9/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_45" --format json
made "$bench_45" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
