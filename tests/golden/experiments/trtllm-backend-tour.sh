exit 0
--- stderr
warning: TensorRT-LLM 0.17.0 (15 points) is known by a version beside it: options read from 0.17.0.dev2024121700; where its tool is there, the tool's own --help decides
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

# environment-8854c6de4c38: app_dir=/app, build_image=false, container_engine=docker, container_shm=16g, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, trtllm_version=0.11.0
environment_8854=$OUT/artifacts/environment-8854c6de4c38/out
inherit='DOCKER_* CONTAINER_HOST CONTAINERS_* XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy' task environment-8854c6de4c38 14400 -- \
  /usr/bin/python3 "$RUNNER/environment.py" --version 0.11.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter "$environment_8854"
made "$environment_8854" environment.json options.json versions.json

# templates-4ead8aa0e4bc: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_4ead=$OUT/artifacts/templates-4ead8aa0e4bc/out
task templates-4ead8aa0e4bc 600 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" python cp \
  -rL /app/all_models/inflight_batcher_llm/tensorrt_llm /app/all_models/inflight_batcher_llm/ensemble \
  /app/all_models/inflight_batcher_llm/preprocessing /app/all_models/inflight_batcher_llm/postprocessing \
  /app/all_models/inflight_batcher_llm/tensorrt_llm_bls "$templates_4ead"
made "$templates_4ead" tensorrt_llm/config.pbtxt

# repository-83dd3f2ea11d: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, max_beam_width=1, max_queue_delay_microseconds=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.11.0
repository_83dd=$OUT/artifacts/repository-83dd3f2ea11d/out
task repository-83dd3f2ea11d 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_4ead" --release 0.11.0 --fill "$ORCHESTRATE" \
  --out "$repository_83dd/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_83dd" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-5042709753a6: model=gpt2-medium
download_5042=$OUT/artifacts/download-5042709753a6/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-5042709753a6 86400 -- \
  /usr/bin/python3 "$RUNNER/download.py" hf:openai-community/gpt2-medium main "$download_5042"
made "$download_5042" config.json

# convert-f5b1e33d0b26: calibrates=false, convert_script=/app/examples/gpt/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, gpt_variant=gpt2, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=gpt, pp=1, precision=fp16, tp=4, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_f5b1=$OUT/artifacts/convert-f5b1e33d0b26/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-f5b1e33d0b26 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" convert python3 /app/examples/gpt/convert_checkpoint.py \
  --model_dir "$download_5042" --output_dir "$convert_f5b1" --dtype float16 --tp_size 4 --pp_size 1 --gpt_variant gpt2 \
  --workers 1
made "$convert_f5b1" config.json rank0.safetensors

# build-dd129f58a51c: build_log_level=info, build_workers=4, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_dd12=$OUT/artifacts/build-dd129f58a51c/out
task build-dd129f58a51c 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$convert_f5b1" \
  --output_dir "$build_dd12" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 4 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_dd12" config.json rank0.engine

# prompts-9b297e684f82: concurrency=16, isl=128, num_prompts=160, osl=128
prompts_9b29=$OUT/artifacts/prompts-9b297e684f82/out
mkdir -p "$prompts_9b29" "$OUT/work/prompts-9b297e684f82"
write "$OUT/work/prompts-9b297e684f82/jobs.json" <<END
[{"id":"prompts-9b297e684f82","blocks":"3","isl":"128","out":"$prompts_9b29","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-9b297e684f82 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_5042/tokenizer.json" --jobs "$OUT/work/prompts-9b297e684f82/jobs.json"
made "$prompts_9b29" prompts.jsonl

# environment-c00586b98942: app_dir=/app, build_image=false, container_engine=docker, container_shm=16g, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, trtllm_version=0.17.0
environment_c005=$OUT/artifacts/environment-c00586b98942/out
inherit='DOCKER_* CONTAINER_HOST CONTAINERS_* XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy' task environment-c00586b98942 14400 -- \
  /usr/bin/python3 "$RUNNER/environment.py" --version 0.17.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter "$environment_c005"
made "$environment_c005" environment.json options.json versions.json

# templates-5340d9d39402: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_5340=$OUT/artifacts/templates-5340d9d39402/out
task templates-5340d9d39402 600 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" python cp \
  -rL /app/all_models/inflight_batcher_llm/tensorrt_llm /app/all_models/inflight_batcher_llm/ensemble \
  /app/all_models/inflight_batcher_llm/preprocessing /app/all_models/inflight_batcher_llm/postprocessing \
  /app/all_models/inflight_batcher_llm/tensorrt_llm_bls "$templates_5340"
made "$templates_5340" tensorrt_llm/config.pbtxt

# repository-444efcbc2e1d: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_444e=$OUT/artifacts/repository-444efcbc2e1d/out
task repository-444efcbc2e1d 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_5340" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_444e/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_444e" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-d9fd7926f7bd: model=llama-3-70b
download_d9fd=$OUT/artifacts/download-d9fd7926f7bd/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-d9fd7926f7bd 86400 -- \
  /usr/bin/python3 "$RUNNER/download.py" hf:meta-llama/Meta-Llama-3-70B main "$download_d9fd"
made "$download_d9fd" config.json

# convert-082237b2ad53: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=2, precision=fp16, remove_duplicated_kv_heads=false, tp=4, trtllm_version=0.17.0, use_parallel_embedding=false
convert_0822=$OUT/artifacts/convert-082237b2ad53/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-082237b2ad53 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_d9fd" --output_dir "$convert_0822" --dtype float16 --tp_size 4 --pp_size 2 --workers 1
made "$convert_0822" config.json rank0.safetensors

# build-bff0da6f9740: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_bff0=$OUT/artifacts/build-bff0da6f9740/out
task build-bff0da6f9740 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" build trtllm-build --checkpoint_dir "$convert_0822" \
  --output_dir "$build_bff0" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 8 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_bff0" config.json rank0.engine

# prompts-cf44dbe45910: concurrency=16, isl=128, num_prompts=160, osl=128
prompts_cf44=$OUT/artifacts/prompts-cf44dbe45910/out
mkdir -p "$prompts_cf44" "$OUT/work/prompts-cf44dbe45910"
write "$OUT/work/prompts-cf44dbe45910/jobs.json" <<END
[{"id":"prompts-cf44dbe45910","blocks":"3","isl":"128","out":"$prompts_cf44","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-cf44dbe45910 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_d9fd/tokenizer.json" --jobs "$OUT/work/prompts-cf44dbe45910/jobs.json"
made "$prompts_cf44" prompts.jsonl

# download-47b19d7b8dd3: model=mixtral-8x22b
download_47b1=$OUT/artifacts/download-47b19d7b8dd3/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-47b19d7b8dd3 86400 -- \
  /usr/bin/python3 "$RUNNER/download.py" hf:mistralai/Mixtral-8x22B-v0.1 main "$download_47b1"
made "$download_47b1" config.json

# convert-4cc25b1d4050: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, moe_ep=4, moe_tp=2, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=8, trtllm_version=0.17.0, use_parallel_embedding=false
convert_4cc2=$OUT/artifacts/convert-4cc25b1d4050/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-4cc25b1d4050 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_47b1" --output_dir "$convert_4cc2" --dtype float16 --tp_size 8 --pp_size 1 --moe_tp_size 2 \
  --moe_ep_size 4 --workers 1
made "$convert_4cc2" config.json rank0.safetensors

# build-4e2cac6a171d: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_4e2c=$OUT/artifacts/build-4e2cac6a171d/out
task build-4e2cac6a171d 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" build trtllm-build --checkpoint_dir "$convert_4cc2" \
  --output_dir "$build_4e2c" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 8 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_4e2c" config.json rank0.engine

# prompts-d9720470de90: concurrency=16, isl=128, num_prompts=160, osl=128
prompts_d972=$OUT/artifacts/prompts-d9720470de90/out
mkdir -p "$prompts_d972" "$OUT/work/prompts-d9720470de90"
write "$OUT/work/prompts-d9720470de90/jobs.json" <<END
[{"id":"prompts-d9720470de90","blocks":"3","isl":"128","out":"$prompts_d972","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-d9720470de90 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_47b1/tokenizer.json" --jobs "$OUT/work/prompts-d9720470de90/jobs.json"
made "$prompts_d972" prompts.jsonl

# download-e0d2d0ef9492: model=llama-3-8b
download_e0d2=$OUT/artifacts/download-e0d2d0ef9492/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-e0d2d0ef9492 86400 -- \
  /usr/bin/python3 "$RUNNER/download.py" hf:meta-llama/Meta-Llama-3-8B main "$download_e0d2"
made "$download_e0d2" config.json

# convert-51f674ce6483: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.17.0, use_parallel_embedding=false
convert_51f6=$OUT/artifacts/convert-51f674ce6483/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-51f674ce6483 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_e0d2" --output_dir "$convert_51f6" --dtype float16 --tp_size 1 --pp_size 1 --workers 1
made "$convert_51f6" config.json rank0.safetensors

# build-acac85fbf6f8: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_acac=$OUT/artifacts/build-acac85fbf6f8/out
task build-acac85fbf6f8 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" build trtllm-build --checkpoint_dir "$convert_51f6" \
  --output_dir "$build_acac" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_acac" config.json rank0.engine

# prompts-74d47162965e: concurrency=16, isl=128, num_prompts=160, osl=128
prompts_74d4=$OUT/artifacts/prompts-74d47162965e/out

# prompts-07b055f4bd27: concurrency=16, isl=4096, num_prompts=160, osl=128
prompts_07b0=$OUT/artifacts/prompts-07b055f4bd27/out

mkdir -p "$prompts_74d4" "$OUT/work/prompts-74d47162965e" "$prompts_07b0" "$OUT/work/prompts-07b055f4bd27"
write "$OUT/work/prompts-74d47162965e/jobs.json" <<END
[{"id":"prompts-74d47162965e","blocks":"3","isl":"128","out":"$prompts_74d4","requests":"160","seed":"0","stream":"isl=128 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"},
 {"id":"prompts-07b055f4bd27","blocks":"3","isl":"4096","out":"$prompts_07b0","requests":"160","seed":"0","stream":"isl=4096 osl=128 concurrency=16 num_prompts=160 repeat=0","warmup":"32"}]
END
task prompts-74d47162965e 3600 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_e0d2/tokenizer.json" --jobs "$OUT/work/prompts-74d47162965e/jobs.json"
made "$prompts_74d4" prompts.jsonl
made "$prompts_07b0" prompts.jsonl

# build-241b0f13f120: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=true, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_241b=$OUT/artifacts/build-241b0f13f120/out
task build-241b0f13f120 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" build trtllm-build --checkpoint_dir "$convert_51f6" \
  --output_dir "$build_241b" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --gather_all_token_logits --workers 1 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_241b" config.json rank0.engine

# build-292139f9721e: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, lora_plugin=auto, lora_target_modules=attn_q attn_k attn_v, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_lora_rank=8, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_2921=$OUT/artifacts/build-292139f9721e/out
task build-292139f9721e 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" build trtllm-build --checkpoint_dir "$convert_51f6" \
  --output_dir "$build_2921" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --lora_plugin auto --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable \
  --context_fmha enable --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged \
  --tokens_per_block 64 --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --lora_target_modules attn_q attn_k attn_v --max_lora_rank 8 --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_2921" config.json rank0.engine

# convert-afac0b9fb0e2: calibrates=false, convert_script=/app/examples/llama/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=llama, pp=1, precision=fp16, remove_duplicated_kv_heads=false, tp=2, trtllm_version=0.17.0, use_parallel_embedding=false
convert_afac=$OUT/artifacts/convert-afac0b9fb0e2/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-afac0b9fb0e2 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" convert python3 /app/examples/llama/convert_checkpoint.py \
  --model_dir "$download_e0d2" --output_dir "$convert_afac" --dtype float16 --tp_size 2 --pp_size 1 --workers 1
made "$convert_afac" config.json rank0.safetensors

# build-f4df00fecf7c: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_f4df=$OUT/artifacts/build-f4df00fecf7c/out
task build-f4df00fecf7c 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" build trtllm-build --checkpoint_dir "$convert_afac" \
  --output_dir "$build_f4df" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 2 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_f4df" config.json rank0.engine

# repository-342b775a5119: add_special_tokens=true, batch_scheduler_policy=max_utilization, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_342b=$OUT/artifacts/repository-342b775a5119/out
task repository-342b775a5119 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_5340" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_342b/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy max_utilization --enable_chunked_context false \
  --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false --exclude_input_in_output true \
  --add_special_tokens true --skip_special_tokens true
made "$repository_342b" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-3517906d374a: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=true, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_3517=$OUT/artifacts/repository-3517906d374a/out
task repository-3517906d374a 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_5340" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_3517/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context true --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_3517" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-5f548386f36d: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_input_len=4096, max_num_tokens=1024, max_seq_len=4224, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=enable, weight_sparsity=false, weight_streaming=false
build_5f54=$OUT/artifacts/build-5f548386f36d/out
task build-5f548386f36d 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" build trtllm-build --checkpoint_dir "$convert_51f6" \
  --output_dir "$build_5f54" --max_batch_size 16 --max_input_len 4096 --max_seq_len 4224 --max_num_tokens 1024 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha enable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_5f54" config.json rank0.engine

# repository-56ee093a2e77: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_k, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_56ee=$OUT/artifacts/repository-56ee093a2e77/out
task repository-56ee093a2e77 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_5340" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_56ee/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_k \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_56ee" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-a24b57bd796d: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_p, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_a24b=$OUT/artifacts/repository-a24b57bd796d/out
task repository-a24b57bd796d 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_5340" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_a24b/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_p \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_a24b" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-fcf7036a0a75: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=top_k_top_p, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_fcf7=$OUT/artifacts/repository-fcf7036a0a75/out
task repository-fcf7036a0a75 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_5340" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_fcf7/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode top_k_top_p \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_fcf7" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# repository-8f5abf8a9251: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=beam_search, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=4, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_8f5a=$OUT/artifacts/repository-8f5abf8a9251/out
task repository-8f5abf8a9251 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_5340" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_8f5a/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 4 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode beam_search \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_8f5a" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-5f305a63f29c: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=4, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_5f30=$OUT/artifacts/build-5f305a63f29c/out
task build-5f305a63f29c 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" build trtllm-build --checkpoint_dir "$convert_51f6" \
  --output_dir "$build_5f30" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 4 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_5f30" config.json rank0.engine

# repository-db7af41d3e49: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoding_mode=lookahead, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, encoder_input_features_data_type=TYPE_FP16, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, logits_datatype=TYPE_FP32, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=16, trtllm_version=0.17.0
repository_db7a=$OUT/artifacts/repository-db7af41d3e49/out
task repository-db7af41d3e49 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_5340" --release 0.17.0 --fill "$ORCHESTRATE" \
  --out "$repository_db7a/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 16 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --encoder_input_features_data_type TYPE_FP16 --logits_datatype TYPE_FP32 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict --decoding_mode lookahead \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_db7a" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# build-6b6da67be7bc: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=16, max_beam_width=1, max_draft_len=83, max_input_len=128, max_num_tokens=8192, max_seq_len=256, moe_plugin=auto, monitor_memory=false, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, speculative_decoding_mode=lookahead_decoding, strip_plan=false, tokens_per_block=64, trtllm_version=0.17.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_6b6d=$OUT/artifacts/build-6b6da67be7bc/out
task build-6b6da67be7bc 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" build trtllm-build --checkpoint_dir "$convert_51f6" \
  --output_dir "$build_6b6d" --max_batch_size 16 --max_input_len 128 --max_seq_len 256 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable \
  --speculative_decoding_mode lookahead_decoding --max_draft_len 83 --workers 1 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_6b6d" config.json rank0.engine

# ----------------------------------------------------------------------------------------------------------------------
# serve-7298767d52e9: gpus_needed=4, launch_mode=leader, mpirun=true, ranks=4, server_ranks=4, servers=1, trtllm_version=0.11.0
place "$repository_83dd/repository" "$OUT/work/serve-7298767d52e9/repository" build "$build_dd12" download "$download_5042"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-7298767d52e9 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-7298767d52e9/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-7298767d52e9/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-7298767d52e9/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-7298767d52e9/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-cfca0a9c69d6 of gpt2-medium_trtllm0.11.0_tp4_pp1-17c582
bench_cfca=$OUT/artifacts/bench-cfca0a9c69d6.1/out
measure bench-cfca0a9c69d6.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_9b29/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_cfca" --format json
made "$bench_cfca" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-e69261dc2f12: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_444e/repository" "$OUT/work/serve-e69261dc2f12/repository" build "$build_bff0" download "$download_d9fd"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-e69261dc2f12 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-e69261dc2f12/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-e69261dc2f12/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-e69261dc2f12/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-e69261dc2f12/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-e69261dc2f12/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-e69261dc2f12/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-e69261dc2f12/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-e69261dc2f12/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-83acc35f68a4 of llama-3-70b_tp4_pp2-4aef46
bench_83ac=$OUT/artifacts/bench-83acc35f68a4.1/out
measure bench-83acc35f68a4.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_cf44/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_83ac" --format json
made "$bench_83ac" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-a70ec5bf791e: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_444e/repository" "$OUT/work/serve-a70ec5bf791e/repository" build "$build_4e2c" download "$download_47b1"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-a70ec5bf791e 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-a70ec5bf791e/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-a70ec5bf791e/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-a70ec5bf791e/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-a70ec5bf791e/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-a70ec5bf791e/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-a70ec5bf791e/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-a70ec5bf791e/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-a70ec5bf791e/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-5e0e67d5bb8d of mixtral-8x22b_tp8_pp1_moe_tp2_moe_ep4-166628
bench_5e0e=$OUT/artifacts/bench-5e0e67d5bb8d.1/out
measure bench-5e0e67d5bb8d.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_d972/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_5e0e" --format json
made "$bench_5e0e" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-c300e7d10ab7: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=2, spawn_processes=true, trtllm_version=0.17.0
place "$repository_444e/repository" "$OUT/work/serve-c300e7d10ab7/repository" build "$build_acac" download "$download_e0d2"
port_http_1=$(free_port "$first_port")
port_http_2=$(free_port $((port_http_1 + 1)))
port_grpc_1=$(free_port $((port_http_2 + 1)))
port_grpc_2=$(free_port $((port_grpc_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_2 + 1)))
port_metrics_2=$(free_port $((port_metrics_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-c300e7d10ab7 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve python3 "$RUNNER/servers.py" --server mpirun \
  --allow-run-as-root --oversubscribe --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 \
  tritonserver "--model-repository=$OUT/work/serve-c300e7d10ab7/repository" --http-address=127.0.0.1 \
  "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 \
  "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_0_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-c300e7d10ab7/repository" --http-address=127.0.0.1 "--http-port=$port_http_2" \
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

# bench-06af620af9e2 of llama-3-8b_instances2-2c0f94
bench_06af=$OUT/artifacts/bench-06af620af9e2.1/out
measure bench-06af620af9e2.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --url "http://127.0.0.1:$port_http_2" --metrics-url "http://127.0.0.1:$port_metrics_2/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_74d4/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_06af" --format json
made "$bench_06af" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-7e55abccb8b0: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_444e/repository" "$OUT/work/serve-7e55abccb8b0/repository" build "$build_acac" download "$download_e0d2"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-7e55abccb8b0 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-7e55abccb8b0/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-60257cc22e46 of llama-3-8b_guaranteed_no_evict-3c498d
bench_6025=$OUT/artifacts/bench-60257cc22e46.1/out
measure bench-60257cc22e46.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_74d4/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_6025" --format json
made "$bench_6025" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-e680a09ae561: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_444e/repository" "$OUT/work/serve-e680a09ae561/repository" build "$build_241b" download "$download_e0d2"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-e680a09ae561 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-e680a09ae561/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-547bc4ebcb52 of llama-3-8b_gather_all_token_logits-86f680
bench_547b=$OUT/artifacts/bench-547bc4ebcb52.1/out
measure bench-547bc4ebcb52.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_74d4/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_547b" --format json
made "$bench_547b" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-ba33a5b0e180: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_444e/repository" "$OUT/work/serve-ba33a5b0e180/repository" build "$build_2921" download "$download_e0d2"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-ba33a5b0e180 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-ba33a5b0e180/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-82f265588c35 of llama-3-8b_auto_attn_q-attn_k-attn_v_max_lora_rank8-25d7dc
bench_82f2=$OUT/artifacts/bench-82f265588c35.1/out
measure bench-82f265588c35.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_74d4/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_82f2" --format json
made "$bench_82f2" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-387c625bcb5b: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=4, spawn_processes=true, trtllm_version=0.17.0
place "$repository_444e/repository" "$OUT/work/serve-387c625bcb5b/repository" build "$build_f4df" download "$download_e0d2"
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
serve serve-387c625bcb5b 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve python3 "$RUNNER/servers.py" --server mpirun \
  --allow-run-as-root --oversubscribe --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 \
  tritonserver "--model-repository=$OUT/work/serve-387c625bcb5b/repository" --http-address=127.0.0.1 \
  "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 \
  "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-387c625bcb5b/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-387c625bcb5b/repository" --http-address=127.0.0.1 "--http-port=$port_http_2" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_2" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_2" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_2_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-387c625bcb5b/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_2" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_2" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_2" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_2_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-387c625bcb5b/repository" --http-address=127.0.0.1 "--http-port=$port_http_3" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_3" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_3" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_3_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-387c625bcb5b/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_3" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_3" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_3" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_3_1_" --server mpirun --allow-run-as-root --oversubscribe \
  --noprefix --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-387c625bcb5b/repository" --http-address=127.0.0.1 "--http-port=$port_http_4" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_4" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_4" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_4_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-387c625bcb5b/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-9d05084fd713 of llama-3-8b_tp2_instances4-ffae09
bench_9d05=$OUT/artifacts/bench-9d05084fd713.1/out
measure bench-9d05084fd713.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --url "http://127.0.0.1:$port_http_2" --metrics-url "http://127.0.0.1:$port_metrics_2/metrics" \
  --url "http://127.0.0.1:$port_http_3" --metrics-url "http://127.0.0.1:$port_metrics_3/metrics" \
  --url "http://127.0.0.1:$port_http_4" --metrics-url "http://127.0.0.1:$port_metrics_4/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_74d4/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_9d05" --format json
made "$bench_9d05" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-e98d75708eb9: gpus_needed=2, launch_mode=orchestrator, mpirun=true, ranks=2, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_444e/repository" "$OUT/work/serve-e98d75708eb9/repository" build "$build_f4df" download "$download_e0d2"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-e98d75708eb9 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl_tcp_if_include lo -x TRTLLM_ORCHESTRATOR=1 \
  -x TRTLLM_ORCHESTRATOR_SPAWN_PROCESSES=1 -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-e98d75708eb9/repository" --pinned-memory-pool-byte-size=0 \
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

# bench-7f0c76bc442b of llama-3-8b_orchestrator_tp2-14ded1
bench_7f0c=$OUT/artifacts/bench-7f0c76bc442b.1/out
measure bench-7f0c76bc442b.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_74d4/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_7f0c" --format json
made "$bench_7f0c" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-c7d9f3ca3aa7: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_342b/repository" "$OUT/work/serve-c7d9f3ca3aa7/repository" build "$build_acac" download "$download_e0d2"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-c7d9f3ca3aa7 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-c7d9f3ca3aa7/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-a58709284cb2 of llama-3-8b_max_utilization-013fdb
bench_a587=$OUT/artifacts/bench-a58709284cb2.1/out
measure bench-a58709284cb2.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_74d4/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_a587" --format json
made "$bench_a587" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-be6019ac2193: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_3517/repository" "$OUT/work/serve-be6019ac2193/repository" build "$build_5f54" download "$download_e0d2"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-be6019ac2193 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-be6019ac2193/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-96716a331806 of llama-3-8b_enable_chunked_context_enable_isl4096_maxnt1024-cb2b9c
bench_9671=$OUT/artifacts/bench-96716a331806.1/out
measure bench-96716a331806.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_07b0/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_9671" --format json
made "$bench_9671" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-cfb306b8b9de: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_56ee/repository" "$OUT/work/serve-cfb306b8b9de/repository" build "$build_acac" download "$download_e0d2"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-cfb306b8b9de 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-cfb306b8b9de/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-feb4a9383744 of llama-3-8b_top_k-32f654
bench_feb4=$OUT/artifacts/bench-feb4a9383744.1/out
measure bench-feb4a9383744.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_74d4/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_feb4" --format json
made "$bench_feb4" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-b450e60ce704: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_a24b/repository" "$OUT/work/serve-b450e60ce704/repository" build "$build_acac" download "$download_e0d2"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-b450e60ce704 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-b450e60ce704/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-58efae381c7a of llama-3-8b_top_p-4d7a49
bench_58ef=$OUT/artifacts/bench-58efae381c7a.1/out
measure bench-58efae381c7a.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_74d4/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_58ef" --format json
made "$bench_58ef" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-ed5a260e1083: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_fcf7/repository" "$OUT/work/serve-ed5a260e1083/repository" build "$build_acac" download "$download_e0d2"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-ed5a260e1083 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-ed5a260e1083/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-c35d0466beb6 of llama-3-8b_top_k_top_p-f12e62
bench_c35d=$OUT/artifacts/bench-c35d0466beb6.1/out
measure bench-c35d0466beb6.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_74d4/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_c35d" --format json
made "$bench_c35d" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-6240cf9d8632: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_8f5a/repository" "$OUT/work/serve-6240cf9d8632/repository" build "$build_5f30" download "$download_e0d2"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-6240cf9d8632 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-6240cf9d8632/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-8cfa9ef04cb7 of llama-3-8b_beam_search_max_beam_width4-cf787c
bench_8cfa=$OUT/artifacts/bench-8cfa9ef04cb7.1/out
measure bench-8cfa9ef04cb7.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_74d4/prompts.jsonl" --osl 128 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_8cfa" --format json
made "$bench_8cfa" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-62f819e470f4: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, spawn_processes=true, trtllm_version=0.17.0
place "$repository_db7a/repository" "$OUT/work/serve-62f819e470f4/repository" build "$build_6b6d" download "$download_e0d2"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-62f819e470f4 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_c005" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-62f819e470f4/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-0e9ea1e5a198 of llama-3-8b_lookahead_lookahead_decoding_max_draft_len83-f0d750
bench_0e9e=$OUT/artifacts/bench-0e9ea1e5a198.1/out
measure bench-0e9ea1e5a198.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 16 --requests 160 --warmup 32 \
  --prompts "$prompts_74d4/prompts.jsonl" --osl 128 --tokens-per-event 0 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_0e9e" --format json
made "$bench_0e9e" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
