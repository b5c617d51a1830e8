exit 0
--- stderr
warning: TensorRT-LLM 0.19.0 (2 points) is inferred: templates and launcher of that release, options inferred from 0.17 and 1.1; if the tool is installed, its own --help decides
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine; it is hashed by path, not by content
--- stdout
#!/usr/bin/env bash
# encoder-decoder: 4 of 4 points of experiments/encoder-decoder.yaml, on the runner triton-trtllm
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

# environment-2: app_dir=/app, backend_source=https://github.com/triton-inference-server/tensorrtllm_backend.git, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter,enc_dec, examples_dir=/app/examples, image=nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3, trtllm_version=0.12.0
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
  nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/environment.py" \
  --version 0.12.0 --examples /app/examples --app /app --families qwen,llama,gpt,medusa,eagle,redrafter,enc_dec \
  --image nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3 --source "$source_1/backend" "$environment_2"
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
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" python cp -rL /app/all_models/inflight_batcher_llm/tensorrt_llm \
  /app/all_models/inflight_batcher_llm/ensemble /app/all_models/inflight_batcher_llm/preprocessing \
  /app/all_models/inflight_batcher_llm/postprocessing /app/all_models/inflight_batcher_llm/tensorrt_llm_bls \
  "$templates_3"
made "$templates_3" tensorrt_llm/config.pbtxt

# repository_of_two-4: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, enc_dec_type=t5, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.5, max_attention_window_size=4096, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, max_tokens_in_paged_kv_cache=4096, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=8, trtllm_version=0.12.0
repository_of_two_4=$OUT/artifacts/repository_of_two-4/out
task repository_of_two-4 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_3" --release 0.12.0 --fill "$ORCHESTRATE" \
  --out "$repository_of_two_4/repository" --stage engine_dir=build_decoder --stage encoder_engine_dir=build_encoder \
  --stage tokenizer_dir=download --triton_max_batch_size 8 --decoupled_mode true --triton_backend tensorrtllm \
  --max_queue_delay_microseconds 0 --max_queue_size 0 --preprocessing_instance_count 1 \
  --postprocessing_instance_count 1 --bls_instance_count 1 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.5 --enable_kv_cache_reuse false \
  --max_tokens_in_paged_kv_cache 4096 --max_attention_window_size 4096 --exclude_input_in_output true \
  --add_special_tokens true --skip_special_tokens true
made "$repository_of_two_4" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-5: model=t5-small
download_5=$OUT/artifacts/download-5/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-5 86400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:google-t5/t5-small "$revision1" "$download_5" \
  --connections 4
made "$download_5" config.json

# convert_enc_dec-6: convert_workers=1, converter=/app/examples/enc_dec/convert_checkpoint.py, dtype=float16, enc_dec_type=t5, pp=1, precision=fp16, tp=1, trtllm_version=0.12.0, use_embedding_sharing=false, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_enc_dec_6=$OUT/artifacts/convert_enc_dec-6/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert_enc_dec-6 14400 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert_enc_dec-6 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert_enc_dec-6:$OUT/work/convert_enc_dec-6" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_enc_dec_6:$convert_enc_dec_6" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_5:$download_5:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert_enc_dec-6" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/enc_dec/convert_checkpoint.py --model_type t5 \
  --model_dir "$download_5" --output_dir "$convert_enc_dec_6" --dtype float16 --tp_size 1 --pp_size 1 \
  --workers 1
made "$convert_enc_dec_6" encoder/config.json encoder/rank0.safetensors decoder/config.json \
  decoder/rank0.safetensors

# build_encoder-7: build_log_level=info, build_workers=1, enc_dec_fmha=disable, enc_dec_plugin=float16, max_batch_size=8, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, trtllm_version=0.12.0
build_encoder_7=$OUT/artifacts/build_encoder-7/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build_encoder-7 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build_encoder-7 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build_encoder-7:$OUT/work/build_encoder-7" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$build_encoder_7:$build_encoder_7" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_5:$download_5:ro" \
  --volume "$convert_enc_dec_6:$convert_enc_dec_6:ro" --workdir "$OUT/work/build_encoder-7" \
  --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build \
  --checkpoint_dir "$convert_enc_dec_6/encoder" --output_dir "$build_encoder_7" --max_batch_size 8 \
  --max_beam_width 1 --max_input_len 1024 --max_num_tokens 8192 --gemm_plugin float16 --bert_attention_plugin float16 \
  --gpt_attention_plugin float16 --context_fmha disable --moe_plugin disable --paged_kv_cache disable \
  --enable_xqa disable --workers 1 --log_level info
made "$build_encoder_7" config.json rank0.engine

# build_decoder-8: build_log_level=info, build_workers=1, decoder_seq_len=201, enc_dec_fmha=disable, enc_dec_plugin=float16, max_batch_size=8, max_beam_width=1, max_input_len=1024, max_seq_len=1224, trtllm_version=0.12.0
build_decoder_8=$OUT/artifacts/build_decoder-8/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build_decoder-8 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build_decoder-8 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build_decoder-8:$OUT/work/build_decoder-8" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$build_decoder_8:$build_decoder_8" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_5:$download_5:ro" \
  --volume "$convert_enc_dec_6:$convert_enc_dec_6:ro" --workdir "$OUT/work/build_decoder-8" \
  --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build \
  --checkpoint_dir "$convert_enc_dec_6/decoder" --output_dir "$build_decoder_8" --max_batch_size 8 \
  --max_beam_width 1 --max_input_len 1 --max_encoder_input_len 1024 --max_seq_len 201 --gemm_plugin float16 \
  --bert_attention_plugin float16 --gpt_attention_plugin float16 --context_fmha disable --moe_plugin disable \
  --enable_xqa disable --workers 1 --log_level info
made "$build_decoder_8" config.json rank0.engine

# prompts-9: isl=200, load_words=concurrency=8, num_prompts=80, osl=100
prompts_9=$OUT/artifacts/prompts-9/out
mkdir -p "$prompts_9" "$OUT/work/prompts-9"
write "$OUT/work/prompts-9/jobs.json" <<END
[{"id":"prompts-9","blocks":"3","dataset":"","isl":"200","out":"$prompts_9","requests":"80","seed":"0","stream":"isl=200 osl=100 concurrency=8 num_prompts=80 repeat=0","warmup":"0"}]
END
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task prompts-9 1800 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-9/jobs.json" docker run --rm --interactive --init \
  --name "orchestrate-$token" --label "orchestrate.attempt=$token" --label orchestrate.stage=prompts-9 \
  --network host --shm-size 16g --ulimit memlock=-1 --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void \
  --user "$user" --volume "$OUT/work/prompts-9:$OUT/work/prompts-9" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$prompts_9:$prompts_9" \
  --volume "$OUT/work/prompts-9/jobs.json:$OUT/work/prompts-9/jobs.json:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_5:$download_5:ro" --workdir "$OUT/work/prompts-9" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_5/tokenizer.json" --jobs "$OUT/work/prompts-9/jobs.json"
made "$prompts_9" prompts.jsonl

# repository_of_two-10: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, enc_dec_type=bart, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.5, max_attention_window_size=4096, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, max_tokens_in_paged_kv_cache=4096, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=8, trtllm_version=0.12.0
repository_of_two_10=$OUT/artifacts/repository_of_two-10/out
task repository_of_two-10 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_3" --release 0.12.0 --fill "$ORCHESTRATE" \
  --out "$repository_of_two_10/repository" --stage engine_dir=build_decoder --stage encoder_engine_dir=build_encoder \
  --stage tokenizer_dir=download --triton_max_batch_size 8 --decoupled_mode true --triton_backend tensorrtllm \
  --max_queue_delay_microseconds 0 --max_queue_size 0 --preprocessing_instance_count 1 \
  --postprocessing_instance_count 1 --bls_instance_count 1 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.5 --enable_kv_cache_reuse false \
  --max_tokens_in_paged_kv_cache 4096 --max_attention_window_size 4096 --exclude_input_in_output true \
  --add_special_tokens true --skip_special_tokens true
made "$repository_of_two_10" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-11: model=bart-large-cnn
download_11=$OUT/artifacts/download-11/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-11 86400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:facebook/bart-large-cnn "$revision2" "$download_11" \
  --connections 4
made "$download_11" config.json

# convert_enc_dec-12: convert_workers=1, converter=/app/examples/enc_dec/convert_checkpoint.py, dtype=float16, enc_dec_type=bart, pp=1, precision=fp16, tp=1, trtllm_version=0.12.0, use_embedding_sharing=false, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_enc_dec_12=$OUT/artifacts/convert_enc_dec-12/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert_enc_dec-12 14400 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert_enc_dec-12 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert_enc_dec-12:$OUT/work/convert_enc_dec-12" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_enc_dec_12:$convert_enc_dec_12" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_11:$download_11:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert_enc_dec-12" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_2" convert python3 /app/examples/enc_dec/convert_checkpoint.py --model_type bart \
  --model_dir "$download_11" --output_dir "$convert_enc_dec_12" --dtype float16 --tp_size 1 --pp_size 1 \
  --workers 1
made "$convert_enc_dec_12" encoder/config.json encoder/rank0.safetensors decoder/config.json \
  decoder/rank0.safetensors

# build_encoder-13: build_log_level=info, build_workers=1, enc_dec_fmha=enable, enc_dec_plugin=float16, max_batch_size=8, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, trtllm_version=0.12.0
build_encoder_13=$OUT/artifacts/build_encoder-13/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build_encoder-13 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build_encoder-13 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build_encoder-13:$OUT/work/build_encoder-13" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$build_encoder_13:$build_encoder_13" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_11:$download_11:ro" \
  --volume "$convert_enc_dec_12:$convert_enc_dec_12:ro" --workdir "$OUT/work/build_encoder-13" \
  --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build \
  --checkpoint_dir "$convert_enc_dec_12/encoder" --output_dir "$build_encoder_13" --max_batch_size 8 \
  --max_beam_width 1 --max_input_len 1024 --max_num_tokens 8192 --gemm_plugin float16 --bert_attention_plugin float16 \
  --gpt_attention_plugin float16 --context_fmha enable --moe_plugin disable --paged_kv_cache disable \
  --enable_xqa disable --workers 1 --log_level info
made "$build_encoder_13" config.json rank0.engine

# build_decoder-14: build_log_level=info, build_workers=1, decoder_seq_len=201, enc_dec_fmha=enable, enc_dec_plugin=float16, max_batch_size=8, max_beam_width=1, max_input_len=1024, max_seq_len=1224, trtllm_version=0.12.0
build_decoder_14=$OUT/artifacts/build_decoder-14/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build_decoder-14 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build_decoder-14 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build_decoder-14:$OUT/work/build_decoder-14" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$build_decoder_14:$build_decoder_14" --volume "$source_1:$source_1:ro" \
  --volume "$environment_2:$environment_2:ro" --volume "$download_11:$download_11:ro" \
  --volume "$convert_enc_dec_12:$convert_enc_dec_12:ro" --workdir "$OUT/work/build_decoder-14" \
  --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_2" build trtllm-build \
  --checkpoint_dir "$convert_enc_dec_12/decoder" --output_dir "$build_decoder_14" --max_batch_size 8 \
  --max_beam_width 1 --max_input_len 1 --max_encoder_input_len 1024 --max_seq_len 201 --gemm_plugin float16 \
  --bert_attention_plugin float16 --gpt_attention_plugin float16 --context_fmha enable --moe_plugin disable \
  --enable_xqa disable --workers 1 --log_level info
made "$build_decoder_14" config.json rank0.engine

# prompts-15: isl=200, load_words=concurrency=8, num_prompts=80, osl=100
prompts_15=$OUT/artifacts/prompts-15/out
mkdir -p "$prompts_15" "$OUT/work/prompts-15"
write "$OUT/work/prompts-15/jobs.json" <<END
[{"id":"prompts-15","blocks":"3","dataset":"","isl":"200","out":"$prompts_15","requests":"80","seed":"0","stream":"isl=200 osl=100 concurrency=8 num_prompts=80 repeat=0","warmup":"0"}]
END
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task prompts-15 1800 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-15/jobs.json" docker run --rm --interactive --init \
  --name "orchestrate-$token" --label "orchestrate.attempt=$token" --label orchestrate.stage=prompts-15 \
  --network host --shm-size 16g --ulimit memlock=-1 --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void \
  --user "$user" --volume "$OUT/work/prompts-15:$OUT/work/prompts-15" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$prompts_15:$prompts_15" \
  --volume "$OUT/work/prompts-15/jobs.json:$OUT/work/prompts-15/jobs.json:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$download_11:$download_11:ro" --workdir "$OUT/work/prompts-15" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_2" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_11/tokenizer.json" --jobs "$OUT/work/prompts-15/jobs.json"
made "$prompts_15" prompts.jsonl

# source-16: backend_ref=v0.19.0, backend_source=https://github.com/triton-inference-server/tensorrtllm_backend.git, build_image=false, trtllm_version=0.19.0
source_16=$OUT/artifacts/source-16/out
inherit='HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE GIT_CONFIG_* GIT_SSH* GIT_SSL_* SSH_AUTH_SOCK' task source-16 14400 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/source.py" https://github.com/triton-inference-server/tensorrtllm_backend.git \
  v0.19.0 0.19.0 "$source_16"
made "$source_16" source.json backend/tensorrt_llm

# environment-17: app_dir=/app, backend_source=https://github.com/triton-inference-server/tensorrtllm_backend.git, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter,enc_dec, examples_dir=/app/examples, image=nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3, trtllm_version=0.19.0
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
environment_17=$OUT/artifacts/environment-17/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task environment-17 14400 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=environment-17 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/environment-17:$OUT/work/environment-17" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$environment_17:$environment_17" --volume "$source_16:$source_16:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/environment-17" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/environment.py" \
  --version 0.19.0 --examples /app/examples --app /app --families qwen,llama,gpt,medusa,eagle,redrafter,enc_dec \
  --image nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 --source "$source_16/backend" "$environment_17"
made "$environment_17" environment.json options.json versions.json

# templates-18: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_18=$OUT/artifacts/templates-18/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task templates-18 600 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=templates-18 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/templates-18:$OUT/work/templates-18" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$templates_18:$templates_18" --volume "$source_16:$source_16:ro" \
  --volume "$environment_17:$environment_17:ro" --workdir "$OUT/work/templates-18" --env LANG \
  --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_17" python cp -rL /app/all_models/inflight_batcher_llm/tensorrt_llm \
  /app/all_models/inflight_batcher_llm/ensemble /app/all_models/inflight_batcher_llm/preprocessing \
  /app/all_models/inflight_batcher_llm/postprocessing /app/all_models/inflight_batcher_llm/tensorrt_llm_bls \
  "$templates_18"
made "$templates_18" tensorrt_llm/config.pbtxt

# repository_of_two-19: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, cross_kv_cache_fraction=0.5, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, enc_dec_type=t5, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.8, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=8, trtllm_version=0.19.0
repository_of_two_19=$OUT/artifacts/repository_of_two-19/out
task repository_of_two-19 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_18" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_of_two_19/repository" --stage engine_dir=build_decoder --stage encoder_engine_dir=build_encoder \
  --stage tokenizer_dir=download --triton_max_batch_size 8 --decoupled_mode true --triton_backend tensorrtllm \
  --max_queue_delay_microseconds 0 --max_queue_size 0 --preprocessing_instance_count 1 \
  --postprocessing_instance_count 1 --bls_instance_count 1 --encoder_input_features_data_type TYPE_FP16 \
  --logits_datatype TYPE_FP32 --max_beam_width 1 --batching_strategy inflight_fused_batching \
  --batch_scheduler_policy guaranteed_no_evict --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.8 \
  --enable_kv_cache_reuse false --cross_kv_cache_fraction 0.5 --exclude_input_in_output true --add_special_tokens true \
  --skip_special_tokens true
made "$repository_of_two_19" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# convert_enc_dec-20: convert_workers=1, converter=/app/examples/enc_dec/convert_checkpoint.py, dtype=float16, enc_dec_type=t5, pp=1, precision=fp16, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_enc_dec_20=$OUT/artifacts/convert_enc_dec-20/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert_enc_dec-20 14400 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert_enc_dec-20 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert_enc_dec-20:$OUT/work/convert_enc_dec-20" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_enc_dec_20:$convert_enc_dec_20" --volume "$download_5:$download_5:ro" \
  --volume "$source_16:$source_16:ro" --volume "$environment_17:$environment_17:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert_enc_dec-20" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_17" convert python3 /app/examples/enc_dec/convert_checkpoint.py --model_type t5 \
  --model_dir "$download_5" --output_dir "$convert_enc_dec_20" --dtype float16 --tp_size 1 --pp_size 1 \
  --workers 1
made "$convert_enc_dec_20" encoder/config.json encoder/rank0.safetensors decoder/config.json \
  decoder/rank0.safetensors

# build_encoder-21: build_log_level=info, build_workers=1, enc_dec_fmha=disable, enc_dec_plugin=float16, max_batch_size=8, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, trtllm_version=0.19.0
build_encoder_21=$OUT/artifacts/build_encoder-21/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build_encoder-21 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build_encoder-21 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build_encoder-21:$OUT/work/build_encoder-21" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$build_encoder_21:$build_encoder_21" --volume "$download_5:$download_5:ro" \
  --volume "$source_16:$source_16:ro" --volume "$environment_17:$environment_17:ro" \
  --volume "$convert_enc_dec_20:$convert_enc_dec_20:ro" --workdir "$OUT/work/build_encoder-21" \
  --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_17" build trtllm-build \
  --checkpoint_dir "$convert_enc_dec_20/encoder" --output_dir "$build_encoder_21" --max_batch_size 8 \
  --max_beam_width 1 --max_input_len 1024 --max_num_tokens 8192 --gemm_plugin float16 --bert_attention_plugin float16 \
  --gpt_attention_plugin float16 --context_fmha disable --moe_plugin disable --kv_cache_type disabled --workers 1 \
  --log_level info
made "$build_encoder_21" config.json rank0.engine

# build_decoder-22: build_log_level=info, build_workers=1, decoder_seq_len=201, enc_dec_fmha=disable, enc_dec_plugin=float16, max_batch_size=8, max_beam_width=1, max_input_len=1024, max_seq_len=1224, trtllm_version=0.19.0
build_decoder_22=$OUT/artifacts/build_decoder-22/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build_decoder-22 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build_decoder-22 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build_decoder-22:$OUT/work/build_decoder-22" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$build_decoder_22:$build_decoder_22" --volume "$download_5:$download_5:ro" \
  --volume "$source_16:$source_16:ro" --volume "$environment_17:$environment_17:ro" \
  --volume "$convert_enc_dec_20:$convert_enc_dec_20:ro" --workdir "$OUT/work/build_decoder-22" \
  --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_17" build trtllm-build \
  --checkpoint_dir "$convert_enc_dec_20/decoder" --output_dir "$build_decoder_22" --max_batch_size 8 \
  --max_beam_width 1 --max_input_len 1 --max_encoder_input_len 1024 --max_seq_len 201 --gemm_plugin float16 \
  --bert_attention_plugin float16 --gpt_attention_plugin float16 --context_fmha disable --moe_plugin disable \
  --workers 1 --log_level info
made "$build_decoder_22" config.json rank0.engine

# prompts-23: isl=200, load_words=concurrency=8, num_prompts=80, osl=100
prompts_23=$OUT/artifacts/prompts-23/out
mkdir -p "$prompts_23" "$OUT/work/prompts-23"
write "$OUT/work/prompts-23/jobs.json" <<END
[{"id":"prompts-23","blocks":"3","dataset":"","isl":"200","out":"$prompts_23","requests":"80","seed":"0","stream":"isl=200 osl=100 concurrency=8 num_prompts=80 repeat=0","warmup":"0"}]
END
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task prompts-23 1800 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-23/jobs.json" docker run --rm --interactive --init \
  --name "orchestrate-$token" --label "orchestrate.attempt=$token" --label orchestrate.stage=prompts-23 \
  --network host --shm-size 16g --ulimit memlock=-1 --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void \
  --user "$user" --volume "$OUT/work/prompts-23:$OUT/work/prompts-23" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$prompts_23:$prompts_23" \
  --volume "$OUT/work/prompts-23/jobs.json:$OUT/work/prompts-23/jobs.json:ro" \
  --volume "$download_5:$download_5:ro" --volume "$source_16:$source_16:ro" \
  --volume "$environment_17:$environment_17:ro" --workdir "$OUT/work/prompts-23" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_17" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_5/tokenizer.json" --jobs "$OUT/work/prompts-23/jobs.json"
made "$prompts_23" prompts.jsonl

# repository_of_two-24: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, cross_kv_cache_fraction=0.5, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, enc_dec_type=bart, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.8, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=8, trtllm_version=0.19.0
repository_of_two_24=$OUT/artifacts/repository_of_two-24/out
task repository_of_two-24 300 CUDA_VISIBLE_DEVICES= -- \
  /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_18" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_of_two_24/repository" --stage engine_dir=build_decoder --stage encoder_engine_dir=build_encoder \
  --stage tokenizer_dir=download --triton_max_batch_size 8 --decoupled_mode true --triton_backend tensorrtllm \
  --max_queue_delay_microseconds 0 --max_queue_size 0 --preprocessing_instance_count 1 \
  --postprocessing_instance_count 1 --bls_instance_count 1 --encoder_input_features_data_type TYPE_FP16 \
  --logits_datatype TYPE_FP32 --max_beam_width 1 --batching_strategy inflight_fused_batching \
  --batch_scheduler_policy guaranteed_no_evict --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.8 \
  --enable_kv_cache_reuse false --cross_kv_cache_fraction 0.5 --exclude_input_in_output true --add_special_tokens true \
  --skip_special_tokens true
made "$repository_of_two_24" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# convert_enc_dec-25: convert_workers=1, converter=/app/examples/enc_dec/convert_checkpoint.py, dtype=float16, enc_dec_type=bart, pp=1, precision=fp16, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
libcuda=$(library_of_driver libcuda.so.1)
libnvidia_ml=$(library_of_driver libnvidia-ml.so.1)
convert_enc_dec_25=$OUT/artifacts/convert_enc_dec-25/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert_enc_dec-25 14400 CUDA_VISIBLE_DEVICES= -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=convert_enc_dec-25 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void --user "$user" \
  --volume "$OUT/work/convert_enc_dec-25:$OUT/work/convert_enc_dec-25" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$convert_enc_dec_25:$convert_enc_dec_25" --volume "$download_11:$download_11:ro" \
  --volume "$source_16:$source_16:ro" --volume "$environment_17:$environment_17:ro" \
  --volume "$libcuda:/usr/lib/libcuda.so.1:ro" --volume "$libnvidia_ml:/usr/lib/libnvidia-ml.so.1:ro" \
  --workdir "$OUT/work/convert_enc_dec-25" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env TMPDIR --env TZ --env "HOME=$tmp" \
  --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES= \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_17" convert python3 /app/examples/enc_dec/convert_checkpoint.py --model_type bart \
  --model_dir "$download_11" --output_dir "$convert_enc_dec_25" --dtype float16 --tp_size 1 --pp_size 1 \
  --workers 1
made "$convert_enc_dec_25" encoder/config.json encoder/rank0.safetensors decoder/config.json \
  decoder/rank0.safetensors

# build_encoder-26: build_log_level=info, build_workers=1, enc_dec_fmha=enable, enc_dec_plugin=float16, max_batch_size=8, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, trtllm_version=0.19.0
build_encoder_26=$OUT/artifacts/build_encoder-26/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build_encoder-26 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build_encoder-26 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build_encoder-26:$OUT/work/build_encoder-26" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$build_encoder_26:$build_encoder_26" --volume "$download_11:$download_11:ro" \
  --volume "$source_16:$source_16:ro" --volume "$environment_17:$environment_17:ro" \
  --volume "$convert_enc_dec_25:$convert_enc_dec_25:ro" --workdir "$OUT/work/build_encoder-26" \
  --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_17" build trtllm-build \
  --checkpoint_dir "$convert_enc_dec_25/encoder" --output_dir "$build_encoder_26" --max_batch_size 8 \
  --max_beam_width 1 --max_input_len 1024 --max_num_tokens 8192 --gemm_plugin float16 --bert_attention_plugin float16 \
  --gpt_attention_plugin float16 --context_fmha enable --moe_plugin disable --kv_cache_type disabled --workers 1 \
  --log_level info
made "$build_encoder_26" config.json rank0.engine

# build_decoder-27: build_log_level=info, build_workers=1, decoder_seq_len=201, enc_dec_fmha=enable, enc_dec_plugin=float16, max_batch_size=8, max_beam_width=1, max_input_len=1024, max_seq_len=1224, trtllm_version=0.19.0
build_decoder_27=$OUT/artifacts/build_decoder-27/out
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build_decoder-27 28800 CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=build_decoder-27 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/build_decoder-27:$OUT/work/build_decoder-27" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$build_decoder_27:$build_decoder_27" --volume "$download_11:$download_11:ro" \
  --volume "$source_16:$source_16:ro" --volume "$environment_17:$environment_17:ro" \
  --volume "$convert_enc_dec_25:$convert_enc_dec_25:ro" --workdir "$OUT/work/build_decoder-27" \
  --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_17" build trtllm-build \
  --checkpoint_dir "$convert_enc_dec_25/decoder" --output_dir "$build_decoder_27" --max_batch_size 8 \
  --max_beam_width 1 --max_input_len 1 --max_encoder_input_len 1024 --max_seq_len 201 --gemm_plugin float16 \
  --bert_attention_plugin float16 --gpt_attention_plugin float16 --context_fmha enable --moe_plugin disable \
  --workers 1 --log_level info
made "$build_decoder_27" config.json rank0.engine

# prompts-28: isl=200, load_words=concurrency=8, num_prompts=80, osl=100
prompts_28=$OUT/artifacts/prompts-28/out
mkdir -p "$prompts_28" "$OUT/work/prompts-28"
write "$OUT/work/prompts-28/jobs.json" <<END
[{"id":"prompts-28","blocks":"3","dataset":"","isl":"200","out":"$prompts_28","requests":"80","seed":"0","stream":"isl=200 osl=100 concurrency=8 num_prompts=80 repeat=0","warmup":"0"}]
END
token=$(new_token)
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task prompts-28 1800 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" prompts "$OUT/work/prompts-28/jobs.json" docker run --rm --interactive --init \
  --name "orchestrate-$token" --label "orchestrate.attempt=$token" --label orchestrate.stage=prompts-28 \
  --network host --shm-size 16g --ulimit memlock=-1 --ulimit stack=67108864 --env NVIDIA_VISIBLE_DEVICES=void \
  --user "$user" --volume "$OUT/work/prompts-28:$OUT/work/prompts-28" --volume "$tmp:$tmp" \
  --volume "$shm:$shm" --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$prompts_28:$prompts_28" \
  --volume "$OUT/work/prompts-28/jobs.json:$OUT/work/prompts-28/jobs.json:ro" \
  --volume "$download_11:$download_11:ro" --volume "$source_16:$source_16:ro" \
  --volume "$environment_17:$environment_17:ro" --workdir "$OUT/work/prompts-28" --env LANG --env LC_ALL \
  --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env TMPDIR --env TZ --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" \
  --env CUDA_VISIBLE_DEVICES= nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_17" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_11/tokenizer.json" --jobs "$OUT/work/prompts-28/jobs.json"
made "$prompts_28" prompts.jsonl

# ----------------------------------------------------------------------------------------------------------------------
# serve-29: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, trtllm_version=0.12.0
place "$repository_of_two_4/repository" "$OUT/work/serve-29/repository" build_decoder "$build_decoder_8" build_encoder "$build_encoder_7" download "$download_5"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-29 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu_0" -- \
  docker run --rm --interactive --init --name "orchestrate-$token" --label "orchestrate.attempt=$token" \
  --label orchestrate.stage=serve-29 --network host --shm-size 16g --ulimit memlock=-1 \
  --ulimit stack=67108864 --gpus "\"device=$gpu_0\"" --user "$user" \
  --volume "$OUT/work/serve-29:$OUT/work/serve-29" --volume "$tmp:$tmp" --volume "$shm:$shm" \
  --volume "$RUNNER:$RUNNER:ro" --volume "$RUNNER/../common:$RUNNER/../common:ro" \
  --volume "$source_1:$source_1:ro" --volume "$environment_2:$environment_2:ro" \
  --volume "$templates_3:$templates_3:ro" --volume "$repository_of_two_4:$repository_of_two_4:ro" \
  --volume "$download_5:$download_5:ro" --volume "$convert_enc_dec_6:$convert_enc_dec_6:ro" \
  --volume "$build_encoder_7:$build_encoder_7:ro" --volume "$build_decoder_8:$build_decoder_8:ro" \
  --workdir "$OUT/work/serve-29" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_2" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-29/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-30 of t5-small_trtllm0.12.0_isl200_osl100_c8-fd1b33
bench_30=$OUT/artifacts/bench-30.1/out
measure bench-30.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 0 \
  --prompts "$prompts_9/prompts.jsonl" --osl 100 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_30" --format json
made "$bench_30" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-31: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, trtllm_version=0.12.0
place "$repository_of_two_10/repository" "$OUT/work/serve-31/repository" build_decoder "$build_decoder_14" build_encoder "$build_encoder_13" download "$download_11"
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
  --volume "$templates_3:$templates_3:ro" --volume "$repository_of_two_10:$repository_of_two_10:ro" \
  --volume "$download_11:$download_11:ro" --volume "$convert_enc_dec_12:$convert_enc_dec_12:ro" \
  --volume "$build_encoder_13:$build_encoder_13:ro" --volume "$build_decoder_14:$build_decoder_14:ro" \
  --workdir "$OUT/work/serve-31" --env LANG --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory \
  --env OMPI_MCA_btl_vader_backing_directory --env OMPI_MCA_osc_rdma_backing_directory \
  --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE --env PYTHONUNBUFFERED --env TMPDIR \
  --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID --env "HOME=$tmp" --env USER=orchestrate \
  --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 nvcr.io/nvidia/tritonserver:24.08-trtllm-python-py3 \
  /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_2" serve mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
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

# bench-32 of bart-large-cnn_trtllm0.12.0_isl200_osl100_c8-b14d12
bench_32=$OUT/artifacts/bench-32.1/out
measure bench-32.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 0 \
  --prompts "$prompts_15/prompts.jsonl" --osl 100 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_32" --format json
made "$bench_32" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-33: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_of_two_19/repository" "$OUT/work/serve-33/repository" build_decoder "$build_decoder_22" build_encoder "$build_encoder_21" download "$download_5"
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
  --volume "$download_5:$download_5:ro" --volume "$source_16:$source_16:ro" \
  --volume "$environment_17:$environment_17:ro" --volume "$templates_18:$templates_18:ro" \
  --volume "$repository_of_two_19:$repository_of_two_19:ro" \
  --volume "$convert_enc_dec_20:$convert_enc_dec_20:ro" --volume "$build_encoder_21:$build_encoder_21:ro" \
  --volume "$build_decoder_22:$build_decoder_22:ro" --workdir "$OUT/work/serve-33" --env LANG \
  --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_17" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
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

# bench-34 of t5-small_trtllm0.19.0_isl200_osl100_c8-643419
bench_34=$OUT/artifacts/bench-34.1/out
measure bench-34.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 0 \
  --prompts "$prompts_23/prompts.jsonl" --osl 100 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_34" --format json
made "$bench_34" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-35: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_of_two_24/repository" "$OUT/work/serve-35/repository" build_decoder "$build_decoder_27" build_encoder "$build_encoder_26" download "$download_11"
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
  --volume "$download_11:$download_11:ro" --volume "$source_16:$source_16:ro" \
  --volume "$environment_17:$environment_17:ro" --volume "$templates_18:$templates_18:ro" \
  --volume "$repository_of_two_24:$repository_of_two_24:ro" \
  --volume "$convert_enc_dec_25:$convert_enc_dec_25:ro" --volume "$build_encoder_26:$build_encoder_26:ro" \
  --volume "$build_decoder_27:$build_decoder_27:ro" --workdir "$OUT/work/serve-35" --env LANG \
  --env LC_ALL --env OMPI_MCA_btl_sm_backing_directory --env OMPI_MCA_btl_vader_backing_directory \
  --env OMPI_MCA_osc_rdma_backing_directory --env OMPI_MCA_osc_sm_backing_directory --env PYTHONDONTWRITEBYTECODE \
  --env PYTHONUNBUFFERED --env TMPDIR --env TOKENIZERS_PARALLELISM --env TZ --env CUDA_DEVICE_ORDER=PCI_BUS_ID \
  --env "HOME=$tmp" --env USER=orchestrate --env "XDG_CACHE_HOME=$tmp/.cache" --env CUDA_VISIBLE_DEVICES=0 \
  nvcr.io/nvidia/tritonserver:25.05-trtllm-python-py3 /usr/bin/env python3 "$RUNNER/scripts/enter.py" \
  "$environment_17" serve mpirun --allow-run-as-root --oversubscribe --noprefix --bind-to none \
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

# bench-36 of bart-large-cnn_trtllm0.19.0_isl200_osl100_c8-a68e0f
bench_36=$OUT/artifacts/bench-36.1/out
measure bench-36.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 0 \
  --prompts "$prompts_28/prompts.jsonl" --osl 100 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_36" --format json
made "$bench_36" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
