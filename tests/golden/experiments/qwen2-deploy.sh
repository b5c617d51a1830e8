exit 0
--- stderr
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine; it is hashed by path, not by content
--- stdout
#!/usr/bin/env bash
# qwen2-deploy: 11 of 12 points of experiments/qwen2-deploy.yaml, on the runner triton-trtllm
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

# convert-6: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=1, precision=int8_wo, tp=1, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
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
  --output_dir "$convert_6" --dtype float16 --tp_size 1 --pp_size 1 --use_weight_only --weight_only_precision int8 \
  --workers 1
made "$convert_6" config.json rank0.safetensors

# build-7: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
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
  --output_dir "$build_7" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 1 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_7" config.json rank0.engine

# prompts-8: isl=2048, load_words=concurrency=8, num_prompts=80, osl=1024
prompts_8=$OUT/artifacts/prompts-8/out
mkdir -p "$prompts_8" "$OUT/work/prompts-8"
write "$OUT/work/prompts-8/jobs.json" <<END
[{"id":"prompts-8","blocks":"3","dataset":"","isl":"2048","out":"$prompts_8","requests":"80","seed":"0","stream":"isl=2048 osl=1024 concurrency=8 num_prompts=80 repeat=0","warmup":"16"}]
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

# download-9: model=qwen2-72b
download_9=$OUT/artifacts/download-9/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-9 86400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:Qwen/Qwen2-72B "$revision2" "$download_9" \
  --connections 4
made "$download_9" config.json

# calibration-10
calibration_10=$OUT/artifacts/calibration-10/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task calibration-10 14400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/calibration_texts.py" "$calibration_10" --connections 4
made "$calibration_10" ccdv/cnn_dailymail/README.md ccdv/cnn_dailymail/3.0.0

# quantize-11: awq_block_size=128, calib_batch_size=1, calib_max_seq_length=512, calib_size=512, dtype=float16, examples_dir=/app/examples, kv_cache_dtype=fp8, pp=2, precision=fp8, quant_medusa_head=false, tokenizer_max_seq_length=2048, tp=4, trtllm_version=0.11.0
quantize_11=$OUT/artifacts/quantize-11/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task quantize-11 14400 "HF_HOME=$OUT/work/quantize-11/huggingface" CUDA_DEVICE_ORDER=PCI_BUS_ID \
  "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=quantize-11 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/quantize-11:$OUT/work/quantize-11" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$quantize_11:$quantize_11" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_9:$download_9:ro" \
  --volume "$calibration_10:$calibration_10:ro" --workdir "$OUT/work/quantize-11" --env HF_ENDPOINT \
  --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN \
  --env LANG --env LC_ALL --env NO_PROXY --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env SSL_CERT_FILE --env TMPDIR --env TZ \
  --env http_proxy --env https_proxy --env no_proxy --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" quantize python3 /app/examples/quantization/quantize.py --model_dir "$download_9" \
  --output_dir "$quantize_11" --dtype float16 --tp_size 4 --pp_size 2 --qformat fp8 \
  --calib_dataset "$calibration_10/ccdv/cnn_dailymail" --kv_cache_dtype fp8 --calib_size 512 \
  --calib_max_seq_length 512 --batch_size 1 --tokenizer_max_seq_length 2048
made "$quantize_11" config.json rank0.safetensors

# quantize-12: awq_block_size=128, calib_batch_size=1, calib_max_seq_length=512, calib_size=512, dtype=float16, examples_dir=/app/examples, kv_cache_dtype=fp8, pp=1, precision=fp8, quant_medusa_head=false, tokenizer_max_seq_length=2048, tp=8, trtllm_version=0.11.0
quantize_12=$OUT/artifacts/quantize-12/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task quantize-12 14400 "HF_HOME=$OUT/work/quantize-12/huggingface" CUDA_DEVICE_ORDER=PCI_BUS_ID \
  "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=quantize-12 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/quantize-12:$OUT/work/quantize-12" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$quantize_12:$quantize_12" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_9:$download_9:ro" \
  --volume "$calibration_10:$calibration_10:ro" --workdir "$OUT/work/quantize-12" --env HF_ENDPOINT \
  --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN \
  --env LANG --env LC_ALL --env NO_PROXY --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env SSL_CERT_FILE --env TMPDIR --env TZ \
  --env http_proxy --env https_proxy --env no_proxy --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" quantize python3 /app/examples/quantization/quantize.py --model_dir "$download_9" \
  --output_dir "$quantize_12" --dtype float16 --tp_size 8 --pp_size 1 --qformat fp8 \
  --calib_dataset "$calibration_10/ccdv/cnn_dailymail" --kv_cache_dtype fp8 --calib_size 512 \
  --calib_max_seq_length 512 --batch_size 1 --tokenizer_max_seq_length 2048
made "$quantize_12" config.json rank0.safetensors

# convert-13: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=2, precision=fp16, tp=4, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
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
  --volume "$convert_13:$convert_13" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_9:$download_9:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert-13" --env HF_ENDPOINT --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN \
  --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN --env LANG --env LC_ALL --env NO_PROXY \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env SSL_CERT_FILE --env TMPDIR --env TZ --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/qwen/convert_checkpoint.py --model_dir "$download_9" \
  --output_dir "$convert_13" --dtype float16 --tp_size 4 --pp_size 2 --workers 1
made "$convert_13" config.json rank0.safetensors

# convert-14: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=1, precision=fp16, tp=8, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_14=$OUT/artifacts/convert-14/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-14 14400 "HF_HOME=$OUT/work/convert-14/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-14 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-14:$OUT/work/convert-14" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_14:$convert_14" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_9:$download_9:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert-14" --env HF_ENDPOINT --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN \
  --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN --env LANG --env LC_ALL --env NO_PROXY \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env SSL_CERT_FILE --env TMPDIR --env TZ --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/qwen/convert_checkpoint.py --model_dir "$download_9" \
  --output_dir "$convert_14" --dtype float16 --tp_size 8 --pp_size 1 --workers 1
made "$convert_14" config.json rank0.safetensors

# convert-15: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=2, precision=int8_wo, tp=4, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_15=$OUT/artifacts/convert-15/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-15 14400 "HF_HOME=$OUT/work/convert-15/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-15 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-15:$OUT/work/convert-15" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_15:$convert_15" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_9:$download_9:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert-15" --env HF_ENDPOINT --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN \
  --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN --env LANG --env LC_ALL --env NO_PROXY \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env SSL_CERT_FILE --env TMPDIR --env TZ --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/qwen/convert_checkpoint.py --model_dir "$download_9" \
  --output_dir "$convert_15" --dtype float16 --tp_size 4 --pp_size 2 --use_weight_only --weight_only_precision int8 \
  --workers 1
made "$convert_15" config.json rank0.safetensors

# build-16: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_16=$OUT/artifacts/build-16/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-16 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID \
  "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-16 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/build-16:$OUT/work/build-16" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_16:$build_16" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_9:$download_9:ro" --volume "$convert_13:$convert_13:ro" \
  --workdir "$OUT/work/build-16" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_13" \
  --output_dir "$build_16" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 8 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_16" config.json rank0.engine

# build-17: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_17=$OUT/artifacts/build-17/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-17 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID \
  "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-17 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/build-17:$OUT/work/build-17" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_17:$build_17" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_9:$download_9:ro" --volume "$convert_14:$convert_14:ro" \
  --workdir "$OUT/work/build-17" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_14" \
  --output_dir "$build_17" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 8 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_17" config.json rank0.engine

# build-18: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_18=$OUT/artifacts/build-18/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-18 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID \
  "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-18 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/build-18:$OUT/work/build-18" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_18:$build_18" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_9:$download_9:ro" --volume "$convert_15:$convert_15:ro" \
  --workdir "$OUT/work/build-18" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_15" \
  --output_dir "$build_18" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 8 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_18" config.json rank0.engine

# build-19: build_log_level=info, build_workers=8, by_quantize=true, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_19=$OUT/artifacts/build-19/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-19 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID \
  "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-19 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/build-19:$OUT/work/build-19" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_19:$build_19" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_9:$download_9:ro" --volume "$calibration_10:$calibration_10:ro" \
  --volume "$quantize_11:$quantize_11:ro" --workdir "$OUT/work/build-19" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" build trtllm-build --checkpoint_dir "$quantize_11" --output_dir "$build_19" \
  --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 --max_beam_width 1 \
  --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp --reduce_fusion disable \
  --use_custom_all_reduce enable --multi_block_mode disable --workers 8 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_19" config.json rank0.engine

# build-20: build_log_level=info, build_workers=8, by_quantize=true, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_20=$OUT/artifacts/build-20/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-20 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID \
  "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-20 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/build-20:$OUT/work/build-20" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_20:$build_20" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_9:$download_9:ro" --volume "$calibration_10:$calibration_10:ro" \
  --volume "$quantize_12:$quantize_12:ro" --workdir "$OUT/work/build-20" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" build trtllm-build --checkpoint_dir "$quantize_12" --output_dir "$build_20" \
  --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 --max_beam_width 1 \
  --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp --reduce_fusion disable \
  --use_custom_all_reduce enable --multi_block_mode disable --workers 8 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_20" config.json rank0.engine

# quantize-21: awq_block_size=128, calib_batch_size=1, calib_max_seq_length=512, calib_size=512, dtype=float16, examples_dir=/app/examples, kv_cache_dtype=fp8, pp=1, precision=fp8, quant_medusa_head=false, tokenizer_max_seq_length=2048, tp=4, trtllm_version=0.11.0
quantize_21=$OUT/artifacts/quantize-21/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task quantize-21 14400 "HF_HOME=$OUT/work/quantize-21/huggingface" CUDA_DEVICE_ORDER=PCI_BUS_ID \
  "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=quantize-21 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3\"" --user "$user" \
  --volume "$OUT/work/quantize-21:$OUT/work/quantize-21" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$quantize_21:$quantize_21" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_9:$download_9:ro" \
  --volume "$calibration_10:$calibration_10:ro" --workdir "$OUT/work/quantize-21" --env HF_ENDPOINT \
  --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN \
  --env LANG --env LC_ALL --env NO_PROXY --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env SSL_CERT_FILE --env TMPDIR --env TZ \
  --env http_proxy --env https_proxy --env no_proxy --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" quantize python3 /app/examples/quantization/quantize.py --model_dir "$download_9" \
  --output_dir "$quantize_21" --dtype float16 --tp_size 4 --pp_size 1 --qformat fp8 \
  --calib_dataset "$calibration_10/ccdv/cnn_dailymail" --kv_cache_dtype fp8 --calib_size 512 \
  --calib_max_seq_length 512 --batch_size 1 --tokenizer_max_seq_length 2048
made "$quantize_21" config.json rank0.safetensors

# convert-22: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=1, precision=fp16, tp=4, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
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
  --volume "$environment_2:$environment_2:ro" --volume "$download_9:$download_9:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert-22" --env HF_ENDPOINT --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN \
  --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN --env LANG --env LC_ALL --env NO_PROXY \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env SSL_CERT_FILE --env TMPDIR --env TZ --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/qwen/convert_checkpoint.py --model_dir "$download_9" \
  --output_dir "$convert_22" --dtype float16 --tp_size 4 --pp_size 1 --workers 1
made "$convert_22" config.json rank0.safetensors

# convert-23: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=1, precision=int8_wo, tp=4, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_23=$OUT/artifacts/convert-23/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-23 14400 "HF_HOME=$OUT/work/convert-23/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-23 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-23:$OUT/work/convert-23" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_23:$convert_23" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_9:$download_9:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert-23" --env HF_ENDPOINT --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN \
  --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN --env LANG --env LC_ALL --env NO_PROXY \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env SSL_CERT_FILE --env TMPDIR --env TZ --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/qwen/convert_checkpoint.py --model_dir "$download_9" \
  --output_dir "$convert_23" --dtype float16 --tp_size 4 --pp_size 1 --use_weight_only --weight_only_precision int8 \
  --workers 1
made "$convert_23" config.json rank0.safetensors

# build-24: build_log_level=info, build_workers=4, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_24=$OUT/artifacts/build-24/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-24 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-24 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3\"" --user "$user" \
  --volume "$OUT/work/build-24:$OUT/work/build-24" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_24:$build_24" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_9:$download_9:ro" --volume "$convert_22:$convert_22:ro" \
  --workdir "$OUT/work/build-24" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0,1,2,3 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_22" \
  --output_dir "$build_24" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 4 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_24" config.json rank0.engine

# build-25: build_log_level=info, build_workers=4, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_25=$OUT/artifacts/build-25/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-25 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-25 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3\"" --user "$user" \
  --volume "$OUT/work/build-25:$OUT/work/build-25" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_25:$build_25" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_9:$download_9:ro" --volume "$convert_23:$convert_23:ro" \
  --workdir "$OUT/work/build-25" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0,1,2,3 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_23" \
  --output_dir "$build_25" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 4 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_25" config.json rank0.engine

# build-26: build_log_level=info, build_workers=4, by_quantize=true, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_26=$OUT/artifacts/build-26/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-26 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-26 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3\"" --user "$user" \
  --volume "$OUT/work/build-26:$OUT/work/build-26" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_26:$build_26" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_9:$download_9:ro" --volume "$calibration_10:$calibration_10:ro" \
  --volume "$quantize_21:$quantize_21:ro" --workdir "$OUT/work/build-26" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" build trtllm-build --checkpoint_dir "$quantize_21" --output_dir "$build_26" \
  --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 --max_beam_width 1 \
  --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp --reduce_fusion disable \
  --use_custom_all_reduce enable --multi_block_mode disable --workers 4 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_26" config.json rank0.engine

# quantize-27: awq_block_size=128, calib_batch_size=1, calib_max_seq_length=512, calib_size=512, dtype=float16, examples_dir=/app/examples, kv_cache_dtype=fp8, pp=1, precision=fp8, quant_medusa_head=false, tokenizer_max_seq_length=2048, tp=1, trtllm_version=0.11.0
quantize_27=$OUT/artifacts/quantize-27/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task quantize-27 14400 "HF_HOME=$OUT/work/quantize-27/huggingface" CUDA_DEVICE_ORDER=PCI_BUS_ID \
  "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=quantize-27 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/quantize-27:$OUT/work/quantize-27" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$quantize_27:$quantize_27" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_5:$download_5:ro" \
  --volume "$calibration_10:$calibration_10:ro" --workdir "$OUT/work/quantize-27" --env HF_ENDPOINT \
  --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN \
  --env LANG --env LC_ALL --env NO_PROXY --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env SSL_CERT_FILE --env TMPDIR --env TZ \
  --env http_proxy --env https_proxy --env no_proxy --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" quantize python3 /app/examples/quantization/quantize.py --model_dir "$download_5" \
  --output_dir "$quantize_27" --dtype float16 --tp_size 1 --pp_size 1 --qformat fp8 \
  --calib_dataset "$calibration_10/ccdv/cnn_dailymail" --kv_cache_dtype fp8 --calib_size 512 \
  --calib_max_seq_length 512 --batch_size 1 --tokenizer_max_seq_length 2048
made "$quantize_27" config.json rank0.safetensors

# convert-28: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=1, precision=fp16, tp=1, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_28=$OUT/artifacts/convert-28/out
token=$(new_token)
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-28 14400 "HF_HOME=$OUT/work/convert-28/huggingface" CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert-28 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert-28:$OUT/work/convert-28" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_28:$convert_28" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_5:$download_5:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert-28" --env HF_ENDPOINT --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN \
  --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN --env LANG --env LC_ALL --env NO_PROXY \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env SSL_CERT_FILE --env TMPDIR --env TZ --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/qwen/convert_checkpoint.py --model_dir "$download_5" \
  --output_dir "$convert_28" --dtype float16 --tp_size 1 --pp_size 1 --workers 1
made "$convert_28" config.json rank0.safetensors

# build-29: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_29=$OUT/artifacts/build-29/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-29 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-29 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-29:$OUT/work/build-29" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_29:$build_29" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_28:$convert_28:ro" \
  --workdir "$OUT/work/build-29" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
  --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_28" \
  --output_dir "$build_29" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 1 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_29" config.json rank0.engine

# build-30: build_log_level=info, build_workers=1, by_quantize=true, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_30=$OUT/artifacts/build-30/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-30 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build-30 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build-30:$OUT/work/build-30" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_30:$build_30" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_5:$download_5:ro" --volume "$calibration_10:$calibration_10:ro" \
  --volume "$quantize_27:$quantize_27:ro" --workdir "$OUT/work/build-30" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build \
  --checkpoint_dir "$quantize_27" --output_dir "$build_30" --max_batch_size 8 --max_input_len 8192 \
  --max_seq_len 12288 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --remove_input_padding enable \
  --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable --paged_kv_cache enable \
  --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp --reduce_fusion disable \
  --use_custom_all_reduce enable --multi_block_mode disable --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_30" config.json rank0.engine

# prompts-31: isl=2048, load_words=concurrency=8, num_prompts=80, osl=1024
prompts_31=$OUT/artifacts/prompts-31/out
mkdir -p "$prompts_31" "$OUT/work/prompts-31"
write "$OUT/work/prompts-31/jobs.json" <<END
[{"id":"prompts-31","blocks":"3","dataset":"","isl":"2048","out":"$prompts_31","requests":"80","seed":"0","stream":"isl=2048 osl=1024 concurrency=8 num_prompts=80 repeat=0","warmup":"16"}]
END
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task prompts-31 1800 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-31/jobs.json" docker run --rm --interactive --init \
  --name "orchestrate-$token" --label "orchestrate.attempt=$token" --label orchestrate.stage=prompts-31 \
  --network host --shm-size 16g --ulimit memlock=-1 --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void \
  --user "$user" --volume "$OUT/work/prompts-31:$OUT/work/prompts-31" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$prompts_31:$prompts_31" \
  --volume "$OUT/work/prompts-31/jobs.json:$OUT/work/prompts-31/jobs.json:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_9:$download_9:ro" --workdir "$OUT/work/prompts-31" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_9/tokenizer.json" --jobs "$OUT/work/prompts-31/jobs.json"
made "$prompts_31" prompts.jsonl

# ----------------------------------------------------------------------------------------------------------------------
# serve-32: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-32/repository" build "$build_7" download "$download_5"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-32 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-32 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-32:$OUT/work/serve-32" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_6:$convert_6:ro" \
  --volume "$build_7:$build_7:ro" --workdir "$OUT/work/serve-32" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-33 of qwen2-7b_tp1_pp1_int8_wo_isl2048_osl1024_bs8_c8-04ff00
bench_33=$OUT/artifacts/bench-33.1/out
measure bench-33.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_8/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_33" --format json
made "$bench_33" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-34: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-34/repository" build "$build_16" download "$download_9"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-34 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-34 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/serve-34:$OUT/work/serve-34" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$download_9:$download_9:ro" --volume "$convert_13:$convert_13:ro" \
  --volume "$build_16:$build_16:ro" --workdir "$OUT/work/serve-34" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-34/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-34/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-34/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-34/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-34/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-34/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-34/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-34/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-35 of qwen2-72b_tp4_pp2_fp16_isl2048_osl1024_bs8_c8-df8de6
bench_35=$OUT/artifacts/bench-35.1/out
measure bench-35.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_31/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_35" --format json
made "$bench_35" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-36: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-36/repository" build "$build_17" download "$download_9"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-36 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-36 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/serve-36:$OUT/work/serve-36" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$download_9:$download_9:ro" --volume "$convert_14:$convert_14:ro" \
  --volume "$build_17:$build_17:ro" --workdir "$OUT/work/serve-36" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-36/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-36/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-36/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-36/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-36/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-36/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-36/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-36/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-37 of qwen2-72b_tp8_pp1_fp16_isl2048_osl1024_bs8_c8-e90a9e
bench_37=$OUT/artifacts/bench-37.1/out
measure bench-37.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_31/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_37" --format json
made "$bench_37" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-38: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-38/repository" build "$build_18" download "$download_9"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-38 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-38 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/serve-38:$OUT/work/serve-38" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$download_9:$download_9:ro" --volume "$convert_15:$convert_15:ro" \
  --volume "$build_18:$build_18:ro" --workdir "$OUT/work/serve-38" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-38/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-38/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-38/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-38/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-38/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-38/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-38/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-38/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-39 of qwen2-72b_tp4_pp2_int8_wo_isl2048_osl1024_bs8_c8-7491cb
bench_39=$OUT/artifacts/bench-39.1/out
measure bench-39.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_31/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_39" --format json
made "$bench_39" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-40: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-40/repository" build "$build_19" download "$download_9"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-40 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-40 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/serve-40:$OUT/work/serve-40" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$download_9:$download_9:ro" --volume "$calibration_10:$calibration_10:ro" \
  --volume "$quantize_11:$quantize_11:ro" --volume "$build_19:$build_19:ro" \
  --workdir "$OUT/work/serve-40" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-40/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-40/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-40/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-40/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-40/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-40/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-40/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-40/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-41 of qwen2-72b_tp4_pp2_fp8_isl2048_osl1024_bs8_c8-5b4b8b
bench_41=$OUT/artifacts/bench-41.1/out
measure bench-41.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_31/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_41" --format json
made "$bench_41" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-42: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-42/repository" build "$build_20" download "$download_9"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-42 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-42 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
  --volume "$OUT/work/serve-42:$OUT/work/serve-42" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$download_9:$download_9:ro" --volume "$calibration_10:$calibration_10:ro" \
  --volume "$quantize_12:$quantize_12:ro" --volume "$build_20:$build_20:ro" \
  --workdir "$OUT/work/serve-42" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-42/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-42/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-42/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-42/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-43 of qwen2-72b_tp8_pp1_fp8_isl2048_osl1024_bs8_c8-d63a65
bench_43=$OUT/artifacts/bench-43.1/out
measure bench-43.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_31/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_43" --format json
made "$bench_43" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-44: gpus_needed=4, launch_mode=leader, mpirun=true, ranks=4, server_ranks=4, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-44/repository" build "$build_24" download "$download_9"
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
  --volume "$download_9:$download_9:ro" --volume "$convert_22:$convert_22:ro" \
  --volume "$build_24:$build_24:ro" --workdir "$OUT/work/serve-44" --env LANG --env LC_ALL \
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

# bench-45 of qwen2-72b_tp4_pp1_fp16_isl2048_osl1024_bs8_c8-6d3c56
bench_45=$OUT/artifacts/bench-45.1/out
measure bench-45.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_31/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_45" --format json
made "$bench_45" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-46: gpus_needed=4, launch_mode=leader, mpirun=true, ranks=4, server_ranks=4, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-46/repository" build "$build_25" download "$download_9"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-46 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-46 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3\"" --user "$user" \
  --volume "$OUT/work/serve-46:$OUT/work/serve-46" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$download_9:$download_9:ro" --volume "$convert_23:$convert_23:ro" \
  --volume "$build_25:$build_25:ro" --workdir "$OUT/work/serve-46" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
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
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-47 of qwen2-72b_tp4_pp1_int8_wo_isl2048_osl1024_bs8_c8-e14b84
bench_47=$OUT/artifacts/bench-47.1/out
measure bench-47.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_31/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_47" --format json
made "$bench_47" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-48: gpus_needed=4, launch_mode=leader, mpirun=true, ranks=4, server_ranks=4, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-48/repository" build "$build_26" download "$download_9"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-48 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-48 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3\"" --user "$user" \
  --volume "$OUT/work/serve-48:$OUT/work/serve-48" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$download_9:$download_9:ro" --volume "$calibration_10:$calibration_10:ro" \
  --volume "$quantize_21:$quantize_21:ro" --volume "$build_26:$build_26:ro" \
  --workdir "$OUT/work/serve-48" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0,1,2,3 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
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
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-49 of qwen2-72b_tp4_pp1_fp8_isl2048_osl1024_bs8_c8-212bb9
bench_49=$OUT/artifacts/bench-49.1/out
measure bench-49.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_31/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_49" --format json
made "$bench_49" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-50: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-50/repository" build "$build_29" download "$download_5"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-50 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-50 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-50:$OUT/work/serve-50" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_28:$convert_28:ro" \
  --volume "$build_29:$build_29:ro" --workdir "$OUT/work/serve-50" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 \
  nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
  --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-51 of qwen2-7b_tp1_pp1_fp16_isl2048_osl1024_bs8_c8-2a53c6
bench_51=$OUT/artifacts/bench-51.1/out
measure bench-51.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_8/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_51" --format json
made "$bench_51" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-52: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, trtllm_version=0.11.0
place "$repository_4/repository" "$OUT/work/serve-52/repository" build "$build_30" download "$download_5"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-52 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-52 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-52:$OUT/work/serve-52" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
  --volume "$download_5:$download_5:ro" --volume "$calibration_10:$calibration_10:ro" \
  --volume "$quantize_27:$quantize_27:ro" --volume "$build_30:$build_30:ro" \
  --workdir "$OUT/work/serve-52" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_2" serve mpirun --allow-run-as-root --oversubscribe \
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
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-53 of qwen2-7b_tp1_pp1_fp8_isl2048_osl1024_bs8_c8-4e302f
bench_53=$OUT/artifacts/bench-53.1/out
measure bench-53.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_8/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_53" --format json
made "$bench_53" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"

# ----------------------------------------------------------------------------------------------------------------------
# Points that do not run
#
# reject: weight-only-shape: int8_wo of 0.11.0 needs multiples of 32 rows on each rank, and with tp 8 a rank has 3696 rows of the MLP and 1024 of attention; choose another tp, or a release that pads them (qwen 0.13.0, llama 0.12.0)
#   qwen2-72b_tp8_pp1_int8_wo_isl2048_osl1024_bs8_c8-63cfb8
#
# inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' convert-54 "HF_HOME=$OUT/work/convert-54/huggingface" CUDA_VISIBLE_DEVICES= -- \
#   docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
#   --label orchestrate.stage=convert-54 --network host --shm-size 16g --ulimit memlock=-1 \
#   --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
#   --volume "$OUT/work/convert-54:$OUT/work/convert-54" --volume "$tmp:$tmp" --volume "$shm:$shm" \
#   --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
#   --volume "$convert_54:$convert_54" --volume "$source_1:$source_1:ro" \
#   --volume "$environment_2:$environment_2:ro" --volume "$download_9:$download_9:ro" \
#   --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
#   --workdir "$OUT/work/convert-54" --env HF_ENDPOINT --env HF_HOME --env HF_HUB_OFFLINE --env HF_TOKEN \
#   --env HTTPS_PROXY --env HTTP_PROXY --env HUGGING_FACE_HUB_TOKEN --env LANG --env LC_ALL --env NO_PROXY \
#   --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
#   --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
#   --env SSL_CERT_FILE --env TMPDIR --env TZ --env http_proxy --env https_proxy --env no_proxy --env "HOME=$tmp" \
#   --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
#   nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
#   "$environment_2" convert python3 /app/examples/qwen/convert_checkpoint.py --model_dir "$download_9" \
#   --output_dir "$convert_54" --dtype float16 --tp_size 8 --pp_size 1 --use_weight_only --weight_only_precision int8 \
#   --workers 1
#
# inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' build-55 CUDA_DEVICE_ORDER=PCI_BUS_ID \
#   "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
#   docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
#   --label orchestrate.stage=build-55 --network host --shm-size 16g --ulimit memlock=-1 \
#   --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
#   --volume "$OUT/work/build-55:$OUT/work/build-55" --volume "$tmp:$tmp" --volume "$shm:$shm" \
#   --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" --volume "$build_55:$build_55" \
#   --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
#   --volume "$download_9:$download_9:ro" --volume "$convert_54:$convert_54:ro" \
#   --workdir "$OUT/work/build-55" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
#   --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
#   --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ \
#   --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
#   --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
#   "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build --checkpoint_dir "$convert_54" \
#   --output_dir "$build_55" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
#   --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
#   --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
#   --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
#   --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 8 \
#   --log_level info --profiling_verbosity layer_names_only
#
# inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve-56 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
#   CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7" -- \
#   docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
#   --label orchestrate.stage=serve-56 --network host --shm-size 16g --ulimit memlock=-1 \
#   --ulimit stack=67108864 --gpus "\"device=$gpu_0,$gpu_1,$gpu_2,$gpu_3,$gpu_4,$gpu_5,$gpu_6,$gpu_7\"" --user "$user" \
#   --volume "$OUT/work/serve-56:$OUT/work/serve-56" --volume "$tmp:$tmp" --volume "$shm:$shm" \
#   --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
#   --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
#   --volume "$templates_3:$templates_3:ro" --volume "$repository_4:$repository_4:ro" \
#   --volume "$download_9:$download_9:ro" --volume "$convert_54:$convert_54:ro" \
#   --volume "$build_55:$build_55:ro" --workdir "$OUT/work/serve-56" --env LANG --env LC_ALL \
#   --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
#   --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
#   --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
#   --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
#   --env CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 nvcr.io/nvidia/tritonserver:24.07-trtllm-python-py3 /usr/bin/env python3 \
#   "$RUNNER/scripts/enter.py" "$environment_2" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
#   --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-56/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
#   --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
#   --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-56/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-56/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-56/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-56/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-56/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-56/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-56/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_7_"
#
# bench-57 CUDA_VISIBLE_DEVICES= -- \
#   "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
#   --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
#   --prompts "$prompts_31/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
#   --client-cpu-limit 0.85 --block 0 --out "$bench_57" --format json
