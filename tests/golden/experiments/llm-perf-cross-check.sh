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

# repository-3804bad39231: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=true, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, max_beam_width=1, max_queue_delay_microseconds=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=8, trtllm_version=0.11.0
repository_3804=$OUT/artifacts/repository-3804bad39231/out
task repository-3804bad39231 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_4ead" --release 0.11.0 --fill "$ORCHESTRATE" \
  --out "$repository_3804/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 8 --decoupled_mode true --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 --max_beam_width 1 \
  --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_3804" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-aba9677727ab: model=qwen2-7b
download_aba9=$OUT/artifacts/download-aba9677727ab/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-aba9677727ab 86400 -- \
  /usr/bin/python3 "$RUNNER/download.py" hf:Qwen/Qwen2-7B main "$download_aba9"
made "$download_aba9" config.json

# convert-91bde3c87f38: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=1, precision=fp16, tp=1, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_91bd=$OUT/artifacts/convert-91bde3c87f38/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-91bde3c87f38 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" convert python3 /app/examples/qwen/convert_checkpoint.py \
  --model_dir "$download_aba9" --output_dir "$convert_91bd" --dtype float16 --tp_size 1 --pp_size 1 --workers 1
made "$convert_91bd" config.json rank0.safetensors

# build-bf7fdd2f5619: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=269, max_num_tokens=8192, max_seq_len=270, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_bf7f=$OUT/artifacts/build-bf7fdd2f5619/out
task build-bf7fdd2f5619 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$convert_91bd" \
  --output_dir "$build_bf7f" --max_batch_size 8 --max_input_len 269 --max_seq_len 270 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 1 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_bf7f" config.json rank0.engine

# prompts-12c53eafc626: concurrency=1, isl=269, num_prompts=1376, osl=1
prompts_12c5=$OUT/artifacts/prompts-12c53eafc626/out

# prompts-11b182f131aa: concurrency=1, isl=269, num_prompts=1376, osl=1
prompts_11b1=$OUT/artifacts/prompts-11b182f131aa/out

# prompts-fcb9b8094d84: concurrency=1, isl=269, num_prompts=1376, osl=1
prompts_fcb9=$OUT/artifacts/prompts-fcb9b8094d84/out

# prompts-bb7cc653eb3d: concurrency=4, isl=269, num_prompts=1376, osl=1
prompts_bb7c=$OUT/artifacts/prompts-bb7cc653eb3d/out

# prompts-192362473041: concurrency=4, isl=269, num_prompts=1376, osl=1
prompts_1923=$OUT/artifacts/prompts-192362473041/out

# prompts-6c8b0edd4994: concurrency=4, isl=269, num_prompts=1376, osl=1
prompts_6c8b=$OUT/artifacts/prompts-6c8b0edd4994/out

# prompts-13450e245643: concurrency=6, isl=269, num_prompts=1376, osl=1
prompts_1345=$OUT/artifacts/prompts-13450e245643/out

# prompts-1aceef6bb37c: concurrency=6, isl=269, num_prompts=1376, osl=1
prompts_1ace=$OUT/artifacts/prompts-1aceef6bb37c/out

# prompts-3695e87b312d: concurrency=6, isl=269, num_prompts=1376, osl=1
prompts_3695=$OUT/artifacts/prompts-3695e87b312d/out

# prompts-737edca99584: concurrency=7, isl=269, num_prompts=1376, osl=1
prompts_737e=$OUT/artifacts/prompts-737edca99584/out

# prompts-053e85fe98ab: concurrency=7, isl=269, num_prompts=1376, osl=1
prompts_053e=$OUT/artifacts/prompts-053e85fe98ab/out

# prompts-e3cddca83f74: concurrency=7, isl=269, num_prompts=1376, osl=1
prompts_e3cd=$OUT/artifacts/prompts-e3cddca83f74/out

# prompts-e18b309b00b5: concurrency=8, isl=269, num_prompts=1376, osl=1
prompts_e18b=$OUT/artifacts/prompts-e18b309b00b5/out

# prompts-38e416222029: concurrency=8, isl=269, num_prompts=1376, osl=1
prompts_38e4=$OUT/artifacts/prompts-38e416222029/out

# prompts-078e4b8051eb: concurrency=8, isl=269, num_prompts=1376, osl=1
prompts_078e=$OUT/artifacts/prompts-078e4b8051eb/out

mkdir -p "$prompts_12c5" "$OUT/work/prompts-12c53eafc626" "$prompts_11b1" "$OUT/work/prompts-11b182f131aa" \
  "$prompts_fcb9" "$OUT/work/prompts-fcb9b8094d84" "$prompts_bb7c" "$OUT/work/prompts-bb7cc653eb3d" "$prompts_1923" \
  "$OUT/work/prompts-192362473041" "$prompts_6c8b" "$OUT/work/prompts-6c8b0edd4994" "$prompts_1345" \
  "$OUT/work/prompts-13450e245643" "$prompts_1ace" "$OUT/work/prompts-1aceef6bb37c" "$prompts_3695" \
  "$OUT/work/prompts-3695e87b312d" "$prompts_737e" "$OUT/work/prompts-737edca99584" "$prompts_053e" \
  "$OUT/work/prompts-053e85fe98ab" "$prompts_e3cd" "$OUT/work/prompts-e3cddca83f74" "$prompts_e18b" \
  "$OUT/work/prompts-e18b309b00b5" "$prompts_38e4" "$OUT/work/prompts-38e416222029" "$prompts_078e" \
  "$OUT/work/prompts-078e4b8051eb"
write "$OUT/work/prompts-12c53eafc626/jobs.json" <<END
[{"id":"prompts-12c53eafc626","blocks":"3","isl":"269","out":"$prompts_12c5","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=1 num_prompts=1376 repeat=0","warmup":"2"},
 {"id":"prompts-11b182f131aa","blocks":"3","isl":"269","out":"$prompts_11b1","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=1 num_prompts=1376 repeat=1","warmup":"2"},
 {"id":"prompts-fcb9b8094d84","blocks":"3","isl":"269","out":"$prompts_fcb9","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=1 num_prompts=1376 repeat=2","warmup":"2"},
 {"id":"prompts-bb7cc653eb3d","blocks":"3","isl":"269","out":"$prompts_bb7c","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=4 num_prompts=1376 repeat=0","warmup":"8"},
 {"id":"prompts-192362473041","blocks":"3","isl":"269","out":"$prompts_1923","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=4 num_prompts=1376 repeat=1","warmup":"8"},
 {"id":"prompts-6c8b0edd4994","blocks":"3","isl":"269","out":"$prompts_6c8b","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=4 num_prompts=1376 repeat=2","warmup":"8"},
 {"id":"prompts-13450e245643","blocks":"3","isl":"269","out":"$prompts_1345","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=6 num_prompts=1376 repeat=0","warmup":"12"},
 {"id":"prompts-1aceef6bb37c","blocks":"3","isl":"269","out":"$prompts_1ace","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=6 num_prompts=1376 repeat=1","warmup":"12"},
 {"id":"prompts-3695e87b312d","blocks":"3","isl":"269","out":"$prompts_3695","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=6 num_prompts=1376 repeat=2","warmup":"12"},
 {"id":"prompts-737edca99584","blocks":"3","isl":"269","out":"$prompts_737e","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=7 num_prompts=1376 repeat=0","warmup":"14"},
 {"id":"prompts-053e85fe98ab","blocks":"3","isl":"269","out":"$prompts_053e","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=7 num_prompts=1376 repeat=1","warmup":"14"},
 {"id":"prompts-e3cddca83f74","blocks":"3","isl":"269","out":"$prompts_e3cd","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=7 num_prompts=1376 repeat=2","warmup":"14"},
 {"id":"prompts-e18b309b00b5","blocks":"3","isl":"269","out":"$prompts_e18b","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=8 num_prompts=1376 repeat=0","warmup":"16"},
 {"id":"prompts-38e416222029","blocks":"3","isl":"269","out":"$prompts_38e4","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=8 num_prompts=1376 repeat=1","warmup":"16"},
 {"id":"prompts-078e4b8051eb","blocks":"3","isl":"269","out":"$prompts_078e","requests":"1376","seed":"0","stream":"isl=269 osl=1 concurrency=8 num_prompts=1376 repeat=2","warmup":"16"}]
END
task prompts-12c53eafc626 27000 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_aba9/tokenizer.json" --jobs "$OUT/work/prompts-12c53eafc626/jobs.json"
made "$prompts_12c5" prompts.jsonl
made "$prompts_11b1" prompts.jsonl
made "$prompts_fcb9" prompts.jsonl
made "$prompts_bb7c" prompts.jsonl
made "$prompts_1923" prompts.jsonl
made "$prompts_6c8b" prompts.jsonl
made "$prompts_1345" prompts.jsonl
made "$prompts_1ace" prompts.jsonl
made "$prompts_3695" prompts.jsonl
made "$prompts_737e" prompts.jsonl
made "$prompts_053e" prompts.jsonl
made "$prompts_e3cd" prompts.jsonl
made "$prompts_e18b" prompts.jsonl
made "$prompts_38e4" prompts.jsonl
made "$prompts_078e" prompts.jsonl

# ----------------------------------------------------------------------------------------------------------------------
# serve-47a2a2a2146f: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, trtllm_version=0.11.0
place "$repository_3804/repository" "$OUT/work/serve-47a2a2a2146f/repository" build "$build_bf7f" download "$download_aba9"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-47a2a2a2146f 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-47a2a2a2146f/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-9f6e58280472 of c1-38e748
bench_9f6e=$OUT/artifacts/bench-9f6e58280472.1/out
measure bench-9f6e58280472.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 1 --requests 1376 --warmup 2 \
  --prompts "$prompts_12c5/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_9f6e" --format json
made "$bench_9f6e" measurement.json requests.jsonl

# bench-5a319744934d of c4-80bf41
bench_5a31=$OUT/artifacts/bench-5a319744934d.1/out
measure bench-5a319744934d.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 4 --requests 1376 --warmup 8 \
  --prompts "$prompts_bb7c/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_5a31" --format json
made "$bench_5a31" measurement.json requests.jsonl

# bench-f9ad60106981 of c6-a47e98
bench_f9ad=$OUT/artifacts/bench-f9ad60106981.1/out
measure bench-f9ad60106981.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 6 --requests 1376 --warmup 12 \
  --prompts "$prompts_1345/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_f9ad" --format json
made "$bench_f9ad" measurement.json requests.jsonl

# bench-82e80a71cea1 of c7-fa0e21
bench_82e8=$OUT/artifacts/bench-82e80a71cea1.1/out
measure bench-82e80a71cea1.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 7 --requests 1376 --warmup 14 \
  --prompts "$prompts_737e/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_82e8" --format json
made "$bench_82e8" measurement.json requests.jsonl

# bench-7757458e0726 of c8-4629f4
bench_7757=$OUT/artifacts/bench-7757458e0726.1/out
measure bench-7757458e0726.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 1376 --warmup 16 \
  --prompts "$prompts_e18b/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_7757" --format json
made "$bench_7757" measurement.json requests.jsonl

# bench-5eaa8e10e37e of c1-38e748
bench_5eaa=$OUT/artifacts/bench-5eaa8e10e37e.1/out
measure bench-5eaa8e10e37e.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 1 --requests 1376 --warmup 2 \
  --prompts "$prompts_11b1/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_5eaa" --format json
made "$bench_5eaa" measurement.json requests.jsonl

# bench-84f050164dbd of c4-80bf41
bench_84f0=$OUT/artifacts/bench-84f050164dbd.1/out
measure bench-84f050164dbd.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 4 --requests 1376 --warmup 8 \
  --prompts "$prompts_1923/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_84f0" --format json
made "$bench_84f0" measurement.json requests.jsonl

# bench-55255a83fbc5 of c6-a47e98
bench_5525=$OUT/artifacts/bench-55255a83fbc5.1/out
measure bench-55255a83fbc5.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 6 --requests 1376 --warmup 12 \
  --prompts "$prompts_1ace/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_5525" --format json
made "$bench_5525" measurement.json requests.jsonl

# bench-2bc8c24f2100 of c7-fa0e21
bench_2bc8=$OUT/artifacts/bench-2bc8c24f2100.1/out
measure bench-2bc8c24f2100.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 7 --requests 1376 --warmup 14 \
  --prompts "$prompts_053e/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_2bc8" --format json
made "$bench_2bc8" measurement.json requests.jsonl

# bench-8c6ae87435b8 of c8-4629f4
bench_8c6a=$OUT/artifacts/bench-8c6ae87435b8.1/out
measure bench-8c6ae87435b8.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 1376 --warmup 16 \
  --prompts "$prompts_38e4/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_8c6a" --format json
made "$bench_8c6a" measurement.json requests.jsonl

# bench-db8a4561d962 of c1-38e748
bench_db8a=$OUT/artifacts/bench-db8a4561d962.1/out
measure bench-db8a4561d962.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 1 --requests 1376 --warmup 2 \
  --prompts "$prompts_fcb9/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_db8a" --format json
made "$bench_db8a" measurement.json requests.jsonl

# bench-b37a4a5b45c6 of c4-80bf41
bench_b37a=$OUT/artifacts/bench-b37a4a5b45c6.1/out
measure bench-b37a4a5b45c6.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 4 --requests 1376 --warmup 8 \
  --prompts "$prompts_6c8b/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_b37a" --format json
made "$bench_b37a" measurement.json requests.jsonl

# bench-a62336578c97 of c6-a47e98
bench_a623=$OUT/artifacts/bench-a62336578c97.1/out
measure bench-a62336578c97.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 6 --requests 1376 --warmup 12 \
  --prompts "$prompts_3695/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_a623" --format json
made "$bench_a623" measurement.json requests.jsonl

# bench-8c42b673eb76 of c7-fa0e21
bench_8c42=$OUT/artifacts/bench-8c42b673eb76.1/out
measure bench-8c42b673eb76.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 7 --requests 1376 --warmup 14 \
  --prompts "$prompts_e3cd/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_8c42" --format json
made "$bench_8c42" measurement.json requests.jsonl

# bench-f125368696e1 of c8-4629f4
bench_f125=$OUT/artifacts/bench-f125368696e1.1/out
measure bench-f125368696e1.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 1376 --warmup 16 \
  --prompts "$prompts_078e/prompts.jsonl" --osl 1 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_f125" --format json
made "$bench_f125" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
