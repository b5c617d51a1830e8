exit 0
--- stderr
warning: TensorRT-LLM 0.19.0 (7 points) is inferred: templates and launcher of that release, options inferred from 0.17 and 1.1; if the tool is installed, its own --help decides
warning: drafter_model_dir: '/models/redrafter-vicuna-7b' is not on this machine; it is hashed by path, not by content
warning: eagle_model_dir: '/models/eagle-vicuna-7b-v1.3' is not on this machine; it is hashed by path, not by content
warning: medusa_model_dir: '/models/medusa-vicuna-7b-v1.3' is not on this machine; it is hashed by path, not by content
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine; it is hashed by path, not by content
--- stdout
#!/usr/bin/env bash
# speculative-decoding: 7 of 7 points of experiments/speculative-decoding.yaml, on the runner triton-trtllm
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

# environment-1: app_dir=/app, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, trtllm_version=0.19.0
environment_1=$OUT/artifacts/environment-1/out
task environment-1 14400 -- \
  /usr/bin/env python3 "$RUNNER/scripts/environment.py" --version 0.19.0 --examples /app/examples --app /app \
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

# repository-3: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=false, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=4, trtllm_version=0.19.0
repository_3=$OUT/artifacts/repository-3/out
task repository-3 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_2" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_3/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 4 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output false --add_special_tokens true --skip_special_tokens true
made "$repository_3" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-4: model=vicuna-7b
download_4=$OUT/artifacts/download-4/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-4 86400 -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:lmsys/vicuna-7b-v1.3 "$revision1" "$download_4" \
  --connections 4
made "$download_4" config.json

# convert-5: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
convert_5=$OUT/artifacts/convert-5/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-5 14400 "HF_HOME=$OUT/work/convert-5/huggingface" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" convert python3 \
  /app/examples/llama/convert_checkpoint.py --model_dir "$download_4" --output_dir "$convert_5" --dtype float16 \
  --tp_size 1 --pp_size 1 --workers 1
made "$convert_5" config.json rank0.safetensors

# build-6: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=4, max_beam_width=1, max_input_len=512, max_num_tokens=8192, max_seq_len=768, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_6=$OUT/artifacts/build-6/out
task build-6 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_5" --output_dir "$build_6" --max_batch_size 4 --max_input_len 512 --max_seq_len 768 \
  --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto \
  --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable \
  --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged \
  --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 1 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_6" config.json rank0.engine

# prompts-7: isl=512, load_words=concurrency=4, num_prompts=40, osl=256
prompts_7=$OUT/artifacts/prompts-7/out
mkdir -p "$prompts_7" "$OUT/work/prompts-7"
write "$OUT/work/prompts-7/jobs.json" <<END
[{"id":"prompts-7","blocks":"3","dataset":"","isl":"512","out":"$prompts_7","requests":"40","seed":"0","stream":"isl=512 osl=256 concurrency=4 num_prompts=40 repeat=0","warmup":"8"}]
END
task prompts-7 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-7/jobs.json" /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_1" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_4/tokenizer.json" --jobs "$OUT/work/prompts-7/jobs.json"
made "$prompts_7" prompts.jsonl

# repository-8: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=false, draft_kv_cache_free_gpu_mem_fraction=0.1, draft_model=vicuna-68m, enable_chunked_context=false, enable_kv_cache_reuse=true, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=false, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=4, trtllm_version=0.19.0
repository_8=$OUT/artifacts/repository-8/out
task repository-8 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_2" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_8/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --draft-stage engine_dir=build_draft --draft kv_cache_free_gpu_mem_fraction=0.1 --triton_max_batch_size 4 \
  --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 --max_queue_size 0 \
  --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse true \
  --exclude_input_in_output false --add_special_tokens true --skip_special_tokens true
made "$repository_8" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-9: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=4, max_beam_width=1, max_draft_len=8, max_input_len=768, max_num_tokens=8192, max_seq_len=777, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=draft_tokens_external, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=enable, weight_sparsity=false, weight_streaming=false
build_9=$OUT/artifacts/build-9/out
task build-9 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_5" --output_dir "$build_9" --max_batch_size 4 --max_input_len 768 --max_seq_len 777 \
  --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto \
  --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable \
  --context_fmha enable --use_paged_context_fmha enable --use_fp8_context_fmha disable --kv_cache_type paged \
  --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --speculative_decoding_mode draft_tokens_external --max_draft_len 8 --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_9" config.json rank0.engine

# download_draft-10: draft_model=vicuna-68m
download_draft_10=$OUT/artifacts/download_draft-10/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download_draft-10 86400 -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:double7/vicuna-68m "$revision2" "$download_draft_10" \
  --connections 4
made "$download_draft_10" config.json

# draft_vocabulary-11
draft_vocabulary_11=$OUT/artifacts/draft_vocabulary-11/out
task draft_vocabulary-11 600 -- \
  /usr/bin/python3 "$RUNNER/scripts/vocabulary.py" "$download_4" "$download_draft_10" "$draft_vocabulary_11"
made "$draft_vocabulary_11" vocabulary.json

# convert_draft-12: convert_workers=1, draft_converter=/app/examples/llama/convert_checkpoint.py, draft_family=llama, draft_precision=fp16, draft_tp=1, dtype=float16, trtllm_version=0.19.0
convert_draft_12=$OUT/artifacts/convert_draft-12/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert_draft-12 14400 "HF_HOME=$OUT/work/convert_draft-12/huggingface" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" convert python3 \
  /app/examples/llama/convert_checkpoint.py --model_dir "$download_draft_10" --output_dir "$convert_draft_12" \
  --dtype float16 --tp_size 1 --workers 1
made "$convert_draft_12" config.json rank0.safetensors

# build_draft-13: build_log_level=info, context_fmha=enable, draft_by_quantize=false, draft_tp=1, gemm_plugin=auto, gpt_attention_plugin=auto, kv_cache_type=paged, max_batch_size=4, max_input_len=768, max_num_tokens=8192, max_seq_len=777, nccl_plugin=auto, remove_input_padding=enable, tokens_per_block=64, trtllm_version=0.19.0, use_paged_context_fmha=enable
build_draft_13=$OUT/artifacts/build_draft-13/out
task build_draft-13 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_draft_12" --output_dir "$build_draft_13" --max_batch_size 4 --max_input_len 768 \
  --max_seq_len 777 --max_num_tokens 8192 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha enable --kv_cache_type paged \
  --tokens_per_block 64 --workers 1 --log_level info
made "$build_draft_13" config.json rank0.engine

# repository-14: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=medusa, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=false, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, medusa_choices={0}, {0, 0}, {1}, {0, 1}, {2}, {0, 0, 0}, {1, 0}, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=4, trtllm_version=0.19.0
repository_14=$OUT/artifacts/repository-14/out
task repository-14 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_2" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_14/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 4 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode medusa \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output false --medusa_choices '{0}, {0, 0}, {1}, {0, 1}, {2}, {0, 0, 0}, {1, 0}' \
  --add_special_tokens true --skip_special_tokens true
made "$repository_14" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# convert-15: calibrates=false, convert_script=/app/examples/medusa/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=medusa, medusa_draft_len=63, medusa_model_dir=/models/medusa-vicuna-7b-v1.3, num_medusa_heads=4, num_medusa_layers=1, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
convert_15=$OUT/artifacts/convert-15/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-15 14400 "HF_HOME=$OUT/work/convert-15/huggingface" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" convert python3 \
  /app/examples/medusa/convert_checkpoint.py --model_dir "$download_4" --output_dir "$convert_15" --dtype float16 \
  --tp_size 1 --pp_size 1 --medusa_model_dir /models/medusa-vicuna-7b-v1.3 --num_medusa_heads 4 --num_medusa_layers 1 \
  --max_medusa_token_len 63 --workers 1
made "$convert_15" config.json rank0.safetensors

# build-16: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=4, max_beam_width=1, max_draft_len=63, max_input_len=512, max_num_tokens=8192, max_seq_len=768, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=medusa, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_16=$OUT/artifacts/build-16/out
task build-16 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_15" --output_dir "$build_16" --max_batch_size 4 --max_input_len 512 --max_seq_len 768 \
  --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto \
  --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable \
  --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged \
  --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --speculative_decoding_mode medusa --max_draft_len 63 --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_16" config.json rank0.engine

# repository-17: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=redrafter, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=false, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=4, trtllm_version=0.19.0
repository_17=$OUT/artifacts/repository-17/out
task repository-17 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_2" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_17/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 4 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode redrafter \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output false --add_special_tokens true --skip_special_tokens true
made "$repository_17" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# convert-18: calibrates=false, convert_script=/app/examples/redrafter/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, drafter_model_dir=/models/redrafter-vicuna-7b, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=redrafter, pp=1, precision=fp16, redrafter_draft_len_per_beam=5, redrafter_num_beams=4, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
convert_18=$OUT/artifacts/convert-18/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-18 14400 "HF_HOME=$OUT/work/convert-18/huggingface" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" convert python3 \
  /app/examples/redrafter/convert_checkpoint.py --model_dir "$download_4" --output_dir "$convert_18" \
  --dtype float16 --tp_size 1 --drafter_model_dir /models/redrafter-vicuna-7b --redrafter_draft_len_per_beam 5 \
  --redrafter_num_beams 4 --workers 1
made "$convert_18" config.json rank0.safetensors

# build-19: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=4, max_beam_width=1, max_input_len=512, max_num_tokens=8192, max_seq_len=768, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=explicit_draft_tokens, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_19=$OUT/artifacts/build-19/out
task build-19 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_18" --output_dir "$build_19" --max_batch_size 4 --max_input_len 512 --max_seq_len 768 \
  --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto \
  --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable \
  --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged \
  --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --speculative_decoding_mode explicit_draft_tokens --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_19" config.json rank0.engine

# repository-20: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=eagle, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=false, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=4, trtllm_version=0.19.0
repository_20=$OUT/artifacts/repository-20/out
task repository-20 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_2" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_20/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 4 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode eagle \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output false --add_special_tokens true --skip_special_tokens true
made "$repository_20" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# convert-21: calibrates=false, convert_script=/app/examples/eagle/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, eagle_draft_len=63, eagle_model_dir=/models/eagle-vicuna-7b-v1.3, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=eagle, max_non_leaves_per_layer=10, num_eagle_layers=4, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
convert_21=$OUT/artifacts/convert-21/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-21 14400 "HF_HOME=$OUT/work/convert-21/huggingface" -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" convert python3 \
  /app/examples/eagle/convert_checkpoint.py --model_dir "$download_4" --output_dir "$convert_21" --dtype float16 \
  --tp_size 1 --pp_size 1 --eagle_model_dir /models/eagle-vicuna-7b-v1.3 --max_draft_len 63 --num_eagle_layers 4 \
  --max_non_leaves_per_layer 10 --workers 1
made "$convert_21" config.json rank0.safetensors

# build-22: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=4, max_beam_width=1, max_input_len=512, max_num_tokens=8192, max_seq_len=768, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=eagle, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_22=$OUT/artifacts/build-22/out
task build-22 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_21" --output_dir "$build_22" --max_batch_size 4 --max_input_len 512 --max_seq_len 768 \
  --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto \
  --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable \
  --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged \
  --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --speculative_decoding_mode eagle --workers 1 --log_level info --profiling_verbosity layer_names_only
made "$build_22" config.json rank0.engine

# repository-23: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=lookahead, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=false, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, lookahead_ngram_size=7, lookahead_verification_set_size=7, lookahead_window_size=7, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=4, trtllm_version=0.19.0
repository_23=$OUT/artifacts/repository-23/out
task repository-23 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_2" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_23/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 4 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode lookahead \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output false --lookahead_window_size 7 --lookahead_ngram_size 7 \
  --lookahead_verification_set_size 7 --add_special_tokens true --skip_special_tokens true
made "$repository_23" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-24: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=4, max_beam_width=1, max_draft_len=83, max_input_len=512, max_num_tokens=8192, max_seq_len=768, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=lookahead_decoding, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_24=$OUT/artifacts/build-24/out
task build-24 28800 -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_5" --output_dir "$build_24" --max_batch_size 4 --max_input_len 512 --max_seq_len 768 \
  --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto \
  --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable \
  --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged \
  --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --speculative_decoding_mode lookahead_decoding --max_draft_len 83 --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_24" config.json rank0.engine

# ----------------------------------------------------------------------------------------------------------------------
# serve-25: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_3/repository" "$OUT/work/serve-25/repository" build "$build_6" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-25 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-25/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-26 of ensemble_c4-f27db6
bench_26=$OUT/artifacts/bench-26.1/out
measure bench-26.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 4 --requests 40 --warmup 8 \
  --prompts "$prompts_7/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_26" --format json
made "$bench_26" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-27: draft_model=vicuna-68m, gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_8/repository" "$OUT/work/serve-27/repository" build "$build_9" download "$download_4" build_draft "$build_draft_13"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-27 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-27/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-28 of tensorrt_llm_bls_draft_tokens_external_vicuna-68m_max_draft_len8_num_draft_tokens4_enable_kv_cache_reuse_c4-bb439b
bench_28=$OUT/artifacts/bench-28.1/out
measure bench-28.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model tensorrt_llm_bls --input num_draft_tokens=4 --input exclude_input_in_output=false \
  --no-stream --concurrency 4 --requests 40 --warmup 8 --prompts "$prompts_7/prompts.jsonl" --osl 256 \
  --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 \
  --out "$bench_28" --format json
made "$bench_28" measurement.json requests.jsonl

# bench-29 of tensorrt_llm_bls_draft_tokens_external_vicuna-68m_max_draft_len8_num_draft_tokens8_enable_kv_cache_reuse_c4-66c334
bench_29=$OUT/artifacts/bench-29.1/out
measure bench-29.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model tensorrt_llm_bls --input num_draft_tokens=8 --input exclude_input_in_output=false \
  --no-stream --concurrency 4 --requests 40 --warmup 8 --prompts "$prompts_7/prompts.jsonl" --osl 256 \
  --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 \
  --out "$bench_29" --format json
made "$bench_29" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-30: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_14/repository" "$OUT/work/serve-30/repository" build "$build_16" download "$download_4"
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
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-31 of ensemble_medusa_max_draft_len63_-models-medusa-vicuna-7b-v1.3_-0----0--0----1----0--1----2----0--0--0----1--0-_c4-f0daff
bench_31=$OUT/artifacts/bench-31.1/out
measure bench-31.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 4 --requests 40 --warmup 8 \
  --prompts "$prompts_7/prompts.jsonl" --osl 256 --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_31" --format json
made "$bench_31" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-32: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_17/repository" "$OUT/work/serve-32/repository" build "$build_19" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-32 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-32/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-33 of ensemble_explicit_draft_tokens_-models-redrafter-vicuna-7b_redrafter_num_beams4_redrafter_draft_len_per_beam5_c4-8a729f
bench_33=$OUT/artifacts/bench-33.1/out
measure bench-33.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 4 --requests 40 --warmup 8 \
  --prompts "$prompts_7/prompts.jsonl" --osl 256 --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_33" --format json
made "$bench_33" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-34: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_20/repository" "$OUT/work/serve-34/repository" build "$build_22" download "$download_4"
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
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-35 of ensemble_eagle_-models-eagle-vicuna-7b-v1.3_c4-2f0013
bench_35=$OUT/artifacts/bench-35.1/out
measure bench-35.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 4 --requests 40 --warmup 8 \
  --prompts "$prompts_7/prompts.jsonl" --osl 256 --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_35" --format json
made "$bench_35" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-36: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_23/repository" "$OUT/work/serve-36/repository" build "$build_24" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-36 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-36/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-37 of ensemble_lookahead_decoding_max_draft_len83_lookahead_window_size7_lookahead_ngram_size7_lookahead_verification_set_size7_c4-df6d5b
bench_37=$OUT/artifacts/bench-37.1/out
measure bench-37.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 4 --requests 40 --warmup 8 \
  --prompts "$prompts_7/prompts.jsonl" --osl 256 --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_37" --format json
made "$bench_37" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
