exit 0
--- stderr
warning: TensorRT-LLM 0.17.0 (14 points) is known from a neighbouring version: options read from 0.17.0.dev2024121700; if the tool is installed, its own --help decides
warning: TensorRT-LLM 0.19.0 (1 point) is inferred: templates and launcher of that release, options inferred from 0.17 and 1.1; if the tool is installed, its own --help decides
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine; it is hashed by path, not by content
--- stdout
#!/usr/bin/env bash
# trtllm-backend-tour: 16 of 16 points of experiments/trtllm-backend-tour.yaml, on the runner triton-trtllm
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

# environment-1: app_dir=/app, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, trtllm_version=0.11.0
environment_1=$OUT/artifacts/environment-1/out
task environment-1 14400 -- \
  /usr/bin/env python3 "$RUNNER/scripts/environment.py" --version 0.11.0 --examples /app/examples --app /app \
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

# repository-3: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, max_beam_width=1, max_queue_delay_microseconds=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.11.0
repository_3=$OUT/artifacts/repository-3/out
task repository-3 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_2" --release 0.11.0 --fill "$ORCHESTRATE" \
  --out "$repository_3/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_3" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-4: model=gpt2-medium
download_4=$OUT/artifacts/download-4/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-4 86400 -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:openai-community/gpt2-medium "$revision1" "$download_4" \
  --connections 4
made "$download_4" config.json

# convert-5: calibrates=false, convert_script=/app/examples/gpt/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, gpt_variant=gpt2, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=gpt, pp=1, precision=fp16, tp=4, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_5=$OUT/artifacts/convert-5/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-5 14400 "HF_HOME=$OUT/work/convert-5/huggingface" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" convert python3 \
  /app/examples/gpt/convert_checkpoint.py --model_dir "$download_4" --output_dir "$convert_5" --dtype float16 \
  --tp_size 4 --pp_size 1 --gpt_variant gpt2 --workers 1
made "$convert_5" config.json rank0.safetensors

# build-6: build_log_level=info, build_workers=4, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_6=$OUT/artifacts/build-6/out
task build-6 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_5" --output_dir "$build_6" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --remove_input_padding enable \
  --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable --paged_kv_cache enable \
  --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp --reduce_fusion disable \
  --use_custom_all_reduce enable --multi_block_mode disable --workers 4 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_6" config.json rank0.engine

# prompts-7: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_7=$OUT/artifacts/prompts-7/out
mkdir -p "$prompts_7" "$OUT/work/prompts-7"
write "$OUT/work/prompts-7/jobs.json" <<END
[{"id":"prompts-7","blocks":"3","dataset":"","isl":"128","out":"$prompts_7","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-7 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-7/jobs.json" /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_1" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_4/tokenizer.json" --jobs "$OUT/work/prompts-7/jobs.json"
made "$prompts_7" prompts.jsonl

# environment-8: app_dir=/app, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, trtllm_version=0.17.0
environment_8=$OUT/artifacts/environment-8/out
task environment-8 14400 -- \
  /usr/bin/env python3 "$RUNNER/scripts/environment.py" --version 0.17.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter "$environment_8"
made "$environment_8" environment.json options.json versions.json

# templates-9: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_9=$OUT/artifacts/templates-9/out
task templates-9 600 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" python cp \
  -rL /app/all_models/inflight_batcher_llm/tensorrt_llm /app/all_models/inflight_batcher_llm/ensemble \
  /app/all_models/inflight_batcher_llm/preprocessing /app/all_models/inflight_batcher_llm/postprocessing \
  /app/all_models/inflight_batcher_llm/tensorrt_llm_bls "$templates_9"
made "$templates_9" tensorrt_llm/config.pbtxt

# repository-10: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_10=$OUT/artifacts/repository-10/out
task repository-10 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_9" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_10/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_10" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-11: model=llama-3-70b
download_11=$OUT/artifacts/download-11/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-11 86400 -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:meta-llama/Meta-Llama-3-70B "$revision2" "$download_11" \
  --connections 4
made "$download_11" config.json

# convert-12: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=2, precision=fp16, remove_duplicated_kv_heads=false, tp=4, trtllm_version=0.17.0, use_parallel_embedding=false
convert_12=$OUT/artifacts/convert-12/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-12 14400 "HF_HOME=$OUT/work/convert-12/huggingface" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" convert python3 \
  /app/examples/llama/convert_checkpoint.py --model_dir "$download_11" --output_dir "$convert_12" --dtype float16 \
  --tp_size 4 --pp_size 2 --workers 1
made "$convert_12" config.json rank0.safetensors

# build-13: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_13=$OUT/artifacts/build-13/out
task build-13 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" build trtllm-build \
  --checkpoint_dir "$convert_12" --output_dir "$build_13" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 8 --log_level info --profiling_verbosity layer_names_only
made "$build_13" config.json rank0.engine

# prompts-14: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_14=$OUT/artifacts/prompts-14/out
mkdir -p "$prompts_14" "$OUT/work/prompts-14"
write "$OUT/work/prompts-14/jobs.json" <<END
[{"id":"prompts-14","blocks":"3","dataset":"","isl":"128","out":"$prompts_14","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-14 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-14/jobs.json" /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_8" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_11/tokenizer.json" --jobs "$OUT/work/prompts-14/jobs.json"
made "$prompts_14" prompts.jsonl

# download-15: model=mixtral-8x22b
download_15=$OUT/artifacts/download-15/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-15 86400 -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:mistralai/Mixtral-8x22B-v0.1 "$revision3" "$download_15" \
  --connections 4
made "$download_15" config.json

# convert-16: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, moe_ep=4, moe_tp=2, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=8, trtllm_version=0.17.0, use_parallel_embedding=false
convert_16=$OUT/artifacts/convert-16/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-16 14400 "HF_HOME=$OUT/work/convert-16/huggingface" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" convert python3 \
  /app/examples/llama/convert_checkpoint.py --model_dir "$download_15" --output_dir "$convert_16" --dtype float16 \
  --tp_size 8 --pp_size 1 --moe_tp_size 2 --moe_ep_size 4 --workers 1
made "$convert_16" config.json rank0.safetensors

# build-17: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_17=$OUT/artifacts/build-17/out
task build-17 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" build trtllm-build \
  --checkpoint_dir "$convert_16" --output_dir "$build_17" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 8 --log_level info --profiling_verbosity layer_names_only
made "$build_17" config.json rank0.engine

# prompts-18: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_18=$OUT/artifacts/prompts-18/out
mkdir -p "$prompts_18" "$OUT/work/prompts-18"
write "$OUT/work/prompts-18/jobs.json" <<END
[{"id":"prompts-18","blocks":"3","dataset":"","isl":"128","out":"$prompts_18","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-18 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-18/jobs.json" /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_8" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_15/tokenizer.json" --jobs "$OUT/work/prompts-18/jobs.json"
made "$prompts_18" prompts.jsonl

# download-19: model=llama-3-8b
download_19=$OUT/artifacts/download-19/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-19 86400 -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:meta-llama/Meta-Llama-3-8B "$revision4" "$download_19" \
  --connections 4
made "$download_19" config.json

# convert-20: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.17.0, use_parallel_embedding=false
convert_20=$OUT/artifacts/convert-20/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-20 14400 "HF_HOME=$OUT/work/convert-20/huggingface" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" convert python3 \
  /app/examples/llama/convert_checkpoint.py --model_dir "$download_19" --output_dir "$convert_20" --dtype float16 \
  --tp_size 1 --pp_size 1 --workers 1
made "$convert_20" config.json rank0.safetensors

# build-21: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_21=$OUT/artifacts/build-21/out
task build-21 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" build trtllm-build \
  --checkpoint_dir "$convert_20" --output_dir "$build_21" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 1 --log_level info --profiling_verbosity layer_names_only
made "$build_21" config.json rank0.engine

# prompts-22: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_22=$OUT/artifacts/prompts-22/out

# prompts-23: isl=4096, load_words=concurrency=16, num_prompts=160, osl=128
prompts_23=$OUT/artifacts/prompts-23/out

mkdir -p "$prompts_22" "$OUT/work/prompts-22" "$prompts_23" "$OUT/work/prompts-23"
write "$OUT/work/prompts-22/jobs.json" <<END
[{"id":"prompts-22","blocks":"3","dataset":"","isl":"128","out":"$prompts_22","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"},
 {"id":"prompts-23","blocks":"3","dataset":"","isl":"4096","out":"$prompts_23","requests":"160","seed":"0","stream":"isl=4096 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-22 3600 PYTHONDONTWRITEBYTECODE=1 -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-22/jobs.json" /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_8" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_19/tokenizer.json" --jobs "$OUT/work/prompts-22/jobs.json"
made "$prompts_22" prompts.jsonl
made "$prompts_23" prompts.jsonl

# build-24: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=true, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_24=$OUT/artifacts/build-24/out
task build-24 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" build trtllm-build \
  --checkpoint_dir "$convert_20" --output_dir "$build_24" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --gather_all_token_logits --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_24" config.json rank0.engine

# build-25: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, lora_plugin=auto, lora_target_modules=attn_q attn_k attn_v, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_lora_rank=8, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_25=$OUT/artifacts/build-25/out
task build-25 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" build trtllm-build \
  --checkpoint_dir "$convert_20" --output_dir "$build_25" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --lora_plugin auto --gemm_swiglu_plugin disable \
  --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --lora_target_modules attn_q attn_k \
  attn_v --max_lora_rank 8 --workers 1 --log_level info --profiling_verbosity layer_names_only
made "$build_25" config.json rank0.engine

# convert-26: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=2, trtllm_version=0.17.0, use_parallel_embedding=false
convert_26=$OUT/artifacts/convert-26/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-26 14400 "HF_HOME=$OUT/work/convert-26/huggingface" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" convert python3 \
  /app/examples/llama/convert_checkpoint.py --model_dir "$download_19" --output_dir "$convert_26" --dtype float16 \
  --tp_size 2 --pp_size 1 --workers 1
made "$convert_26" config.json rank0.safetensors

# build-27: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_27=$OUT/artifacts/build-27/out
task build-27 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" build trtllm-build \
  --checkpoint_dir "$convert_26" --output_dir "$build_27" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 2 --log_level info --profiling_verbosity layer_names_only
made "$build_27" config.json rank0.engine

# repository-28: add_special_tokens=true, batch_scheduler_policy=max_utilization, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_28=$OUT/artifacts/repository-28/out
task repository-28 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_9" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_28/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy max_utilization --enable_chunked_context false \
  --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false --exclude_input_in_output true \
  --add_special_tokens true --skip_special_tokens true
made "$repository_28" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-29: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=true, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_29=$OUT/artifacts/repository-29/out
task repository-29 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_9" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_29/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context true --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_29" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-30: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=4096, max_num_tokens=1024, max_seq_len=4224, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=enable, weight_sparsity=false, weight_streaming=false
build_30=$OUT/artifacts/build-30/out
task build-30 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" build trtllm-build \
  --checkpoint_dir "$convert_20" --output_dir "$build_30" --max_batch_size 16 --max_input_len 4096 \
  --max_seq_len 4224 --max_num_tokens 1024 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha enable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 1 --log_level info --profiling_verbosity layer_names_only
made "$build_30" config.json rank0.engine

# repository-31: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_k, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_31=$OUT/artifacts/repository-31/out
task repository-31 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_9" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_31/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_k \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_31" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-32: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_p, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_32=$OUT/artifacts/repository-32/out
task repository-32 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_9" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_32/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_p \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_32" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-33: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_k_top_p, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_33=$OUT/artifacts/repository-33/out
task repository-33 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_9" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_33/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_k_top_p \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_33" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-34: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=beam_search, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=4, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_34=$OUT/artifacts/repository-34/out
task repository-34 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_9" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_34/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 4 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode beam_search \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_34" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-35: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=4, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_35=$OUT/artifacts/build-35/out
task build-35 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" build trtllm-build \
  --checkpoint_dir "$convert_20" --output_dir "$build_35" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 4 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 1 --log_level info --profiling_verbosity layer_names_only
made "$build_35" config.json rank0.engine

# environment-36: app_dir=/app, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, trtllm_version=0.19.0
environment_36=$OUT/artifacts/environment-36/out
task environment-36 14400 -- \
  /usr/bin/env python3 "$RUNNER/scripts/environment.py" --version 0.19.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter "$environment_36"
made "$environment_36" environment.json options.json versions.json

# templates-37: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_37=$OUT/artifacts/templates-37/out
task templates-37 600 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_36" python cp \
  -rL /app/all_models/inflight_batcher_llm/tensorrt_llm /app/all_models/inflight_batcher_llm/ensemble \
  /app/all_models/inflight_batcher_llm/preprocessing /app/all_models/inflight_batcher_llm/postprocessing \
  /app/all_models/inflight_batcher_llm/tensorrt_llm_bls "$templates_37"
made "$templates_37" tensorrt_llm/config.pbtxt

# repository-38: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=lookahead, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, lookahead_ngram_size=7, lookahead_verification_set_size=7, lookahead_window_size=7, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.19.0
repository_38=$OUT/artifacts/repository-38/out
task repository-38 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_37" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_38/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode lookahead \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --lookahead_window_size 7 --lookahead_ngram_size 7 \
  --lookahead_verification_set_size 7 --add_special_tokens true --skip_special_tokens true
made "$repository_38" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# convert-39: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
convert_39=$OUT/artifacts/convert-39/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-39 14400 "HF_HOME=$OUT/work/convert-39/huggingface" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_36" convert python3 \
  /app/examples/llama/convert_checkpoint.py --model_dir "$download_19" --output_dir "$convert_39" --dtype float16 \
  --tp_size 1 --pp_size 1 --workers 1
made "$convert_39" config.json rank0.safetensors

# build-40: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_draft_len=83, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=lookahead_decoding, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_40=$OUT/artifacts/build-40/out
task build-40 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_36" build trtllm-build \
  --checkpoint_dir "$convert_39" --output_dir "$build_40" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --speculative_decoding_mode lookahead_decoding --max_draft_len 83 --workers 1 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_40" config.json rank0.engine

# prompts-41: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_41=$OUT/artifacts/prompts-41/out
mkdir -p "$prompts_41" "$OUT/work/prompts-41"
write "$OUT/work/prompts-41/jobs.json" <<END
[{"id":"prompts-41","blocks":"3","dataset":"","isl":"128","out":"$prompts_41","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-41 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-41/jobs.json" /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_36" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_19/tokenizer.json" --jobs "$OUT/work/prompts-41/jobs.json"
made "$prompts_41" prompts.jsonl

# ----------------------------------------------------------------------------------------------------------------------
# serve-42: gpus_needed=4, launch_mode=leader, mpirun=true, ranks=4, server_ranks=4, servers=1, trtllm_version=0.11.0
place "$repository_3/repository" "$OUT/work/serve-42/repository" build "$build_6" download "$download_4"
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
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-42/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-42/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-43 of gpt2-medium_trtllm0.11.0_tp4_pp1-b34486
bench_43=$OUT/artifacts/bench-43.1/out
measure bench-43.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_7/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_43" --format json
made "$bench_43" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-44: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_10/repository" "$OUT/work/serve-44/repository" build "$build_13" download "$download_11"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-44 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-44/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-44/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-44/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-44/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-44/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-44/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-44/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-44/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_7_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-45 of llama-3-70b_tp4_pp2-a065e2
bench_45=$OUT/artifacts/bench-45.1/out
measure bench-45.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_14/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_45" --format json
made "$bench_45" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-46: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_10/repository" "$OUT/work/serve-46/repository" build "$build_17" download "$download_15"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-46 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-46/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-46/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-46/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-46/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-46/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-46/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-46/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-46/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_7_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-47 of mixtral-8x22b_tp8_pp1_moe_tp2_moe_ep4-540cda
bench_47=$OUT/artifacts/bench-47.1/out
measure bench-47.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_18/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_47" --format json
made "$bench_47" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-48: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=2, spawn_processes=true, trtllm_version=0.17.0
place "$repository_10/repository" "$OUT/work/serve-48/repository" build "$build_21" download "$download_19"
port_http_1=$(free_port "$first_port")
port_http_2=$(free_port $((port_http_1 + 1)))
port_grpc_1=$(free_port $((port_http_2 + 1)))
port_grpc_2=$(free_port $((port_grpc_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_2 + 1)))
port_metrics_2=$(free_port $((port_metrics_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-48 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve python3 "$RUNNER/scripts/servers.py" \
  --server mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl \
  self,vader -n 1 tritonserver "--model-repository=$OUT/work/serve-48/repository" --http-address=127.0.0.1 \
  "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 \
  "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_0_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-48/repository" --http-address=127.0.0.1 "--http-port=$port_http_2" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_2" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_2" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_2_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready" "http://127.0.0.1:$port_http_2/v2/health/ready" \
  "http://127.0.0.1:$port_http_2/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_2/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_2/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_2/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_2/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'
smoke 3600 "http://127.0.0.1:$port_http_2/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-49 of llama-3-8b_instances2-ec81c0
bench_49=$OUT/artifacts/bench-49.1/out
measure bench-49.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --url "http://127.0.0.1:$port_http_2" --metrics-url "http://127.0.0.1:$port_metrics_2/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_22/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_49" --format json
made "$bench_49" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-50: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_10/repository" "$OUT/work/serve-50/repository" build "$build_21" download "$download_19"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-50 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-50/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-51 of llama-3-8b_guaranteed_no_evict-47f4d4
bench_51=$OUT/artifacts/bench-51.1/out
measure bench-51.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_22/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_51" --format json
made "$bench_51" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-52: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_10/repository" "$OUT/work/serve-52/repository" build "$build_24" download "$download_19"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-52 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-52/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-53 of llama-3-8b_gather_all_token_logits-a859b0
bench_53=$OUT/artifacts/bench-53.1/out
measure bench-53.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_22/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_53" --format json
made "$bench_53" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-54: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_10/repository" "$OUT/work/serve-54/repository" build "$build_25" download "$download_19"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-54 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-54/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-55 of llama-3-8b_auto_attn_q-attn_k-attn_v_max_lora_rank8-513440
bench_55=$OUT/artifacts/bench-55.1/out
measure bench-55.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_22/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_55" --format json
made "$bench_55" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-56: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=4, spawn_processes=true, trtllm_version=0.17.0
place "$repository_10/repository" "$OUT/work/serve-56/repository" build "$build_27" download "$download_19"
port_http_1=$(free_port "$first_port")
port_http_2=$(free_port $((port_http_1 + 1)))
port_http_3=$(free_port $((port_http_2 + 1)))
port_http_4=$(free_port $((port_http_3 + 1)))
port_grpc_1=$(free_port $((port_http_4 + 1)))
port_grpc_2=$(free_port $((port_grpc_1 + 1)))
port_grpc_3=$(free_port $((port_grpc_2 + 1)))
port_grpc_4=$(free_port $((port_grpc_3 + 1)))
port_metrics_1=$(free_port $((port_grpc_4 + 1)))
port_metrics_2=$(free_port $((port_metrics_1 + 1)))
port_metrics_3=$(free_port $((port_metrics_2 + 1)))
port_metrics_4=$(free_port $((port_metrics_3 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-56 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve python3 "$RUNNER/scripts/servers.py" \
  --server mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl \
  self,vader -n 1 tritonserver "--model-repository=$OUT/work/serve-56/repository" --http-address=127.0.0.1 \
  "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 \
  "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-56/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-56/repository" --http-address=127.0.0.1 "--http-port=$port_http_2" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_2" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_2" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_2_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-56/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_2" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_2" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_2" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_2_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-56/repository" --http-address=127.0.0.1 "--http-port=$port_http_3" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_3" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_3" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_3_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-56/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_3" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_3" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_3" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_3_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-56/repository" --http-address=127.0.0.1 "--http-port=$port_http_4" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_4" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_4" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_4_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-56/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_4" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_4" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_4" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_4_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready" "http://127.0.0.1:$port_http_2/v2/health/ready" \
  "http://127.0.0.1:$port_http_2/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_2/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_2/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_2/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_2/v2/models/tensorrt_llm_bls/ready" "http://127.0.0.1:$port_http_3/v2/health/ready" \
  "http://127.0.0.1:$port_http_3/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_3/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_3/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_3/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_3/v2/models/tensorrt_llm_bls/ready" "http://127.0.0.1:$port_http_4/v2/health/ready" \
  "http://127.0.0.1:$port_http_4/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_4/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_4/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_4/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_4/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'
smoke 3600 "http://127.0.0.1:$port_http_2/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'
smoke 3600 "http://127.0.0.1:$port_http_3/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'
smoke 3600 "http://127.0.0.1:$port_http_4/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-57 of llama-3-8b_tp2_instances4-50d581
bench_57=$OUT/artifacts/bench-57.1/out
measure bench-57.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --url "http://127.0.0.1:$port_http_2" --metrics-url "http://127.0.0.1:$port_metrics_2/metrics" \
  --url "http://127.0.0.1:$port_http_3" --metrics-url "http://127.0.0.1:$port_metrics_3/metrics" \
  --url "http://127.0.0.1:$port_http_4" --metrics-url "http://127.0.0.1:$port_metrics_4/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_22/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_57" --format json
made "$bench_57" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-58: gpus_needed=2, launch_mode=orchestrator, mpirun=true, ranks=2, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_10/repository" "$OUT/work/serve-58/repository" build "$build_27" download "$download_19"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-58 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl_tcp_if_include lo -x TRTLLM_ORCHESTRATOR=1 \
  -x TRTLLM_ORCHESTRATOR_SPAWN_PROCESSES=1 -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-58/repository" --pinned-memory-pool-byte-size=0 \
  --enable-peer-access=false --cuda-memory-pool-byte-size=0:0 --cuda-memory-pool-byte-size=1:0 \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-59 of llama-3-8b_orchestrator_tp2-2f0bc0
bench_59=$OUT/artifacts/bench-59.1/out
measure bench-59.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_22/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_59" --format json
made "$bench_59" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-60: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_28/repository" "$OUT/work/serve-60/repository" build "$build_21" download "$download_19"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-60 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-60/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-61 of llama-3-8b_max_utilization-6022e4
bench_61=$OUT/artifacts/bench-61.1/out
measure bench-61.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_22/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_61" --format json
made "$bench_61" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-62: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_29/repository" "$OUT/work/serve-62/repository" build "$build_30" download "$download_19"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-62 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-62/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-63 of llama-3-8b_enable_chunked_context_enable_isl4096_maxnt1024-ae5496
bench_63=$OUT/artifacts/bench-63.1/out
measure bench-63.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_23/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_63" --format json
made "$bench_63" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-64: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_31/repository" "$OUT/work/serve-64/repository" build "$build_21" download "$download_19"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-64 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-64/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-65 of llama-3-8b_top_k-52781e
bench_65=$OUT/artifacts/bench-65.1/out
measure bench-65.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_22/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_65" --format json
made "$bench_65" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-66: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_32/repository" "$OUT/work/serve-66/repository" build "$build_21" download "$download_19"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-66 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-66/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-67 of llama-3-8b_top_p-163983
bench_67=$OUT/artifacts/bench-67.1/out
measure bench-67.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_22/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_67" --format json
made "$bench_67" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-68: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_33/repository" "$OUT/work/serve-68/repository" build "$build_21" download "$download_19"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-68 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-68/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-69 of llama-3-8b_top_k_top_p-e34179
bench_69=$OUT/artifacts/bench-69.1/out
measure bench-69.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_22/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_69" --format json
made "$bench_69" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-70: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_34/repository" "$OUT/work/serve-70/repository" build "$build_35" download "$download_19"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-70 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_8" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-70/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-71 of llama-3-8b_beam_search_max_beam_width4_bw4_no_decoupled_mode-f8675c
bench_71=$OUT/artifacts/bench-71.1/out
measure bench-71.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_22/prompts.jsonl" --osl 128 --beam-width 4 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 --out "$bench_71" --format json
made "$bench_71" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-72: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_38/repository" "$OUT/work/serve-72/repository" build "$build_40" download "$download_19"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-72 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_36" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-72/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-73 of llama-3-8b_trtllm0.19.0_lookahead_lookahead_decoding_max_draft_len83_lookahead_window_size7_lookahead_ngram_size7_lookahead_verification_set_size7-da248a
bench_73=$OUT/artifacts/bench-73.1/out
measure bench-73.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_41/prompts.jsonl" --osl 128 --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_73" --format json
made "$bench_73" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
