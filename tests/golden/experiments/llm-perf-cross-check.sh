exit 0
--- stderr
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine, so its path counts and not what it holds
--- stdout
#!/usr/bin/env bash
# llm-perf-cross-check: 5 of 5 points of experiments/llm-perf-cross-check.yaml, on the runner triton-trtllm
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

# repository-4f292293f657: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, max_beam_width=1, max_queue_delay_microseconds=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=8, trtllm_version=0.11.0
repository_4f29=$OUT/artifacts/repository-4f292293f657/out
task repository-4f292293f657 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_d17b" --release 0.11.0 --fill "$ORCHESTRATE" \
  --out "$repository_4f29/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 8 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_4f29" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-c95f04b6b897: model=qwen2-7b
download_c95f=$OUT/artifacts/download-c95f04b6b897/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-c95f04b6b897 86400 -- \
  /usr/bin/python3 "$RUNNER/download.py" hf:Qwen/Qwen2-7B main "$download_c95f"
made "$download_c95f" config.json

# convert-21d03e1fbe1c: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=1, precision=fp16, tp=1, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_21d0=$OUT/artifacts/convert-21d03e1fbe1c/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-21d03e1fbe1c 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_6caf" convert python3 /app/examples/qwen/convert_checkpoint.py \
  --model_dir "$download_c95f" --output_dir "$convert_21d0" --dtype float16 --tp_size 1 --pp_size 1 --workers 1
made "$convert_21d0" config.json rank0.safetensors

# build-c57b0c51dd5f: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=269, max_num_tokens=8192, max_seq_len=270, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_c57b=$OUT/artifacts/build-c57b0c51dd5f/out
task build-c57b0c51dd5f 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_6caf" build trtllm-build --checkpoint_dir "$convert_21d0" \
  --output_dir "$build_c57b" --max_batch_size 8 --max_input_len 269 --max_seq_len 270 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 1 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_c57b" config.json rank0.engine

# prompts-4f5bc2fd70ba: concurrency=1, isl=269, num_prompts=1376, osl=1
prompts_4f5b=$OUT/artifacts/prompts-4f5bc2fd70ba/out

# prompts-aabbeca41abe: concurrency=1, isl=269, num_prompts=1376, osl=1
prompts_aabb=$OUT/artifacts/prompts-aabbeca41abe/out

# prompts-35cbb7e2793a: concurrency=1, isl=269, num_prompts=1376, osl=1
prompts_35cb=$OUT/artifacts/prompts-35cbb7e2793a/out

# prompts-6f6c6e38f7ee: concurrency=4, isl=269, num_prompts=1376, osl=1
prompts_6f6c=$OUT/artifacts/prompts-6f6c6e38f7ee/out

# prompts-b29880758743: concurrency=4, isl=269, num_prompts=1376, osl=1
prompts_b298=$OUT/artifacts/prompts-b29880758743/out

# prompts-e865aa85080e: concurrency=4, isl=269, num_prompts=1376, osl=1
prompts_e865=$OUT/artifacts/prompts-e865aa85080e/out

# prompts-767828948bec: concurrency=6, isl=269, num_prompts=1376, osl=1
prompts_7678=$OUT/artifacts/prompts-767828948bec/out

# prompts-0a61f21f5fa2: concurrency=6, isl=269, num_prompts=1376, osl=1
prompts_0a61=$OUT/artifacts/prompts-0a61f21f5fa2/out

# prompts-e54a50db9a42: concurrency=6, isl=269, num_prompts=1376, osl=1
prompts_e54a=$OUT/artifacts/prompts-e54a50db9a42/out

# prompts-8c93c77beee1: concurrency=7, isl=269, num_prompts=1376, osl=1
prompts_8c93=$OUT/artifacts/prompts-8c93c77beee1/out

# prompts-64da3d88ce59: concurrency=7, isl=269, num_prompts=1376, osl=1
prompts_64da=$OUT/artifacts/prompts-64da3d88ce59/out

# prompts-3b5ff7af2548: concurrency=7, isl=269, num_prompts=1376, osl=1
prompts_3b5f=$OUT/artifacts/prompts-3b5ff7af2548/out

# prompts-53d56ab0faa9: concurrency=8, isl=269, num_prompts=1376, osl=1
prompts_53d5=$OUT/artifacts/prompts-53d56ab0faa9/out

# prompts-bd85e47263e4: concurrency=8, isl=269, num_prompts=1376, osl=1
prompts_bd85=$OUT/artifacts/prompts-bd85e47263e4/out

# prompts-d9b6a78348f2: concurrency=8, isl=269, num_prompts=1376, osl=1
prompts_d9b6=$OUT/artifacts/prompts-d9b6a78348f2/out

mkdir -p "$prompts_4f5b" "$OUT/work/prompts-4f5bc2fd70ba" "$prompts_aabb" "$OUT/work/prompts-aabbeca41abe" \
  "$prompts_35cb" "$OUT/work/prompts-35cbb7e2793a" "$prompts_6f6c" "$OUT/work/prompts-6f6c6e38f7ee" "$prompts_b298" \
  "$OUT/work/prompts-b29880758743" "$prompts_e865" "$OUT/work/prompts-e865aa85080e" "$prompts_7678" \
  "$OUT/work/prompts-767828948bec" "$prompts_0a61" "$OUT/work/prompts-0a61f21f5fa2" "$prompts_e54a" \
  "$OUT/work/prompts-e54a50db9a42" "$prompts_8c93" "$OUT/work/prompts-8c93c77beee1" "$prompts_64da" \
  "$OUT/work/prompts-64da3d88ce59" "$prompts_3b5f" "$OUT/work/prompts-3b5ff7af2548" "$prompts_53d5" \
  "$OUT/work/prompts-53d56ab0faa9" "$prompts_bd85" "$OUT/work/prompts-bd85e47263e4" "$prompts_d9b6" \
  "$OUT/work/prompts-d9b6a78348f2"
write "$OUT/work/prompts-4f5bc2fd70ba/jobs.json" <<END
[{"id":"prompts-4f5bc2fd70ba","blocks":"3","isl":"269","out":"$prompts_4f5b","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=1 num_prompts=1376 repeat=0","warmup":"2"},
 {"id":"prompts-aabbeca41abe","blocks":"3","isl":"269","out":"$prompts_aabb","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=1 num_prompts=1376 repeat=1","warmup":"2"},
 {"id":"prompts-35cbb7e2793a","blocks":"3","isl":"269","out":"$prompts_35cb","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=1 num_prompts=1376 repeat=2","warmup":"2"},
 {"id":"prompts-6f6c6e38f7ee","blocks":"3","isl":"269","out":"$prompts_6f6c","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=4 num_prompts=1376 repeat=0","warmup":"8"},
 {"id":"prompts-b29880758743","blocks":"3","isl":"269","out":"$prompts_b298","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=4 num_prompts=1376 repeat=1","warmup":"8"},
 {"id":"prompts-e865aa85080e","blocks":"3","isl":"269","out":"$prompts_e865","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=4 num_prompts=1376 repeat=2","warmup":"8"},
 {"id":"prompts-767828948bec","blocks":"3","isl":"269","out":"$prompts_7678","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=6 num_prompts=1376 repeat=0","warmup":"12"},
 {"id":"prompts-0a61f21f5fa2","blocks":"3","isl":"269","out":"$prompts_0a61","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=6 num_prompts=1376 repeat=1","warmup":"12"},
 {"id":"prompts-e54a50db9a42","blocks":"3","isl":"269","out":"$prompts_e54a","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=6 num_prompts=1376 repeat=2","warmup":"12"},
 {"id":"prompts-8c93c77beee1","blocks":"3","isl":"269","out":"$prompts_8c93","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=7 num_prompts=1376 repeat=0","warmup":"14"},
 {"id":"prompts-64da3d88ce59","blocks":"3","isl":"269","out":"$prompts_64da","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=7 num_prompts=1376 repeat=1","warmup":"14"},
 {"id":"prompts-3b5ff7af2548","blocks":"3","isl":"269","out":"$prompts_3b5f","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=7 num_prompts=1376 repeat=2","warmup":"14"},
 {"id":"prompts-53d56ab0faa9","blocks":"3","isl":"269","out":"$prompts_53d5","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=8 num_prompts=1376 repeat=0","warmup":"16"},
 {"id":"prompts-bd85e47263e4","blocks":"3","isl":"269","out":"$prompts_bd85","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=8 num_prompts=1376 repeat=1","warmup":"16"},
 {"id":"prompts-d9b6a78348f2","blocks":"3","isl":"269","out":"$prompts_d9b6","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=8 num_prompts=1376 repeat=2","warmup":"16"}]
END
task prompts-4f5bc2fd70ba 27000 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_6caf" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_c95f/tokenizer.json" --jobs "$OUT/work/prompts-4f5bc2fd70ba/jobs.json"
made "$prompts_4f5b" prompts.jsonl
made "$prompts_aabb" prompts.jsonl
made "$prompts_35cb" prompts.jsonl
made "$prompts_6f6c" prompts.jsonl
made "$prompts_b298" prompts.jsonl
made "$prompts_e865" prompts.jsonl
made "$prompts_7678" prompts.jsonl
made "$prompts_0a61" prompts.jsonl
made "$prompts_e54a" prompts.jsonl
made "$prompts_8c93" prompts.jsonl
made "$prompts_64da" prompts.jsonl
made "$prompts_3b5f" prompts.jsonl
made "$prompts_53d5" prompts.jsonl
made "$prompts_bd85" prompts.jsonl
made "$prompts_d9b6" prompts.jsonl

# ----------------------------------------------------------------------------------------------------------------------
# serve-ddd67357a810: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, trtllm_version=0.11.0
place "$repository_4f29/repository" "$OUT/work/serve-ddd67357a810/repository" build "$build_c57b" download "$download_c95f"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-ddd67357a810 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_6caf" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-ddd67357a810/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-278b08838151 of c1-cb24bb
bench_278b=$OUT/artifacts/bench-278b08838151.1/out
measure bench-278b08838151.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 1 --requests 1376 --warmup 2 \
  --prompts "$prompts_4f5b/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_278b" --format json
made "$bench_278b" measurement.json requests.jsonl

# bench-9328fb8902ed of c4-1322c7
bench_9328=$OUT/artifacts/bench-9328fb8902ed.1/out
measure bench-9328fb8902ed.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 4 --requests 1376 --warmup 8 \
  --prompts "$prompts_6f6c/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_9328" --format json
made "$bench_9328" measurement.json requests.jsonl

# bench-dfd7c5e83627 of c6-4a9063
bench_dfd7=$OUT/artifacts/bench-dfd7c5e83627.1/out
measure bench-dfd7c5e83627.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 6 --requests 1376 --warmup 12 \
  --prompts "$prompts_7678/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_dfd7" --format json
made "$bench_dfd7" measurement.json requests.jsonl

# bench-b723c363c370 of c7-cb6a15
bench_b723=$OUT/artifacts/bench-b723c363c370.1/out
measure bench-b723c363c370.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 7 --requests 1376 --warmup 14 \
  --prompts "$prompts_8c93/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_b723" --format json
made "$bench_b723" measurement.json requests.jsonl

# bench-694525cba1d5 of c8-cea7b3
bench_6945=$OUT/artifacts/bench-694525cba1d5.1/out
measure bench-694525cba1d5.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 1376 --warmup 16 \
  --prompts "$prompts_53d5/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_6945" --format json
made "$bench_6945" measurement.json requests.jsonl

# bench-6f271ba00fa2 of c1-cb24bb
bench_6f27=$OUT/artifacts/bench-6f271ba00fa2.1/out
measure bench-6f271ba00fa2.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 1 --requests 1376 --warmup 2 \
  --prompts "$prompts_aabb/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_6f27" --format json
made "$bench_6f27" measurement.json requests.jsonl

# bench-ae659264ebfd of c4-1322c7
bench_ae65=$OUT/artifacts/bench-ae659264ebfd.1/out
measure bench-ae659264ebfd.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 4 --requests 1376 --warmup 8 \
  --prompts "$prompts_b298/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_ae65" --format json
made "$bench_ae65" measurement.json requests.jsonl

# bench-9a65aecaa4a6 of c6-4a9063
bench_9a65=$OUT/artifacts/bench-9a65aecaa4a6.1/out
measure bench-9a65aecaa4a6.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 6 --requests 1376 --warmup 12 \
  --prompts "$prompts_0a61/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_9a65" --format json
made "$bench_9a65" measurement.json requests.jsonl

# bench-8cb30ca636ba of c7-cb6a15
bench_8cb3=$OUT/artifacts/bench-8cb30ca636ba.1/out
measure bench-8cb30ca636ba.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 7 --requests 1376 --warmup 14 \
  --prompts "$prompts_64da/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_8cb3" --format json
made "$bench_8cb3" measurement.json requests.jsonl

# bench-c31e9a8fbb20 of c8-cea7b3
bench_c31e=$OUT/artifacts/bench-c31e9a8fbb20.1/out
measure bench-c31e9a8fbb20.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 1376 --warmup 16 \
  --prompts "$prompts_bd85/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_c31e" --format json
made "$bench_c31e" measurement.json requests.jsonl

# bench-098e24d52cd2 of c1-cb24bb
bench_098e=$OUT/artifacts/bench-098e24d52cd2.1/out
measure bench-098e24d52cd2.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 1 --requests 1376 --warmup 2 \
  --prompts "$prompts_35cb/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_098e" --format json
made "$bench_098e" measurement.json requests.jsonl

# bench-b77234b66d26 of c4-1322c7
bench_b772=$OUT/artifacts/bench-b77234b66d26.1/out
measure bench-b77234b66d26.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 4 --requests 1376 --warmup 8 \
  --prompts "$prompts_e865/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_b772" --format json
made "$bench_b772" measurement.json requests.jsonl

# bench-b9b8ac82ef70 of c6-4a9063
bench_b9b8=$OUT/artifacts/bench-b9b8ac82ef70.1/out
measure bench-b9b8ac82ef70.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 6 --requests 1376 --warmup 12 \
  --prompts "$prompts_e54a/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_b9b8" --format json
made "$bench_b9b8" measurement.json requests.jsonl

# bench-4bd191ae84c0 of c7-cb6a15
bench_4bd1=$OUT/artifacts/bench-4bd191ae84c0.1/out
measure bench-4bd191ae84c0.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 7 --requests 1376 --warmup 14 \
  --prompts "$prompts_3b5f/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_4bd1" --format json
made "$bench_4bd1" measurement.json requests.jsonl

# bench-4b2eeb03f752 of c8-cea7b3
bench_4b2e=$OUT/artifacts/bench-4b2eeb03f752.1/out
measure bench-4b2eeb03f752.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 1376 --warmup 16 \
  --prompts "$prompts_d9b6/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_4b2e" --format json
made "$bench_4b2e" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
