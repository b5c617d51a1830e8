exit 0
--- stderr
warning: TensorRT-LLM 0.17.0 (14 points) is known from a neighbouring version: options read from 0.17.0.dev2024121700; if the tool is installed, its own --help decides
warning: TensorRT-LLM 0.19.0 (1 point) is inferred: templates and launcher of that release, options inferred from 0.17 and 1.1; if the tool is installed, its own --help decides
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine; it is hashed by path, not by content
--- stdout
#!/usr/bin/env bash
# trtllm-backend-tour: 16 of 16 points of experiments/trtllm-backend-tour.yaml, on the runner triton-trtllm
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
GPUS=${GPUS:-0,1,2,3,4,5,6,7}  # a stage uses as many as it needs, from the first on
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

# repository-4: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, max_beam_width=1, max_queue_delay_microseconds=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.11.0
repository_4=$OUT/artifacts/repository-4/out
task repository-4 300 CUDA_VISIBLE_DEVICES= -- \
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
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-5 86400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:openai-community/gpt2-medium "$revision1" "$download_5" \
  --connections 4
made "$download_5" config.json

# convert-6: calibrates=false, convert_script=/app/examples/gpt/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, gpt_variant=gpt2, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=gpt, pp=1, precision=fp16, tp=4, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
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
  "$environment_2" convert python3 /app/examples/gpt/convert_checkpoint.py --model_dir "$download_5" \
  --output_dir "$convert_6" --dtype float16 --tp_size 4 --pp_size 1 --gpt_variant gpt2 --workers 1
made "$convert_6" config.json rank0.safetensors

# build-7: build_log_level=info, build_workers=4, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_7=$OUT/artifacts/build-7/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-7 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-7 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3\"" --user "$user" \
  --volume "$OUT/work/build-7:$OUT/work/build-7" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_7:$build_7" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_6:$convert_6:ro" \
  --workdir "$OUT/work/build-7" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0,1,2,3 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
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
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_5/tokenizer.json" --jobs "$OUT/work/prompts-8/jobs.json"
made "$prompts_8" prompts.jsonl

# download-9: model=mixtral-8x22b
download_9=$OUT/artifacts/download-9/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-9 86400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:mistralai/Mixtral-8x22B-v0.1 "$revision2" "$download_9" \
  --connections 4
made "$download_9" config.json

# environment-10: app_dir=/app, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter,enc_dec, examples_dir=/app/examples, image=nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3, trtllm_version=0.17.0
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
environment_10=$OUT/artifacts/environment-10/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task environment-10 14400 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=environment-10 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/environment-10:$OUT/work/environment-10" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10" --volume "$libcuda:/usr/lib/libcuda.so.1:ro" \
  --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" --workdir "$OUT/work/environment-10" --env LANG \
  --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/environment.py" --version 0.17.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter,enc_dec --image nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  "$environment_10"
made "$environment_10" environment.json options.json versions.json

# convert-11: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, moe_ep=4, moe_tp=2, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=8, trtllm_version=0.17.0, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_11=$OUT/artifacts/convert-11/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-11 14400 "HF_HOME=$OUT/work/convert-11/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-11 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-11:$OUT/work/convert-11" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_11:$convert_11" --volume "$download_9:$download_9:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$libcuda:/usr/lib/libcuda.so.1:ro" \
  --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" --workdir "$OUT/work/convert-11" --env HF_ENDPOINT \
  --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN \
  --env LANG --env LC_ALL --env NO_PROXY --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env SSL_CERT_FILE --env TMPDIR --env TZ \
  --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" convert python3 \
  /app/examples/llama/convert_checkpoint.py --model_dir "$download_9" --output_dir "$convert_11" --dtype float16 \
  --tp_size 8 --pp_size 1 --moe_tp_size 2 --moe_ep_size 4 --workers 1
made "$convert_11" config.json rank0.safetensors

# download-12: model=llama-3-70b
download_12=$OUT/artifacts/download-12/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-12 86400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:meta-llama/Meta-Llama-3-70B "$revision3" "$download_12" \
  --connections 4
made "$download_12" config.json

# convert-13: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=2, precision=fp16, remove_duplicated_kv_heads=false, tp=4, trtllm_version=0.17.0, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_13=$OUT/artifacts/convert-13/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-13 14400 "HF_HOME=$OUT/work/convert-13/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-13 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-13:$OUT/work/convert-13" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_13:$convert_13" --volume "$environment_10:$environment_10:ro" \
  --volume "$download_12:$download_12:ro" --volume "$libcuda:/usr/lib/libcuda.so.1:ro" \
  --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" --workdir "$OUT/work/convert-13" --env HF_ENDPOINT \
  --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN \
  --env LANG --env LC_ALL --env NO_PROXY --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env SSL_CERT_FILE --env TMPDIR --env TZ \
  --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" convert python3 \
  /app/examples/llama/convert_checkpoint.py --model_dir "$download_12" --output_dir "$convert_13" --dtype float16 \
  --tp_size 4 --pp_size 2 --workers 1
made "$convert_13" config.json rank0.safetensors

# build-14: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_14=$OUT/artifacts/build-14/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-14 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID \
  "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-14 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/build-14:$OUT/work/build-14" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_14:$build_14" \
  --volume "$download_9:$download_9:ro" --volume "$environment_10:$environment_10:ro" \
  --volume "$convert_11:$convert_11:ro" --workdir "$OUT/work/build-14" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_10" build trtllm-build --checkpoint_dir "$convert_11" --output_dir "$build_14" \
  --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 \
  --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable \
  --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 8 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_14" config.json rank0.engine

# download-15: model=llama-3-8b
download_15=$OUT/artifacts/download-15/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-15 86400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:meta-llama/Meta-Llama-3-8B "$revision4" "$download_15" \
  --connections 4
made "$download_15" config.json

# build-16: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_16=$OUT/artifacts/build-16/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-16 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID \
  "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-16 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/build-16:$OUT/work/build-16" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_16:$build_16" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_12:$download_12:ro" \
  --volume "$convert_13:$convert_13:ro" --workdir "$OUT/work/build-16" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_10" build trtllm-build --checkpoint_dir "$convert_13" --output_dir "$build_16" \
  --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 \
  --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable \
  --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 8 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_16" config.json rank0.engine

# convert-17: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=2, trtllm_version=0.17.0, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_17=$OUT/artifacts/convert-17/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-17 14400 "HF_HOME=$OUT/work/convert-17/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-17 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-17:$OUT/work/convert-17" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_17:$convert_17" --volume "$environment_10:$environment_10:ro" \
  --volume "$download_15:$download_15:ro" --volume "$libcuda:/usr/lib/libcuda.so.1:ro" \
  --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" --workdir "$OUT/work/convert-17" --env HF_ENDPOINT \
  --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN \
  --env LANG --env LC_ALL --env NO_PROXY --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env SSL_CERT_FILE --env TMPDIR --env TZ \
  --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" convert python3 \
  /app/examples/llama/convert_checkpoint.py --model_dir "$download_15" --output_dir "$convert_17" --dtype float16 \
  --tp_size 2 --pp_size 1 --workers 1
made "$convert_17" config.json rank0.safetensors

# templates-18: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_18=$OUT/artifacts/templates-18/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task templates-18 600 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=templates-18 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/templates-18:$OUT/work/templates-18" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$templates_18:$templates_18" --volume "$environment_10:$environment_10:ro" \
  --workdir "$OUT/work/templates-18" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_10" python cp -rL /app/all_models/inflight_batcher_llm/tensorrt_llm \
  /app/all_models/inflight_batcher_llm/ensemble /app/all_models/inflight_batcher_llm/preprocessing \
  /app/all_models/inflight_batcher_llm/postprocessing /app/all_models/inflight_batcher_llm/tensorrt_llm_bls \
  "$templates_18"
made "$templates_18" tensorrt_llm/config.pbtxt

# repository-19: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_19=$OUT/artifacts/repository-19/out
task repository-19 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_18" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_19/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_19" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-20: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_20=$OUT/artifacts/build-20/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-20 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-20 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1\"" --user "$user" \
  --volume "$OUT/work/build-20:$OUT/work/build-20" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_20:$build_20" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$convert_17:$convert_17:ro" --workdir "$OUT/work/build-20" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1 \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_10" build trtllm-build --checkpoint_dir "$convert_17" --output_dir "$build_20" \
  --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 \
  --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable \
  --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 2 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_20" config.json rank0.engine

# convert-21: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.17.0, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_21=$OUT/artifacts/convert-21/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-21 14400 "HF_HOME=$OUT/work/convert-21/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-21 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-21:$OUT/work/convert-21" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_21:$convert_21" --volume "$environment_10:$environment_10:ro" \
  --volume "$download_15:$download_15:ro" --volume "$libcuda:/usr/lib/libcuda.so.1:ro" \
  --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" --workdir "$OUT/work/convert-21" --env HF_ENDPOINT \
  --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN \
  --env LANG --env LC_ALL --env NO_PROXY --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env SSL_CERT_FILE --env TMPDIR --env TZ \
  --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" convert python3 \
  /app/examples/llama/convert_checkpoint.py --model_dir "$download_15" --output_dir "$convert_21" --dtype float16 \
  --tp_size 1 --pp_size 1 --workers 1
made "$convert_21" config.json rank0.safetensors

# build-22: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_22=$OUT/artifacts/build-22/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-22 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-22 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-22:$OUT/work/build-22" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_22:$build_22" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$convert_21:$convert_21:ro" --workdir "$OUT/work/build-22" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" build trtllm-build \
  --checkpoint_dir "$convert_21" --output_dir "$build_22" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 1 --log_level info --profiling_verbosity layer_names_only
made "$build_22" config.json rank0.engine

# source-23: backend_ref=v0.19.0, backend_source=https://github.com/triton-inference-server/tensorrtllm_backend.git, build_image=false, trtllm_version=0.19.0
source_23=$OUT/artifacts/source-23/out
inherit='HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE GIT_CONFIG_* GIT_SSH* GIT_SSL_* SSH_AUTH_SOCK' task source-23 14400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/source.py" https://github.com/triton-inference-server/tensorrtllm_backend.git \
  v0.19.0 0.19.0 "$source_23"
made "$source_23" source.json backend/tensorrt_llm

# environment-24: app_dir=/app, backend_source=https://github.com/triton-inference-server/tensorrtllm_backend.git, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter,enc_dec, examples_dir=/app/examples, image=nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3, trtllm_version=0.19.0
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
environment_24=$OUT/artifacts/environment-24/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task environment-24 14400 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=environment-24 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/environment-24:$OUT/work/environment-24" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_24:$environment_24" --volume "$source_23:$source_23:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/environment-24" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/environment.py" \
  --version 0.19.0 --examples /app/examples --app /app --families qwen,llama,gpt,medusa,eagle,redrafter,enc_dec \
  --image nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 --source "$source_23/backend" "$environment_24"
made "$environment_24" environment.json options.json versions.json

# convert-25: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_25=$OUT/artifacts/convert-25/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-25 14400 "HF_HOME=$OUT/work/convert-25/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-25 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-25:$OUT/work/convert-25" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_25:$convert_25" --volume "$download_15:$download_15:ro" \
  --volume "$source_23:$source_23:ro" --volume "$environment_24:$environment_24:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert-25" --env HF_ENDPOINT --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN \
  --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN --env LANG --env LC_ALL --env NO_PROXY \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env SSL_CERT_FILE --env TMPDIR --env TZ --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_24" convert python3 /app/examples/llama/convert_checkpoint.py --model_dir "$download_15" \
  --output_dir "$convert_25" --dtype float16 --tp_size 1 --pp_size 1 --workers 1
made "$convert_25" config.json rank0.safetensors

# build-26: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=4096, max_num_tokens=1024, max_seq_len=4224, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=enable, weight_sparsity=false, weight_streaming=false
build_26=$OUT/artifacts/build-26/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-26 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-26 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-26:$OUT/work/build-26" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_26:$build_26" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$convert_21:$convert_21:ro" --workdir "$OUT/work/build-26" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" build trtllm-build \
  --checkpoint_dir "$convert_21" --output_dir "$build_26" --max_batch_size 16 --max_input_len 4096 \
  --max_seq_len 4224 --max_num_tokens 1024 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha enable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 1 --log_level info --profiling_verbosity layer_names_only
made "$build_26" config.json rank0.engine

# build-27: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=true, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_27=$OUT/artifacts/build-27/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-27 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-27 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-27:$OUT/work/build-27" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_27:$build_27" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$convert_21:$convert_21:ro" --workdir "$OUT/work/build-27" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" build trtllm-build \
  --checkpoint_dir "$convert_21" --output_dir "$build_27" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --gather_all_token_logits --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_27" config.json rank0.engine

# build-28: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, lora_plugin=auto, lora_target_modules=attn_q attn_k attn_v, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_lora_rank=8, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_28=$OUT/artifacts/build-28/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-28 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-28 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-28:$OUT/work/build-28" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_28:$build_28" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$convert_21:$convert_21:ro" --workdir "$OUT/work/build-28" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" build trtllm-build \
  --checkpoint_dir "$convert_21" --output_dir "$build_28" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --lora_plugin auto --gemm_swiglu_plugin disable \
  --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --lora_target_modules attn_q attn_k \
  attn_v --max_lora_rank 8 --workers 1 --log_level info --profiling_verbosity layer_names_only
made "$build_28" config.json rank0.engine

# build-29: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=4, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_29=$OUT/artifacts/build-29/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-29 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-29 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-29:$OUT/work/build-29" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_29:$build_29" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$convert_21:$convert_21:ro" --workdir "$OUT/work/build-29" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" build trtllm-build \
  --checkpoint_dir "$convert_21" --output_dir "$build_29" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 4 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 1 --log_level info --profiling_verbosity layer_names_only
made "$build_29" config.json rank0.engine

# build-30: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_draft_len=83, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=lookahead_decoding, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_30=$OUT/artifacts/build-30/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-30 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-30 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-30:$OUT/work/build-30" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_30:$build_30" \
  --volume "$download_15:$download_15:ro" --volume "$source_23:$source_23:ro" \
  --volume "$environment_24:$environment_24:ro" --volume "$convert_25:$convert_25:ro" \
  --workdir "$OUT/work/build-30" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_24" build trtllm-build --checkpoint_dir "$convert_25" \
  --output_dir "$build_30" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --speculative_decoding_mode lookahead_decoding --max_draft_len 83 --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_30" config.json rank0.engine

# repository-31: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=true, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_31=$OUT/artifacts/repository-31/out
task repository-31 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_18" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_31/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context true --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_31" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-32: add_special_tokens=true, batch_scheduler_policy=max_utilization, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_32=$OUT/artifacts/repository-32/out
task repository-32 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_18" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_32/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy max_utilization --enable_chunked_context false \
  --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false --exclude_input_in_output true \
  --add_special_tokens true --skip_special_tokens true
made "$repository_32" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-33: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_k, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_33=$OUT/artifacts/repository-33/out
task repository-33 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_18" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_33/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_k \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_33" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-34: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_p, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_34=$OUT/artifacts/repository-34/out
task repository-34 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_18" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_34/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_p \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_34" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-35: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_k_top_p, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_35=$OUT/artifacts/repository-35/out
task repository-35 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_18" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_35/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_k_top_p \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_35" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-36: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=beam_search, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=4, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_36=$OUT/artifacts/repository-36/out
task repository-36 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_18" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_36/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 4 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode beam_search \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_36" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# templates-37: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_37=$OUT/artifacts/templates-37/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task templates-37 600 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=templates-37 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/templates-37:$OUT/work/templates-37" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$templates_37:$templates_37" --volume "$source_23:$source_23:ro" \
  --volume "$environment_24:$environment_24:ro" --workdir "$OUT/work/templates-37" --env LANG \
  --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_24" python cp -rL /app/all_models/inflight_batcher_llm/tensorrt_llm \
  /app/all_models/inflight_batcher_llm/ensemble /app/all_models/inflight_batcher_llm/preprocessing \
  /app/all_models/inflight_batcher_llm/postprocessing /app/all_models/inflight_batcher_llm/tensorrt_llm_bls \
  "$templates_37"
made "$templates_37" tensorrt_llm/config.pbtxt

# repository-38: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=lookahead, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, lookahead_ngram_size=7, lookahead_verification_set_size=7, lookahead_window_size=7, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.19.0
repository_38=$OUT/artifacts/repository-38/out
task repository-38 300 CUDA_VISIBLE_DEVICES= -- \
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

# prompts-39: isl=4096, load_words=concurrency=16, num_prompts=160, osl=128
prompts_39=$OUT/artifacts/prompts-39/out

# prompts-40: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_40=$OUT/artifacts/prompts-40/out

mkdir -p "$prompts_39" "$OUT/work/prompts-39" "$prompts_40" "$OUT/work/prompts-40"
write "$OUT/work/prompts-39/jobs.json" <<END
[{"id":"prompts-39","blocks":"3","dataset":"","isl":"4096","out":"$prompts_39","requests":"160","seed":"0","stream":"isl=4096 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"},
 {"id":"prompts-40","blocks":"3","dataset":"","isl":"128","out":"$prompts_40","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task prompts-39 3600 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-39/jobs.json" docker run --rm --interactive --init \
  --name "orchestrate-$token" --label "orchestrate.attempt=$token" --label orchestrate.stage=prompts-39 \
  --network host --shm-size 16g --ulimit memlock=-1 --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void \
  --user "$user" --volume "$OUT/work/prompts-39:$OUT/work/prompts-39" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$prompts_39:$prompts_39" \
  --volume "$OUT/work/prompts-39/jobs.json:$OUT/work/prompts-39/jobs.json:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$OUT/work/prompts-40:$OUT/work/prompts-40" --volume "$prompts_40:$prompts_40" \
  --workdir "$OUT/work/prompts-39" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_10" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_15/tokenizer.json" --jobs "$OUT/work/prompts-39/jobs.json"
made "$prompts_39" prompts.jsonl
made "$prompts_40" prompts.jsonl

# prompts-41: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_41=$OUT/artifacts/prompts-41/out
mkdir -p "$prompts_41" "$OUT/work/prompts-41"
write "$OUT/work/prompts-41/jobs.json" <<END
[{"id":"prompts-41","blocks":"3","dataset":"","isl":"128","out":"$prompts_41","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task prompts-41 1800 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-41/jobs.json" docker run --rm --interactive --init \
  --name "orchestrate-$token" --label "orchestrate.attempt=$token" --label orchestrate.stage=prompts-41 \
  --network host --shm-size 16g --ulimit memlock=-1 --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void \
  --user "$user" --volume "$OUT/work/prompts-41:$OUT/work/prompts-41" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$prompts_41:$prompts_41" \
  --volume "$OUT/work/prompts-41/jobs.json:$OUT/work/prompts-41/jobs.json:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_12:$download_12:ro" \
  --workdir "$OUT/work/prompts-41" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_10" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_12/tokenizer.json" --jobs "$OUT/work/prompts-41/jobs.json"
made "$prompts_41" prompts.jsonl

# prompts-42: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_42=$OUT/artifacts/prompts-42/out
mkdir -p "$prompts_42" "$OUT/work/prompts-42"
write "$OUT/work/prompts-42/jobs.json" <<END
[{"id":"prompts-42","blocks":"3","dataset":"","isl":"128","out":"$prompts_42","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task prompts-42 1800 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-42/jobs.json" docker run --rm --interactive --init \
  --name "orchestrate-$token" --label "orchestrate.attempt=$token" --label orchestrate.stage=prompts-42 \
  --network host --shm-size 16g --ulimit memlock=-1 --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void \
  --user "$user" --volume "$OUT/work/prompts-42:$OUT/work/prompts-42" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$prompts_42:$prompts_42" \
  --volume "$OUT/work/prompts-42/jobs.json:$OUT/work/prompts-42/jobs.json:ro" \
  --volume "$download_9:$download_9:ro" --volume "$environment_10:$environment_10:ro" \
  --workdir "$OUT/work/prompts-42" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_10" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_9/tokenizer.json" --jobs "$OUT/work/prompts-42/jobs.json"
made "$prompts_42" prompts.jsonl

# prompts-43: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_43=$OUT/artifacts/prompts-43/out
mkdir -p "$prompts_43" "$OUT/work/prompts-43"
write "$OUT/work/prompts-43/jobs.json" <<END
[{"id":"prompts-43","blocks":"3","dataset":"","isl":"128","out":"$prompts_43","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task prompts-43 1800 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-43/jobs.json" docker run --rm --interactive --init \
  --name "orchestrate-$token" --label "orchestrate.attempt=$token" --label orchestrate.stage=prompts-43 \
  --network host --shm-size 16g --ulimit memlock=-1 --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void \
  --user "$user" --volume "$OUT/work/prompts-43:$OUT/work/prompts-43" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$prompts_43:$prompts_43" \
  --volume "$OUT/work/prompts-43/jobs.json:$OUT/work/prompts-43/jobs.json:ro" \
  --volume "$download_15:$download_15:ro" --volume "$source_23:$source_23:ro" \
  --volume "$environment_24:$environment_24:ro" --workdir "$OUT/work/prompts-43" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_24" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_15/tokenizer.json" --jobs "$OUT/work/prompts-43/jobs.json"
made "$prompts_43" prompts.jsonl

# ----------------------------------------------------------------------------------------------------------------------
# serve-44: gpus_needed=4, launch_mode=leader, mpirun=true, ranks=4, server_ranks=4, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-44/repository" build "$build_7" download "$download_5"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-44 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-44 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3\"" --user "$user" \
  --volume "$OUT/work/serve-44:$OUT/work/serve-44" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_6:$convert_6:ro" \
  --volume "$build_7:$build_7:ro" --workdir "$OUT/work/serve-44" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3 \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-45 of gpt2-medium_trtllm0.11.0_tp4_pp1-fddb4f
bench_45=$OUT/artifacts/bench-45.1/out
measure bench-45.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_8/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_45" --format json
made "$bench_45" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-46: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_19/repository" "$OUT/work/serve-46/repository" build "$build_14" download "$download_9"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-46 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-46 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/serve-46:$OUT/work/serve-46" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$download_9:$download_9:ro" --volume "$environment_10:$environment_10:ro" \
  --volume "$convert_11:$convert_11:ro" --volume "$build_14:$build_14:ro" \
  --volume "$templates_18:$templates_18:ro" --volume "$repository_19:$repository_19:ro" \
  --workdir "$OUT/work/serve-46" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_10" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-47 of mixtral-8x22b_tp8_pp1_moe_tp2_moe_ep4-c8fc42
bench_47=$OUT/artifacts/bench-47.1/out
measure bench-47.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_42/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_47" --format json
made "$bench_47" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-48: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_19/repository" "$OUT/work/serve-48/repository" build "$build_16" download "$download_12"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-48 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-48 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/serve-48:$OUT/work/serve-48" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_12:$download_12:ro" \
  --volume "$convert_13:$convert_13:ro" --volume "$build_16:$build_16:ro" \
  --volume "$templates_18:$templates_18:ro" --volume "$repository_19:$repository_19:ro" \
  --workdir "$OUT/work/serve-48" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_10" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-49 of llama-3-70b_tp4_pp2-8d1360
bench_49=$OUT/artifacts/bench-49.1/out
measure bench-49.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_41/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_49" --format json
made "$bench_49" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-50: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=4, spawn_processes=true, trtllm_version=0.17.0
place "$repository_19/repository" "$OUT/work/serve-50/repository" build "$build_20" download "$download_15"
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
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-50 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-50 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/serve-50:$OUT/work/serve-50" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$convert_17:$convert_17:ro" --volume "$templates_18:$templates_18:ro" \
  --volume "$repository_19:$repository_19:ro" --volume "$build_20:$build_20:ro" \
  --workdir "$OUT/work/serve-50" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_10" serve python3 "$RUNNER/scripts/servers.py" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-50/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-50/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-50/repository" --http-address=127.0.0.1 "--http-port=$port_http_2" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_2" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_2" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_2_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-50/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_2" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_2" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_2" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_2_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-50/repository" --http-address=127.0.0.1 "--http-port=$port_http_3" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_3" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_3" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_3_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-50/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_3" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_3" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_3" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_3_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-50/repository" --http-address=127.0.0.1 "--http-port=$port_http_4" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_4" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_4" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_4_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-50/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'
smoke 3600 "http://127.0.0.1:$port_http_2/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'
smoke 3600 "http://127.0.0.1:$port_http_3/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'
smoke 3600 "http://127.0.0.1:$port_http_4/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-51 of llama-3-8b_tp2_instances4-8f47b9
bench_51=$OUT/artifacts/bench-51.1/out
measure bench-51.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --url "http://127.0.0.1:$port_http_2" --metrics-url "http://127.0.0.1:$port_metrics_2/metrics" \
  --url "http://127.0.0.1:$port_http_3" --metrics-url "http://127.0.0.1:$port_metrics_3/metrics" \
  --url "http://127.0.0.1:$port_http_4" --metrics-url "http://127.0.0.1:$port_metrics_4/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_40/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_51" --format json
made "$bench_51" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-52: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=2, spawn_processes=true, trtllm_version=0.17.0
place "$repository_19/repository" "$OUT/work/serve-52/repository" build "$build_22" download "$download_15"
port_http_1=$(free_port "$first_port")
port_http_2=$(free_port $((port_http_1 + 1)))
port_grpc_1=$(free_port $((port_http_2 + 1)))
port_grpc_2=$(free_port $((port_grpc_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_2 + 1)))
port_metrics_2=$(free_port $((port_metrics_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-52 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-52 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1\"" --user "$user" \
  --volume "$OUT/work/serve-52:$OUT/work/serve-52" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$templates_18:$templates_18:ro" --volume "$repository_19:$repository_19:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$build_22:$build_22:ro" \
  --workdir "$OUT/work/serve-52" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1 \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_10" serve python3 "$RUNNER/scripts/servers.py" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-52/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" --server mpirun \
  --allow-run-as-root --oversubscribe --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 \
  tritonserver "--model-repository=$OUT/work/serve-52/repository" --http-address=127.0.0.1 \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'
smoke 3600 "http://127.0.0.1:$port_http_2/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-53 of llama-3-8b_instances2-99e41c
bench_53=$OUT/artifacts/bench-53.1/out
measure bench-53.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --url "http://127.0.0.1:$port_http_2" --metrics-url "http://127.0.0.1:$port_metrics_2/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_40/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_53" --format json
made "$bench_53" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-54: gpus_needed=2, launch_mode=orchestrator, mpirun=true, ranks=2, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_19/repository" "$OUT/work/serve-54/repository" build "$build_20" download "$download_15"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-54 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-54 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1\"" --user "$user" \
  --volume "$OUT/work/serve-54:$OUT/work/serve-54" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$convert_17:$convert_17:ro" --volume "$templates_18:$templates_18:ro" \
  --volume "$repository_19:$repository_19:ro" --volume "$build_20:$build_20:ro" \
  --workdir "$OUT/work/serve-54" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1 \
  nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_10" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl_tcp_if_include lo -x TRTLLM_ORCHESTRATOR=1 \
  -x TRTLLM_ORCHESTRATOR_SPAWN_PROCESSES=1 -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-54/repository" --pinned-memory-pool-byte-size=0 \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-55 of llama-3-8b_orchestrator_tp2-64b60d
bench_55=$OUT/artifacts/bench-55.1/out
measure bench-55.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_40/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_55" --format json
made "$bench_55" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-56: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_31/repository" "$OUT/work/serve-56/repository" build "$build_26" download "$download_15"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-56 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-56 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-56:$OUT/work/serve-56" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$templates_18:$templates_18:ro" --volume "$convert_21:$convert_21:ro" \
  --volume "$build_26:$build_26:ro" --volume "$repository_31:$repository_31:ro" \
  --workdir "$OUT/work/serve-56" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-57 of llama-3-8b_enable_chunked_context_enable_isl4096_maxnt1024-a4a2f8
bench_57=$OUT/artifacts/bench-57.1/out
measure bench-57.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_39/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_57" --format json
made "$bench_57" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-58: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_19/repository" "$OUT/work/serve-58/repository" build "$build_22" download "$download_15"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-58 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-58 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-58:$OUT/work/serve-58" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$templates_18:$templates_18:ro" --volume "$repository_19:$repository_19:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$build_22:$build_22:ro" \
  --workdir "$OUT/work/serve-58" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-58/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-59 of llama-3-8b_guaranteed_no_evict-a7c30c
bench_59=$OUT/artifacts/bench-59.1/out
measure bench-59.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_40/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_59" --format json
made "$bench_59" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-60: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_19/repository" "$OUT/work/serve-60/repository" build "$build_27" download "$download_15"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-60 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-60 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-60:$OUT/work/serve-60" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$templates_18:$templates_18:ro" --volume "$repository_19:$repository_19:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$build_27:$build_27:ro" \
  --workdir "$OUT/work/serve-60" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" serve mpirun --allow-run-as-root --oversubscribe \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-61 of llama-3-8b_gather_all_token_logits-bc6eab
bench_61=$OUT/artifacts/bench-61.1/out
measure bench-61.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_40/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_61" --format json
made "$bench_61" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-62: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_19/repository" "$OUT/work/serve-62/repository" build "$build_28" download "$download_15"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-62 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-62 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-62:$OUT/work/serve-62" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$templates_18:$templates_18:ro" --volume "$repository_19:$repository_19:ro" \
  --volume "$convert_21:$convert_21:ro" --volume "$build_28:$build_28:ro" \
  --workdir "$OUT/work/serve-62" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" serve mpirun --allow-run-as-root --oversubscribe \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-63 of llama-3-8b_auto_attn_q-attn_k-attn_v_max_lora_rank8-ae753b
bench_63=$OUT/artifacts/bench-63.1/out
measure bench-63.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_40/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_63" --format json
made "$bench_63" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-64: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_32/repository" "$OUT/work/serve-64/repository" build "$build_22" download "$download_15"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-64 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-64 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-64:$OUT/work/serve-64" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$templates_18:$templates_18:ro" --volume "$convert_21:$convert_21:ro" \
  --volume "$build_22:$build_22:ro" --volume "$repository_32:$repository_32:ro" \
  --workdir "$OUT/work/serve-64" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" serve mpirun --allow-run-as-root --oversubscribe \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-65 of llama-3-8b_max_utilization-e8fbce
bench_65=$OUT/artifacts/bench-65.1/out
measure bench-65.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_40/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_65" --format json
made "$bench_65" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-66: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_33/repository" "$OUT/work/serve-66/repository" build "$build_22" download "$download_15"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-66 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-66 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-66:$OUT/work/serve-66" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$templates_18:$templates_18:ro" --volume "$convert_21:$convert_21:ro" \
  --volume "$build_22:$build_22:ro" --volume "$repository_33:$repository_33:ro" \
  --workdir "$OUT/work/serve-66" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" serve mpirun --allow-run-as-root --oversubscribe \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-67 of llama-3-8b_top_k-345a39
bench_67=$OUT/artifacts/bench-67.1/out
measure bench-67.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_40/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_67" --format json
made "$bench_67" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-68: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_34/repository" "$OUT/work/serve-68/repository" build "$build_22" download "$download_15"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-68 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-68 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-68:$OUT/work/serve-68" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$templates_18:$templates_18:ro" --volume "$convert_21:$convert_21:ro" \
  --volume "$build_22:$build_22:ro" --volume "$repository_34:$repository_34:ro" \
  --workdir "$OUT/work/serve-68" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" serve mpirun --allow-run-as-root --oversubscribe \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-69 of llama-3-8b_top_p-94d610
bench_69=$OUT/artifacts/bench-69.1/out
measure bench-69.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_40/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_69" --format json
made "$bench_69" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-70: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_35/repository" "$OUT/work/serve-70/repository" build "$build_22" download "$download_15"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-70 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-70 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-70:$OUT/work/serve-70" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$templates_18:$templates_18:ro" --volume "$convert_21:$convert_21:ro" \
  --volume "$build_22:$build_22:ro" --volume "$repository_35:$repository_35:ro" \
  --workdir "$OUT/work/serve-70" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" serve mpirun --allow-run-as-root --oversubscribe \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-71 of llama-3-8b_top_k_top_p-e40b81
bench_71=$OUT/artifacts/bench-71.1/out
measure bench-71.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_40/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_71" --format json
made "$bench_71" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-72: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_36/repository" "$OUT/work/serve-72/repository" build "$build_29" download "$download_15"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-72 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-72 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-72:$OUT/work/serve-72" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_10:$environment_10:ro" --volume "$download_15:$download_15:ro" \
  --volume "$templates_18:$templates_18:ro" --volume "$convert_21:$convert_21:ro" \
  --volume "$build_29:$build_29:ro" --volume "$repository_36:$repository_36:ro" \
  --workdir "$OUT/work/serve-72" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_10" serve mpirun --allow-run-as-root --oversubscribe \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-73 of llama-3-8b_beam_search_max_beam_width4_bw4_no_decoupled_mode-11c4ff
bench_73=$OUT/artifacts/bench-73.1/out
measure bench-73.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_40/prompts.jsonl" --osl 128 --beam-width 4 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --send-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 --out "$bench_73" --format json
made "$bench_73" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-74: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_38/repository" "$OUT/work/serve-74/repository" build "$build_30" download "$download_15"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-74 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-74 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-74:$OUT/work/serve-74" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$download_15:$download_15:ro" --volume "$source_23:$source_23:ro" \
  --volume "$environment_24:$environment_24:ro" --volume "$convert_25:$convert_25:ro" \
  --volume "$build_30:$build_30:ro" --volume "$templates_37:$templates_37:ro" \
  --volume "$repository_38:$repository_38:ro" --workdir "$OUT/work/serve-74" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_24" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-75 of llama-3-8b_trtllm0.19.0_lookahead_lookahead_decoding_max_draft_len83_lookahead_window_size7_lookahead_ngram_size7_lookahead_verification_set_size7-11bc32
bench_75=$OUT/artifacts/bench-75.1/out
measure bench-75.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_43/prompts.jsonl" --osl 128 --tokens-per-event 0 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_75" --format json
made "$bench_75" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
