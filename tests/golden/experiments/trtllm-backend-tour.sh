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

# environment-2: app_dir=/app, backend_source=https://github.com/triton-inference-server/tensorrtllm_backend.git, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, image=nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3, trtllm_version=0.11.0
environment_2=$OUT/artifacts/environment-2/out
task environment-2 14400 -- \
  docker run --rm --interactive --init --name "$token-environment-2" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=environment-2 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$environment_2:$environment_2" --volume "$source_1:$source_1:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/environment-2:$OUT/work/environment-2" \
  --workdir "$OUT/work/environment-2" --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/environment.py" \
  --version 0.11.0 --examples /app/examples --app /app --families qwen,llama,gpt,medusa,eagle,redrafter \
  --image nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 --source "$source_1/backend" "$environment_2"
made "$environment_2" environment.json options.json versions.json

# templates-3: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_3=$OUT/artifacts/templates-3/out
task templates-3 600 -- \
  docker run --rm --interactive --init --name "$token-templates-3" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=templates-3 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$templates_3:$templates_3" --volume "$environment_2:$environment_2:ro" \
  --volume "$source_1:$source_1:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/templates-3:$OUT/work/templates-3" \
  --workdir "$OUT/work/templates-3" --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" python cp -rL /app/all_models/inflight_batcher_llm/tensorrt_llm \
  /app/all_models/inflight_batcher_llm/ensemble /app/all_models/inflight_batcher_llm/preprocessing \
  /app/all_models/inflight_batcher_llm/postprocessing /app/all_models/inflight_batcher_llm/tensorrt_llm_bls \
  "$templates_3"
made "$templates_3" tensorrt_llm/config.pbtxt

# repository-4: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, max_beam_width=1, max_queue_delay_microseconds=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.11.0
repository_4=$OUT/artifacts/repository-4/out
task repository-4 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_3" --release 0.11.0 --fill "$ORCHESTRATE" \
  --out "$repository_4/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_4" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-5: model=gpt2-medium
download_5=$OUT/artifacts/download-5/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-5 86400 -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:openai-community/gpt2-medium "$revision1" "$download_5" \
  --connections 4
made "$download_5" config.json

# convert-6: calibrates=false, convert_script=/app/examples/gpt/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, gpt_variant=gpt2, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=gpt, pp=1, precision=fp16, tp=4, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_6=$OUT/artifacts/convert-6/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-6 14400 "HF_HOME=$OUT/work/convert-6/huggingface" -- \
  docker run --rm --interactive --init --name "$token-convert-6" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-6 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$convert_6:$convert_6" --volume "$download_5:$download_5:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$source_1:$source_1:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/convert-6:$OUT/work/convert-6" --workdir "$OUT/work/convert-6" \
  --env HF_HOME --env HF_ENDPOINT --env HF_HUB_OFFLINE --env HTTPS_PROXY --env HTTP_PROXY --env NO_PROXY \
  --env https_proxy --env http_proxy --env no_proxy --env SSL_CERT_FILE --env HF_TOKEN --env HUGGING_FACE_HUB_TOKEN \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" convert python3 /app/examples/gpt/convert_checkpoint.py \
  --model_dir "$download_5" --output_dir "$convert_6" --dtype float16 --tp_size 4 --pp_size 1 --gpt_variant gpt2 \
  --workers 1
made "$convert_6" config.json rank0.safetensors

# build-7: build_log_level=info, build_workers=4, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_7=$OUT/artifacts/build-7/out
task build-7 28800 -- \
  docker run --rm --interactive --init --name "$token-build-7" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-7 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_7:$build_7" \
  --volume "$convert_6:$convert_6:ro" --volume "$download_5:$download_5:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$source_1:$source_1:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/build-7:$OUT/work/build-7" --workdir "$OUT/work/build-7" \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_6" \
  --output_dir "$build_7" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 4 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_7" config.json rank0.engine

# prompts-8: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_8=$OUT/artifacts/prompts-8/out
mkdir -p "$prompts_8" "$OUT/work/prompts-8"
write "$OUT/work/prompts-8/jobs.json" <<END
[{"id":"prompts-8","blocks":"3","dataset":"","isl":"128","out":"$prompts_8","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-8 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-8/jobs.json" docker run --rm --interactive --init \
  --name "$token-prompts-8" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=prompts-8 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" \
  --volume PROJECT/runners/common/scripts/corpus.txt:PROJECT/runners/common/scripts/corpus.txt:ro \
  --volume PROJECT/runners/common/scripts/make_prompts.py:PROJECT/runners/common/scripts/make_prompts.py:ro \
  --volume PROJECT/runners/common/scripts/prompt_maker.py:PROJECT/runners/common/scripts/prompt_maker.py:ro \
  --volume PROJECT/runners/common/scripts/stage.py:PROJECT/runners/common/scripts/stage.py:ro \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$OUT/work/prompts-8/jobs.json:$OUT/work/prompts-8/jobs.json:ro" \
  --volume "$prompts_8:$prompts_8" --volume "$download_5:$download_5:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$source_1:$source_1:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/prompts-8:$OUT/work/prompts-8" --workdir "$OUT/work/prompts-8" \
  --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_2" python python3 \
  "$RUNNER/../common/scripts/make_prompts.py" --tokenizer "$download_5/tokenizer.json" \
  --jobs "$OUT/work/prompts-8/jobs.json"
made "$prompts_8" prompts.jsonl

# environment-9: app_dir=/app, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, image=nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3, trtllm_version=0.17.0
environment_9=$OUT/artifacts/environment-9/out
task environment-9 14400 -- \
  docker run --rm --interactive --init --name "$token-environment-9" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=environment-9 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$environment_9:$environment_9" --volume "$tmp:$tmp" \
  --volume "$OUT/work/environment-9:$OUT/work/environment-9" \
  --workdir "$OUT/work/environment-9" --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/environment.py" \
  --version 0.17.0 --examples /app/examples --app /app --families qwen,llama,gpt,medusa,eagle,redrafter \
  --image nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 "$environment_9"
made "$environment_9" environment.json options.json versions.json

# templates-10: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_10=$OUT/artifacts/templates-10/out
task templates-10 600 -- \
  docker run --rm --interactive --init --name "$token-templates-10" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=templates-10 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$templates_10:$templates_10" --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/templates-10:$OUT/work/templates-10" \
  --workdir "$OUT/work/templates-10" --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" python cp -rL /app/all_models/inflight_batcher_llm/tensorrt_llm \
  /app/all_models/inflight_batcher_llm/ensemble /app/all_models/inflight_batcher_llm/preprocessing \
  /app/all_models/inflight_batcher_llm/postprocessing /app/all_models/inflight_batcher_llm/tensorrt_llm_bls \
  "$templates_10"
made "$templates_10" tensorrt_llm/config.pbtxt

# repository-11: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_11=$OUT/artifacts/repository-11/out
task repository-11 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_10" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_11/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_11" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-12: model=llama-3-70b
download_12=$OUT/artifacts/download-12/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-12 86400 -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:meta-llama/Meta-Llama-3-70B "$revision2" "$download_12" \
  --connections 4
made "$download_12" config.json

# convert-13: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=2, precision=fp16, remove_duplicated_kv_heads=false, tp=4, trtllm_version=0.17.0, use_parallel_embedding=false
convert_13=$OUT/artifacts/convert-13/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-13 14400 "HF_HOME=$OUT/work/convert-13/huggingface" -- \
  docker run --rm --interactive --init --name "$token-convert-13" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-13 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$convert_13:$convert_13" --volume "$download_12:$download_12:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/convert-13:$OUT/work/convert-13" --workdir "$OUT/work/convert-13" \
  --env HF_HOME --env HF_ENDPOINT --env HF_HUB_OFFLINE --env HTTPS_PROXY --env HTTP_PROXY --env NO_PROXY \
  --env https_proxy --env http_proxy --env no_proxy --env SSL_CERT_FILE --env HF_TOKEN --env HUGGING_FACE_HUB_TOKEN \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_9" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_12" --output_dir "$convert_13" --dtype float16 --tp_size 4 --pp_size 2 --workers 1
made "$convert_13" config.json rank0.safetensors

# build-14: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_14=$OUT/artifacts/build-14/out
task build-14 28800 -- \
  docker run --rm --interactive --init --name "$token-build-14" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-14 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_14:$build_14" \
  --volume "$convert_13:$convert_13:ro" --volume "$download_12:$download_12:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/build-14:$OUT/work/build-14" --workdir "$OUT/work/build-14" \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_9" build trtllm-build --checkpoint_dir "$convert_13" \
  --output_dir "$build_14" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 8 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_14" config.json rank0.engine

# prompts-15: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_15=$OUT/artifacts/prompts-15/out
mkdir -p "$prompts_15" "$OUT/work/prompts-15"
write "$OUT/work/prompts-15/jobs.json" <<END
[{"id":"prompts-15","blocks":"3","dataset":"","isl":"128","out":"$prompts_15","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-15 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-15/jobs.json" docker run --rm --interactive --init \
  --name "$token-prompts-15" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=prompts-15 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" \
  --volume PROJECT/runners/common/scripts/corpus.txt:PROJECT/runners/common/scripts/corpus.txt:ro \
  --volume PROJECT/runners/common/scripts/make_prompts.py:PROJECT/runners/common/scripts/make_prompts.py:ro \
  --volume PROJECT/runners/common/scripts/prompt_maker.py:PROJECT/runners/common/scripts/prompt_maker.py:ro \
  --volume PROJECT/runners/common/scripts/stage.py:PROJECT/runners/common/scripts/stage.py:ro \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$OUT/work/prompts-15/jobs.json:$OUT/work/prompts-15/jobs.json:ro" \
  --volume "$prompts_15:$prompts_15" --volume "$download_12:$download_12:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/prompts-15:$OUT/work/prompts-15" --workdir "$OUT/work/prompts-15" \
  --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_9" python python3 \
  "$RUNNER/../common/scripts/make_prompts.py" --tokenizer "$download_12/tokenizer.json" \
  --jobs "$OUT/work/prompts-15/jobs.json"
made "$prompts_15" prompts.jsonl

# download-16: model=mixtral-8x22b
download_16=$OUT/artifacts/download-16/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-16 86400 -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:mistralai/Mixtral-8x22B-v0.1 "$revision3" "$download_16" \
  --connections 4
made "$download_16" config.json

# convert-17: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, moe_ep=4, moe_tp=2, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=8, trtllm_version=0.17.0, use_parallel_embedding=false
convert_17=$OUT/artifacts/convert-17/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-17 14400 "HF_HOME=$OUT/work/convert-17/huggingface" -- \
  docker run --rm --interactive --init --name "$token-convert-17" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-17 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$convert_17:$convert_17" --volume "$download_16:$download_16:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/convert-17:$OUT/work/convert-17" --workdir "$OUT/work/convert-17" \
  --env HF_HOME --env HF_ENDPOINT --env HF_HUB_OFFLINE --env HTTPS_PROXY --env HTTP_PROXY --env NO_PROXY \
  --env https_proxy --env http_proxy --env no_proxy --env SSL_CERT_FILE --env HF_TOKEN --env HUGGING_FACE_HUB_TOKEN \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_9" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_16" --output_dir "$convert_17" --dtype float16 --tp_size 8 --pp_size 1 --moe_tp_size 2 \
  --moe_ep_size 4 --workers 1
made "$convert_17" config.json rank0.safetensors

# build-18: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_18=$OUT/artifacts/build-18/out
task build-18 28800 -- \
  docker run --rm --interactive --init --name "$token-build-18" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-18 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_18:$build_18" \
  --volume "$convert_17:$convert_17:ro" --volume "$download_16:$download_16:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/build-18:$OUT/work/build-18" --workdir "$OUT/work/build-18" \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_9" build trtllm-build --checkpoint_dir "$convert_17" \
  --output_dir "$build_18" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 8 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_18" config.json rank0.engine

# prompts-19: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_19=$OUT/artifacts/prompts-19/out
mkdir -p "$prompts_19" "$OUT/work/prompts-19"
write "$OUT/work/prompts-19/jobs.json" <<END
[{"id":"prompts-19","blocks":"3","dataset":"","isl":"128","out":"$prompts_19","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-19 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-19/jobs.json" docker run --rm --interactive --init \
  --name "$token-prompts-19" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=prompts-19 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" \
  --volume PROJECT/runners/common/scripts/corpus.txt:PROJECT/runners/common/scripts/corpus.txt:ro \
  --volume PROJECT/runners/common/scripts/make_prompts.py:PROJECT/runners/common/scripts/make_prompts.py:ro \
  --volume PROJECT/runners/common/scripts/prompt_maker.py:PROJECT/runners/common/scripts/prompt_maker.py:ro \
  --volume PROJECT/runners/common/scripts/stage.py:PROJECT/runners/common/scripts/stage.py:ro \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$OUT/work/prompts-19/jobs.json:$OUT/work/prompts-19/jobs.json:ro" \
  --volume "$prompts_19:$prompts_19" --volume "$download_16:$download_16:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/prompts-19:$OUT/work/prompts-19" --workdir "$OUT/work/prompts-19" \
  --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_9" python python3 \
  "$RUNNER/../common/scripts/make_prompts.py" --tokenizer "$download_16/tokenizer.json" \
  --jobs "$OUT/work/prompts-19/jobs.json"
made "$prompts_19" prompts.jsonl

# download-20: model=llama-3-8b
download_20=$OUT/artifacts/download-20/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-20 86400 -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:meta-llama/Meta-Llama-3-8B "$revision4" "$download_20" \
  --connections 4
made "$download_20" config.json

# convert-21: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.17.0, use_parallel_embedding=false
convert_21=$OUT/artifacts/convert-21/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-21 14400 "HF_HOME=$OUT/work/convert-21/huggingface" -- \
  docker run --rm --interactive --init --name "$token-convert-21" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-21 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$convert_21:$convert_21" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/convert-21:$OUT/work/convert-21" --workdir "$OUT/work/convert-21" \
  --env HF_HOME --env HF_ENDPOINT --env HF_HUB_OFFLINE --env HTTPS_PROXY --env HTTP_PROXY --env NO_PROXY \
  --env https_proxy --env http_proxy --env no_proxy --env SSL_CERT_FILE --env HF_TOKEN --env HUGGING_FACE_HUB_TOKEN \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_9" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_20" --output_dir "$convert_21" --dtype float16 --tp_size 1 --pp_size 1 --workers 1
made "$convert_21" config.json rank0.safetensors

# build-22: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_22=$OUT/artifacts/build-22/out
task build-22 28800 -- \
  docker run --rm --interactive --init --name "$token-build-22" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-22 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_22:$build_22" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/build-22:$OUT/work/build-22" --workdir "$OUT/work/build-22" \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_9" build trtllm-build --checkpoint_dir "$convert_21" \
  --output_dir "$build_22" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_22" config.json rank0.engine

# prompts-23: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_23=$OUT/artifacts/prompts-23/out

# prompts-24: isl=4096, load_words=concurrency=16, num_prompts=160, osl=128
prompts_24=$OUT/artifacts/prompts-24/out

mkdir -p "$prompts_23" "$OUT/work/prompts-23" "$prompts_24" "$OUT/work/prompts-24"
write "$OUT/work/prompts-23/jobs.json" <<END
[{"id":"prompts-23","blocks":"3","dataset":"","isl":"128","out":"$prompts_23","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"},
 {"id":"prompts-24","blocks":"3","dataset":"","isl":"4096","out":"$prompts_24","requests":"160","seed":"0","stream":"isl=4096 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-23 3600 PYTHONDONTWRITEBYTECODE=1 -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-23/jobs.json" docker run --rm --interactive --init \
  --name "$token-prompts-23" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=prompts-23 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" \
  --volume PROJECT/runners/common/scripts/corpus.txt:PROJECT/runners/common/scripts/corpus.txt:ro \
  --volume PROJECT/runners/common/scripts/make_prompts.py:PROJECT/runners/common/scripts/make_prompts.py:ro \
  --volume PROJECT/runners/common/scripts/prompt_maker.py:PROJECT/runners/common/scripts/prompt_maker.py:ro \
  --volume PROJECT/runners/common/scripts/stage.py:PROJECT/runners/common/scripts/stage.py:ro \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$OUT/work/prompts-23/jobs.json:$OUT/work/prompts-23/jobs.json:ro" \
  --volume "$prompts_23:$prompts_23" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/prompts-23:$OUT/work/prompts-23" --workdir "$OUT/work/prompts-23" \
  --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_9" python python3 \
  "$RUNNER/../common/scripts/make_prompts.py" --tokenizer "$download_20/tokenizer.json" \
  --jobs "$OUT/work/prompts-23/jobs.json"
made "$prompts_23" prompts.jsonl
made "$prompts_24" prompts.jsonl

# build-25: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=true, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_25=$OUT/artifacts/build-25/out
task build-25 28800 -- \
  docker run --rm --interactive --init --name "$token-build-25" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-25 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_25:$build_25" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/build-25:$OUT/work/build-25" --workdir "$OUT/work/build-25" \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_9" build trtllm-build --checkpoint_dir "$convert_21" \
  --output_dir "$build_25" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --gather_all_token_logits --workers 1 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_25" config.json rank0.engine

# build-26: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, lora_plugin=auto, lora_target_modules=attn_q attn_k attn_v, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_lora_rank=8, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_26=$OUT/artifacts/build-26/out
task build-26 28800 -- \
  docker run --rm --interactive --init --name "$token-build-26" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-26 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_26:$build_26" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/build-26:$OUT/work/build-26" --workdir "$OUT/work/build-26" \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_9" build trtllm-build --checkpoint_dir "$convert_21" \
  --output_dir "$build_26" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --lora_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable \
  --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged \
  --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --lora_target_modules attn_q attn_k attn_v --max_lora_rank 8 --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_26" config.json rank0.engine

# convert-27: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=2, trtllm_version=0.17.0, use_parallel_embedding=false
convert_27=$OUT/artifacts/convert-27/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-27 14400 "HF_HOME=$OUT/work/convert-27/huggingface" -- \
  docker run --rm --interactive --init --name "$token-convert-27" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-27 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$convert_27:$convert_27" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/convert-27:$OUT/work/convert-27" --workdir "$OUT/work/convert-27" \
  --env HF_HOME --env HF_ENDPOINT --env HF_HUB_OFFLINE --env HTTPS_PROXY --env HTTP_PROXY --env NO_PROXY \
  --env https_proxy --env http_proxy --env no_proxy --env SSL_CERT_FILE --env HF_TOKEN --env HUGGING_FACE_HUB_TOKEN \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_9" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_20" --output_dir "$convert_27" --dtype float16 --tp_size 2 --pp_size 1 --workers 1
made "$convert_27" config.json rank0.safetensors

# build-28: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_28=$OUT/artifacts/build-28/out
task build-28 28800 -- \
  docker run --rm --interactive --init --name "$token-build-28" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-28 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_28:$build_28" \
  --volume "$convert_27:$convert_27:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/build-28:$OUT/work/build-28" --workdir "$OUT/work/build-28" \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_9" build trtllm-build --checkpoint_dir "$convert_27" \
  --output_dir "$build_28" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 2 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_28" config.json rank0.engine

# repository-29: add_special_tokens=true, batch_scheduler_policy=max_utilization, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_29=$OUT/artifacts/repository-29/out
task repository-29 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_10" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_29/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy max_utilization --enable_chunked_context false \
  --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false --exclude_input_in_output true \
  --add_special_tokens true --skip_special_tokens true
made "$repository_29" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-30: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=true, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_30=$OUT/artifacts/repository-30/out
task repository-30 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_10" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_30/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context true --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_30" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-31: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=4096, max_num_tokens=1024, max_seq_len=4224, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=enable, weight_sparsity=false, weight_streaming=false
build_31=$OUT/artifacts/build-31/out
task build-31 28800 -- \
  docker run --rm --interactive --init --name "$token-build-31" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-31 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_31:$build_31" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/build-31:$OUT/work/build-31" --workdir "$OUT/work/build-31" \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_9" build trtllm-build --checkpoint_dir "$convert_21" \
  --output_dir "$build_31" --max_batch_size 16 --max_input_len 4096 --max_seq_len 4224 --max_num_tokens 1024 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha enable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_31" config.json rank0.engine

# repository-32: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_k, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_32=$OUT/artifacts/repository-32/out
task repository-32 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_10" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_32/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_k \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_32" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-33: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_p, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_33=$OUT/artifacts/repository-33/out
task repository-33 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_10" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_33/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_p \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_33" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-34: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_k_top_p, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_34=$OUT/artifacts/repository-34/out
task repository-34 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_10" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_34/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_k_top_p \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_34" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-35: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=beam_search, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=4, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_35=$OUT/artifacts/repository-35/out
task repository-35 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_10" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_35/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 4 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode beam_search \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_35" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-36: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=4, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_36=$OUT/artifacts/build-36/out
task build-36 28800 -- \
  docker run --rm --interactive --init --name "$token-build-36" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-36 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_36:$build_36" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/build-36:$OUT/work/build-36" --workdir "$OUT/work/build-36" \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_9" build trtllm-build --checkpoint_dir "$convert_21" \
  --output_dir "$build_36" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 4 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_36" config.json rank0.engine

# source-37: backend_ref=v0.19.0, backend_source=https://github.com/triton-inference-server/tensorrtllm_backend.git, build_image=false, trtllm_version=0.19.0
source_37=$OUT/artifacts/source-37/out
inherit='HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE GIT_CONFIG_* GIT_SSH* GIT_SSL_* SSH_AUTH_SOCK' task source-37 14400 -- \
  /usr/bin/python3 "$RUNNER/scripts/source.py" https://github.com/triton-inference-server/tensorrtllm_backend.git \
  v0.19.0 0.19.0 "$source_37"
made "$source_37" source.json backend/tensorrt_llm

# environment-38: app_dir=/app, backend_source=https://github.com/triton-inference-server/tensorrtllm_backend.git, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, image=nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3, trtllm_version=0.19.0
environment_38=$OUT/artifacts/environment-38/out
task environment-38 14400 -- \
  docker run --rm --interactive --init --name "$token-environment-38" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=environment-38 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$environment_38:$environment_38" --volume "$source_37:$source_37:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/environment-38:$OUT/work/environment-38" \
  --workdir "$OUT/work/environment-38" --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/environment.py" \
  --version 0.19.0 --examples /app/examples --app /app --families qwen,llama,gpt,medusa,eagle,redrafter \
  --image nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 --source "$source_37/backend" "$environment_38"
made "$environment_38" environment.json options.json versions.json

# templates-39: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_39=$OUT/artifacts/templates-39/out
task templates-39 600 -- \
  docker run --rm --interactive --init --name "$token-templates-39" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=templates-39 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$templates_39:$templates_39" --volume "$environment_38:$environment_38:ro" \
  --volume "$source_37:$source_37:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/templates-39:$OUT/work/templates-39" \
  --workdir "$OUT/work/templates-39" --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_38" python cp -rL /app/all_models/inflight_batcher_llm/tensorrt_llm \
  /app/all_models/inflight_batcher_llm/ensemble /app/all_models/inflight_batcher_llm/preprocessing \
  /app/all_models/inflight_batcher_llm/postprocessing /app/all_models/inflight_batcher_llm/tensorrt_llm_bls \
  "$templates_39"
made "$templates_39" tensorrt_llm/config.pbtxt

# repository-40: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=lookahead, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, lookahead_ngram_size=7, lookahead_verification_set_size=7, lookahead_window_size=7, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.19.0
repository_40=$OUT/artifacts/repository-40/out
task repository-40 300 -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_39" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_40/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode lookahead \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --lookahead_window_size 7 --lookahead_ngram_size 7 \
  --lookahead_verification_set_size 7 --add_special_tokens true --skip_special_tokens true
made "$repository_40" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# convert-41: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
convert_41=$OUT/artifacts/convert-41/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-41 14400 "HF_HOME=$OUT/work/convert-41/huggingface" -- \
  docker run --rm --interactive --init --name "$token-convert-41" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-41 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$convert_41:$convert_41" --volume "$download_20:$download_20:ro" \
  --volume "$environment_38:$environment_38:ro" --volume "$source_37:$source_37:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/convert-41:$OUT/work/convert-41" --workdir "$OUT/work/convert-41" \
  --env HF_HOME --env HF_ENDPOINT --env HF_HUB_OFFLINE --env HTTPS_PROXY --env HTTP_PROXY --env NO_PROXY \
  --env https_proxy --env http_proxy --env no_proxy --env SSL_CERT_FILE --env HF_TOKEN --env HUGGING_FACE_HUB_TOKEN \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_38" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_20" --output_dir "$convert_41" --dtype float16 --tp_size 1 --pp_size 1 --workers 1
made "$convert_41" config.json rank0.safetensors

# build-42: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_draft_len=83, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=lookahead_decoding, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_42=$OUT/artifacts/build-42/out
task build-42 28800 -- \
  docker run --rm --interactive --init --name "$token-build-42" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-42 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_42:$build_42" \
  --volume "$convert_41:$convert_41:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_38:$environment_38:ro" --volume "$source_37:$source_37:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/build-42:$OUT/work/build-42" --workdir "$OUT/work/build-42" \
  --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_38" build trtllm-build --checkpoint_dir "$convert_41" \
  --output_dir "$build_42" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --speculative_decoding_mode lookahead_decoding --max_draft_len 83 --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_42" config.json rank0.engine

# prompts-43: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_43=$OUT/artifacts/prompts-43/out
mkdir -p "$prompts_43" "$OUT/work/prompts-43"
write "$OUT/work/prompts-43/jobs.json" <<END
[{"id":"prompts-43","blocks":"3","dataset":"","isl":"128","out":"$prompts_43","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-43 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-43/jobs.json" docker run --rm --interactive --init \
  --name "$token-prompts-43" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=prompts-43 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --user "$user" \
  --volume PROJECT/runners/common/scripts/corpus.txt:PROJECT/runners/common/scripts/corpus.txt:ro \
  --volume PROJECT/runners/common/scripts/make_prompts.py:PROJECT/runners/common/scripts/make_prompts.py:ro \
  --volume PROJECT/runners/common/scripts/prompt_maker.py:PROJECT/runners/common/scripts/prompt_maker.py:ro \
  --volume PROJECT/runners/common/scripts/stage.py:PROJECT/runners/common/scripts/stage.py:ro \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro \
  --volume "$OUT/work/prompts-43/jobs.json:$OUT/work/prompts-43/jobs.json:ro" \
  --volume "$prompts_43:$prompts_43" --volume "$download_20:$download_20:ro" \
  --volume "$environment_38:$environment_38:ro" --volume "$source_37:$source_37:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/prompts-43:$OUT/work/prompts-43" --workdir "$OUT/work/prompts-43" \
  --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env "HOME=$tmp" nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_38" python python3 \
  "$RUNNER/../common/scripts/make_prompts.py" --tokenizer "$download_20/tokenizer.json" \
  --jobs "$OUT/work/prompts-43/jobs.json"
made "$prompts_43" prompts.jsonl

# ----------------------------------------------------------------------------------------------------------------------
# serve-44: gpus_needed=4, launch_mode=leader, mpirun=true, ranks=4, server_ranks=4, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-44/repository" build "$build_7" download "$download_5"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-44 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-44" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-44 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_7:$build_7:ro" \
  --volume "$convert_6:$convert_6:ro" --volume "$download_5:$download_5:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$source_1:$source_1:ro" --volume "$templates_3:$templates_3:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-44:$OUT/work/serve-44" --workdir "$OUT/work/serve-44" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-45 of gpt2-medium_trtllm0.11.0_tp4_pp1-725463
bench_45=$OUT/artifacts/bench-45.1/out
measure bench-45.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_8/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_45" --format json
made "$bench_45" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-46: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_11/repository" "$OUT/work/serve-46/repository" build "$build_14" download "$download_12"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-46 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-46" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-46 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_14:$build_14:ro" \
  --volume "$convert_13:$convert_13:ro" --volume "$download_12:$download_12:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_11:$repository_11:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-46:$OUT/work/serve-46" --workdir "$OUT/work/serve-46" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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

# bench-47 of llama-3-70b_tp4_pp2-531fe1
bench_47=$OUT/artifacts/bench-47.1/out
measure bench-47.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_15/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_47" --format json
made "$bench_47" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-48: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_11/repository" "$OUT/work/serve-48/repository" build "$build_18" download "$download_16"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-48 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-48" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-48 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_18:$build_18:ro" \
  --volume "$convert_17:$convert_17:ro" --volume "$download_16:$download_16:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_11:$repository_11:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-48:$OUT/work/serve-48" --workdir "$OUT/work/serve-48" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-48/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-48/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-48/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-48/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-48/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-48/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-48/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-48/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-49 of mixtral-8x22b_tp8_pp1_moe_tp2_moe_ep4-546338
bench_49=$OUT/artifacts/bench-49.1/out
measure bench-49.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_19/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_49" --format json
made "$bench_49" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-50: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=2, spawn_processes=true, trtllm_version=0.17.0
place "$repository_11/repository" "$OUT/work/serve-50/repository" build "$build_22" download "$download_20"
port_http_1=$(free_port "$first_port")
port_http_2=$(free_port $((port_http_1 + 1)))
port_grpc_1=$(free_port $((port_http_2 + 1)))
port_grpc_2=$(free_port $((port_grpc_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_2 + 1)))
port_metrics_2=$(free_port $((port_metrics_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-50 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-50" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-50 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_22:$build_22:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_11:$repository_11:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-50:$OUT/work/serve-50" --workdir "$OUT/work/serve-50" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve python3 "$RUNNER/scripts/servers.py" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-50/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" --server mpirun \
  --allow-run-as-root --oversubscribe --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 \
  tritonserver "--model-repository=$OUT/work/serve-50/repository" --http-address=127.0.0.1 \
  "--http-port=$port_http_2" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_2" --metrics-address=127.0.0.1 \
  "--metrics-port=$port_metrics_2" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_2_0_"
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

# bench-51 of llama-3-8b_instances2-902e10
bench_51=$OUT/artifacts/bench-51.1/out
measure bench-51.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --url "http://127.0.0.1:$port_http_2" --metrics-url "http://127.0.0.1:$port_metrics_2/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_23/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_51" --format json
made "$bench_51" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-52: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_11/repository" "$OUT/work/serve-52/repository" build "$build_22" download "$download_20"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-52 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-52" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-52 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_22:$build_22:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_11:$repository_11:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-52:$OUT/work/serve-52" --workdir "$OUT/work/serve-52" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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

# bench-53 of llama-3-8b_guaranteed_no_evict-4596dd
bench_53=$OUT/artifacts/bench-53.1/out
measure bench-53.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_23/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_53" --format json
made "$bench_53" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-54: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_11/repository" "$OUT/work/serve-54/repository" build "$build_25" download "$download_20"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-54 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-54" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-54 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_25:$build_25:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_11:$repository_11:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-54:$OUT/work/serve-54" --workdir "$OUT/work/serve-54" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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

# bench-55 of llama-3-8b_gather_all_token_logits-c8526a
bench_55=$OUT/artifacts/bench-55.1/out
measure bench-55.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_23/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_55" --format json
made "$bench_55" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-56: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_11/repository" "$OUT/work/serve-56/repository" build "$build_26" download "$download_20"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-56 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-56" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-56 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_26:$build_26:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_11:$repository_11:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-56:$OUT/work/serve-56" --workdir "$OUT/work/serve-56" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-56/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-57 of llama-3-8b_auto_attn_q-attn_k-attn_v_max_lora_rank8-60dddc
bench_57=$OUT/artifacts/bench-57.1/out
measure bench-57.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_23/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_57" --format json
made "$bench_57" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-58: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=4, spawn_processes=true, trtllm_version=0.17.0
place "$repository_11/repository" "$OUT/work/serve-58/repository" build "$build_28" download "$download_20"
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
serve serve-58 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-58" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-58 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_28:$build_28:ro" \
  --volume "$convert_27:$convert_27:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_11:$repository_11:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-58:$OUT/work/serve-58" --workdir "$OUT/work/serve-58" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve python3 "$RUNNER/scripts/servers.py" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-58/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-58/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-58/repository" --http-address=127.0.0.1 "--http-port=$port_http_2" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_2" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_2" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_2_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-58/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_2" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_2" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_2" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_2_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-58/repository" --http-address=127.0.0.1 "--http-port=$port_http_3" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_3" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_3" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_3_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-58/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_3" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_3" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_3" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_3_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-58/repository" --http-address=127.0.0.1 "--http-port=$port_http_4" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_4" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_4" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_4_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-58/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-59 of llama-3-8b_tp2_instances4-724df8
bench_59=$OUT/artifacts/bench-59.1/out
measure bench-59.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --url "http://127.0.0.1:$port_http_2" --metrics-url "http://127.0.0.1:$port_metrics_2/metrics" \
  --url "http://127.0.0.1:$port_http_3" --metrics-url "http://127.0.0.1:$port_metrics_3/metrics" \
  --url "http://127.0.0.1:$port_http_4" --metrics-url "http://127.0.0.1:$port_metrics_4/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_23/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_59" --format json
made "$bench_59" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-60: gpus_needed=2, launch_mode=orchestrator, mpirun=true, ranks=2, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_11/repository" "$OUT/work/serve-60/repository" build "$build_28" download "$download_20"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-60 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-60" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-60 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_28:$build_28:ro" \
  --volume "$convert_27:$convert_27:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_11:$repository_11:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-60:$OUT/work/serve-60" --workdir "$OUT/work/serve-60" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl_tcp_if_include lo -x TRTLLM_ORCHESTRATOR=1 \
  -x TRTLLM_ORCHESTRATOR_SPAWN_PROCESSES=1 -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-60/repository" --pinned-memory-pool-byte-size=0 \
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

# bench-61 of llama-3-8b_orchestrator_tp2-49901a
bench_61=$OUT/artifacts/bench-61.1/out
measure bench-61.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_23/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_61" --format json
made "$bench_61" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-62: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_29/repository" "$OUT/work/serve-62/repository" build "$build_22" download "$download_20"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-62 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-62" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-62 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_22:$build_22:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_29:$repository_29:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-62:$OUT/work/serve-62" --workdir "$OUT/work/serve-62" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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

# bench-63 of llama-3-8b_max_utilization-106ef9
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
place "$repository_30/repository" "$OUT/work/serve-64/repository" build "$build_31" download "$download_20"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-64 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-64" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-64 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_31:$build_31:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_30:$repository_30:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-64:$OUT/work/serve-64" --workdir "$OUT/work/serve-64" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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

# bench-65 of llama-3-8b_enable_chunked_context_enable_isl4096_maxnt1024-8aa5e5
bench_65=$OUT/artifacts/bench-65.1/out
measure bench-65.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_24/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_65" --format json
made "$bench_65" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-66: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_32/repository" "$OUT/work/serve-66/repository" build "$build_22" download "$download_20"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-66 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-66" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-66 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_22:$build_22:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_32:$repository_32:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-66:$OUT/work/serve-66" --workdir "$OUT/work/serve-66" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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

# bench-67 of llama-3-8b_top_k-12d955
bench_67=$OUT/artifacts/bench-67.1/out
measure bench-67.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_23/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_67" --format json
made "$bench_67" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-68: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_33/repository" "$OUT/work/serve-68/repository" build "$build_22" download "$download_20"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-68 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-68" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-68 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_22:$build_22:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_33:$repository_33:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-68:$OUT/work/serve-68" --workdir "$OUT/work/serve-68" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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

# bench-69 of llama-3-8b_top_p-476cef
bench_69=$OUT/artifacts/bench-69.1/out
measure bench-69.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_23/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_69" --format json
made "$bench_69" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-70: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_34/repository" "$OUT/work/serve-70/repository" build "$build_22" download "$download_20"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-70 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-70" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-70 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_22:$build_22:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_34:$repository_34:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-70:$OUT/work/serve-70" --workdir "$OUT/work/serve-70" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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

# bench-71 of llama-3-8b_top_k_top_p-7d7736
bench_71=$OUT/artifacts/bench-71.1/out
measure bench-71.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_23/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_71" --format json
made "$bench_71" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-72: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_35/repository" "$OUT/work/serve-72/repository" build "$build_36" download "$download_20"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-72 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-72" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-72 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_36:$build_36:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_9:$environment_9:ro" --volume "$repository_35:$repository_35:ro" \
  --volume "$templates_10:$templates_10:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-72:$OUT/work/serve-72" --workdir "$OUT/work/serve-72" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_9" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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

# bench-73 of llama-3-8b_beam_search_max_beam_width4_bw4_no_decoupled_mode-142fdc
bench_73=$OUT/artifacts/bench-73.1/out
measure bench-73.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_23/prompts.jsonl" --osl 128 --beam-width 4 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 --out "$bench_73" --format json
made "$bench_73" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-74: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_40/repository" "$OUT/work/serve-74/repository" build "$build_42" download "$download_20"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-74 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  docker run --rm --interactive --init --name "$token-serve-74" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-74 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus all --user "$user" \
  --volume PROJECT/runners/triton-trtllm:PROJECT/runners/triton-trtllm:ro --volume "$build_42:$build_42:ro" \
  --volume "$convert_41:$convert_41:ro" --volume "$download_20:$download_20:ro" \
  --volume "$environment_38:$environment_38:ro" --volume "$repository_40:$repository_40:ro" \
  --volume "$source_37:$source_37:ro" --volume "$templates_39:$templates_39:ro" --volume "$tmp:$tmp" \
  --volume "$OUT/work/serve-74:$OUT/work/serve-74" --workdir "$OUT/work/serve-74" \
  --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TOKENIZERS_PARALLELISM --env TMPDIR --env "HOME=$tmp" \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_38" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-74/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-75 of llama-3-8b_trtllm0.19.0_lookahead_lookahead_decoding_max_draft_len83_lookahead_window_size7_lookahead_ngram_size7_lookahead_verification_set_size7-8e19d6
bench_75=$OUT/artifacts/bench-75.1/out
measure bench-75.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_43/prompts.jsonl" --osl 128 --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_75" --format json
made "$bench_75" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
