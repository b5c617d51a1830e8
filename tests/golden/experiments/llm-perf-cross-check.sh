exit 0
--- stderr
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine; it is hashed by path, not by content
--- stdout
#!/usr/bin/env bash
# llm-perf-cross-check: 5 of 5 points of experiments/llm-perf-cross-check.yaml, on the runner triton-trtllm
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

# environment-2: app_dir=/app, backend_source=https://github.com/triton-inference-server/tensorrtllm_backend.git, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter,enc_dec, examples_dir=/app/examples, image=nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3, trtllm_version=0.11.0
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
environment_2=$OUT/artifacts/environment-2/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task environment-2 14400 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=environment-2 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/environment-2:$OUT/work/environment-2" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_2:$environment_2" --volume "$source_1:$source_1:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/environment-2" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/environment.py" \
  --version 0.11.0 --examples /app/examples --app /app --families qwen,llama,gpt,medusa,eagle,redrafter,enc_dec \
  --image nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 --source "$source_1/backend" "$environment_2"
made "$environment_2" environment.json options.json versions.json

# templates-3: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_3=$OUT/artifacts/templates-3/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task templates-3 600 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=templates-3 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/templates-3:$OUT/work/templates-3" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$templates_3:$templates_3" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --workdir "$OUT/work/templates-3" --env LANG \
  --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" python cp -rL /app/all_models/inflight_batcher_llm/tensorrt_llm \
  /app/all_models/inflight_batcher_llm/ensemble /app/all_models/inflight_batcher_llm/preprocessing \
  /app/all_models/inflight_batcher_llm/postprocessing /app/all_models/inflight_batcher_llm/tensorrt_llm_bls \
  "$templates_3"
made "$templates_3" tensorrt_llm/config.pbtxt

# repository-4: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, max_beam_width=1, max_queue_delay_microseconds=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=8, trtllm_version=0.11.0
repository_4=$OUT/artifacts/repository-4/out
task repository-4 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_3" --release 0.11.0 --fill "$ORCHESTRATE" \
  --out "$repository_4/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 8 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_4" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-5: model=qwen2-7b
download_5=$OUT/artifacts/download-5/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-5 86400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:Qwen/Qwen2-7B "$revision1" "$download_5" \
  --connections 4
made "$download_5" config.json

# convert-6: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=1, precision=fp16, tp=1, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_6=$OUT/artifacts/convert-6/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-6 14400 "HF_HOME=$OUT/work/convert-6/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-6 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-6:$OUT/work/convert-6" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_6:$convert_6" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_5:$download_5:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert-6" --env HF_ENDPOINT --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN \
  --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN --env LANG --env LC_ALL --env NO_PROXY \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env SSL_CERT_FILE --env TMPDIR --env TZ --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/qwen/convert_checkpoint.py --model_dir "$download_5" \
  --output_dir "$convert_6" --dtype float16 --tp_size 1 --pp_size 1 --workers 1
made "$convert_6" config.json rank0.safetensors

# build-7: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=291, max_num_tokens=8192, max_seq_len=292, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_7=$OUT/artifacts/build-7/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-7 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-7 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-7:$OUT/work/build-7" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_7:$build_7" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_6:$convert_6:ro" \
  --workdir "$OUT/work/build-7" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_6" \
  --output_dir "$build_7" --max_batch_size 8 --max_input_len 291 --max_seq_len 292 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 1 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_7" config.json rank0.engine

# prompts-8: isl=291, load_words=concurrency=8, num_prompts=1376, osl=1
prompts_8=$OUT/artifacts/prompts-8/out

# prompts-9: isl=291, load_words=concurrency=8, num_prompts=1376, osl=1
prompts_9=$OUT/artifacts/prompts-9/out

# prompts-10: isl=291, load_words=concurrency=8, num_prompts=1376, osl=1
prompts_10=$OUT/artifacts/prompts-10/out

# prompts-11: isl=291, load_words=concurrency=1, num_prompts=1376, osl=1
prompts_11=$OUT/artifacts/prompts-11/out

# prompts-12: isl=291, load_words=concurrency=1, num_prompts=1376, osl=1
prompts_12=$OUT/artifacts/prompts-12/out

# prompts-13: isl=291, load_words=concurrency=1, num_prompts=1376, osl=1
prompts_13=$OUT/artifacts/prompts-13/out

# prompts-14: isl=291, load_words=concurrency=4, num_prompts=1376, osl=1
prompts_14=$OUT/artifacts/prompts-14/out

# prompts-15: isl=291, load_words=concurrency=4, num_prompts=1376, osl=1
prompts_15=$OUT/artifacts/prompts-15/out

# prompts-16: isl=291, load_words=concurrency=4, num_prompts=1376, osl=1
prompts_16=$OUT/artifacts/prompts-16/out

# prompts-17: isl=291, load_words=concurrency=6, num_prompts=1376, osl=1
prompts_17=$OUT/artifacts/prompts-17/out

# prompts-18: isl=291, load_words=concurrency=6, num_prompts=1376, osl=1
prompts_18=$OUT/artifacts/prompts-18/out

# prompts-19: isl=291, load_words=concurrency=6, num_prompts=1376, osl=1
prompts_19=$OUT/artifacts/prompts-19/out

# prompts-20: isl=291, load_words=concurrency=7, num_prompts=1376, osl=1
prompts_20=$OUT/artifacts/prompts-20/out

# prompts-21: isl=291, load_words=concurrency=7, num_prompts=1376, osl=1
prompts_21=$OUT/artifacts/prompts-21/out

# prompts-22: isl=291, load_words=concurrency=7, num_prompts=1376, osl=1
prompts_22=$OUT/artifacts/prompts-22/out

mkdir -p "$prompts_8" "$OUT/work/prompts-8" "$prompts_9" "$OUT/work/prompts-9" \
  "$prompts_10" "$OUT/work/prompts-10" "$prompts_11" "$OUT/work/prompts-11" "$prompts_12" \
  "$OUT/work/prompts-12" "$prompts_13" "$OUT/work/prompts-13" "$prompts_14" \
  "$OUT/work/prompts-14" "$prompts_15" "$OUT/work/prompts-15" "$prompts_16" \
  "$OUT/work/prompts-16" "$prompts_17" "$OUT/work/prompts-17" "$prompts_18" \
  "$OUT/work/prompts-18" "$prompts_19" "$OUT/work/prompts-19" "$prompts_20" \
  "$OUT/work/prompts-20" "$prompts_21" "$OUT/work/prompts-21" "$prompts_22" \
  "$OUT/work/prompts-22"
write "$OUT/work/prompts-8/jobs.json" <<END
[{"id":"prompts-8","blocks":"3","dataset":"","isl":"291","out":"$prompts_8","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=8 num_prompts=1376 repeat=0","warmup":"16"},
 {"id":"prompts-9","blocks":"3","dataset":"","isl":"291","out":"$prompts_9","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=8 num_prompts=1376 repeat=1","warmup":"16"},
 {"id":"prompts-10","blocks":"3","dataset":"","isl":"291","out":"$prompts_10","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=8 num_prompts=1376 repeat=2","warmup":"16"},
 {"id":"prompts-11","blocks":"3","dataset":"","isl":"291","out":"$prompts_11","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=1 num_prompts=1376 repeat=0","warmup":"2"},
 {"id":"prompts-12","blocks":"3","dataset":"","isl":"291","out":"$prompts_12","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=1 num_prompts=1376 repeat=1","warmup":"2"},
 {"id":"prompts-13","blocks":"3","dataset":"","isl":"291","out":"$prompts_13","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=1 num_prompts=1376 repeat=2","warmup":"2"},
 {"id":"prompts-14","blocks":"3","dataset":"","isl":"291","out":"$prompts_14","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=4 num_prompts=1376 repeat=0","warmup":"8"},
 {"id":"prompts-15","blocks":"3","dataset":"","isl":"291","out":"$prompts_15","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=4 num_prompts=1376 repeat=1","warmup":"8"},
 {"id":"prompts-16","blocks":"3","dataset":"","isl":"291","out":"$prompts_16","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=4 num_prompts=1376 repeat=2","warmup":"8"},
 {"id":"prompts-17","blocks":"3","dataset":"","isl":"291","out":"$prompts_17","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=6 num_prompts=1376 repeat=0","warmup":"12"},
 {"id":"prompts-18","blocks":"3","dataset":"","isl":"291","out":"$prompts_18","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=6 num_prompts=1376 repeat=1","warmup":"12"},
 {"id":"prompts-19","blocks":"3","dataset":"","isl":"291","out":"$prompts_19","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=6 num_prompts=1376 repeat=2","warmup":"12"},
 {"id":"prompts-20","blocks":"3","dataset":"","isl":"291","out":"$prompts_20","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=7 num_prompts=1376 repeat=0","warmup":"14"},
 {"id":"prompts-21","blocks":"3","dataset":"","isl":"291","out":"$prompts_21","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=7 num_prompts=1376 repeat=1","warmup":"14"},
 {"id":"prompts-22","blocks":"3","dataset":"","isl":"291","out":"$prompts_22","requests":"1376","seed":"0","stream":"isl=291 osl=1 concurrency=7 num_prompts=1376 repeat=2","warmup":"14"}]
END
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task prompts-8 27000 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-8/jobs.json" docker run --rm --interactive --init \
  --name "orchestrate-$token" --label "orchestrate.attempt=$token" --label orchestrate.stage=prompts-8 \
  --network host --shm-size 16g --ulimit memlock=-1 --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void \
  --user "$user" --volume "$OUT/work/prompts-8:$OUT/work/prompts-8" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$prompts_8:$prompts_8" \
  --volume "$OUT/work/prompts-8/jobs.json:$OUT/work/prompts-8/jobs.json:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_5:$download_5:ro" --volume "$OUT/work/prompts-9:$OUT/work/prompts-9" \
  --volume "$prompts_9:$prompts_9" --volume "$OUT/work/prompts-10:$OUT/work/prompts-10" \
  --volume "$prompts_10:$prompts_10" --volume "$OUT/work/prompts-11:$OUT/work/prompts-11" \
  --volume "$prompts_11:$prompts_11" --volume "$OUT/work/prompts-12:$OUT/work/prompts-12" \
  --volume "$prompts_12:$prompts_12" --volume "$OUT/work/prompts-13:$OUT/work/prompts-13" \
  --volume "$prompts_13:$prompts_13" --volume "$OUT/work/prompts-14:$OUT/work/prompts-14" \
  --volume "$prompts_14:$prompts_14" --volume "$OUT/work/prompts-15:$OUT/work/prompts-15" \
  --volume "$prompts_15:$prompts_15" --volume "$OUT/work/prompts-16:$OUT/work/prompts-16" \
  --volume "$prompts_16:$prompts_16" --volume "$OUT/work/prompts-17:$OUT/work/prompts-17" \
  --volume "$prompts_17:$prompts_17" --volume "$OUT/work/prompts-18:$OUT/work/prompts-18" \
  --volume "$prompts_18:$prompts_18" --volume "$OUT/work/prompts-19:$OUT/work/prompts-19" \
  --volume "$prompts_19:$prompts_19" --volume "$OUT/work/prompts-20:$OUT/work/prompts-20" \
  --volume "$prompts_20:$prompts_20" --volume "$OUT/work/prompts-21:$OUT/work/prompts-21" \
  --volume "$prompts_21:$prompts_21" --volume "$OUT/work/prompts-22:$OUT/work/prompts-22" \
  --volume "$prompts_22:$prompts_22" --workdir "$OUT/work/prompts-8" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_5/tokenizer.json" --jobs "$OUT/work/prompts-8/jobs.json"
made "$prompts_8" prompts.jsonl
made "$prompts_9" prompts.jsonl
made "$prompts_10" prompts.jsonl
made "$prompts_11" prompts.jsonl
made "$prompts_12" prompts.jsonl
made "$prompts_13" prompts.jsonl
made "$prompts_14" prompts.jsonl
made "$prompts_15" prompts.jsonl
made "$prompts_16" prompts.jsonl
made "$prompts_17" prompts.jsonl
made "$prompts_18" prompts.jsonl
made "$prompts_19" prompts.jsonl
made "$prompts_20" prompts.jsonl
made "$prompts_21" prompts.jsonl
made "$prompts_22" prompts.jsonl

# ----------------------------------------------------------------------------------------------------------------------
# serve-23: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-23/repository" build "$build_7" download "$download_5"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-23 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-23 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-23:$OUT/work/serve-23" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_6:$convert_6:ro" \
  --volume "$build_7:$build_7:ro" --workdir "$OUT/work/serve-23" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-23/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-24 of c8-ba35b9
bench_24=$OUT/artifacts/bench-24.1/out
measure bench-24.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 1376 --warmup 16 \
  --prompts "$prompts_8/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_24" --format json
made "$bench_24" measurement.json requests.jsonl

# bench-25 of c1-66835d
bench_25=$OUT/artifacts/bench-25.1/out
measure bench-25.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 1 --requests 1376 --warmup 2 \
  --prompts "$prompts_11/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_25" --format json
made "$bench_25" measurement.json requests.jsonl

# bench-26 of c4-0eb15f
bench_26=$OUT/artifacts/bench-26.1/out
measure bench-26.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 4 --requests 1376 --warmup 8 \
  --prompts "$prompts_14/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_26" --format json
made "$bench_26" measurement.json requests.jsonl

# bench-27 of c6-490255
bench_27=$OUT/artifacts/bench-27.1/out
measure bench-27.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 6 --requests 1376 --warmup 12 \
  --prompts "$prompts_17/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_27" --format json
made "$bench_27" measurement.json requests.jsonl

# bench-28 of c7-90e229
bench_28=$OUT/artifacts/bench-28.1/out
measure bench-28.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 7 --requests 1376 --warmup 14 \
  --prompts "$prompts_20/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_28" --format json
made "$bench_28" measurement.json requests.jsonl

# bench-29 of c8-ba35b9
bench_29=$OUT/artifacts/bench-29.1/out
measure bench-29.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 1376 --warmup 16 \
  --prompts "$prompts_9/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_29" --format json
made "$bench_29" measurement.json requests.jsonl

# bench-30 of c1-66835d
bench_30=$OUT/artifacts/bench-30.1/out
measure bench-30.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 1 --requests 1376 --warmup 2 \
  --prompts "$prompts_12/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_30" --format json
made "$bench_30" measurement.json requests.jsonl

# bench-31 of c4-0eb15f
bench_31=$OUT/artifacts/bench-31.1/out
measure bench-31.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 4 --requests 1376 --warmup 8 \
  --prompts "$prompts_15/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_31" --format json
made "$bench_31" measurement.json requests.jsonl

# bench-32 of c6-490255
bench_32=$OUT/artifacts/bench-32.1/out
measure bench-32.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 6 --requests 1376 --warmup 12 \
  --prompts "$prompts_18/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_32" --format json
made "$bench_32" measurement.json requests.jsonl

# bench-33 of c7-90e229
bench_33=$OUT/artifacts/bench-33.1/out
measure bench-33.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 7 --requests 1376 --warmup 14 \
  --prompts "$prompts_21/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_33" --format json
made "$bench_33" measurement.json requests.jsonl

# bench-34 of c8-ba35b9
bench_34=$OUT/artifacts/bench-34.1/out
measure bench-34.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 1376 --warmup 16 \
  --prompts "$prompts_10/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_34" --format json
made "$bench_34" measurement.json requests.jsonl

# bench-35 of c1-66835d
bench_35=$OUT/artifacts/bench-35.1/out
measure bench-35.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 1 --requests 1376 --warmup 2 \
  --prompts "$prompts_13/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_35" --format json
made "$bench_35" measurement.json requests.jsonl

# bench-36 of c4-0eb15f
bench_36=$OUT/artifacts/bench-36.1/out
measure bench-36.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 4 --requests 1376 --warmup 8 \
  --prompts "$prompts_16/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_36" --format json
made "$bench_36" measurement.json requests.jsonl

# bench-37 of c6-490255
bench_37=$OUT/artifacts/bench-37.1/out
measure bench-37.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 6 --requests 1376 --warmup 12 \
  --prompts "$prompts_19/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_37" --format json
made "$bench_37" measurement.json requests.jsonl

# bench-38 of c7-90e229
bench_38=$OUT/artifacts/bench-38.1/out
measure bench-38.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 7 --requests 1376 --warmup 14 \
  --prompts "$prompts_22/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_38" --format json
made "$bench_38" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
