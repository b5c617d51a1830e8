exit 0
--- stderr
warning: TensorRT-LLM 0.17.0 (6 points) is known from a neighbouring version: options read from 0.17.0.dev2024121700; if the tool is installed, its own --help decides
warning: lora_adapter: '/adapters/Japanese-Alpaca-LoRA-7b-v0' is not on this machine; it is hashed by path, not by content
warning: lora_adapter: '/adapters/luotuo-lora-7b-0.1' is not on this machine; it is hashed by path, not by content
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine; it is hashed by path, not by content
--- stdout
#!/usr/bin/env bash
# lora: 6 of 6 points of experiments/lora.yaml, on the runner triton-trtllm
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

# environment-1: app_dir=/app, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter,enc_dec, examples_dir=/app/examples, image=nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3, trtllm_version=0.17.0
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
environment_1=$OUT/artifacts/environment-1/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task environment-1 14400 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=environment-1 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/environment-1:$OUT/work/environment-1" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_1:$environment_1" --volume "$libcuda:/usr/lib/libcuda.so.1:ro" \
  --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" --workdir "$OUT/work/environment-1" --env LANG \
  --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/environment.py" --version 0.17.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter,enc_dec --image nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  "$environment_1"
made "$environment_1" environment.json options.json versions.json

# templates-2: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_2=$OUT/artifacts/templates-2/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task templates-2 600 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=templates-2 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/templates-2:$OUT/work/templates-2" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$templates_2:$templates_2" --volume "$environment_1:$environment_1:ro" \
  --workdir "$OUT/work/templates-2" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_1" python cp -rL /app/all_models/inflight_batcher_llm/tensorrt_llm \
  /app/all_models/inflight_batcher_llm/ensemble /app/all_models/inflight_batcher_llm/preprocessing \
  /app/all_models/inflight_batcher_llm/postprocessing /app/all_models/inflight_batcher_llm/tensorrt_llm_bls \
  "$templates_2"
made "$templates_2" tensorrt_llm/config.pbtxt

# repository-3: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, lora_cache_optimal_adapter_size=8, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=8, trtllm_version=0.17.0
repository_3=$OUT/artifacts/repository-3/out
task repository-3 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_2" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_3/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 8 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --lora_cache_optimal_adapter_size 8 --add_special_tokens true \
  --skip_special_tokens true
made "$repository_3" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-4: model=llama-7b
download_4=$OUT/artifacts/download-4/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-4 86400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:meta-llama/Llama-2-7b-hf "$revision1" "$download_4" \
  --connections 4
made "$download_4" config.json

# convert-5: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.17.0, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_5=$OUT/artifacts/convert-5/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-5 14400 "HF_HOME=$OUT/work/convert-5/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-5 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-5:$OUT/work/convert-5" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_5:$convert_5" --volume "$environment_1:$environment_1:ro" \
  --volume "$download_4:$download_4:ro" --volume "$libcuda:/usr/lib/libcuda.so.1:ro" \
  --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" --workdir "$OUT/work/convert-5" --env HF_ENDPOINT \
  --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN \
  --env LANG --env LC_ALL --env NO_PROXY --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env SSL_CERT_FILE --env TMPDIR --env TZ \
  --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" convert python3 \
  /app/examples/llama/convert_checkpoint.py --model_dir "$download_4" --output_dir "$convert_5" --dtype float16 \
  --tp_size 1 --pp_size 1 --workers 1
made "$convert_5" config.json rank0.safetensors

# build-6: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, lora_plugin=float16, lora_target_modules=attn_q attn_k attn_v, low_latency_gemm_plugin=disable, max_batch_size=8, max_beam_width=1, max_input_len=512, max_lora_rank=8, max_num_tokens=8192, max_seq_len=562, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_6=$OUT/artifacts/build-6/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-6 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-6 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-6:$OUT/work/build-6" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_6:$build_6" \
  --volume "$environment_1:$environment_1:ro" --volume "$download_4:$download_4:ro" \
  --volume "$convert_5:$convert_5:ro" --workdir "$OUT/work/build-6" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_5" --output_dir "$build_6" --max_batch_size 8 --max_input_len 512 --max_seq_len 562 \
  --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto \
  --moe_plugin auto --lora_plugin float16 --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --lora_target_modules attn_q attn_k attn_v --max_lora_rank 8 --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_6" config.json rank0.engine

# prompts-7: isl=128, load_words=concurrency=8, num_prompts=80, osl=64
prompts_7=$OUT/artifacts/prompts-7/out

# prompts-8: isl=128, load_words=concurrency=1, num_prompts=20, osl=64
prompts_8=$OUT/artifacts/prompts-8/out

mkdir -p "$prompts_7" "$OUT/work/prompts-7" "$prompts_8" "$OUT/work/prompts-8"
write "$OUT/work/prompts-7/jobs.json" <<END
[{"id":"prompts-7","blocks":"3","dataset":"","isl":"128","out":"$prompts_7","requests":"80","seed":"0","stream":"isl=128 osl=64 concurrency=8 num_prompts=80 repeat=0","warmup":"16"},
 {"id":"prompts-8","blocks":"3","dataset":"","isl":"128","out":"$prompts_8","requests":"20","seed":"0","stream":"isl=128 osl=64 concurrency=1 num_prompts=20 repeat=0","warmup":"2"}]
END
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task prompts-7 3600 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-7/jobs.json" docker run --rm --interactive --init \
  --name "orchestrate-$token" --label "orchestrate.attempt=$token" --label orchestrate.stage=prompts-7 \
  --network host --shm-size 16g --ulimit memlock=-1 --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void \
  --user "$user" --volume "$OUT/work/prompts-7:$OUT/work/prompts-7" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$prompts_7:$prompts_7" \
  --volume "$OUT/work/prompts-7/jobs.json:$OUT/work/prompts-7/jobs.json:ro" \
  --volume "$environment_1:$environment_1:ro" --volume "$download_4:$download_4:ro" \
  --volume "$OUT/work/prompts-8:$OUT/work/prompts-8" --volume "$prompts_8:$prompts_8" \
  --workdir "$OUT/work/prompts-7" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_1" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_4/tokenizer.json" --jobs "$OUT/work/prompts-7/jobs.json"
made "$prompts_7" prompts.jsonl
made "$prompts_8" prompts.jsonl

# convert_lora-9: examples_dir=/app/examples, lora_adapter=/adapters/luotuo-lora-7b-0.1, lora_storage_type=float16
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_lora_9=$OUT/artifacts/convert_lora-9/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert_lora-9 3600 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert_lora-9 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert_lora-9:$OUT/work/convert_lora-9" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_lora_9:$convert_lora_9" --volume "$environment_1:$environment_1:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert_lora-9" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_1" python python3 /app/examples/hf_lora_convert.py -i /adapters/luotuo-lora-7b-0.1 \
  -o "$convert_lora_9" --storage-type float16
made "$convert_lora_9" model.lora_weights.npy model.lora_config.npy

# convert_lora-10: examples_dir=/app/examples, lora_adapter=/adapters/Japanese-Alpaca-LoRA-7b-v0, lora_storage_type=float16
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_lora_10=$OUT/artifacts/convert_lora-10/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert_lora-10 3600 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert_lora-10 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert_lora-10:$OUT/work/convert_lora-10" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_lora_10:$convert_lora_10" --volume "$environment_1:$environment_1:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert_lora-10" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_1" python python3 /app/examples/hf_lora_convert.py -i /adapters/Japanese-Alpaca-LoRA-7b-v0 \
  -o "$convert_lora_10" --storage-type float16
made "$convert_lora_10" model.lora_weights.npy model.lora_config.npy

# ----------------------------------------------------------------------------------------------------------------------
# serve-11: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_3/repository" "$OUT/work/serve-11/repository" build "$build_6" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-11 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-11 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-11:$OUT/work/serve-11" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_1:$environment_1:ro" --volume "$templates_2:$templates_2:ro" \
  --volume "$repository_3:$repository_3:ro" --volume "$download_4:$download_4:ro" \
  --volume "$convert_5:$convert_5:ro" --volume "$build_6:$build_6:ro" \
  --workdir "$OUT/work/serve-11" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
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

# bench-12 of lora_cache_optimal_adapter_size8_c8-89fcd0
bench_12=$OUT/artifacts/bench-12.1/out
measure bench-12.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "grpc://127.0.0.1:$port_grpc_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-grpc --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_7/prompts.jsonl" --osl 64 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_12" --format json
made "$bench_12" measurement.json requests.jsonl

# bench-13 of lora_cache_optimal_adapter_size8_c1-f895d9
bench_13=$OUT/artifacts/bench-13.1/out
measure bench-13.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "grpc://127.0.0.1:$port_grpc_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-grpc --model ensemble --stream --concurrency 1 --requests 20 --warmup 2 \
  --prompts "$prompts_8/prompts.jsonl" --osl 64 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_13" --format json
made "$bench_13" measurement.json requests.jsonl

# bench-14 of lora_cache_optimal_adapter_size8_lora_task_id1_-adapters-luotuo-lora-7b-0.1_c1-53ebd2
bench_14=$OUT/artifacts/bench-14.1/out
measure bench-14.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "grpc://127.0.0.1:$port_grpc_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-grpc --model ensemble --lora "$convert_lora_9" --stream --concurrency 1 --requests 20 \
  --warmup 2 --prompts "$prompts_8/prompts.jsonl" --osl 64 --lora-task-id 1 --tokens-per-event 1 \
  --wake-lag-ms-limit 1 --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 --out "$bench_14" --format json
made "$bench_14" measurement.json requests.jsonl

# bench-15 of lora_cache_optimal_adapter_size8_lora_task_id1_-adapters-luotuo-lora-7b-0.1_c8-cf7a71
bench_15=$OUT/artifacts/bench-15.1/out
measure bench-15.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "grpc://127.0.0.1:$port_grpc_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-grpc --model ensemble --lora "$convert_lora_9" --stream --concurrency 8 --requests 80 \
  --warmup 16 --prompts "$prompts_7/prompts.jsonl" --osl 64 --lora-task-id 1 --tokens-per-event 1 \
  --wake-lag-ms-limit 1 --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 --out "$bench_15" --format json
made "$bench_15" measurement.json requests.jsonl

# bench-16 of lora_cache_optimal_adapter_size8_lora_task_id2_-adapters-Japanese-Alpaca-LoRA-7b-v0_c1-e3a021
bench_16=$OUT/artifacts/bench-16.1/out
measure bench-16.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "grpc://127.0.0.1:$port_grpc_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-grpc --model ensemble --lora "$convert_lora_10" --stream --concurrency 1 --requests 20 \
  --warmup 2 --prompts "$prompts_8/prompts.jsonl" --osl 64 --lora-task-id 2 --tokens-per-event 1 \
  --wake-lag-ms-limit 1 --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 --out "$bench_16" --format json
made "$bench_16" measurement.json requests.jsonl

# bench-17 of lora_cache_optimal_adapter_size8_lora_task_id2_-adapters-Japanese-Alpaca-LoRA-7b-v0_c8-1bc6c6
bench_17=$OUT/artifacts/bench-17.1/out
measure bench-17.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "grpc://127.0.0.1:$port_grpc_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-grpc --model ensemble --lora "$convert_lora_10" --stream --concurrency 8 --requests 80 \
  --warmup 16 --prompts "$prompts_7/prompts.jsonl" --osl 64 --lora-task-id 2 --tokens-per-event 1 \
  --wake-lag-ms-limit 1 --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 --out "$bench_17" --format json
made "$bench_17" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
