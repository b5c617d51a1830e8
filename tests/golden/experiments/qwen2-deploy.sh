exit 0
--- stderr
warning: template_dir: '/app/all_models/inflight_batcher_llm' is not on this machine, so its path counts and not what it holds
--- stdout
#!/usr/bin/env bash
# qwen2-deploy: 11 of 12 points of experiments/qwen2-deploy.yaml, on the runner triton-trtllm
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

# quantize-a5054fb10b14: awq_block_size=128, calib_batch_size=1, calib_dataset=cnn_dailymail, calib_max_seq_length=512, calib_size=512, dtype=float16, examples_dir=/app/examples, kv_cache_dtype=fp8, pp=1, precision=fp8, quant_medusa_head=false, tokenizer_max_seq_length=2048, tp=1, trtllm_version=0.11.0
quantize_a505=$OUT/artifacts/quantize-a5054fb10b14/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task quantize-a5054fb10b14 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" quantize python3 /app/examples/quantization/quantize.py \
  --model_dir "$download_aba9" --output_dir "$quantize_a505" --dtype float16 --tp_size 1 --pp_size 1 --qformat fp8 \
  --kv_cache_dtype fp8 --calib_dataset cnn_dailymail --calib_size 512 --calib_max_seq_length 512 --batch_size 1 \
  --tokenizer_max_seq_length 2048
made "$quantize_a505" config.json rank0.safetensors

# build-11d8668a4da1: build_log_level=info, build_workers=1, by_quantize=true, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_11d8=$OUT/artifacts/build-11d8668a4da1/out
task build-11d8668a4da1 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$quantize_a505" \
  --output_dir "$build_11d8" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 1 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_11d8" config.json rank0.engine

# prompts-43f29e736d70: concurrency=8, isl=2048, num_prompts=80, osl=1024
prompts_43f2=$OUT/artifacts/prompts-43f29e736d70/out
mkdir -p "$prompts_43f2" "$OUT/work/prompts-43f29e736d70"
write "$OUT/work/prompts-43f29e736d70/jobs.json" <<END
[{"id":"prompts-43f29e736d70","blocks":"3","isl":"2048","out":"$prompts_43f2","requests":"80","seed":"0","stream":"isl=2048 osl=1024 concurrency=8 num_prompts=80 repeat=0","warmup":"16"}]
END
task prompts-43f29e736d70 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_aba9/tokenizer.json" --jobs "$OUT/work/prompts-43f29e736d70/jobs.json"
made "$prompts_43f2" prompts.jsonl

# convert-91bde3c87f38: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=1, precision=fp16, tp=1, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_91bd=$OUT/artifacts/convert-91bde3c87f38/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-91bde3c87f38 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" convert python3 /app/examples/qwen/convert_checkpoint.py \
  --model_dir "$download_aba9" --output_dir "$convert_91bd" --dtype float16 --tp_size 1 --pp_size 1 --workers 1
made "$convert_91bd" config.json rank0.safetensors

# build-ab76c6d3d1a1: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_ab76=$OUT/artifacts/build-ab76c6d3d1a1/out
task build-ab76c6d3d1a1 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$convert_91bd" \
  --output_dir "$build_ab76" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 1 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_ab76" config.json rank0.engine

# convert-ae5ccd3fdc50: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=1, precision=int8_wo, tp=1, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_ae5c=$OUT/artifacts/convert-ae5ccd3fdc50/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-ae5ccd3fdc50 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" convert python3 /app/examples/qwen/convert_checkpoint.py \
  --model_dir "$download_aba9" --output_dir "$convert_ae5c" --dtype float16 --tp_size 1 --pp_size 1 --use_weight_only \
  --weight_only_precision int8 --workers 1
made "$convert_ae5c" config.json rank0.safetensors

# build-0dd242b1fd9e: build_log_level=info, build_workers=1, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_0dd2=$OUT/artifacts/build-0dd242b1fd9e/out
task build-0dd242b1fd9e 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$convert_ae5c" \
  --output_dir "$build_0dd2" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 1 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_0dd2" config.json rank0.engine

# download-f24dd71a8a7f: model=qwen2-72b
download_f24d=$OUT/artifacts/download-f24dd71a8a7f/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task download-f24dd71a8a7f 86400 -- \
  /usr/bin/python3 "$RUNNER/download.py" hf:Qwen/Qwen2-72B main "$download_f24d"
made "$download_f24d" config.json

# quantize-3c725e1fd0cb: awq_block_size=128, calib_batch_size=1, calib_dataset=cnn_dailymail, calib_max_seq_length=512, calib_size=512, dtype=float16, examples_dir=/app/examples, kv_cache_dtype=fp8, pp=1, precision=fp8, quant_medusa_head=false, tokenizer_max_seq_length=2048, tp=4, trtllm_version=0.11.0
quantize_3c72=$OUT/artifacts/quantize-3c725e1fd0cb/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task quantize-3c725e1fd0cb 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" quantize python3 /app/examples/quantization/quantize.py \
  --model_dir "$download_f24d" --output_dir "$quantize_3c72" --dtype float16 --tp_size 4 --pp_size 1 --qformat fp8 \
  --kv_cache_dtype fp8 --calib_dataset cnn_dailymail --calib_size 512 --calib_max_seq_length 512 --batch_size 1 \
  --tokenizer_max_seq_length 2048
made "$quantize_3c72" config.json rank0.safetensors

# build-61f6724f3a99: build_log_level=info, build_workers=4, by_quantize=true, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_61f6=$OUT/artifacts/build-61f6724f3a99/out
task build-61f6724f3a99 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$quantize_3c72" \
  --output_dir "$build_61f6" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 4 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_61f6" config.json rank0.engine

# prompts-ada6beb6bf54: concurrency=8, isl=2048, num_prompts=80, osl=1024
prompts_ada6=$OUT/artifacts/prompts-ada6beb6bf54/out
mkdir -p "$prompts_ada6" "$OUT/work/prompts-ada6beb6bf54"
write "$OUT/work/prompts-ada6beb6bf54/jobs.json" <<END
[{"id":"prompts-ada6beb6bf54","blocks":"3","isl":"2048","out":"$prompts_ada6","requests":"80","seed":"0","stream":"isl=2048 osl=1024 concurrency=8 num_prompts=80 repeat=0","warmup":"16"}]
END
task prompts-ada6beb6bf54 1800 PYTHONDONTWRITEBYTECODE=1 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" python python3 "$RUNNER/../common/make_prompts.py" \
  --tokenizer "$download_f24d/tokenizer.json" --jobs "$OUT/work/prompts-ada6beb6bf54/jobs.json"
made "$prompts_ada6" prompts.jsonl

# quantize-09e27f1a3a9a: awq_block_size=128, calib_batch_size=1, calib_dataset=cnn_dailymail, calib_max_seq_length=512, calib_size=512, dtype=float16, examples_dir=/app/examples, kv_cache_dtype=fp8, pp=2, precision=fp8, quant_medusa_head=false, tokenizer_max_seq_length=2048, tp=4, trtllm_version=0.11.0
quantize_09e2=$OUT/artifacts/quantize-09e27f1a3a9a/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task quantize-09e27f1a3a9a 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" quantize python3 /app/examples/quantization/quantize.py \
  --model_dir "$download_f24d" --output_dir "$quantize_09e2" --dtype float16 --tp_size 4 --pp_size 2 --qformat fp8 \
  --kv_cache_dtype fp8 --calib_dataset cnn_dailymail --calib_size 512 --calib_max_seq_length 512 --batch_size 1 \
  --tokenizer_max_seq_length 2048
made "$quantize_09e2" config.json rank0.safetensors

# build-349356417acc: build_log_level=info, build_workers=8, by_quantize=true, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_3493=$OUT/artifacts/build-349356417acc/out
task build-349356417acc 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$quantize_09e2" \
  --output_dir "$build_3493" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 8 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_3493" config.json rank0.engine

# quantize-2e434de940e0: awq_block_size=128, calib_batch_size=1, calib_dataset=cnn_dailymail, calib_max_seq_length=512, calib_size=512, dtype=float16, examples_dir=/app/examples, kv_cache_dtype=fp8, pp=1, precision=fp8, quant_medusa_head=false, tokenizer_max_seq_length=2048, tp=8, trtllm_version=0.11.0
quantize_2e43=$OUT/artifacts/quantize-2e434de940e0/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task quantize-2e434de940e0 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" quantize python3 /app/examples/quantization/quantize.py \
  --model_dir "$download_f24d" --output_dir "$quantize_2e43" --dtype float16 --tp_size 8 --pp_size 1 --qformat fp8 \
  --kv_cache_dtype fp8 --calib_dataset cnn_dailymail --calib_size 512 --calib_max_seq_length 512 --batch_size 1 \
  --tokenizer_max_seq_length 2048
made "$quantize_2e43" config.json rank0.safetensors

# build-e5cd715c4c69: build_log_level=info, build_workers=8, by_quantize=true, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_e5cd=$OUT/artifacts/build-e5cd715c4c69/out
task build-e5cd715c4c69 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$quantize_2e43" \
  --output_dir "$build_e5cd" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 8 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_e5cd" config.json rank0.engine

# convert-f5030a16e008: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=1, precision=fp16, tp=4, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_f503=$OUT/artifacts/convert-f5030a16e008/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-f5030a16e008 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" convert python3 /app/examples/qwen/convert_checkpoint.py \
  --model_dir "$download_f24d" --output_dir "$convert_f503" --dtype float16 --tp_size 4 --pp_size 1 --workers 1
made "$convert_f503" config.json rank0.safetensors

# build-5449aafcd17c: build_log_level=info, build_workers=4, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_5449=$OUT/artifacts/build-5449aafcd17c/out
task build-5449aafcd17c 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$convert_f503" \
  --output_dir "$build_5449" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 4 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_5449" config.json rank0.engine

# convert-982f5800c97e: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=1, precision=int8_wo, tp=4, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_982f=$OUT/artifacts/convert-982f5800c97e/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-982f5800c97e 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" convert python3 /app/examples/qwen/convert_checkpoint.py \
  --model_dir "$download_f24d" --output_dir "$convert_982f" --dtype float16 --tp_size 4 --pp_size 1 --use_weight_only \
  --weight_only_precision int8 --workers 1
made "$convert_982f" config.json rank0.safetensors

# build-92ce73eee6c8: build_log_level=info, build_workers=4, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_92ce=$OUT/artifacts/build-92ce73eee6c8/out
task build-92ce73eee6c8 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$convert_982f" \
  --output_dir "$build_92ce" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 4 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_92ce" config.json rank0.engine

# convert-67a77b7a205e: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=2, precision=fp16, tp=4, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_67a7=$OUT/artifacts/convert-67a77b7a205e/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-67a77b7a205e 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" convert python3 /app/examples/qwen/convert_checkpoint.py \
  --model_dir "$download_f24d" --output_dir "$convert_67a7" --dtype float16 --tp_size 4 --pp_size 2 --workers 1
made "$convert_67a7" config.json rank0.safetensors

# build-f3d7ff17e2f7: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_f3d7=$OUT/artifacts/build-f3d7ff17e2f7/out
task build-f3d7ff17e2f7 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$convert_67a7" \
  --output_dir "$build_f3d7" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 8 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_f3d7" config.json rank0.engine

# convert-754c16c7ebaa: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=2, precision=int8_wo, tp=4, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_754c=$OUT/artifacts/convert-754c16c7ebaa/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-754c16c7ebaa 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" convert python3 /app/examples/qwen/convert_checkpoint.py \
  --model_dir "$download_f24d" --output_dir "$convert_754c" --dtype float16 --tp_size 4 --pp_size 2 --use_weight_only \
  --weight_only_precision int8 --workers 1
made "$convert_754c" config.json rank0.safetensors

# build-b607d274c598: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_b607=$OUT/artifacts/build-b607d274c598/out
task build-b607d274c598 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$convert_754c" \
  --output_dir "$build_b607" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 8 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_b607" config.json rank0.engine

# convert-82d563429b20: calibrates=false, convert_script=/app/examples/qwen/convert_checkpoint.py, convert_workers=1, disable_weight_only_quant_plugin=false, dtype=float16, group_size=128, load_by_shard=false, load_model_on_cpu=false, made_by=qwen, pp=1, precision=fp16, tp=8, trtllm_version=0.11.0, use_embedding_sharing=false, use_parallel_embedding=false
convert_82d5=$OUT/artifacts/convert-82d563429b20/out
inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' task convert-82d563429b20 14400 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" convert python3 /app/examples/qwen/convert_checkpoint.py \
  --model_dir "$download_f24d" --output_dir "$convert_82d5" --dtype float16 --tp_size 8 --pp_size 1 --workers 1
made "$convert_82d5" config.json rank0.safetensors

# build-f8a8a9e59bca: build_log_level=info, build_workers=8, by_quantize=false, context_fmha=enable, enable_debug_output=false, gather_all_token_logits=false, gather_context_logits=false, gather_generation_logits=false, gemm_plugin=auto, gemm_swiglu_plugin=disable, gpt_attention_plugin=auto, max_batch_size=8, max_beam_width=1, max_input_len=8192, max_num_tokens=8192, max_seq_len=12288, moe_plugin=auto, multi_block_build=disable, multiple_profiles=disable, nccl_plugin=auto, paged_kv_cache=enable, profiling_verbosity=layer_names_only, reduce_fusion=disable, remove_input_padding=enable, strip_plan=false, tokens_per_block=64, trtllm_version=0.11.0, use_custom_all_reduce=enable, use_fp8_context_fmha=disable, use_fused_mlp=enable, use_paged_context_fmha=disable, weight_sparsity=false, weight_streaming=false
build_f8a8=$OUT/artifacts/build-f8a8a9e59bca/out
task build-f8a8a9e59bca 28800 -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$convert_82d5" \
  --output_dir "$build_f8a8" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
  --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
  --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
  --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
  --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 8 \
  --log_level info --profiling_verbosity layer_names_only
made "$build_f8a8" config.json rank0.engine

# ----------------------------------------------------------------------------------------------------------------------
# serve-579fa5d8c673: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, trtllm_version=0.11.0
place "$repository_3804/repository" "$OUT/work/serve-579fa5d8c673/repository" build "$build_11d8" download "$download_aba9"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-579fa5d8c673 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-579fa5d8c673/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-4e8827eed344 of qwen2-7b_tp1_pp1_fp8_isl2048_osl1024_bs8_c8-06576c
bench_4e88=$OUT/artifacts/bench-4e8827eed344.1/out
measure bench-4e8827eed344.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_43f2/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_4e88" --format json
made "$bench_4e88" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-db936097613c: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, trtllm_version=0.11.0
place "$repository_3804/repository" "$OUT/work/serve-db936097613c/repository" build "$build_ab76" download "$download_aba9"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-db936097613c 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-db936097613c/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-86ae3498b169 of qwen2-7b_tp1_pp1_fp16_isl2048_osl1024_bs8_c8-acd427
bench_86ae=$OUT/artifacts/bench-86ae3498b169.1/out
measure bench-86ae3498b169.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_43f2/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_86ae" --format json
made "$bench_86ae" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-b646a7a0fe1f: gpus_needed=1, launch_mode=leader, mpirun=true, ranks=1, server_ranks=1, servers=1, trtllm_version=0.11.0
place "$repository_3804/repository" "$OUT/work/serve-b646a7a0fe1f/repository" build "$build_0dd2" download "$download_aba9"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-b646a7a0fe1f 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-b646a7a0fe1f/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
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

# bench-a9544700c075 of qwen2-7b_tp1_pp1_int8_wo_isl2048_osl1024_bs8_c8-61c9b3
bench_a954=$OUT/artifacts/bench-a9544700c075.1/out
measure bench-a9544700c075.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_43f2/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_a954" --format json
made "$bench_a954" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-65b610653de0: gpus_needed=4, launch_mode=leader, mpirun=true, ranks=4, server_ranks=4, servers=1, trtllm_version=0.11.0
place "$repository_3804/repository" "$OUT/work/serve-65b610653de0/repository" build "$build_61f6" download "$download_f24d"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-65b610653de0 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-65b610653de0/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-65b610653de0/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-65b610653de0/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-65b610653de0/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-6b2473a04737 of qwen2-72b_tp4_pp1_fp8_isl2048_osl1024_bs8_c8-025513
bench_6b24=$OUT/artifacts/bench-6b2473a04737.1/out
measure bench-6b2473a04737.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_ada6/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_6b24" --format json
made "$bench_6b24" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-2d48d272a1bd: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, trtllm_version=0.11.0
place "$repository_3804/repository" "$OUT/work/serve-2d48d272a1bd/repository" build "$build_3493" download "$download_f24d"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-2d48d272a1bd 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2d48d272a1bd/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2d48d272a1bd/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2d48d272a1bd/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2d48d272a1bd/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2d48d272a1bd/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2d48d272a1bd/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2d48d272a1bd/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-2d48d272a1bd/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-7c2a2471669c of qwen2-72b_tp4_pp2_fp8_isl2048_osl1024_bs8_c8-7f4c9f
bench_7c2a=$OUT/artifacts/bench-7c2a2471669c.1/out
measure bench-7c2a2471669c.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_ada6/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_7c2a" --format json
made "$bench_7c2a" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-9bfa80b67c30: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, trtllm_version=0.11.0
place "$repository_3804/repository" "$OUT/work/serve-9bfa80b67c30/repository" build "$build_e5cd" download "$download_f24d"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-9bfa80b67c30 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9bfa80b67c30/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9bfa80b67c30/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9bfa80b67c30/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9bfa80b67c30/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9bfa80b67c30/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9bfa80b67c30/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9bfa80b67c30/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9bfa80b67c30/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-ccdb73d28d3d of qwen2-72b_tp8_pp1_fp8_isl2048_osl1024_bs8_c8-825078
bench_ccdb=$OUT/artifacts/bench-ccdb73d28d3d.1/out
measure bench-ccdb73d28d3d.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_ada6/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_ccdb" --format json
made "$bench_ccdb" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-700f7bcdd709: gpus_needed=4, launch_mode=leader, mpirun=true, ranks=4, server_ranks=4, servers=1, trtllm_version=0.11.0
place "$repository_3804/repository" "$OUT/work/serve-700f7bcdd709/repository" build "$build_5449" download "$download_f24d"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-700f7bcdd709 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-700f7bcdd709/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-700f7bcdd709/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-700f7bcdd709/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-700f7bcdd709/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-bc933fa5e733 of qwen2-72b_tp4_pp1_fp16_isl2048_osl1024_bs8_c8-d3f732
bench_bc93=$OUT/artifacts/bench-bc933fa5e733.1/out
measure bench-bc933fa5e733.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_ada6/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_bc93" --format json
made "$bench_bc93" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-b36b03945d89: gpus_needed=4, launch_mode=leader, mpirun=true, ranks=4, server_ranks=4, servers=1, trtllm_version=0.11.0
place "$repository_3804/repository" "$OUT/work/serve-b36b03945d89/repository" build "$build_92ce" download "$download_f24d"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-b36b03945d89 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-b36b03945d89/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-b36b03945d89/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-b36b03945d89/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-b36b03945d89/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-7e5941301817 of qwen2-72b_tp4_pp1_int8_wo_isl2048_osl1024_bs8_c8-704e3b
bench_7e59=$OUT/artifacts/bench-7e5941301817.1/out
measure bench-7e5941301817.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_ada6/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_7e59" --format json
made "$bench_7e59" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-9476c3181069: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, trtllm_version=0.11.0
place "$repository_3804/repository" "$OUT/work/serve-9476c3181069/repository" build "$build_f3d7" download "$download_f24d"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-9476c3181069 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9476c3181069/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9476c3181069/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9476c3181069/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9476c3181069/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9476c3181069/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9476c3181069/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9476c3181069/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-9476c3181069/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-5fda4cd272bc of qwen2-72b_tp4_pp2_fp16_isl2048_osl1024_bs8_c8-0c9331
bench_5fda=$OUT/artifacts/bench-5fda4cd272bc.1/out
measure bench-5fda4cd272bc.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_ada6/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_5fda" --format json
made "$bench_5fda" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-805448aa81a0: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, trtllm_version=0.11.0
place "$repository_3804/repository" "$OUT/work/serve-805448aa81a0/repository" build "$build_b607" download "$download_f24d"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-805448aa81a0 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-805448aa81a0/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-805448aa81a0/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-805448aa81a0/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-805448aa81a0/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-805448aa81a0/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-805448aa81a0/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-805448aa81a0/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-805448aa81a0/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-8c364ee6b41e of qwen2-72b_tp4_pp2_int8_wo_isl2048_osl1024_bs8_c8-ae9beb
bench_8c36=$OUT/artifacts/bench-8c364ee6b41e.1/out
measure bench-8c364ee6b41e.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_ada6/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_8c36" --format json
made "$bench_8c36" measurement.json requests.jsonl

stop

# ----------------------------------------------------------------------------------------------------------------------
# serve-cf4e446bc38d: gpus_needed=8, launch_mode=leader, mpirun=true, ranks=8, server_ranks=8, servers=1, trtllm_version=0.11.0
place "$repository_3804/repository" "$OUT/work/serve-cf4e446bc38d/repository" build "$build_f8a8" download "$download_f24d"
port_http_1=$(free_port "$first_port")
port_grpc_1=$(free_port $((port_http_1 + 1)))
port_metrics_1=$(free_port $((port_grpc_1 + 1)))
token=$(new_token)
shm_prefix="${token}_"
serve serve-cf4e446bc38d 30 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
  /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
  --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-cf4e446bc38d/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
  --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
  --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-cf4e446bc38d/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-cf4e446bc38d/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-cf4e446bc38d/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-cf4e446bc38d/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-cf4e446bc38d/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-cf4e446bc38d/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
  --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
  --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
  "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
  "--model-repository=$OUT/work/serve-cf4e446bc38d/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
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

# bench-fc4fc345ab8d of qwen2-72b_tp8_pp1_fp16_isl2048_osl1024_bs8_c8-b64a4b
bench_fc4f=$OUT/artifacts/bench-fc4fc345ab8d.1/out
measure bench-fc4fc345ab8d.1 7200 -- \
  "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
  --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
  --prompts "$prompts_ada6/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 \
  --client-cpu-limit 0.85 --block 0 --out "$bench_fc4f" --format json
made "$bench_fc4f" measurement.json requests.jsonl

stop

say "done: $OUT/artifacts"

# ----------------------------------------------------------------------------------------------------------------------
# Points that are not run
#
# reject: weight-only-shape: int8_wo of 0.11.0 takes rows in multiples of 32, and with tp 8 a rank has 3696 of the MLP and 1024 of attention; choose another tp, or a release that pads them (qwen 0.13.0, llama 0.12.0)
#   qwen2-72b_tp8_pp1_int8_wo_isl2048_osl1024_bs8_c8-aa48af
#
# inherit='HF_* HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy SSL_CERT_FILE HF_TOKEN HUGGING_FACE_HUB_TOKEN' convert-86b3574ac67c -- \
#   /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" convert python3 /app/examples/qwen/convert_checkpoint.py \
#   --model_dir "$download_f24d" --output_dir "$convert_86b3" --dtype float16 --tp_size 8 --pp_size 1 --use_weight_only \
#   --weight_only_precision int8 --workers 1
#
# build-0ad4d8a09616 -- \
#   /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" build trtllm-build --checkpoint_dir "$convert_86b3" \
#   --output_dir "$build_0ad4" --max_batch_size 8 --max_input_len 8192 --max_seq_len 12288 --max_num_tokens 8192 \
#   --max_beam_width 1 --gemm_plugin auto --gpt_attention_plugin auto --nccl_plugin auto --moe_plugin auto \
#   --gemm_swiglu_plugin disable --remove_input_padding enable --context_fmha enable --use_paged_context_fmha disable \
#   --use_fp8_context_fmha disable --paged_kv_cache enable --tokens_per_block 64 --multiple_profiles disable \
#   --use_fused_mlp --reduce_fusion disable --use_custom_all_reduce enable --multi_block_mode disable --workers 8 \
#   --log_level info --profiling_verbosity layer_names_only
#
# serve-762a21365644 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false -- \
#   /usr/bin/python3 "$RUNNER/enter.py" "$environment_8854" serve mpirun --allow-run-as-root --oversubscribe --noprefix \
#   --bind-to none --mca oob_tcp_if_include lo --mca btl self,vader -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-762a21365644/repository" --http-address=127.0.0.1 "--http-port=$port_http_1" \
#   --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" \
#   --disable-auto-complete-config "--backend-config=python,shm-region-prefix-name=${token}_1_0_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-762a21365644/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_1_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-762a21365644/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_2_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-762a21365644/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_3_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-762a21365644/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_4_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-762a21365644/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_5_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-762a21365644/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_6_" : -n 1 tritonserver \
#   "--model-repository=$OUT/work/serve-762a21365644/repository" --model-control-mode=explicit --load-model=tensorrt_llm \
#   --http-address=127.0.0.1 "--http-port=$port_http_1" --grpc-address=127.0.0.1 "--grpc-port=$port_grpc_1" \
#   --metrics-address=127.0.0.1 "--metrics-port=$port_metrics_1" --disable-auto-complete-config \
#   "--backend-config=python,shm-region-prefix-name=${token}_1_7_"
#
# bench-eddcd76a87b8 -- \
#   "$ORCHESTRATE" bench --url "http://127.0.0.1:$port_http_1" --metrics-url "http://127.0.0.1:$port_metrics_1/metrics" \
#   --protocol triton-http --model ensemble --stream --concurrency 8 --requests 80 --warmup 16 \
#   --prompts "$prompts_ada6/prompts.jsonl" --osl 1024 --tokens-per-event 1 --wake-lag-ms-limit 1 \
#   --client-cpu-limit 0.85 --block 0 --out "$bench_eddc" --format json
