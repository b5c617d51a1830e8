exit 0
--- stderr
warning: TensorRT-LLM 0.17.0 (14 points) is known by a version beside it: options read from 0.17.0.dev2024121700; where its tool is there, the tool's own --help decides
warning: TensorRT-LLM 0.19.0 (1 point) is known by inference: templates and launcher are of that release, options lie between 0.17 and 1.1; where its tool is there, the tool's own --help decides
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine, so its path counts and not what it holds
--- stdout
#!/usr/bin/env bash
# trtllm-backend-tour: 16 of 16 points of experiments/trtllm-backend-tour.yaml, on the runner triton-trtllm
#
# What `orchestrate run` does from nothing, by hand: every artifact is made, each server is started in turn, waited for,
# measured and stopped. Everything goes into the folder OUT, which must be new:
#
#   OUT=./by-hand bash plan.sh
#
# It does not resume, retry or judge: the first failure ends it, and whether a measurement is valid stands in its
# measurement.json. Wants bash 4.4, curl and GNU coreutils, findutils, sed and util-linux (setsid).
# shellcheck disable=SC2016,SC2034  # '$' in a request may be meant, a name may be there for the reader alone
set -euo pipefail

OUT=${OUT:-by-hand}
RUNNER=PROJECT/runners/triton-trtllm
ORCHESTRATE=PROJECT/build/default/src/orchestrate

say() { printf '%s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

for tool in curl find sed setsid timeout; do type -P "$tool" >/dev/null || fail "install $tool, which this script uses"; done
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd -P)
[[ ! -e $OUT/artifacts ]] || fail "$OUT/artifacts exists: remove it, or set OUT to a new folder"
[[ "$OUT$RUNNER$ORCHESTRATE" != *[\"\\\&\|$'\n']* ]] || fail "a path holds one of \" \\ & | or a line end: use another folder"
mkdir -p "$OUT/artifacts" "$OUT/logs" "$OUT/work"

elsewhere=()        # for place: sed expressions for outputs that are not below OUT
running=""          # process group of the task or measurement that runs
server=""           # process group of the server that runs
server_name=""
server_stop_s=0     # from TERM to KILL
shm_prefix=""       # what is removed from /dev/shm with its process
tmp="" shm=""       # folders of this script alone

# write [-n] FILE: from stdin; -n: without the last line end
write() {
  local keep=0
  if [[ $1 == -n ]]; then keep=-1 && shift; fi
  mkdir -p "${1%/*}"
  if ((keep)); then head -c "$keep" >"$1"; else cat >"$1"; fi
}

copy() { mkdir -p "${2%/*}" && cp "$1" "$2"; }

# place FROM TO [NAME FOLDER]...: a copy of a folder in which {stage:NAME} has become FOLDER, and {stage:ID} the path of that stage's output
place() {
  local to=$2 named=()
  mkdir -p "$to"
  cp -rL "$1/." "$to"
  shift 2
  while (($#)); do
    named+=(-e "s|\{stage:$1\}|$2|g")
    shift 2
  done
  find "$to" -type f -exec env LC_ALL=C sed -i -E ${named[@]+"${named[@]}"} ${elsewhere[@]+"${elsewhere[@]}"} -e "s|\{stage:([a-zA-Z0-9_./-]+)\}|$OUT/artifacts/\1/out|g" {} +
}

# made FOLDER OUTPUT...: each output is there and holds something
made() {
  local folder=$1 output
  shift
  for output in "$@"; do
    if [[ -d $folder/$output ]]; then
      [[ $(find "$folder/$output/" ! -type d -print -quit) ]] || fail "$folder/$output is empty"
    else
      [[ -s $folder/$output ]] || fail "$folder/$output is missing or empty"
    fi
  done
}

new_token() { printf 'o%s\n' "$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')"; }

# free_port FIRST: a port of this host on which nobody listens
first_port=$((20000 + $$ % 10000))
free_port() {
  local port=$1
  while (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
  printf '%s\n' "$port"
}

# start NAME SECONDS [VARIABLE=VALUE...] -- COMMAND...: in the background, as a process group of its own ($started), in
# work/NAME, with no variables of ours but the usual, those that $inherit names, and ${own[@]}. TERM after SECONDS; 0: never.
start() {
  local name=$1 limit=() variables=() patterns=() variable pattern
  [[ $2 == 0 ]] || limit=("$(type -P timeout)" --kill-after=10 "$2")
  shift 2
  read -ra patterns <<<"PATH HOME USER LANG LC_ALL TZ TMPDIR ${inherit-}"
  for variable in $(compgen -e); do
    for pattern in "${patterns[@]}"; do
      # shellcheck disable=SC2053  # a pattern
      if [[ $variable == $pattern ]]; then variables+=("$variable=${!variable}"); fi
    done
  done
  while [[ $1 != -- ]]; do variables+=("$1") && shift; done
  shift
  variables+=("${own[@]}")
  mkdir -p "$OUT/work/$name"
  (cd "$OUT/work/$name" && exec env -i "${variables[@]}" "$(type -P setsid)" ${limit[@]+"${limit[@]}"} "$@") </dev/null >>"$OUT/logs/$name.log" 2>&1 &
  started=$!
}

# end GROUP SECONDS: asks a process group to end, and kills what is left of it after that
end() {
  local i
  kill -TERM -- "-$1" 2>/dev/null || kill -TERM "$1" 2>/dev/null || return 0
  for ((i = 0; i < $2 * 10; ++i)); do
    kill -0 -- "-$1" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -KILL -- "-$1" 2>/dev/null || true
}

remove_shm() {
  [[ -z $shm_prefix ]] || rm -rf -- "/dev/shm/$shm_prefix"*
  shm_prefix=""
}

# task NAME SECONDS [VARIABLE=VALUE...] -- COMMAND...: to its end
task() {
  local name=$1 status=0
  say "$name"
  mkdir -p "$OUT/artifacts/$name/out"
  start "$@"
  running=$started
  wait "$running" || status=$?
  kill -KILL -- "-$running" 2>/dev/null || true  # what it has left behind
  running=""
  ((status == 0)) || fail "$name ended with status $status: $(tail -n 15 "$OUT/logs/$name.log")"
}

# serve NAME STOP_SECONDS [VARIABLE=VALUE...] -- COMMAND...: starts it
serve() {
  server_name=$1 server_stop_s=$2
  say "$1"
  shift 2
  start "$server_name" 0 "$@"
  server=$started
}

server_lives() { kill -0 "$server" 2>/dev/null || fail "$server_name is gone: $(tail -n 15 "$OUT/logs/$server_name.log")"; }

# wait_ready SECONDS URL...: until every URL answers 200
wait_ready() {
  local deadline=$((SECONDS + $1)) url
  shift
  for url in "$@"; do
    until [[ $(curl -s -o /dev/null -w '%{http_code}' --noproxy '*' --max-time 2 "$url") == 200 ]]; do
      server_lives
      ((SECONDS < deadline)) || fail "$url does not answer 200: $(tail -n 15 "$OUT/logs/$server_name.log")"
      sleep 0.1
    done
  done
}

# smoke SECONDS URL FIELD BODY: the answer to one request has a text in FIELD
smoke() {
  local answer
  answer=$(curl -sS --fail-with-body --noproxy '*' --max-time "$1" -H 'Content-Type: application/json' --data-raw "$4" "$2") || fail "$2: $answer"
  [[ $answer =~ \""$3"\"[[:space:]]*:[[:space:]]*(\[[[:space:]]*)?\"[^\"] ]] || fail "$2: no text in $3: $answer"
}

measure() {
  server_lives
  task "$@"
}

stop() {
  [[ $server ]] || return 0
  end "$server" "$server_stop_s"
  wait "$server" 2>/dev/null || true
  server=""
  remove_shm
}

leave() {
  local status=$?
  trap '' INT TERM HUP
  [[ -z $running ]] || end "$running" 10
  stop
  remove_shm
  rm -rf -- ${tmp:+"$tmp"} ${shm:+"$shm"} || true
  exit "$status"
}
trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# What programs leave in TMPDIR, and Open MPI's ranks where they share memory, goes with this script.
tmp=$(mktemp -d)
shm=$(mktemp -d /dev/shm/orchestrate.XXXXXXXX)
own=(TMPDIR="$tmp"
  OMPI_MCA_btl_vader_backing_directory="$shm"
  OMPI_MCA_btl_sm_backing_directory="$shm"
  OMPI_MCA_osc_sm_backing_directory="$shm"
  OMPI_MCA_osc_rdma_backing_directory="$shm"
)

# environment-6caf192bc73a: app_dir=/app, build_image=false, container_engine=docker, container_shm=16g, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, trtllm_version=0.11.0
environment_6caf=$OUT/artifacts/environment-6caf192bc73a/out
inherit='DOCKER_* CONTAINER_HOST CONTAINERS_* XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy' task environment-6caf192bc73a 14400 -- \
  /usr/bin/python3 "$RUNNER/environment.py" --version 0.11.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter "$environment_6caf"
made "$environment_6caf" environment.json options.json versions.json

# templates-d17b37156efb: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_d17b=$OUT/artifacts/templates-d17b37156efb/out
task templates-d17b37156efb 600 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_6caf" python cp \
  -rL /app/all_models/inflight_batcher_llm/tensorrt_llm /app/all_models/inflight_batcher_llm/ensemble \
  /app/all_models/inflight_batcher_llm/preprocessing /app/all_models/inflight_batcher_llm/postprocessing \
  /app/all_models/inflight_batcher_llm/tensorrt_llm_bls "$templates_d17b"
made "$templates_d17b" tensorrt_llm/config.pbtxt

# repository-63143b82ce17: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, max_beam_width=1, max_queue_delay_microseconds=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.11.0
repository_6314=$OUT/artifacts/repository-63143b82ce17/out
task repository-63143b82ce17 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_d17b" --release 0.11.0 --fill "$ORCHESTRATE" \
  --out "$repository_6314/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_6314" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-a7df35186566: model=gpt2-medium
download_a7df=$OUT/artifacts/download-a7df35186566/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-a7df35186566 86400 -- \
  /usr/bin/python3 "$RUNNER/download.py" hf:openai-community/gpt2-medium main "$download_a7df"
made "$download_a7df" config.json

# convert-b6ac5c079fa6: calibrates=false, convert_script=/app/examples/gpt/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, gpt_variant=gpt2, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=gpt, pp=1, precision=fp16, tp=4, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_b6ac=$OUT/artifacts/convert-b6ac5c079fa6/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-b6ac5c079fa6 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_6caf" convert python3 /app/examples/gpt/convert_checkpoint.py \
  --model_dir "$download_a7df" --output_dir "$convert_b6ac" --dtype float16 --tp_size 4 --pp_size 1 --gpt_variant gpt2 \
  --workers 1
made "$convert_b6ac" config.json rank0.safetensors

# build-eab3d45853ab: build_log_level=info, build_workers=4, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_eab3=$OUT/artifacts/build-eab3d45853ab/out
task build-eab3d45853ab 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_6caf" build trtllm-build --checkpoint_dir "$convert_b6ac" \
  --output_dir "$build_eab3" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 4 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_eab3" config.json rank0.engine

# prompts-52faf4ea604c: concurrency=16, isl=128, num_prompts=160, osl=128
prompts_52fa=$OUT/artifacts/prompts-52faf4ea604c/out
mkdir -p "$prompts_52fa" "$OUT/work/prompts-52faf4ea604c"
write "$OUT/work/prompts-52faf4ea604c/jobs.json" <<END
[{"id":"prompts-52faf4ea604c","blocks":"3","isl":"128","out":"$prompts_52fa","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-52faf4ea604c 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_6caf" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_a7df/tokenizer.json" --jobs "$OUT/work/prompts-52faf4ea604c/jobs.json"
made "$prompts_52fa" prompts.jsonl

# environment-d6bfaea4e6c2: app_dir=/app, build_image=false, container_engine=docker, container_shm=16g, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, trtllm_version=0.17.0
environment_d6bf=$OUT/artifacts/environment-d6bfaea4e6c2/out
inherit='DOCKER_* CONTAINER_HOST CONTAINERS_* XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy' task environment-d6bfaea4e6c2 14400 -- \
  /usr/bin/python3 "$RUNNER/environment.py" --version 0.17.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter "$environment_d6bf"
made "$environment_d6bf" environment.json options.json versions.json

# templates-2d89e2ef0d4b: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_2d89=$OUT/artifacts/templates-2d89e2ef0d4b/out
task templates-2d89e2ef0d4b 600 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" python cp \
  -rL /app/all_models/inflight_batcher_llm/tensorrt_llm /app/all_models/inflight_batcher_llm/ensemble \
  /app/all_models/inflight_batcher_llm/preprocessing /app/all_models/inflight_batcher_llm/postprocessing \
  /app/all_models/inflight_batcher_llm/tensorrt_llm_bls "$templates_2d89"
made "$templates_2d89" tensorrt_llm/config.pbtxt

# repository-caeb7eea8866: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_caeb=$OUT/artifacts/repository-caeb7eea8866/out
task repository-caeb7eea8866 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_2d89" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_caeb/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_caeb" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-8583a93e1e58: model=llama-3-70b
download_8583=$OUT/artifacts/download-8583a93e1e58/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-8583a93e1e58 86400 -- \
  /usr/bin/python3 "$RUNNER/download.py" hf:meta-llama/Meta-Llama-3-70B main "$download_8583"
made "$download_8583" config.json

# convert-9969835f6482: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=2, precision=fp16, remove_duplicated_kv_heads=false, tp=4, trtllm_version=0.17.0, use_parallel_embedding=false
convert_9969=$OUT/artifacts/convert-9969835f6482/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-9969835f6482 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_8583" --output_dir "$convert_9969" --dtype float16 --tp_size 4 --pp_size 2 --workers 1
made "$convert_9969" config.json rank0.safetensors

# build-d45788cc9218: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_d457=$OUT/artifacts/build-d45788cc9218/out
task build-d45788cc9218 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" build trtllm-build --checkpoint_dir "$convert_9969" \
  --output_dir "$build_d457" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 8 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_d457" config.json rank0.engine

# prompts-5900666c5761: concurrency=16, isl=128, num_prompts=160, osl=128
prompts_5900=$OUT/artifacts/prompts-5900666c5761/out
mkdir -p "$prompts_5900" "$OUT/work/prompts-5900666c5761"
write "$OUT/work/prompts-5900666c5761/jobs.json" <<END
[{"id":"prompts-5900666c5761","blocks":"3","isl":"128","out":"$prompts_5900","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-5900666c5761 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_8583/tokenizer.json" --jobs "$OUT/work/prompts-5900666c5761/jobs.json"
made "$prompts_5900" prompts.jsonl

# download-7adbaa1dbe34: model=mixtral-8x22b
download_7adb=$OUT/artifacts/download-7adbaa1dbe34/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-7adbaa1dbe34 86400 -- \
  /usr/bin/python3 "$RUNNER/download.py" hf:mistralai/Mixtral-8x22B-v0.1 main "$download_7adb"
made "$download_7adb" config.json

# convert-c5e5ef373b4b: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, moe_ep=4, moe_tp=2, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=8, trtllm_version=0.17.0, use_parallel_embedding=false
convert_c5e5=$OUT/artifacts/convert-c5e5ef373b4b/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-c5e5ef373b4b 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_7adb" --output_dir "$convert_c5e5" --dtype float16 --tp_size 8 --pp_size 1 --moe_tp_size 2 \
  --moe_ep_size 4 --workers 1
made "$convert_c5e5" config.json rank0.safetensors

# build-d0eddd132e0a: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_d0ed=$OUT/artifacts/build-d0eddd132e0a/out
task build-d0eddd132e0a 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" build trtllm-build --checkpoint_dir "$convert_c5e5" \
  --output_dir "$build_d0ed" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 8 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_d0ed" config.json rank0.engine

# prompts-6b739cc764f4: concurrency=16, isl=128, num_prompts=160, osl=128
prompts_6b73=$OUT/artifacts/prompts-6b739cc764f4/out
mkdir -p "$prompts_6b73" "$OUT/work/prompts-6b739cc764f4"
write "$OUT/work/prompts-6b739cc764f4/jobs.json" <<END
[{"id":"prompts-6b739cc764f4","blocks":"3","isl":"128","out":"$prompts_6b73","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-6b739cc764f4 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_7adb/tokenizer.json" --jobs "$OUT/work/prompts-6b739cc764f4/jobs.json"
made "$prompts_6b73" prompts.jsonl

# download-339491876dc1: model=llama-3-8b
download_3394=$OUT/artifacts/download-339491876dc1/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-339491876dc1 86400 -- \
  /usr/bin/python3 "$RUNNER/download.py" hf:meta-llama/Meta-Llama-3-8B main "$download_3394"
made "$download_3394" config.json

# convert-be6544a39bbd: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.17.0, use_parallel_embedding=false
convert_be65=$OUT/artifacts/convert-be6544a39bbd/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-be6544a39bbd 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_3394" --output_dir "$convert_be65" --dtype float16 --tp_size 1 --pp_size 1 --workers 1
made "$convert_be65" config.json rank0.safetensors

# build-a11663f28bfd: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_a116=$OUT/artifacts/build-a11663f28bfd/out
task build-a11663f28bfd 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" build trtllm-build --checkpoint_dir "$convert_be65" \
  --output_dir "$build_a116" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_a116" config.json rank0.engine

# prompts-472050e29daa: concurrency=16, isl=128, num_prompts=160, osl=128
prompts_4720=$OUT/artifacts/prompts-472050e29daa/out

# prompts-fece4ebe0893: concurrency=16, isl=4096, num_prompts=160, osl=128
prompts_fece=$OUT/artifacts/prompts-fece4ebe0893/out

mkdir -p "$prompts_4720" "$OUT/work/prompts-472050e29daa" "$prompts_fece" "$OUT/work/prompts-fece4ebe0893"
write "$OUT/work/prompts-472050e29daa/jobs.json" <<END
[{"id":"prompts-472050e29daa","blocks":"3","isl":"128","out":"$prompts_4720","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"},
 {"id":"prompts-fece4ebe0893","blocks":"3","isl":"4096","out":"$prompts_fece","requests":"160","seed":"0","stream":"isl=4096 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-472050e29daa 3600 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_3394/tokenizer.json" --jobs "$OUT/work/prompts-472050e29daa/jobs.json"
made "$prompts_4720" prompts.jsonl
made "$prompts_fece" prompts.jsonl

# build-a9ced43e5128: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=true, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_a9ce=$OUT/artifacts/build-a9ced43e5128/out
task build-a9ced43e5128 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" build trtllm-build --checkpoint_dir "$convert_be65" \
  --output_dir "$build_a9ce" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --gather_all_token_logits --workers 1 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_a9ce" config.json rank0.engine

# build-d80a46f052fd: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, lora_plugin=auto, lora_target_modules=attn_q attn_k attn_v, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_lora_rank=8, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_d80a=$OUT/artifacts/build-d80a46f052fd/out
task build-d80a46f052fd 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" build trtllm-build --checkpoint_dir "$convert_be65" \
  --output_dir "$build_d80a" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --lora_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable \
  --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged \
  --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --lora_target_modules attn_q attn_k attn_v --max_lora_rank 8 --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_d80a" config.json rank0.engine

# convert-0a56707fd4e5: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=2, trtllm_version=0.17.0, use_parallel_embedding=false
convert_0a56=$OUT/artifacts/convert-0a56707fd4e5/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-0a56707fd4e5 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_3394" --output_dir "$convert_0a56" --dtype float16 --tp_size 2 --pp_size 1 --workers 1
made "$convert_0a56" config.json rank0.safetensors

# build-245a64234a7a: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_245a=$OUT/artifacts/build-245a64234a7a/out
task build-245a64234a7a 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" build trtllm-build --checkpoint_dir "$convert_0a56" \
  --output_dir "$build_245a" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 2 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_245a" config.json rank0.engine

# repository-db6a02de90b2: add_special_tokens=true, batch_scheduler_policy=max_utilization, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_db6a=$OUT/artifacts/repository-db6a02de90b2/out
task repository-db6a02de90b2 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_2d89" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_db6a/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy max_utilization --enable_chunked_context false \
  --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false --exclude_input_in_output true \
  --add_special_tokens true --skip_special_tokens true
made "$repository_db6a" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-503d8155a380: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=true, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_503d=$OUT/artifacts/repository-503d8155a380/out
task repository-503d8155a380 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_2d89" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_503d/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context true --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_503d" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-eceb9598db44: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=4096, max_num_tokens=1024, max_seq_len=4224, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=enable, weight_sparsity=false, weight_streaming=false
build_eceb=$OUT/artifacts/build-eceb9598db44/out
task build-eceb9598db44 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" build trtllm-build --checkpoint_dir "$convert_be65" \
  --output_dir "$build_eceb" --max_batch_size 16 --max_input_len 4096 --max_seq_len 4224 --max_num_tokens 1024 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha enable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_eceb" config.json rank0.engine

# repository-af43ea239792: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_k, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_af43=$OUT/artifacts/repository-af43ea239792/out
task repository-af43ea239792 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_2d89" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_af43/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_k \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_af43" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-082f4170d672: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_p, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_082f=$OUT/artifacts/repository-082f4170d672/out
task repository-082f4170d672 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_2d89" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_082f/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_p \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_082f" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-6f6a206b0c42: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_k_top_p, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_6f6a=$OUT/artifacts/repository-6f6a206b0c42/out
task repository-6f6a206b0c42 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_2d89" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_6f6a/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_k_top_p \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_6f6a" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-72e2e51d9496: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=beam_search, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=4, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_72e2=$OUT/artifacts/repository-72e2e51d9496/out
task repository-72e2e51d9496 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_2d89" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_72e2/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 4 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode beam_search \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_72e2" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-2a2bf0de0dd1: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=4, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_2a2b=$OUT/artifacts/build-2a2bf0de0dd1/out
task build-2a2bf0de0dd1 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" build trtllm-build --checkpoint_dir "$convert_be65" \
  --output_dir "$build_2a2b" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 4 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_2a2b" config.json rank0.engine

# environment-8164eb946ad0: app_dir=/app, build_image=false, container_engine=docker, container_shm=16g, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, trtllm_version=0.19.0
environment_8164=$OUT/artifacts/environment-8164eb946ad0/out
inherit='DOCKER_* CONTAINER_HOST CONTAINERS_* XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy' task environment-8164eb946ad0 14400 -- \
  /usr/bin/python3 "$RUNNER/environment.py" --version 0.19.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter "$environment_8164"
made "$environment_8164" environment.json options.json versions.json

# templates-894045fbe4fe: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_8940=$OUT/artifacts/templates-894045fbe4fe/out
task templates-894045fbe4fe 600 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8164" python cp \
  -rL /app/all_models/inflight_batcher_llm/tensorrt_llm /app/all_models/inflight_batcher_llm/ensemble \
  /app/all_models/inflight_batcher_llm/preprocessing /app/all_models/inflight_batcher_llm/postprocessing \
  /app/all_models/inflight_batcher_llm/tensorrt_llm_bls "$templates_8940"
made "$templates_8940" tensorrt_llm/config.pbtxt

# repository-37a4fa363c3d: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=lookahead, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, lookahead_ngram_size=7, lookahead_verification_set_size=7, lookahead_window_size=7, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.19.0
repository_37a4=$OUT/artifacts/repository-37a4fa363c3d/out
task repository-37a4fa363c3d 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_8940" --release 0.19.0 --fill "$ORCHESTRATE" \
  --out "$repository_37a4/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode lookahead \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --lookahead_window_size 7 --lookahead_ngram_size 7 \
  --lookahead_verification_set_size 7 --add_special_tokens true --skip_special_tokens true
made "$repository_37a4" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# convert-993875b84cfa: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.19.0, use_parallel_embedding=false
convert_9938=$OUT/artifacts/convert-993875b84cfa/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-993875b84cfa 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8164" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_3394" --output_dir "$convert_9938" --dtype float16 --tp_size 1 --pp_size 1 --workers 1
made "$convert_9938" config.json rank0.safetensors

# build-ec17dba0d0ba: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_draft_len=83, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=lookahead_decoding, strip_plan=false, tokens_per_block=64, trtllm_version=0.19.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_ec17=$OUT/artifacts/build-ec17dba0d0ba/out
task build-ec17dba0d0ba 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8164" build trtllm-build --checkpoint_dir "$convert_9938" \
  --output_dir "$build_ec17" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --speculative_decoding_mode lookahead_decoding --max_draft_len 83 --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_ec17" config.json rank0.engine

# prompts-6cd976eea130: concurrency=16, isl=128, num_prompts=160, osl=128
prompts_6cd9=$OUT/artifacts/prompts-6cd976eea130/out
mkdir -p "$prompts_6cd9" "$OUT/work/prompts-6cd976eea130"
write "$OUT/work/prompts-6cd976eea130/jobs.json" <<END
[{"id":"prompts-6cd976eea130","blocks":"3","isl":"128","out":"$prompts_6cd9","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-6cd976eea130 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8164" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_3394/tokenizer.json" --jobs "$OUT/work/prompts-6cd976eea130/jobs.json"
made "$prompts_6cd9" prompts.jsonl

# ----------------------------------------------------------------------------------------------------------------------
# serve-943d6c7714c1: gpus_needed=4, launch_mode=leader, mpirun=true, ranks=4, server_ranks=4, servers=1, trtllm_version=0.11.0
place "$repository_6314/repository" "$OUT/work/serve-943d6c7714c1/repository" build "$build_eab3" download "$download_a7df"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-943d6c7714c1 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_6caf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-943d6c7714c1/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-943d6c7714c1/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-943d6c7714c1/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-943d6c7714c1/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-d34d247392c6 of gpt2-medium_trtllm0.11.0_tp4_pp1-5f103f
bench_d34d=$OUT/artifacts/bench-d34d247392c6.1/out
measure bench-d34d247392c6.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_52fa/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_d34d" --format json
made "$bench_d34d" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-ce597181d3f2: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_caeb/repository" "$OUT/work/serve-ce597181d3f2/repository" build "$build_d457" download "$download_8583"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-ce597181d3f2 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-ce597181d3f2/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-ce597181d3f2/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-ce597181d3f2/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-ce597181d3f2/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-ce597181d3f2/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-ce597181d3f2/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-ce597181d3f2/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-ce597181d3f2/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-fead8285a6b6 of llama-3-70b_tp4_pp2-b92d72
bench_fead=$OUT/artifacts/bench-fead8285a6b6.1/out
measure bench-fead8285a6b6.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_5900/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_fead" --format json
made "$bench_fead" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-2103505ccbfb: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_caeb/repository" "$OUT/work/serve-2103505ccbfb/repository" build "$build_d0ed" download "$download_7adb"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-2103505ccbfb 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2103505ccbfb/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2103505ccbfb/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2103505ccbfb/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2103505ccbfb/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2103505ccbfb/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2103505ccbfb/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2103505ccbfb/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2103505ccbfb/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-05e2d7655655 of mixtral-8x22b_tp8_pp1_moe_tp2_moe_ep4-812053
bench_05e2=$OUT/artifacts/bench-05e2d7655655.1/out
measure bench-05e2d7655655.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_6b73/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_05e2" --format json
made "$bench_05e2" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-2e4b3706461b: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=2, spawn_processes=true, trtllm_version=0.17.0
place "$repository_caeb/repository" "$OUT/work/serve-2e4b3706461b/repository" build "$build_a116" download "$download_3394"
port_http_1=$(free_port "$first_port")
port_http_2=$(free_port $((port_http_1 + 1)))
port_grpc_1=$(free_port $((port_http_2 + 1)))
port_grpc_2=$(free_port $((port_grpc_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_2 + 1)))
port_metrics_2=$(free_port $((port_metrics_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-2e4b3706461b 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve python3 "$RUNNER/servers.py" --server mpirun \
  --allow-run-as-root --oversubscribe --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 \
  tritonserver "--model-repository=$OUT/work/serve-2e4b3706461b/repository" --http-address=127.0.0.1 \
  "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 \
  "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_0_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2e4b3706461b/repository" --http-address=127.0.0.1 "--http-port=$port_http_2" \
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

# bench-887cdf78612d of llama-3-8b_instances2-fdded3
bench_887c=$OUT/artifacts/bench-887cdf78612d.1/out
measure bench-887cdf78612d.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --url "http://127.0.0.1:$port_http_2" --metrics-url "http://127.0.0.1:$port_metrics_2/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_4720/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_887c" --format json
made "$bench_887c" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-62dc3c7a6751: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_caeb/repository" "$OUT/work/serve-62dc3c7a6751/repository" build "$build_a116" download "$download_3394"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-62dc3c7a6751 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-62dc3c7a6751/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-00321b57d087 of llama-3-8b_guaranteed_no_evict-34f99d
bench_0032=$OUT/artifacts/bench-00321b57d087.1/out
measure bench-00321b57d087.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_4720/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_0032" --format json
made "$bench_0032" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-6e6b29ccbaa4: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_caeb/repository" "$OUT/work/serve-6e6b29ccbaa4/repository" build "$build_a9ce" download "$download_3394"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-6e6b29ccbaa4 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-6e6b29ccbaa4/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-8a25e538787c of llama-3-8b_gather_all_token_logits-ca4e52
bench_8a25=$OUT/artifacts/bench-8a25e538787c.1/out
measure bench-8a25e538787c.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_4720/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_8a25" --format json
made "$bench_8a25" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-a453a22c1047: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_caeb/repository" "$OUT/work/serve-a453a22c1047/repository" build "$build_d80a" download "$download_3394"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-a453a22c1047 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-a453a22c1047/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-b7b196e94fc5 of llama-3-8b_auto_attn_q-attn_k-attn_v_max_lora_rank8-be1cc8
bench_b7b1=$OUT/artifacts/bench-b7b196e94fc5.1/out
measure bench-b7b196e94fc5.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_4720/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_b7b1" --format json
made "$bench_b7b1" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-70af4bfcacc7: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=4, spawn_processes=true, trtllm_version=0.17.0
place "$repository_caeb/repository" "$OUT/work/serve-70af4bfcacc7/repository" build "$build_245a" download "$download_3394"
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
serve serve-70af4bfcacc7 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve python3 "$RUNNER/servers.py" --server mpirun \
  --allow-run-as-root --oversubscribe --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 \
  tritonserver "--model-repository=$OUT/work/serve-70af4bfcacc7/repository" --http-address=127.0.0.1 \
  "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 \
  "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-70af4bfcacc7/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-70af4bfcacc7/repository" --http-address=127.0.0.1 "--http-port=$port_http_2" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_2" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_2" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_2_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-70af4bfcacc7/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_2" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_2" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_2" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_2_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-70af4bfcacc7/repository" --http-address=127.0.0.1 "--http-port=$port_http_3" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_3" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_3" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_3_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-70af4bfcacc7/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_3" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_3" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_3" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_3_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-70af4bfcacc7/repository" --http-address=127.0.0.1 "--http-port=$port_http_4" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_4" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_4" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_4_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-70af4bfcacc7/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-e1ad237ad7b7 of llama-3-8b_tp2_instances4-aa28b7
bench_e1ad=$OUT/artifacts/bench-e1ad237ad7b7.1/out
measure bench-e1ad237ad7b7.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --url "http://127.0.0.1:$port_http_2" --metrics-url "http://127.0.0.1:$port_metrics_2/metrics" \
  --url "http://127.0.0.1:$port_http_3" --metrics-url "http://127.0.0.1:$port_metrics_3/metrics" \
  --url "http://127.0.0.1:$port_http_4" --metrics-url "http://127.0.0.1:$port_metrics_4/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_4720/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_e1ad" --format json
made "$bench_e1ad" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-35de9837eac2: gpus_needed=2, launch_mode=orchestrator, mpirun=true, ranks=2, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_caeb/repository" "$OUT/work/serve-35de9837eac2/repository" build "$build_245a" download "$download_3394"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-35de9837eac2 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl_tcp_if_include lo -x TRTLLM_ORCHESTRATOR=1 \
  -x TRTLLM_ORCHESTRATOR_SPAWN_PROCESSES=1 -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-35de9837eac2/repository" --pinned-memory-pool-byte-size=0 \
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

# bench-ac048f02d618 of llama-3-8b_orchestrator_tp2-700c78
bench_ac04=$OUT/artifacts/bench-ac048f02d618.1/out
measure bench-ac048f02d618.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_4720/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_ac04" --format json
made "$bench_ac04" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-2b78f5ec6a83: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_db6a/repository" "$OUT/work/serve-2b78f5ec6a83/repository" build "$build_a116" download "$download_3394"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-2b78f5ec6a83 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2b78f5ec6a83/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-6e03c64fbbfe of llama-3-8b_max_utilization-89399d
bench_6e03=$OUT/artifacts/bench-6e03c64fbbfe.1/out
measure bench-6e03c64fbbfe.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_4720/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_6e03" --format json
made "$bench_6e03" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-83b0803bb214: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_503d/repository" "$OUT/work/serve-83b0803bb214/repository" build "$build_eceb" download "$download_3394"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-83b0803bb214 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-83b0803bb214/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-8cb9a4ed36a8 of llama-3-8b_enable_chunked_context_enable_isl4096_maxnt1024-2fec1b
bench_8cb9=$OUT/artifacts/bench-8cb9a4ed36a8.1/out
measure bench-8cb9a4ed36a8.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_fece/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_8cb9" --format json
made "$bench_8cb9" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-c1f9510f486f: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_af43/repository" "$OUT/work/serve-c1f9510f486f/repository" build "$build_a116" download "$download_3394"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-c1f9510f486f 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-c1f9510f486f/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-fba103b88a4d of llama-3-8b_top_k-c5838f
bench_fba1=$OUT/artifacts/bench-fba103b88a4d.1/out
measure bench-fba103b88a4d.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_4720/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_fba1" --format json
made "$bench_fba1" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-5c521af2fcbb: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_082f/repository" "$OUT/work/serve-5c521af2fcbb/repository" build "$build_a116" download "$download_3394"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-5c521af2fcbb 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-5c521af2fcbb/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-8d7fd300e739 of llama-3-8b_top_p-0591e9
bench_8d7f=$OUT/artifacts/bench-8d7fd300e739.1/out
measure bench-8d7fd300e739.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_4720/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_8d7f" --format json
made "$bench_8d7f" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-aabbe004ef30: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_6f6a/repository" "$OUT/work/serve-aabbe004ef30/repository" build "$build_a116" download "$download_3394"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-aabbe004ef30 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-aabbe004ef30/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-ffa08df1aba4 of llama-3-8b_top_k_top_p-1068a3
bench_ffa0=$OUT/artifacts/bench-ffa08df1aba4.1/out
measure bench-ffa08df1aba4.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_4720/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_ffa0" --format json
made "$bench_ffa0" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-77abb152875f: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_72e2/repository" "$OUT/work/serve-77abb152875f/repository" build "$build_2a2b" download "$download_3394"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-77abb152875f 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_d6bf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-77abb152875f/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-8be81f5bdb27 of llama-3-8b_beam_search_max_beam_width4_bw4_no_decoupled_mode-1a1ba5
bench_8be8=$OUT/artifacts/bench-8be81f5bdb27.1/out
measure bench-8be81f5bdb27.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --input beam_width=4 --no-stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_4720/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_8be8" --format json
made "$bench_8be8" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-56aecfcac840: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.19.0
place "$repository_37a4/repository" "$OUT/work/serve-56aecfcac840/repository" build "$build_ec17" download "$download_3394"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-56aecfcac840 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8164" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-56aecfcac840/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-fab62adb73a9 of llama-3-8b_trtllm0.19.0_lookahead_lookahead_decoding_max_draft_len83_lookahead_window_size7_lookahead_ngram_size7_lookahead_verification_set_size7-30ea27
bench_fab6=$OUT/artifacts/bench-fab62adb73a9.1/out
measure bench-fab62adb73a9.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_6cd9/prompts.jsonl" --osl 128 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 --block 0 \
  --out "$bench_fab6" --format json
made "$bench_fab6" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
