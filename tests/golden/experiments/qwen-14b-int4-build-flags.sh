exit 0
--- stderr
warning: waiting: 4 points: of 500 open requests 128 run at once (max_batch_size 64 x pp 2 x instances 1); the others wait, and the wait is in their latency (float16_float16_enable_enable_paged_mbs64_kvf0.9-62230b)
warning: memory-batch: 4 points: 2048 sequences of 256 and 256 tokens fill 96 GiB of KV cache on each rank, and about 64.1 GiB remain for it; requests will wait for room (float16_float16_enable_enable_paged_mbs2048_kvf0.9-f7630a)
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

# environment-396335b24a06: app_dir=/app, build_image=false, container_engine=docker, container_shm=16g, converter_families=qwen,llama,gpt,medusa,eagle,redrafter, examples_dir=/app/examples, trtllm_version=0.14.0
environment_3963=$OUT/artifacts/environment-396335b24a06/out
inherit='DOCKER_* CONTAINER_HOST CONTAINERS_* XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy' task environment-396335b24a06 14400 -- \
  /usr/bin/python3 "$RUNNER/environment.py" --version 0.14.0 --examples /app/examples --app /app \
  --families qwen,llama,gpt,medusa,eagle,redrafter "$environment_3963"
made "$environment_3963" environment.json options.json versions.json

# templates-f9fdffa8c69a: llm_backend=tensorrt, template_dir=/app/all_models/inflight_batcher_llm
templates_f9fd=$OUT/artifacts/templates-f9fdffa8c69a/out
task templates-f9fdffa8c69a 600 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" python cp \
  -rL /app/all_models/inflight_batcher_llm/tensorrt_llm /app/all_models/inflight_batcher_llm/ensemble \
  /app/all_models/inflight_batcher_llm/preprocessing /app/all_models/inflight_batcher_llm/postprocessing \
  /app/all_models/inflight_batcher_llm/tensorrt_llm_bls "$templates_f9fd"
made "$templates_f9fd" tensorrt_llm/config.pbtxt

# repository-842f0281f3f2: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.9, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=64, trtllm_version=0.14.0
repository_842f=$OUT/artifacts/repository-842f0281f3f2/out
task repository-842f0281f3f2 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_f9fd" --release 0.14.0 --fill "$ORCHESTRATE" \
  --out "$repository_842f/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 64 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --max_beam_width 1 --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.9 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_842f" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# download-cc497bd76c9e: model=qwen-14b
download_cc49=$OUT/artifacts/download-cc497bd76c9e/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-cc497bd76c9e 86400 -- \
  /usr/bin/python3 "$RUNNER/download.py" hf:Qwen/Qwen2.5-14B-Instruct main "$download_cc49"
made "$download_cc49" config.json

# convert-4d10395f2f82: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=2, precision=int4_wo, remove_duplicated_kv_heads=false, tp=1, trtllm_version=0.14.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_4d10=$OUT/artifacts/convert-4d10395f2f82/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-4d10395f2f82 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" convert python3 /app/examples/qwen/convert_checkpoint.py \
  --model_dir "$download_cc49" --output_dir "$convert_4d10" --dtype float16 --tp_size 1 --pp_size 2 --use_weight_only \
  --weight_only_precision int4 --workers 1
made "$convert_4d10" config.json rank0.safetensors

# build-d2fd4e97c4d4: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=float16, gemm_swiglu_plugin=disable, gpt_attention_plugin=float16, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=64, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, max_seq_len=2048, moe_plugin=auto, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.14.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_d2fd=$OUT/artifacts/build-d2fd4e97c4d4/out
task build-d2fd4e97c4d4 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" build trtllm-build --checkpoint_dir "$convert_4d10" \
  --output_dir "$build_d2fd" --max_batch_size 64 --max_input_len 1024 --max_seq_len 2048 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin float16 --gpt_attention_plugin float16 --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 2 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_d2fd" config.json rank0.engine

# prompts-f21ae064edbb: concurrency=500, isl=256, num_prompts=500, osl=256
prompts_f21a=$OUT/artifacts/prompts-f21ae064edbb/out

# prompts-b2414b4f2f21: concurrency=500, isl=256, num_prompts=500, osl=256
prompts_b241=$OUT/artifacts/prompts-b2414b4f2f21/out

# prompts-dd2d2664d650: concurrency=500, isl=256, num_prompts=500, osl=256
prompts_dd2d=$OUT/artifacts/prompts-dd2d2664d650/out

mkdir -p "$prompts_f21a" "$OUT/work/prompts-f21ae064edbb" "$prompts_b241" "$OUT/work/prompts-b2414b4f2f21" \
  "$prompts_dd2d" "$OUT/work/prompts-dd2d2664d650"
write "$OUT/work/prompts-f21ae064edbb/jobs.json" <<END
[{"id":"prompts-f21ae064edbb","blocks":"3","isl":"256","out":"$prompts_f21a","requests":"500","seed":"0","stream":"isl=256 osl=256 concurrency=500 num_prompts=500 repeat=0","warmup":"64"},
 {"id":"prompts-b2414b4f2f21","blocks":"3","isl":"256","out":"$prompts_b241","requests":"500","seed":"0","stream":"isl=256 osl=256 concurrency=500 num_prompts=500 repeat=1","warmup":"64"},
 {"id":"prompts-dd2d2664d650","blocks":"3","isl":"256","out":"$prompts_dd2d","requests":"500","seed":"0","stream":"isl=256 osl=256 concurrency=500 num_prompts=500 repeat=2","warmup":"64"}]
END
task prompts-f21ae064edbb 5400 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_cc49/tokenizer.json" --jobs "$OUT/work/prompts-f21ae064edbb/jobs.json"
made "$prompts_f21a" prompts.jsonl
made "$prompts_b241" prompts.jsonl
made "$prompts_dd2d" prompts.jsonl

# build-70e031f99027: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=float16, gemm_swiglu_plugin=disable, gpt_attention_plugin=float16, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=2048, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, max_seq_len=2048, moe_plugin=auto, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.14.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_70e0=$OUT/artifacts/build-70e031f99027/out
task build-70e031f99027 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" build trtllm-build --checkpoint_dir "$convert_4d10" \
  --output_dir "$build_70e0" --max_batch_size 2048 --max_input_len 1024 --max_seq_len 2048 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin float16 --gpt_attention_plugin float16 --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 2 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_70e0" config.json rank0.engine

# build-da4283d958d6: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=float16, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=64, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, max_seq_len=2048, moe_plugin=auto, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.14.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_da42=$OUT/artifacts/build-da4283d958d6/out
task build-da4283d958d6 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" build trtllm-build --checkpoint_dir "$convert_4d10" \
  --output_dir "$build_da42" --max_batch_size 64 --max_input_len 1024 --max_seq_len 2048 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin float16 --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 2 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_da42" config.json rank0.engine

# build-485c29ae838d: build_log_level=info, build_workers=2, by_quantize=false, context_fmha=enable, enable_debug_output=false, fast_build=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=float16, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, kv_cache_type=paged, low_latency_gemm_plugin=disable, max_batch_size=2048, max_beam_width=1, max_input_len=1024, max_num_tokens=8192, max_seq_len=2048, moe_plugin=auto, multiple_profiles=disable, nccl_plugin=auto, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.14.0, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_485c=$OUT/artifacts/build-485c29ae838d/out
task build-485c29ae838d 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" build trtllm-build --checkpoint_dir "$convert_4d10" \
  --output_dir "$build_485c" --max_batch_size 2048 --max_input_len 1024 --max_seq_len 2048 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin float16 --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --low_latency_gemm_plugin disable --remove_input_padding enable --context_fmha enable \
  --use_paged_context_fmha disable --use_fp8_context_fmha disable --kv_cache_type paged --tokens_per_block 64 \
  --multiple_profiles disable --use_fused_mlp enable --reduce_fusion disable --workers 2 --log_level info \
  --profiling_verbosity layer_names_only
made "$build_485c" config.json rank0.engine

# repository-bffd54f345a7: add_special_tokens=true, batch_scheduler_policy=guaranteed_no_evict, batching_strategy=inflight_fused_batching, bls_instance_count=1, decoupled_mode=false, enable_chunked_context=false, enable_kv_cache_reuse=false, exclude_input_in_output=true, kv_cache_free_gpu_mem_fraction=0.5, max_beam_width=1, max_queue_delay_microseconds=0, max_queue_size=0, own_models=false, postprocessing_instance_count=1, preprocessing_instance_count=1, skip_special_tokens=true, triton_backend=tensorrtllm, triton_max_batch_size=64, trtllm_version=0.14.0
repository_bffd=$OUT/artifacts/repository-bffd54f345a7/out
task repository-bffd54f345a7 300 -- \
  /usr/bin/python3 "$RUNNER/repository.py" --templates "$templates_f9fd" --release 0.14.0 --fill "$ORCHESTRATE" \
  --out "$repository_bffd/repository" --stage engine_dir=build --stage tokenizer_dir=download \
  --triton_max_batch_size 64 --decoupled_mode false --triton_backend tensorrtllm --max_queue_delay_microseconds 0 \
  --max_queue_size 0 --preprocessing_instance_count 1 --postprocessing_instance_count 1 --bls_instance_count 1 \
  --max_beam_width 1 --batching_strategy inflight_fused_batching --batch_scheduler_policy guaranteed_no_evict \
  --enable_chunked_context false --kv_cache_free_gpu_mem_fraction 0.5 --enable_kv_cache_reuse false \
  --exclude_input_in_output true --add_special_tokens true --skip_special_tokens true
made "$repository_bffd" repository/ensemble repository/preprocessing repository/tensorrt_llm/config.pbtxt \
  repository/postprocessing repository/tensorrt_llm_bls

# ----------------------------------------------------------------------------------------------------------------------
# serve-87c88b4d7fff: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_842f/repository" "$OUT/work/serve-87c88b4d7fff/repository" build "$build_d2fd" download "$download_cc49"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-87c88b4d7fff 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-87c88b4d7fff/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-87c88b4d7fff/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-c250b674d46a of float16_float16_enable_enable_paged_mbs64_kvf0.9-62230b
bench_c250=$OUT/artifacts/bench-c250b674d46a.1/out
measure bench-c250b674d46a.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_f21a/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_c250" --format json
made "$bench_c250" measurement.json requests.jsonl

# bench-709517a86da2 of float16_float16_enable_enable_paged_mbs64_kvf0.9-62230b
bench_7095=$OUT/artifacts/bench-709517a86da2.1/out
measure bench-709517a86da2.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_b241/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_7095" --format json
made "$bench_7095" measurement.json requests.jsonl

# bench-6be4c684b589 of float16_float16_enable_enable_paged_mbs64_kvf0.9-62230b
bench_6be4=$OUT/artifacts/bench-6be4c684b589.1/out
measure bench-6be4c684b589.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_dd2d/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_6be4" --format json
made "$bench_6be4" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-81b84a20f6fe: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_842f/repository" "$OUT/work/serve-81b84a20f6fe/repository" build "$build_70e0" download "$download_cc49"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-81b84a20f6fe 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-81b84a20f6fe/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-81b84a20f6fe/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-cc4e7a193493 of float16_float16_enable_enable_paged_mbs2048_kvf0.9-f7630a
bench_cc4e=$OUT/artifacts/bench-cc4e7a193493.1/out
measure bench-cc4e7a193493.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_f21a/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_cc4e" --format json
made "$bench_cc4e" measurement.json requests.jsonl

# bench-e4a7ffcbb82c of float16_float16_enable_enable_paged_mbs2048_kvf0.9-f7630a
bench_e4a7=$OUT/artifacts/bench-e4a7ffcbb82c.1/out
measure bench-e4a7ffcbb82c.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_b241/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_e4a7" --format json
made "$bench_e4a7" measurement.json requests.jsonl

# bench-b28d678d4e23 of float16_float16_enable_enable_paged_mbs2048_kvf0.9-f7630a
bench_b28d=$OUT/artifacts/bench-b28d678d4e23.1/out
measure bench-b28d678d4e23.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_dd2d/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_b28d" --format json
made "$bench_b28d" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-b0810a16b99b: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_842f/repository" "$OUT/work/serve-b0810a16b99b/repository" build "$build_da42" download "$download_cc49"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-b0810a16b99b 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-b0810a16b99b/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-b0810a16b99b/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-b0b565c6c806 of float16_mbs64_kvf0.9-e9d4da
bench_b0b5=$OUT/artifacts/bench-b0b565c6c806.1/out
measure bench-b0b565c6c806.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_f21a/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_b0b5" --format json
made "$bench_b0b5" measurement.json requests.jsonl

# bench-d904489806f9 of float16_mbs64_kvf0.9-e9d4da
bench_d904=$OUT/artifacts/bench-d904489806f9.1/out
measure bench-d904489806f9.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_b241/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_d904" --format json
made "$bench_d904" measurement.json requests.jsonl

# bench-1e8b71f3e48d of float16_mbs64_kvf0.9-e9d4da
bench_1e8b=$OUT/artifacts/bench-1e8b71f3e48d.1/out
measure bench-1e8b71f3e48d.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_dd2d/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_1e8b" --format json
made "$bench_1e8b" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-b57ef86a4b53: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_842f/repository" "$OUT/work/serve-b57ef86a4b53/repository" build "$build_485c" download "$download_cc49"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-b57ef86a4b53 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-b57ef86a4b53/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-b57ef86a4b53/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-b06621e61cba of float16_mbs2048_kvf0.9-f571d7
bench_b066=$OUT/artifacts/bench-b06621e61cba.1/out
measure bench-b06621e61cba.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_f21a/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_b066" --format json
made "$bench_b066" measurement.json requests.jsonl

# bench-256bed108012 of float16_mbs2048_kvf0.9-f571d7
bench_256b=$OUT/artifacts/bench-256bed108012.1/out
measure bench-256bed108012.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_b241/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_256b" --format json
made "$bench_256b" measurement.json requests.jsonl

# bench-31d102665da1 of float16_mbs2048_kvf0.9-f571d7
bench_31d1=$OUT/artifacts/bench-31d102665da1.1/out
measure bench-31d102665da1.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_dd2d/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_31d1" --format json
made "$bench_31d1" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-c0fc834eace7: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_bffd/repository" "$OUT/work/serve-c0fc834eace7/repository" build "$build_d2fd" download "$download_cc49"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-c0fc834eace7 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-c0fc834eace7/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-c0fc834eace7/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-79fc054a988c of float16_float16_enable_enable_paged_mbs64_kvf0.5-15dd24
bench_79fc=$OUT/artifacts/bench-79fc054a988c.1/out
measure bench-79fc054a988c.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_f21a/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_79fc" --format json
made "$bench_79fc" measurement.json requests.jsonl

# bench-3fd0383071d2 of float16_float16_enable_enable_paged_mbs64_kvf0.5-15dd24
bench_3fd0=$OUT/artifacts/bench-3fd0383071d2.1/out
measure bench-3fd0383071d2.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_b241/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_3fd0" --format json
made "$bench_3fd0" measurement.json requests.jsonl

# bench-0a6b7b782b96 of float16_float16_enable_enable_paged_mbs64_kvf0.5-15dd24
bench_0a6b=$OUT/artifacts/bench-0a6b7b782b96.1/out
measure bench-0a6b7b782b96.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_dd2d/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_0a6b" --format json
made "$bench_0a6b" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-ca6a1a94436c: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_bffd/repository" "$OUT/work/serve-ca6a1a94436c/repository" build "$build_70e0" download "$download_cc49"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-ca6a1a94436c 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-ca6a1a94436c/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-ca6a1a94436c/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-d81c379d2531 of float16_float16_enable_enable_paged_mbs2048_kvf0.5-bb3e3d
bench_d81c=$OUT/artifacts/bench-d81c379d2531.1/out
measure bench-d81c379d2531.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_f21a/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_d81c" --format json
made "$bench_d81c" measurement.json requests.jsonl

# bench-3f08592c91dc of float16_float16_enable_enable_paged_mbs2048_kvf0.5-bb3e3d
bench_3f08=$OUT/artifacts/bench-3f08592c91dc.1/out
measure bench-3f08592c91dc.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_b241/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_3f08" --format json
made "$bench_3f08" measurement.json requests.jsonl

# bench-61e004a259fd of float16_float16_enable_enable_paged_mbs2048_kvf0.5-bb3e3d
bench_61e0=$OUT/artifacts/bench-61e004a259fd.1/out
measure bench-61e004a259fd.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_dd2d/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_61e0" --format json
made "$bench_61e0" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-9f4de8959abe: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_bffd/repository" "$OUT/work/serve-9f4de8959abe/repository" build "$build_da42" download "$download_cc49"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-9f4de8959abe 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9f4de8959abe/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9f4de8959abe/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-aad289fe5c59 of float16_mbs64_kvf0.5-fb4f01
bench_aad2=$OUT/artifacts/bench-aad289fe5c59.1/out
measure bench-aad289fe5c59.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_f21a/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_aad2" --format json
made "$bench_aad2" measurement.json requests.jsonl

# bench-4d42f10479f0 of float16_mbs64_kvf0.5-fb4f01
bench_4d42=$OUT/artifacts/bench-4d42f10479f0.1/out
measure bench-4d42f10479f0.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_b241/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_4d42" --format json
made "$bench_4d42" measurement.json requests.jsonl

# bench-1e198e8944e5 of float16_mbs64_kvf0.5-fb4f01
bench_1e19=$OUT/artifacts/bench-1e198e8944e5.1/out
measure bench-1e198e8944e5.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_dd2d/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_1e19" --format json
made "$bench_1e19" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-cb7eaec64277: gpus_needed=2, launch_mode=leader, mpirun=true, ranks=2, server_ranks=2, servers=1, spawn_processes=true, trtllm_version=0.14.0
place "$repository_bffd/repository" "$OUT/work/serve-cb7eaec64277/repository" build "$build_485c" download "$download_cc49"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-cb7eaec64277 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_3963" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-cb7eaec64277/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-cb7eaec64277/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-b16cd0672faf of float16_mbs2048_kvf0.5-e018e0
bench_b16c=$OUT/artifacts/bench-b16cd0672faf.1/out
measure bench-b16cd0672faf.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_f21a/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_b16c" --format json
made "$bench_b16c" measurement.json requests.jsonl

# bench-fbe1c7ffbb52 of float16_mbs2048_kvf0.5-e018e0
bench_fbe1=$OUT/artifacts/bench-fbe1c7ffbb52.1/out
measure bench-fbe1c7ffbb52.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_b241/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_fbe1" --format json
made "$bench_fbe1" measurement.json requests.jsonl

# bench-58678f0bbd95 of float16_mbs2048_kvf0.5-e018e0
bench_5867=$OUT/artifacts/bench-58678f0bbd95.1/out
measure bench-58678f0bbd95.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --no-stream --concurrency 500 --requests 500 --warmup 64 \
  --prompts "$prompts_dd2d/prompts.jsonl" --osl 256 --tokens-per-event 1 --wake-lag-ms-limit 1 --client-cpu-limit 0.85 \
  --block 0 --out "$bench_5867" --format json
made "$bench_5867" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"
