exit 0
--- stderr
warning: TensorRT-LLM 0.17.0 (1 point) is known from a neighbouring version: options read from 0.17.0.dev2024121700; if the tool is installed, its own --help decides
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine; it is hashed by path, not by content
--- stdout
#!/usr/bin/env bash
# slurm-tp4-pp2: 1 of 1 points of tests/golden/experiments/slurm-tp4-pp2.yaml, on the runner triton-trtllm
#
# The steps of `orchestrate run` with an empty store as jobs of Slurm: a job for each task, and one for each server with
# its measurements. This script submits itself as each of them. A job starts when those that it needs have succeeded,
# and is cancelled when one of them fails. All files go into the folder OUT, which must be new, on a file system that
# all nodes share, as this script must be:
#
#   OUT=./by-hand bash plan.sh
#
# It does not resume or retry. Whether a measurement is valid is recorded in its measurement.json. Requires bash 4.4,
# curl and GNU coreutils, findutils, sed and util-linux (setsid) on the nodes, and what the stages call: orchestrate
# itself and the scripts of the runner. On another cluster set ORCHESTRATE and RUNNER to them.
# shellcheck disable=SC2016,SC2034,SC2154  # '$' in a request may be literal, variables may serve jobs or the reader
set -euo pipefail

OUT=${OUT:-by-hand}
runner_here=PROJECT/runners/triton-trtllm
orchestrate_here=BINARY
RUNNER=${RUNNER:-$runner_here}
ORCHESTRATE=${ORCHESTRATE:-$orchestrate_here}
least_port=20000 last_port=29999 address=127.0.0.1
script=${script:-$(realpath -- "$0")}

...

begin_job() {
  begin
  own=(TMPDIR="$tmp"
    OMPI_MCA_btl_vader_backing_directory="$shm"
    OMPI_MCA_btl_sm_backing_directory="$shm"
    OMPI_MCA_osc_sm_backing_directory="$shm"
    OMPI_MCA_osc_rdma_backing_directory="$shm"
  )
  # Since Slurm 22.05, srun does not inherit the CPUs per task from the job
  [[ -z ${SLURM_CPUS_PER_TASK-} ]] || export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
  # TERM for srun would not let the server finish; the server is the job's first step
  ask_server=(scancel --quiet --signal=TERM "$SLURM_JOB_ID.0")
}

job_environment_1() {
# environment-1: app_dir=/app, build_image=false, converter_families=qwen,llama,gpt,medusa,eagle,redrafter,enc_dec, examples_dir=/app/examples, image=nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3, trtllm_version=0.17.0
environment_1=$OUT/artifacts/environment-1/out
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task environment-1 14400 CUDA_VISIBLE_DEVICES= NVIDIA_DRIVER_CAPABILITIES=compute,utility \
  NVIDIA_VISIBLE_DEVICES=none RUNNER="$RUNNER" environment_1="$environment_1" -- \
  srun --nodes=1 --ntasks=1 --cpu-bind=none "--output=$OUT/logs/environment-1_%t.out" \
  '--container-image=nvcr.io#nvidia/tritonserver:25.01-trtllm-python-py3' \
  "--container-mounts=$OUT/work/environment-1:$OUT/work/environment-1,$tmp:$tmp,$shm:$shm,$RUNNER:$RUNNER:ro,$RUNNER/../common:$RUNNER/../common:ro,$environment_1:$environment_1,$script:$script:ro" \
  "--container-workdir=$OUT/work/environment-1" --no-container-mount-home \
  --container-env=LANG,LC_ALL,OMPI_MCA_btl_sm_backing_directory,OMPI_MCA_btl_vader_backing_directory,OMPI_MCA_osc_rdma_backing_directory,OMPI_MCA_osc_sm_backing_directory,PYTHONDONTWRITEBYTECODE,TMPDIR,TZ,RUNNER,environment_1,CUDA_VISIBLE_DEVICES,NVIDIA_DRIVER_CAPABILITIES,NVIDIA_VISIBLE_DEVICES \
  --container-entrypoint /usr/bin/env "HOME=$tmp" USER=orchestrate "XDG_CACHE_HOME=$tmp/.cache" bash "$script" command \
  environment_1
made "$environment_1" environment.json options.json versions.json
}

command_environment_1() {
exec /usr/bin/env python3 "$RUNNER/scripts/environment.py" --version 0.17.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter,enc_dec --image nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3 \
  "$environment_1"
}

job_templates_2() {
environment_1=$OUT/artifacts/environment-1/out

# templates-2: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_2=$OUT/artifacts/templates-2/out
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task templates-2 600 CUDA_VISIBLE_DEVICES= NVIDIA_VISIBLE_DEVICES=void RUNNER="$RUNNER" \
  environment_1="$environment_1" templates_2="$templates_2" -- \
  srun --nodes=1 --ntasks=1 --cpu-bind=none "--output=$OUT/logs/templates-2_%t.out" \
  '--container-image=nvcr.io#nvidia/tritonserver:25.01-trtllm-python-py3' \
  "--container-mounts=$OUT/work/templates-2:$OUT/work/templates-2,$tmp:$tmp,$shm:$shm,$RUNNER:$RUNNER:ro,$RUNNER/../common:$RUNNER/../common:ro,$templates_2:$templates_2,$environment_1:$environment_1:ro,$script:$script:ro" \
  "--container-workdir=$OUT/work/templates-2" --no-container-mount-home \
  --container-env=LANG,LC_ALL,OMPI_MCA_btl_sm_backing_directory,OMPI_MCA_btl_vader_backing_directory,OMPI_MCA_osc_rdma_backing_directory,OMPI_MCA_osc_sm_backing_directory,PYTHONDONTWRITEBYTECODE,TMPDIR,TZ,RUNNER,environment_1,templates_2,CUDA_VISIBLE_DEVICES,NVIDIA_VISIBLE_DEVICES \
  --container-entrypoint /usr/bin/env "HOME=$tmp" USER=orchestrate "XDG_CACHE_HOME=$tmp/.cache" bash "$script" command \
  templates_2
made "$templates_2" tensorrt_llm/config.pbtxt
}

command_templates_2() {
exec /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" python cp \
  -rL /app/all_models/inflight_batcher_llm/tensorrt_llm /app/all_models/inflight_batcher_llm/ensemble \
  /app/all_models/inflight_batcher_llm/preprocessing /app/all_models/inflight_batcher_llm/postprocessing \
  /app/all_models/inflight_batcher_llm/tensorrt_llm_bls "$templates_2"
}

job_repository_3() {
templates_2=$OUT/artifacts/templates-2/out

# repository-3: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_3=$OUT/artifacts/repository-3/out
task repository-3 300 CUDA_VISIBLE_DEVICES= ORCHESTRATE="$ORCHESTRATE" RUNNER="$RUNNER" \
  repository_3="$repository_3" templates_2="$templates_2" -- \
  srun --nodes=1 --ntasks=1 --cpu-bind=none "--output=$OUT/logs/repository-3_%t.out" bash "$script" command \
  repository_3
made "$repository_3" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls
}

command_repository_3() {
exec /usr/bin/python3 "$RUNNER/scripts/repository.py" --templates "$templates_2" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_3/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
}

job_download_4() {
: "${revision1:?the commit of a model, which the submission sets}"

# download-4: model=llama-3-70b
download_4=$OUT/artifacts/download-4/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-4 86400 CUDA_VISIBLE_DEVICES= RUNNER="$RUNNER" download_4="$download_4" \
  revision1="$revision1" -- \
  srun --nodes=1 --ntasks=1 --cpu-bind=none "--output=$OUT/logs/download-4_%t.out" bash "$script" command \
  download_4
made "$download_4" config.json
}

command_download_4() {
exec /usr/bin/python3 "$RUNNER/../common/scripts/download.py" hf:meta-llama/Meta-Llama-3-70B "$revision1" "$download_4" \
  --connections 4
}

job_convert_5() {
download_4=$OUT/artifacts/download-4/out
environment_1=$OUT/artifacts/environment-1/out

# convert-5: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=2, precision=fp16, remove_duplicated_kv_heads=false, tp=4, trtllm_version=0.17.0, use_parallel_embedding=false
convert_5=$OUT/artifacts/convert-5/out
inherit='HF_ENDPOINT HF_HUB_OFFLINE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task convert-5 14400 "HF_HOME=$OUT/work/convert-5/huggingface" CUDA_VISIBLE_DEVICES= \
  NVIDIA_DRIVER_CAPABILITIES=compute,utility NVIDIA_VISIBLE_DEVICES=none RUNNER="$RUNNER" convert_5="$convert_5" \
  download_4="$download_4" environment_1="$environment_1" -- \
  srun --nodes=1 --ntasks=1 --cpu-bind=none "--output=$OUT/logs/convert-5_%t.out" \
  '--container-image=nvcr.io#nvidia/tritonserver:25.01-trtllm-python-py3' \
  "--container-mounts=$OUT/work/convert-5:$OUT/work/convert-5,$tmp:$tmp,$shm:$shm,$RUNNER:$RUNNER:ro,$RUNNER/../common:$RUNNER/../common:ro,$convert_5:$convert_5,$environment_1:$environment_1:ro,$download_4:$download_4:ro,$script:$script:ro" \
  "--container-workdir=$OUT/work/convert-5" --no-container-mount-home \
  --container-env=HF_ENDPOINT,HF_HOME,HF_HUB_OFFLINE,HF_TOKEN,HTTPS_PROXY,HTTP_PROXY,HUGGING_FACE_HUB_TOKEN,LANG,LC_ALL,NO_PROXY,OMPI_MCA_btl_sm_backing_directory,OMPI_MCA_btl_vader_backing_directory,OMPI_MCA_osc_rdma_backing_directory,OMPI_MCA_osc_sm_backing_directory,PYTHONDONTWRITEBYTECODE,SSL_CERT_FILE,TMPDIR,TZ,http_proxy,https_proxy,no_proxy,RUNNER,convert_5,download_4,environment_1,CUDA_VISIBLE_DEVICES,NVIDIA_DRIVER_CAPABILITIES,NVIDIA_VISIBLE_DEVICES \
  --container-entrypoint /usr/bin/env "HOME=$tmp" USER=orchestrate "XDG_CACHE_HOME=$tmp/.cache" bash "$script" command \
  convert_5
made "$convert_5" config.json rank0.safetensors
}

command_convert_5() {
exec /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" convert python3 \
  /app/examples/llama/convert_checkpoint.py --model_dir "$download_4" --output_dir "$convert_5" --dtype float16 \
  --tp_size 4 --pp_size 2 --workers 1
}

job_build_6() {
convert_5=$OUT/artifacts/convert-5/out
download_4=$OUT/artifacts/download-4/out
environment_1=$OUT/artifacts/environment-1/out

# build-6: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_6=$OUT/artifacts/build-6/out
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task build-6 28800 NVIDIA_DRIVER_CAPABILITIES=compute,utility NVIDIA_VISIBLE_DEVICES=all RUNNER="$RUNNER" \
  build_6="$build_6" convert_5="$convert_5" environment_1="$environment_1" -- \
  srun --nodes=1 --ntasks=1 --cpu-bind=none "--output=$OUT/logs/build-6_%t.out" \
  '--container-image=nvcr.io#nvidia/tritonserver:25.01-trtllm-python-py3' \
  "--container-mounts=$OUT/work/build-6:$OUT/work/build-6,$tmp:$tmp,$shm:$shm,$RUNNER:$RUNNER:ro,$RUNNER/../common:$RUNNER/../common:ro,$build_6:$build_6,$environment_1:$environment_1:ro,$download_4:$download_4:ro,$convert_5:$convert_5:ro,$script:$script:ro" \
  "--container-workdir=$OUT/work/build-6" --no-container-mount-home \
  --container-env=LANG,LC_ALL,OMPI_MCA_btl_sm_backing_directory,OMPI_MCA_btl_vader_backing_directory,OMPI_MCA_osc_rdma_backing_directory,OMPI_MCA_osc_sm_backing_directory,PYTHONDONTWRITEBYTECODE,TMPDIR,TZ,RUNNER,build_6,convert_5,environment_1,CUDA_VISIBLE_DEVICES,NVIDIA_DRIVER_CAPABILITIES,NVIDIA_VISIBLE_DEVICES \
  --container-entrypoint /usr/bin/env CUDA_DEVICE_ORDER=PCI_BUS_ID "HOME=$tmp" USER=orchestrate \
  "XDG_CACHE_HOME=$tmp/.cache" bash "$script" command build_6
made "$build_6" config.json rank0.engine
}

command_build_6() {
exec /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" build trtllm-build \
  --checkpoint_dir "$convert_5" --output_dir "$build_6" --max_batch_size 16 --max_input_len 128 \
  --max_seq_len 256 --max_num_tokens 8192 --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto \
  --nccl_plugin auto --moe_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable \
  --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable \
  --kv_cache_type paged --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable \
  --reduce_fusion disable --workers 8 --log_level info --profiling_verbosity layer_names_only
}

job_prompts_7() {
download_4=$OUT/artifacts/download-4/out
environment_1=$OUT/artifacts/environment-1/out

# prompts-7: isl=128, load_words=concurrency=16, num_prompts=160, osl=128
prompts_7=$OUT/artifacts/prompts-7/out
mkdir -p "$prompts_7" "$OUT/work/prompts-7"
write "$OUT/work/prompts-7/jobs.json" <<END
[{"id":"prompts-7","blocks":"3","dataset":"","isl":"128","out":"$prompts_7","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' task prompts-7 1800 PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES= NVIDIA_VISIBLE_DEVICES=void \
  ORCHESTRATE="$ORCHESTRATE" OUT="$OUT" RUNNER="$RUNNER" download_4="$download_4" \
  environment_1="$environment_1" prompts_7="$prompts_7" shm="$shm" tmp="$tmp" -- \
  bash "$script" command prompts_7
made "$prompts_7" prompts.jsonl
}

command_prompts_7() {
exec "$ORCHESTRATE" prompts "$OUT/work/prompts-7/jobs.json" srun --overlap --nodes=1 --ntasks=1 --cpu-bind=none \
  '--container-image=nvcr.io#nvidia/tritonserver:25.01-trtllm-python-py3' \
  "--container-mounts=$OUT/work/prompts-7:$OUT/work/prompts-7,$tmp:$tmp,$shm:$shm,$RUNNER:$RUNNER:ro,$RUNNER/../common:$RUNNER/../common:ro,$prompts_7:$prompts_7,$OUT/work/prompts-7/jobs.json:$OUT/work/prompts-7/jobs.json:ro,$environment_1:$environment_1:ro,$download_4:$download_4:ro" \
  "--container-workdir=$OUT/work/prompts-7" --no-container-mount-home \
  --container-env=LANG,LC_ALL,OMPI_MCA_btl_sm_backing_directory,OMPI_MCA_btl_vader_backing_directory,OMPI_MCA_osc_rdma_backing_directory,OMPI_MCA_osc_sm_backing_directory,PYTHONDONTWRITEBYTECODE,TMPDIR,TZ,CUDA_VISIBLE_DEVICES,NVIDIA_VISIBLE_DEVICES \
  --container-entrypoint /usr/bin/env "HOME=$tmp" USER=orchestrate "XDG_CACHE_HOME=$tmp/.cache" /usr/bin/env python3 \
  "$RUNNER/scripts/enter.py" "$environment_1" python python3 "$RUNNER/../common/scripts/make_prompts.py" \
  --tokenizer "$download_4/tokenizer.json" --jobs "$OUT/work/prompts-7/jobs.json"
}

job_serve_8() {
build_6=$OUT/artifacts/build-6/out
convert_5=$OUT/artifacts/convert-5/out
download_4=$OUT/artifacts/download-4/out
environment_1=$OUT/artifacts/environment-1/out
prompts_7=$OUT/artifacts/prompts-7/out
repository_3=$OUT/artifacts/repository-3/out
templates_2=$OUT/artifacts/templates-2/out

# ----------------------------------------------------------------------------------------------------------------------
# serve-8: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_3/repository" "$OUT/work/serve-8/repository" build "$build_6" download "$download_4"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
inherit='CONTAINERS_* CONTAINER_HOST DOCKER_* XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME' serve serve-8 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false \
  NVIDIA_DRIVER_CAPABILITIES=compute,utility NVIDIA_VISIBLE_DEVICES=all OUT="$OUT" RUNNER="$RUNNER" \
  environment_1="$environment_1" port_grpc_1="$port_grpc_1" port_http_1="$port_http_1" \
  port_metrics_1="$port_metrics_1" token="$token" -- \
  srun --overlap --mpi=pmix --kill-on-bad-exit=1 --nodes=1 --ntasks-per-node=8 --cpu-bind=none \
  "--output=$OUT/logs/serve-8_%t.out" \
  '--container-image=nvcr.io#nvidia/tritonserver:25.01-trtllm-python-py3' \
  "--container-mounts=$OUT/work/serve-8:$OUT/work/serve-8,$tmp:$tmp,$shm:$shm,$RUNNER:$RUNNER:ro,$RUNNER/../common:$RUNNER/../common:ro,$environment_1:$environment_1:ro,$templates_2:$templates_2:ro,$repository_3:$repository_3:ro,$download_4:$download_4:ro,$convert_5:$convert_5:ro,$build_6:$build_6:ro,$script:$script:ro" \
  "--container-workdir=$OUT/work/serve-8" --no-container-mount-home \
  --container-env=LANG,LC_ALL,OMPI_MCA_btl_sm_backing_directory,OMPI_MCA_btl_vader_backing_directory,OMPI_MCA_osc_rdma_backing_directory,OMPI_MCA_osc_sm_backing_directory,PYTHONDONTWRITEBYTECODE,PYTHONUNBUFFERED,TMPDIR,TOKENIZERS_PARALLELISM,TZ,OUT,RUNNER,environment_1,port_grpc_1,port_http_1,port_metrics_1,token,CUDA_VISIBLE_DEVICES,NVIDIA_DRIVER_CAPABILITIES,NVIDIA_VISIBLE_DEVICES \
  --container-entrypoint /usr/bin/env CUDA_DEVICE_ORDER=PCI_BUS_ID "HOME=$tmp" USER=orchestrate \
  "XDG_CACHE_HOME=$tmp/.cache" bash "$script" command serve_8
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "stream": false}'

# bench-9 of llama-3-70b_tp4_pp2-8d1360
bench_9=$OUT/artifacts/bench-9.1/out
measure bench-9.1 7200 CUDA_VISIBLE_DEVICES= -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_7/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --send-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_9" --format json
made "$bench_9" measurement.json requests.jsonl

stop
}

command_serve_8() {
export OMPI_MCA_btl=self,vader
case $SLURM_PROCID in
0)
  exec /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve tritonserver \
  "--model-repository=$OUT/work/serve-8/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" ;;
*)
  exec /usr/bin/env python3 "$RUNNER/scripts/enter.py" "$environment_1" serve tritonserver \
  "--model-repository=$OUT/work/serve-8/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_${SLURM_PROCID}_" ;;
esac
}

# The calls of this script by a job, and by a process of a job
if [[ ${1-} == command ]]; then "command_$2"; fi
[[ -d $RUNNER ]] || fail "the runner's folder $RUNNER does not exist: set RUNNER to its path"
[[ -x $ORCHESTRATE ]] || fail "the program $ORCHESTRATE does not exist: set ORCHESTRATE to its path"
if [[ ${1-} == job ]]; then
  set +eu
  module load cuda/12.4
  set -eu
  begin_job
  "job_$2"
  exit
fi

make_out
[[ $OUT != *%* ]] || fail "$OUT: Slurm reads % in paths: set OUT to another folder"
export OUT RUNNER ORCHESTRATE script
begin
own=(TMPDIR="$tmp"
  OMPI_MCA_btl_vader_backing_directory="$shm"
  OMPI_MCA_btl_sm_backing_directory="$shm"
  OMPI_MCA_osc_sm_backing_directory="$shm"
  OMPI_MCA_osc_rdma_backing_directory="$shm"
)

# the commit of hf:meta-llama/Meta-Llama-3-70B@main
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE' resolve resolve-1 60 -- \
  /usr/bin/python3 "$RUNNER/../common/scripts/resolve.py" hf:meta-llama/Meta-Llama-3-70B main
revision1=$resolved
export revision1

submit -- -J environment-1 -o "$OUT/logs/environment-1.job" --no-requeue --account=nlp \
  --partition=h100 --constraint nvlink --nodes=1 --ntasks=1 --cpus-per-task=2 --mem=4096M --time=242 \
  --signal=B:TERM@30 "$script" job environment_1
job_environment_1=$job

submit "$job_environment_1" -- -J templates-2 -o "$OUT/logs/templates-2.job" --no-requeue \
  --account=nlp --partition=h100 --constraint nvlink --nodes=1 --ntasks=1 --cpus-per-task=1 --mem=1024M --time=12 \
  --signal=B:TERM@30 "$script" job templates_2
job_templates_2=$job

submit "$job_templates_2" -- -J repository-3 -o "$OUT/logs/repository-3.job" --no-requeue \
  --account=nlp --partition=h100 --constraint nvlink --nodes=1 --ntasks=1 --cpus-per-task=1 --mem=1024M --time=7 \
  --signal=B:TERM@30 "$script" job repository_3
job_repository_3=$job

submit -- -J download-4 -o "$OUT/logs/download-4.job" --no-requeue --account=nlp \
  --partition=h100 --constraint nvlink --nodes=1 --ntasks=1 --cpus-per-task=2 --mem=2048M --time=1442 \
  --signal=B:TERM@30 "$script" job download_4
job_download_4=$job

submit "$job_download_4" "$job_environment_1" -- -J convert-5 -o "$OUT/logs/convert-5.job" \
  --no-requeue --account=nlp --partition=h100 --constraint nvlink --nodes=1 --ntasks=1 --cpus-per-task=8 --mem=161090M \
  --time=242 --signal=B:TERM@30 "$script" job convert_5
job_convert_5=$job

submit "$job_convert_5" "$job_environment_1" -- -J build-6 -o "$OUT/logs/build-6.job" \
  --no-requeue --account=nlp --partition=h100 --constraint nvlink --nodes=1 --ntasks=1 --gres=gpu:h100:8 \
  --cpus-per-task=32 --mem=301466M --time=482 --signal=B:TERM@30 "$script" job build_6
job_build_6=$job

submit "$job_download_4" "$job_environment_1" -- -J prompts-7 -o "$OUT/logs/prompts-7.job" \
  --no-requeue --account=nlp --partition=h100 --constraint nvlink --nodes=1 --ntasks=1 --cpus-per-task=2 --mem=2048M \
  --time=32 --signal=B:TERM@30 "$script" job prompts_7
job_prompts_7=$job

submit "$job_build_6" "$job_download_4" "$job_environment_1" "$job_repository_3" "$job_prompts_7" -- \
  -J serve-8 -o "$OUT/logs/serve-8.job" --no-requeue --account=nlp --partition=h100 \
  --constraint nvlink --nodes=1 --ntasks-per-node=8 --gres=gpu:h100:8 --cpus-per-task=5 --mem=191694M --time=240 \
  --signal=B:TERM@40 "$script" job serve_8
job_serve_8=$job

say "submitted: ${#jobs[@]} jobs; squeue --me shows them, and their files are in $OUT"
