exit 0
--- stderr
warning: waiting: 4 points: of 500 open requests 128 run at once (max_batch_size 64 x pp 2 x instances 1); the others wait, and the wait is in their latency (float16_float16_enable_enable_paged_mbs64_kv_cache_free_gpu_mem_fraction0.9-62230b)
warning: memory-batch: 4 points: 2048 sequences of 256 and 256 tokens fill 96 GiB of KV cache on each rank, and about 64.1 GiB remain for it; requests will wait for room (float16_float16_enable_enable_paged_mbs2048_kv_cache_free_gpu_mem_fraction0.9-f7630a)
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine, so its path counts and not what it holds
--- stdout
#!/usr/bin/env bash
# qwen-14b-int4-build-flags: 8 of 8 points of experiments/qwen-14b-int4-build-flags.yaml, on the runner triton-trtllm
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

# environment-3ee6098f87fd: app_dir=/app, build_image=false, container_engine=docker, container_shm=16g, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, trtllm_version=0.14.0
environment_3ee6=$OUT/artifacts/environment-3ee6098f87fd/out
inherit='DOCKER_* CONTAINER_HOST CONTAINERS_* XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy' task environment-3ee6098f87fd 14400 -- \
  /usr/bin/python3 "$RUNNER/environment.py" --version 0.14.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter "$environment_3ee6"
made "$environment_3ee6" environment.json options.json versions.json

# templates-b0fd54e21c9a: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_b0fd=$OUT/artifacts/templates-b0fd54e21c9a/out
task templates-b0fd54e21c9a 600 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" python cp \
  -rL /app/all_models/inflight_batcher_llm/tensorrt_llm /app/all_models/inflight_batcher_llm/ensemble \
  /app/all_models/inflight_batcher_llm/preprocessing /app/all_models/inflight_batcher_llm/postprocessing \
  /app/all_models/inflight_batcher_llm/tensorrt_llm_bls "$templates_b0fd"
made "$templates_b0fd" tensorrt_llm/config.pbtxt

# repository-73c7555eafd1: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=64, trtllm_version=0.14.0
repository_73c7=$OUT/artifacts/repository-73c7555eafd1/out
task repository-73c7555eafd1 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_b0fd" --release 0.14.0 --fill "$ORCHESTRATE" \
  --out "$repository_73c7/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 64 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --max_beam_width 1 --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_73c7" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-a57a412c9451: model=qwen-14b
download_a57a=$OUT/artifacts/download-a57a412c9451/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-a57a412c9451 86400 -- \
  /usr/bin/python3 "$RUNNER/download.py" hf:Qwen/Qwen2.5-14B-Instruct main "$download_a57a"
made "$download_a57a" config.json

# convert-c0f134f82ea5: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=2, precision=int4_wo, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.14.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_c0f1=$OUT/artifacts/convert-c0f134f82ea5/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-c0f134f82ea5 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" convert python3 /app/examples/qwen/convert_checkpoint.py \
  --model_dir "$download_a57a" --output_dir "$convert_c0f1" --dtype float16 --tp_size 1 --pp_size 2 --use_weight_only \
  --weight_only_precision int4 --workers 1
made "$convert_c0f1" config.json rank0.safetensors

# build-77a24f4d0ac3: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=float16, gemm_swiglu_plugin=disable, gpt_attention_plugin=float16, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=64, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, max_seq_len=2048, moe_plugin=auto, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.14.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_77a2=$OUT/artifacts/build-77a24f4d0ac3/out
task build-77a24f4d0ac3 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" build trtllm-build --checkpoint_dir "$convert_c0f1" \
  --output_dir "$build_77a2" --max_batch_size 64 --max_input_len 1024 --max_seq_len 2048 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin float16 --gpt_attention_plugin float16 --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 2 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_77a2" config.json rank0.engine

# prompts-737fff313652: concurrency=500, isl=256, num_prompts=500, osl=256
prompts_737f=$OUT/artifacts/prompts-737fff313652/out

# prompts-30185cce0d25: concurrency=500, isl=256, num_prompts=500, osl=256
prompts_3018=$OUT/artifacts/prompts-30185cce0d25/out

# prompts-2d707f553374: concurrency=500, isl=256, num_prompts=500, osl=256
prompts_2d70=$OUT/artifacts/prompts-2d707f553374/out

mkdir -p "$prompts_737f" "$OUT/work/prompts-737fff313652" "$prompts_3018" "$OUT/work/prompts-30185cce0d25" \
  "$prompts_2d70" "$OUT/work/prompts-2d707f553374"
write "$OUT/work/prompts-737fff313652/jobs.json" <<END
[{"id":"prompts-737fff313652","blocks":"3","isl":"256","out":"$prompts_737f","requests":"500","seed":"0","stream":"isl=256 osl=256 concurrency=500 num_prompts=500 repeat=0","warmup":"64"},
 {"id":"prompts-30185cce0d25","blocks":"3","isl":"256","out":"$prompts_3018","requests":"500","seed":"0","stream":"isl=256 osl=256 concurrency=500 num_prompts=500 repeat=1","warmup":"64"},
 {"id":"prompts-2d707f553374","blocks":"3","isl":"256","out":"$prompts_2d70","requests":"500","seed":"0","stream":"isl=256 osl=256 concurrency=500 num_prompts=500 repeat=2","warmup":"64"}]
END
task prompts-737fff313652 5400 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_a57a/tokenizer.json" --jobs "$OUT/work/prompts-737fff313652/jobs.json"
made "$prompts_737f" prompts.jsonl
made "$prompts_3018" prompts.jsonl
made "$prompts_2d70" prompts.jsonl

# build-f3d67fe3d330: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=float16, gemm_swiglu_plugin=disable, gpt_attention_plugin=float16, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=2048, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, max_seq_len=2048, moe_plugin=auto, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.14.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_f3d6=$OUT/artifacts/build-f3d67fe3d330/out
task build-f3d67fe3d330 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" build trtllm-build --checkpoint_dir "$convert_c0f1" \
  --output_dir "$build_f3d6" --max_batch_size 2048 --max_input_len 1024 --max_seq_len 2048 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin float16 --gpt_attention_plugin float16 --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 2 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_f3d6" config.json rank0.engine

# build-b574230b1417: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=float16, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=64, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, max_seq_len=2048, moe_plugin=auto, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.14.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_b574=$OUT/artifacts/build-b574230b1417/out
task build-b574230b1417 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" build trtllm-build --checkpoint_dir "$convert_c0f1" \
  --output_dir "$build_b574" --max_batch_size 64 --max_input_len 1024 --max_seq_len 2048 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin float16 --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 2 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_b574" config.json rank0.engine

# build-9189ce6b86b4: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=float16, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=2048, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, max_seq_len=2048, moe_plugin=auto, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.14.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_9189=$OUT/artifacts/build-9189ce6b86b4/out
task build-9189ce6b86b4 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" build trtllm-build --checkpoint_dir "$convert_c0f1" \
  --output_dir "$build_9189" --max_batch_size 2048 --max_input_len 1024 --max_seq_len 2048 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin float16 --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 2 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_9189" config.json rank0.engine

# repository-789aa10e1081: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.5, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=64, trtllm_version=0.14.0
repository_789a=$OUT/artifacts/repository-789aa10e1081/out
task repository-789aa10e1081 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_b0fd" --release 0.14.0 --fill "$ORCHESTRATE" \
  --out "$repository_789a/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 64 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --max_beam_width 1 --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.5 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_789a" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# ----------------------------------------------------------------------------------------------------------------------
# serve-5147463ef823: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_73c7/repository" "$OUT/work/serve-5147463ef823/repository" build "$build_77a2" download "$download_a57a"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-5147463ef823 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-5147463ef823/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-5147463ef823/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-a3a8c4bc8b72 of float16_float16_enable_enable_paged_mbs64_kv_cache_free_gpu_mem_fraction0.9-62230b
bench_a3a8=$OUT/artifacts/bench-a3a8c4bc8b72.1/out
measure bench-a3a8c4bc8b72.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_737f/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_a3a8" --format json
made "$bench_a3a8" measurement.json requests.jsonl

# bench-2105c5e87523 of float16_float16_enable_enable_paged_mbs64_kv_cache_free_gpu_mem_fraction0.9-62230b
bench_2105=$OUT/artifacts/bench-2105c5e87523.1/out
measure bench-2105c5e87523.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_3018/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_2105" --format json
made "$bench_2105" measurement.json requests.jsonl

# bench-9d15e5c0a86c of float16_float16_enable_enable_paged_mbs64_kv_cache_free_gpu_mem_fraction0.9-62230b
bench_9d15=$OUT/artifacts/bench-9d15e5c0a86c.1/out
measure bench-9d15e5c0a86c.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_2d70/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_9d15" --format json
made "$bench_9d15" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-3c4186c81e9d: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_73c7/repository" "$OUT/work/serve-3c4186c81e9d/repository" build "$build_f3d6" download "$download_a57a"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-3c4186c81e9d 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-3c4186c81e9d/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-3c4186c81e9d/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-89ce81bea8c8 of float16_float16_enable_enable_paged_mbs2048_kv_cache_free_gpu_mem_fraction0.9-f7630a
bench_89ce=$OUT/artifacts/bench-89ce81bea8c8.1/out
measure bench-89ce81bea8c8.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_737f/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_89ce" --format json
made "$bench_89ce" measurement.json requests.jsonl

# bench-330a29f319dd of float16_float16_enable_enable_paged_mbs2048_kv_cache_free_gpu_mem_fraction0.9-f7630a
bench_330a=$OUT/artifacts/bench-330a29f319dd.1/out
measure bench-330a29f319dd.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_3018/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_330a" --format json
made "$bench_330a" measurement.json requests.jsonl

# bench-27f28a60240e of float16_float16_enable_enable_paged_mbs2048_kv_cache_free_gpu_mem_fraction0.9-f7630a
bench_27f2=$OUT/artifacts/bench-27f28a60240e.1/out
measure bench-27f28a60240e.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_2d70/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_27f2" --format json
made "$bench_27f2" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-edce6bed61b6: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_73c7/repository" "$OUT/work/serve-edce6bed61b6/repository" build "$build_b574" download "$download_a57a"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-edce6bed61b6 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-edce6bed61b6/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-edce6bed61b6/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-32871db9be7b of float16_mbs64_kv_cache_free_gpu_mem_fraction0.9-e9d4da
bench_3287=$OUT/artifacts/bench-32871db9be7b.1/out
measure bench-32871db9be7b.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_737f/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_3287" --format json
made "$bench_3287" measurement.json requests.jsonl

# bench-dfd5c0e95d6a of float16_mbs64_kv_cache_free_gpu_mem_fraction0.9-e9d4da
bench_dfd5=$OUT/artifacts/bench-dfd5c0e95d6a.1/out
measure bench-dfd5c0e95d6a.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_3018/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_dfd5" --format json
made "$bench_dfd5" measurement.json requests.jsonl

# bench-87f13890ca69 of float16_mbs64_kv_cache_free_gpu_mem_fraction0.9-e9d4da
bench_87f1=$OUT/artifacts/bench-87f13890ca69.1/out
measure bench-87f13890ca69.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_2d70/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_87f1" --format json
made "$bench_87f1" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-fb3002833dc4: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_73c7/repository" "$OUT/work/serve-fb3002833dc4/repository" build "$build_9189" download "$download_a57a"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-fb3002833dc4 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-fb3002833dc4/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-fb3002833dc4/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-31d44428873d of float16_mbs2048_kv_cache_free_gpu_mem_fraction0.9-f571d7
bench_31d4=$OUT/artifacts/bench-31d44428873d.1/out
measure bench-31d44428873d.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_737f/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_31d4" --format json
made "$bench_31d4" measurement.json requests.jsonl

# bench-5dddf03c98f1 of float16_mbs2048_kv_cache_free_gpu_mem_fraction0.9-f571d7
bench_5ddd=$OUT/artifacts/bench-5dddf03c98f1.1/out
measure bench-5dddf03c98f1.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_3018/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_5ddd" --format json
made "$bench_5ddd" measurement.json requests.jsonl

# bench-a192e6d1d1ef of float16_mbs2048_kv_cache_free_gpu_mem_fraction0.9-f571d7
bench_a192=$OUT/artifacts/bench-a192e6d1d1ef.1/out
measure bench-a192e6d1d1ef.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_2d70/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_a192" --format json
made "$bench_a192" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-054fef86b4aa: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_789a/repository" "$OUT/work/serve-054fef86b4aa/repository" build "$build_77a2" download "$download_a57a"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-054fef86b4aa 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-054fef86b4aa/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-054fef86b4aa/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-a26d754e31bb of float16_float16_enable_enable_paged_mbs64_kv_cache_free_gpu_mem_fraction0.5-15dd24
bench_a26d=$OUT/artifacts/bench-a26d754e31bb.1/out
measure bench-a26d754e31bb.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_737f/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_a26d" --format json
made "$bench_a26d" measurement.json requests.jsonl

# bench-1e32cf82212d of float16_float16_enable_enable_paged_mbs64_kv_cache_free_gpu_mem_fraction0.5-15dd24
bench_1e32=$OUT/artifacts/bench-1e32cf82212d.1/out
measure bench-1e32cf82212d.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_3018/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_1e32" --format json
made "$bench_1e32" measurement.json requests.jsonl

# bench-92ba5c15a3ab of float16_float16_enable_enable_paged_mbs64_kv_cache_free_gpu_mem_fraction0.5-15dd24
bench_92ba=$OUT/artifacts/bench-92ba5c15a3ab.1/out
measure bench-92ba5c15a3ab.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_2d70/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_92ba" --format json
made "$bench_92ba" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-2beb3962db28: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_789a/repository" "$OUT/work/serve-2beb3962db28/repository" build "$build_f3d6" download "$download_a57a"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-2beb3962db28 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2beb3962db28/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2beb3962db28/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-15db17dae1e1 of float16_float16_enable_enable_paged_mbs2048_kv_cache_free_gpu_mem_fraction0.5-bb3e3d
bench_15db=$OUT/artifacts/bench-15db17dae1e1.1/out
measure bench-15db17dae1e1.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_737f/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_15db" --format json
made "$bench_15db" measurement.json requests.jsonl

# bench-e3e8148ae2b6 of float16_float16_enable_enable_paged_mbs2048_kv_cache_free_gpu_mem_fraction0.5-bb3e3d
bench_e3e8=$OUT/artifacts/bench-e3e8148ae2b6.1/out
measure bench-e3e8148ae2b6.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_3018/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_e3e8" --format json
made "$bench_e3e8" measurement.json requests.jsonl

# bench-2738b9732657 of float16_float16_enable_enable_paged_mbs2048_kv_cache_free_gpu_mem_fraction0.5-bb3e3d
bench_2738=$OUT/artifacts/bench-2738b9732657.1/out
measure bench-2738b9732657.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_2d70/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_2738" --format json
made "$bench_2738" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-6c72ad4e91c5: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_789a/repository" "$OUT/work/serve-6c72ad4e91c5/repository" build "$build_b574" download "$download_a57a"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-6c72ad4e91c5 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-6c72ad4e91c5/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-6c72ad4e91c5/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-2a4d3d122037 of float16_mbs64_kv_cache_free_gpu_mem_fraction0.5-fb4f01
bench_2a4d=$OUT/artifacts/bench-2a4d3d122037.1/out
measure bench-2a4d3d122037.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_737f/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_2a4d" --format json
made "$bench_2a4d" measurement.json requests.jsonl

# bench-32df3ba680c0 of float16_mbs64_kv_cache_free_gpu_mem_fraction0.5-fb4f01
bench_32df=$OUT/artifacts/bench-32df3ba680c0.1/out
measure bench-32df3ba680c0.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_3018/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_32df" --format json
made "$bench_32df" measurement.json requests.jsonl

# bench-5f011b2fc1a5 of float16_mbs64_kv_cache_free_gpu_mem_fraction0.5-fb4f01
bench_5f01=$OUT/artifacts/bench-5f011b2fc1a5.1/out
measure bench-5f011b2fc1a5.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_2d70/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_5f01" --format json
made "$bench_5f01" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-f6a4d8489ebf: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_789a/repository" "$OUT/work/serve-f6a4d8489ebf/repository" build "$build_9189" download "$download_a57a"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-f6a4d8489ebf 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3ee6" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-f6a4d8489ebf/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-f6a4d8489ebf/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_"
wait_ready 3600 "http://127.0.0.1:$port_http_1/v2/health/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/ensemble/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/preprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/postprocessing/ready" \
  "http://127.0.0.1:$port_http_1/v2/models/tensorrt_llm_bls/ready"
smoke 3600 "http://127.0.0.1:$port_http_1/v2/models/ensemble/generate" text_output \
  '{"text_input": "The first number", "max_tokens": 8, "min_length": 8, "stream": false}'

# bench-3b0f0b0ffc02 of float16_mbs2048_kv_cache_free_gpu_mem_fraction0.5-e018e0
bench_3b0f=$OUT/artifacts/bench-3b0f0b0ffc02.1/out
measure bench-3b0f0b0ffc02.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_737f/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_3b0f" --format json
made "$bench_3b0f" measurement.json requests.jsonl

# bench-d3fc83c1b243 of float16_mbs2048_kv_cache_free_gpu_mem_fraction0.5-e018e0
bench_d3fc=$OUT/artifacts/bench-d3fc83c1b243.1/out
measure bench-d3fc83c1b243.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_3018/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_d3fc" --format json
made "$bench_d3fc" measurement.json requests.jsonl

# bench-9e30997c7a72 of float16_mbs2048_kv_cache_free_gpu_mem_fraction0.5-e018e0
bench_9e30=$OUT/artifacts/bench-9e30997c7a72.1/out
measure bench-9e30997c7a72.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_2d70/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_9e30" --format json
made "$bench_9e30" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
