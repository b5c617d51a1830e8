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

# environment-2: app_dir=/app, backend_source=https://github.com/triton-inference-server/tensorrtllm_backend.git, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter,enc_dec, examples_dir=/app/examples, image=nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3, trtllm_version=0.19.0
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
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/environment.py" \
  --version 0.19.0 --examples /app/examples --app /app --families qwen,llama,gpt,medusa,eagle,redrafter,enc_dec \
  --image nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 --source "$source_1/backend" "$environment_2"
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
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" python cp -rL /app/all_models/inflight_batcher_llm/tensorrt_llm \
  /app/all_models/inflight_batcher_llm/ensemble /app/all_models/inflight_batcher_llm/preprocessing \
  /app/all_models/inflight_batcher_llm/postprocessing /app/all_models/inflight_batcher_llm/tensorrt_llm_bls \
  "$templates_3"
made "$templates_3" tensorrt_llm/config.pbtxt

# repository-4: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=false, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=4, trtllm_version=0.19.0
repository_4=$OUT/artifacts/repository-4/out
task repository-4 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_3" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_4/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 4 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output false --add_special_tokens true --skip_special_tokens true
made "$repository_4" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-5: model=vicuna-7b
download_5=$OUT/artifacts/download-5/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-5 86400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:lmsys/vicuna-7b-v1.3 "$revision1" "$download_5" \
  --connections 4
made "$download_5" config.json

# convert-6: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
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
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/llama/convert_checkpoint.py --model_dir "$download_5" \
  --output_dir "$convert_6" --dtype float16 --tp_size 1 --pp_size 1 --workers 1
made "$convert_6" config.json rank0.safetensors

# build-7: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=4, max_beam_width=1, max_input_len=512, max_num_tokens=8192, max_seq_len=768, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
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
  --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_6" \
  --output_dir "$build_7" --max_batch_size 4 --max_input_len 512 --max_seq_len 768 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_7" config.json rank0.engine

# prompts-8: isl=512, load_words=concurrency=4, num_prompts=40, osl=256
prompts_8=$OUT/artifacts/prompts-8/out
mkdir -p "$prompts_8" "$OUT/work/prompts-8"
write "$OUT/work/prompts-8/jobs.json" <<END
[{"id":"prompts-8","blocks":"3","dataset":"","isl":"512","out":"$prompts_8","requests":"40","seed":"0","stream":"isl=512 osl=256 concurrency=4 num_prompts=40 repeat=0","warmup":"8"}]
END
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task prompts-8 1800 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-8/jobs.json" docker run --rm --interactive --init \
  --name "orchestrate-$token" --label "orchestrate.attempt=$token" --label orchestrate.stage=prompts-8 \
  --network host --shm-size 16g --ulimit memlock=-1 --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void \
  --user "$user" --volume "$OUT/work/prompts-8:$OUT/work/prompts-8" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$prompts_8:$prompts_8" \
  --volume "$OUT/work/prompts-8/jobs.json:$OUT/work/prompts-8/jobs.json:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_5:$download_5:ro" --workdir "$OUT/work/prompts-8" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_5/tokenizer.json" --jobs "$OUT/work/prompts-8/jobs.json"
made "$prompts_8" prompts.jsonl

# repository-9: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=false, draft_kv_cache_free_gpu_mem_fraction=0.1, draft_model=vicuna-68m, enable_chunked_context=false, enable_kv_cache_reuse=true, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=false, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=4, trtllm_version=0.19.0
repository_9=$OUT/artifacts/repository-9/out
task repository-9 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_3" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_9/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --draft-stage engine_dir=build_draft --draft kv_cache_free_gpu_mem_fraction=0.1 --triton_max_batch_size 4 \
  --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 --max_queue_size 0 \
  --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse true \
  --exclude_input_in_output false --add_special_tokens true --skip_special_tokens true
made "$repository_9" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-10: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=4, max_beam_width=1, max_draft_len=8, max_input_len=768, max_num_tokens=8192, max_seq_len=777, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=draft_tokens_external, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=enable, weight_sparsity=false, weight_streaming=false
build_10=$OUT/artifacts/build-10/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-10 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-10 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-10:$OUT/work/build-10" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_10:$build_10" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_6:$convert_6:ro" \
  --workdir "$OUT/work/build-10" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_6" \
  --output_dir "$build_10" --max_batch_size 4 --max_input_len 768 --max_seq_len 777 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha enable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --speculative_decoding_mode draft_tokens_external --max_draft_len 8 --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_10" config.json rank0.engine

# download_draft-11: draft_model=vicuna-68m
download_draft_11=$OUT/artifacts/download_draft-11/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download_draft-11 86400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:double7/vicuna-68m "$revision2" "$download_draft_11" \
  --connections 4
made "$download_draft_11" config.json

# draft_vocabulary-12
draft_vocabulary_12=$OUT/artifacts/draft_vocabulary-12/out
task draft_vocabulary-12 600 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/vocabulary.py" "$download_5" "$download_draft_11" "$draft_vocabulary_12"
made "$draft_vocabulary_12" vocabulary.json

# convert_draft-13: convert_workers=1, draft_converter=/app/examples/llama/convert_checkpoint.py, draft_family=llama, draft_precision=fp16, draft_tp=1, dtype=float16, trtllm_version=0.19.0
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_draft_13=$OUT/artifacts/convert_draft-13/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert_draft-13 14400 "HF_HOME=$OUT/work/convert_draft-13/huggingface" CUDA_VISIBLE_DEVICES= \
  -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert_draft-13 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert_draft-13:$OUT/work/convert_draft-13" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_draft_13:$convert_draft_13" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_draft_11:$download_draft_11:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert_draft-13" --env HF_ENDPOINT --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN \
  --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN --env LANG --env LC_ALL --env NO_PROXY \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env SSL_CERT_FILE --env TMPDIR --env TZ --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/llama/convert_checkpoint.py --model_dir "$download_draft_11" \
  --output_dir "$convert_draft_13" --dtype float16 --tp_size 1 --workers 1
made "$convert_draft_13" config.json rank0.safetensors

# build_draft-14: build_log_level=info, context_fmha=enable, draft_by_quantize=false, draft_tp=1, gemm_plugin=auto, gpt_attention_plugin=auto, kv_cache_type=paged, max_batch_size=4, max_input_len=768, max_num_tokens=8192, max_seq_len=777, nccl_plugin=auto, remove_input_padding=enable, tokens_per_block=64, trtllm_version=0.19.0, use_paged_context_fmha=enable
build_draft_14=$OUT/artifacts/build_draft-14/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build_draft-14 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build_draft-14 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build_draft-14:$OUT/work/build_draft-14" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$build_draft_14:$build_draft_14" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_draft_11:$download_draft_11:ro" \
  --volume "$convert_draft_13:$convert_draft_13:ro" --workdir "$OUT/work/build_draft-14" --env LANG \
  --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build \
  --checkpoint_dir "$convert_draft_13" --output_dir "$build_draft_14" --max_batch_size 4 --max_input_len 768 \
  --max_seq_len 777 --max_num_tokens 8192 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha enable --kv_cache_type paged \
  --tokens_per_block 64 --workers 1 --log_level info
made "$build_draft_14" config.json rank0.engine

# repository-15: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=medusa, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=false, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, medusa_choices={0}, {0, 0}, {1}, {0, 1}, {2}, {0, 0, 0}, {1, 0}, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=4, trtllm_version=0.19.0
repository_15=$OUT/artifacts/repository-15/out
task repository-15 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_3" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_15/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 4 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode medusa \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output false --medusa_choices '{0}, {0, 0}, {1}, {0, 1}, {2}, {0, 0, 0}, {1, 0}' \
  --add_special_tokens true --skip_special_tokens true
made "$repository_15" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# convert-16: calibrates=false, convert_script=/app/examples/medusa/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=medusa, medusa_draft_len=63, medusa_model_dir=/models/medusa-vicuna-7b-v1.3, num_medusa_heads=4, num_medusa_layers=1, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_16=$OUT/artifacts/convert-16/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-16 14400 "HF_HOME=$OUT/work/convert-16/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-16 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-16:$OUT/work/convert-16" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_16:$convert_16" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_5:$download_5:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert-16" --env HF_ENDPOINT --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN \
  --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN --env LANG --env LC_ALL --env NO_PROXY \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env SSL_CERT_FILE --env TMPDIR --env TZ --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/medusa/convert_checkpoint.py --model_dir "$download_5" \
  --output_dir "$convert_16" --dtype float16 --tp_size 1 --pp_size 1 \
  --medusa_model_dir /models/medusa-vicuna-7b-v1.3 --num_medusa_heads 4 --num_medusa_layers 1 \
  --max_medusa_token_len 63 --workers 1
made "$convert_16" config.json rank0.safetensors

# build-17: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=4, max_beam_width=1, max_draft_len=63, max_input_len=512, max_num_tokens=8192, max_seq_len=768, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=medusa, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_17=$OUT/artifacts/build-17/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-17 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-17 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-17:$OUT/work/build-17" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_17:$build_17" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_16:$convert_16:ro" \
  --workdir "$OUT/work/build-17" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_16" \
  --output_dir "$build_17" --max_batch_size 4 --max_input_len 512 --max_seq_len 768 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --speculative_decoding_mode medusa \
  --max_draft_len 63 --workers 1 --log_level info --profiling_verbosity layer_names_only
made "$build_17" config.json rank0.engine

# repository-18: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=redrafter, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=false, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=4, trtllm_version=0.19.0
repository_18=$OUT/artifacts/repository-18/out
task repository-18 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_3" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_18/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 4 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode redrafter \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output false --add_special_tokens true --skip_special_tokens true
made "$repository_18" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# convert-19: calibrates=false, convert_script=/app/examples/redrafter/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, drafter_model_dir=/models/redrafter-vicuna-7b, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=redrafter, pp=1, precision=fp16, redrafter_draft_len_per_beam=5, redrafter_num_beams=4, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_19=$OUT/artifacts/convert-19/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-19 14400 "HF_HOME=$OUT/work/convert-19/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-19 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-19:$OUT/work/convert-19" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_19:$convert_19" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_5:$download_5:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert-19" --env HF_ENDPOINT --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN \
  --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN --env LANG --env LC_ALL --env NO_PROXY \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env SSL_CERT_FILE --env TMPDIR --env TZ --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/redrafter/convert_checkpoint.py --model_dir "$download_5" \
  --output_dir "$convert_19" --dtype float16 --tp_size 1 --drafter_model_dir /models/redrafter-vicuna-7b \
  --redrafter_draft_len_per_beam 5 --redrafter_num_beams 4 --workers 1
made "$convert_19" config.json rank0.safetensors

# build-20: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=4, max_beam_width=1, max_input_len=512, max_num_tokens=8192, max_seq_len=768, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=explicit_draft_tokens, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_20=$OUT/artifacts/build-20/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-20 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-20 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-20:$OUT/work/build-20" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_20:$build_20" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_19:$convert_19:ro" \
  --workdir "$OUT/work/build-20" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_19" \
  --output_dir "$build_20" --max_batch_size 4 --max_input_len 512 --max_seq_len 768 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --speculative_decoding_mode explicit_draft_tokens --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_20" config.json rank0.engine

# repository-21: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=eagle, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=false, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=4, trtllm_version=0.19.0
repository_21=$OUT/artifacts/repository-21/out
task repository-21 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_3" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_21/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 4 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode eagle \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output false --add_special_tokens true --skip_special_tokens true
made "$repository_21" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# convert-22: calibrates=false, convert_script=/app/examples/eagle/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, eagle_draft_len=63, eagle_model_dir=/models/eagle-vicuna-7b-v1.3, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=eagle, max_non_leaves_per_layer=10, num_eagle_layers=4, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_22=$OUT/artifacts/convert-22/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-22 14400 "HF_HOME=$OUT/work/convert-22/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-22 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-22:$OUT/work/convert-22" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_22:$convert_22" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_5:$download_5:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert-22" --env HF_ENDPOINT --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN \
  --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN --env LANG --env LC_ALL --env NO_PROXY \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env SSL_CERT_FILE --env TMPDIR --env TZ --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/eagle/convert_checkpoint.py --model_dir "$download_5" \
  --output_dir "$convert_22" --dtype float16 --tp_size 1 --pp_size 1 --eagle_model_dir /models/eagle-vicuna-7b-v1.3 \
  --max_draft_len 63 --num_eagle_layers 4 --max_non_leaves_per_layer 10 --workers 1
made "$convert_22" config.json rank0.safetensors

# build-23: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=4, max_beam_width=1, max_input_len=512, max_num_tokens=8192, max_seq_len=768, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=eagle, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_23=$OUT/artifacts/build-23/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-23 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-23 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-23:$OUT/work/build-23" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_23:$build_23" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_22:$convert_22:ro" \
  --workdir "$OUT/work/build-23" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_22" \
  --output_dir "$build_23" --max_batch_size 4 --max_input_len 512 --max_seq_len 768 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --speculative_decoding_mode eagle \
  --workers 1 --log_level info --profiling_verbosity layer_names_only
made "$build_23" config.json rank0.engine

# repository-24: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=lookahead, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=false, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, lookahead_ngram_size=7, lookahead_verification_set_size=7, lookahead_window_size=7, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=4, trtllm_version=0.19.0
repository_24=$OUT/artifacts/repository-24/out
task repository-24 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_3" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_24/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 4 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode lookahead \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output false --lookahead_window_size 7 --lookahead_ngram_size 7 \
  --lookahead_verification_set_size 7 --add_special_tokens true --skip_special_tokens true
made "$repository_24" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-25: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=4, max_beam_width=1, max_draft_len=83, max_input_len=512, max_num_tokens=8192, max_seq_len=768, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=lookahead_decoding, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_25=$OUT/artifacts/build-25/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-25 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-25 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-25:$OUT/work/build-25" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_25:$build_25" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_6:$convert_6:ro" \
  --workdir "$OUT/work/build-25" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_6" \
  --output_dir "$build_25" --max_batch_size 4 --max_input_len 512 --max_seq_len 768 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --speculative_decoding_mode lookahead_decoding --max_draft_len 83 --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_25" config.json rank0.engine

# ----------------------------------------------------------------------------------------------------------------------
# serve-26: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_4/repository" "$OUT/work/serve-26/repository" build "$build_7" download "$download_5"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-26 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-26 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-26:$OUT/work/serve-26" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_6:$convert_6:ro" \
  --volume "$build_7:$build_7:ro" --workdir "$OUT/work/serve-26" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-26/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-27 of ensemble_c4-0720c5
bench_27=$OUT/artifacts/bench-27.1/out
measure bench-27.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 4 --requests 40 --warmup 8 \
  --prompts "$prompts_8/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_27" --format json
made "$bench_27" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-28: draft_model=vicuna-68m, gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_9/repository" "$OUT/work/serve-28/repository" build "$build_10" download "$download_5" build_draft "$build_draft_14"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-28 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-28 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-28:$OUT/work/serve-28" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$download_5:$download_5:ro" \
  --volume "$convert_6:$convert_6:ro" --volume "$repository_9:$repository_9:ro" \
  --volume "$build_10:$build_10:ro" --volume "$download_draft_11:$download_draft_11:ro" \
  --volume "$draft_vocabulary_12:$draft_vocabulary_12:ro" --volume "$convert_draft_13:$convert_draft_13:ro" \
  --volume "$build_draft_14:$build_draft_14:ro" --workdir "$OUT/work/serve-28" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-28/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-29 of tensorrt_llm_bls_draft_tokens_external_vicuna-68m_max_draft_len8_num_draft_tokens4_enable_kv_cache_reuse_c4-cf667c
bench_29=$OUT/artifacts/bench-29.1/out
measure bench-29.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model tensorrt_llm_bls --input num_draft_tokens=4 --input exclude_input_in_output=false \
  --no-stream --concurrency 4 --requests 40 --warmup 8 --prompts "$prompts_8/prompts.jsonl" --osl 256 \
  --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 \
  --out "$bench_29" --format json
made "$bench_29" measurement.json requests.jsonl

# bench-30 of tensorrt_llm_bls_draft_tokens_external_vicuna-68m_max_draft_len8_num_draft_tokens8_enable_kv_cache_reuse_c4-d58d25
bench_30=$OUT/artifacts/bench-30.1/out
measure bench-30.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model tensorrt_llm_bls --input num_draft_tokens=8 --input exclude_input_in_output=false \
  --no-stream --concurrency 4 --requests 40 --warmup 8 --prompts "$prompts_8/prompts.jsonl" --osl 256 \
  --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 \
  --out "$bench_30" --format json
made "$bench_30" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-31: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_15/repository" "$OUT/work/serve-31/repository" build "$build_17" download "$download_5"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-31 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-31 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-31:$OUT/work/serve-31" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$download_5:$download_5:ro" \
  --volume "$repository_15:$repository_15:ro" --volume "$convert_16:$convert_16:ro" \
  --volume "$build_17:$build_17:ro" --workdir "$OUT/work/serve-31" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-31/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-32 of ensemble_medusa_max_draft_len63_-models-medusa-vicuna-7b-v1.3_-0----0--0----1----0--1----2----0--0--0----1--0-_c4-dc12ed
bench_32=$OUT/artifacts/bench-32.1/out
measure bench-32.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 4 --requests 40 --warmup 8 \
  --prompts "$prompts_8/prompts.jsonl" --osl 256 --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_32" --format json
made "$bench_32" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-33: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_18/repository" "$OUT/work/serve-33/repository" build "$build_20" download "$download_5"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-33 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-33 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-33:$OUT/work/serve-33" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$download_5:$download_5:ro" \
  --volume "$repository_18:$repository_18:ro" --volume "$convert_19:$convert_19:ro" \
  --volume "$build_20:$build_20:ro" --workdir "$OUT/work/serve-33" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-33/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-34 of ensemble_explicit_draft_tokens_-models-redrafter-vicuna-7b_redrafter_num_beams4_redrafter_draft_len_per_beam5_c4-a2ab05
bench_34=$OUT/artifacts/bench-34.1/out
measure bench-34.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 4 --requests 40 --warmup 8 \
  --prompts "$prompts_8/prompts.jsonl" --osl 256 --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_34" --format json
made "$bench_34" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-35: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_21/repository" "$OUT/work/serve-35/repository" build "$build_23" download "$download_5"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-35 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-35 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-35:$OUT/work/serve-35" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$download_5:$download_5:ro" \
  --volume "$repository_21:$repository_21:ro" --volume "$convert_22:$convert_22:ro" \
  --volume "$build_23:$build_23:ro" --workdir "$OUT/work/serve-35" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-35/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-36 of ensemble_eagle_-models-eagle-vicuna-7b-v1.3_c4-065f4f
bench_36=$OUT/artifacts/bench-36.1/out
measure bench-36.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 4 --requests 40 --warmup 8 \
  --prompts "$prompts_8/prompts.jsonl" --osl 256 --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_36" --format json
made "$bench_36" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-37: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_24/repository" "$OUT/work/serve-37/repository" build "$build_25" download "$download_5"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-37 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-37 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-37:$OUT/work/serve-37" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$download_5:$download_5:ro" \
  --volume "$convert_6:$convert_6:ro" --volume "$repository_24:$repository_24:ro" \
  --volume "$build_25:$build_25:ro" --workdir "$OUT/work/serve-37" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-37/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-38 of ensemble_lookahead_decoding_max_draft_len83_lookahead_window_size7_lookahead_ngram_size7_lookahead_verification_set_size7_c4-7967f7
bench_38=$OUT/artifacts/bench-38.1/out
measure bench-38.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 4 --requests 40 --warmup 8 \
  --prompts "$prompts_8/prompts.jsonl" --osl 256 --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_38" --format json
made "$bench_38" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
