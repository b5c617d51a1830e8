say() { printf '%s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

make_out() {
  mkdir -p "$OUT"
  OUT=$(cd "$OUT" && pwd -P)
  [[ ! -e $OUT/artifacts ]] || fail "$OUT/artifacts exists: remove it, or set OUT to a new folder"
  [[ "$OUT$RUNNER$ORCHESTRATE" != *[\"\\\&\|$'\n']* ]] || fail "a path contains one of \" \\ & | or a newline: use another folder"
  mkdir -p "$OUT/artifacts" "$OUT/logs" "$OUT/work"
}

elsewhere=()        # for place: sed expressions for outputs outside OUT
running=""          # process group of the running task or measurement
server=""           # process group of the running server
server_name=""
server_stop_s=0     # from TERM to KILL
ask_server=()       # a command that asks the server to end; none: its process group gets TERM
clocks=()           # the nvidia-smi command for the GPUs whose clocks this script has locked
shm_prefix=""       # prefix of the files in /dev/shm that are removed with their process
tmp="" shm=""       # private folders of this script
user=$(id -u):$(id -g)  # of containers, so that their files belong to you

# write [-n] FILE: writes stdin to FILE; -n: without the last newline
write() {
  local keep=0
  if [[ $1 == -n ]]; then keep=-1 && shift; fi
  mkdir -p "${1%/*}"
  if ((keep)); then head -c "$keep" >"$1"; else cat >"$1"; fi
}

copy() { mkdir -p "${2%/*}" && cp "$1" "$2"; }

# image_of FILE: the image that a stage has built
image_of() { sed -n 's/.*"id" *: *"\([^"]*\)".*/\1/p' "$1" | head -n 1; }

# library_of_driver NAME: the path of a library of the GPU driver
library_of_driver() {
  local folder
  for folder in ${LD_LIBRARY_PATH//:/ } /usr/lib/{x86_64-linux-gnu,aarch64-linux-gnu} /usr/lib64 /usr/lib /usr/lib/wsl/lib; do
    [[ ! -e $folder/$1 ]] || { printf '%s\n' "$folder/$1" && return; }
  done
  fail "$1 is not on this machine: install the driver of its GPUs"
}

# place FROM TO [NAME FOLDER]...: copies a folder with {stage:NAME} replaced by FOLDER, and {stage:ID} by the path of that stage's output
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

# made FOLDER OUTPUT...: checks that each output exists and is not empty
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

# first_port is where the search for free ports begins. It depends on the process id, so that scripts that run at the
# same time use different ports; the factor separates jobs that start together, whose process ids are close.
first_port=$((least_port + $$ * 16 % (last_port - least_port + 1)))

is_used() { (: >"/dev/tcp/$address/$1") 2>/dev/null; }

# free_port FIRST: the first port from FIRST on that is not in use; after the last port, the search continues at the first
free_port() {
  local port=$1 tried=0
  ((port <= last_port)) || port=$least_port
  while is_used "$port"; do
    ((++tried <= last_port - least_port)) || fail "no free port between $least_port and $last_port"
    port=$((port < last_port ? port + 1 : least_port))
  done
  printf '%s\n' "$port"
}

# this_port PORT: checks that PORT is not in use, and prints it
this_port() {
  if is_used "$1"; then fail "port $1 is in use: end the process that has it (ss -ltnp), or pin another one under ports of the matrix"; fi
  printf '%s\n' "$1"
}

# start NAME SECONDS [VARIABLE=VALUE...] -- COMMAND...: starts a process group ($started) in the background, in work/NAME,
# with the usual variables, those that $inherit names, and ${own[@]}. It gets TERM after SECONDS; 0: never.
start() {
  local name=$1 limit=() variables=(PYTHONDONTWRITEBYTECODE=1) patterns=() variable pattern
  [[ $2 == 0 ]] || limit=("$(type -P timeout)" --kill-after=10 "$2")
  shift 2
  read -ra patterns <<<"PATH HOME USER LANG LC_ALL TZ TMPDIR ${always-} ${inherit-}"
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

# end GROUP SECONDS [COMMAND...]: sends TERM to a process group, or runs COMMAND, and KILL to the rest after SECONDS
end() {
  local i group=$1 seconds=$2
  shift 2
  if (($# == 0)) || ! "$@"; then
    kill -TERM -- "-$group" 2>/dev/null || kill -TERM "$group" 2>/dev/null || return 0
  fi
  for ((i = 0; i < seconds * 10; ++i)); do
    kill -0 -- "-$group" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -KILL -- "-$group" 2>/dev/null || true
}

# last_lines NAME: the last lines of the logs of NAME
last_lines() { cat "$OUT/logs/$1.log" "$OUT/logs/$1"_*.out 2>/dev/null | tail -n 15; }

remove_shm() {
  [[ -z $shm_prefix ]] || rm -rf --one-file-system -- "/dev/shm/$shm_prefix"*
  shm_prefix=""
}

# to_end NAME SECONDS [VARIABLE=VALUE...] -- COMMAND...: runs a command to its end
to_end() {
  local name=$1 status=0 good=${good_status:-0}
  say "$name"
  start "$@"
  running=$started
  wait "$running" || status=$?
  kill -KILL -- "-$running" 2>/dev/null || true  # processes that outlive it
  running=""
  ((status == 0 || status == good)) || fail "$name ended with status $status: $(last_lines "$name")"
}

task() {
  mkdir -p "$OUT/artifacts/$1/out"
  to_end "$@"
}

# resolve NAME SECONDS -- COMMAND...: the last line that a command prints becomes $resolved, the identity of a model
resolve() {
  to_end "$1" "$2" -- "$BASH" -c 'exec "$@" >identity' resolve "${@:4}"
  local LC_ALL=C
  read -r resolved < <(sed '/^[[:space:]]*$/d' "$OUT/work/$1/identity" | tail -n 1) || true
  [[ $resolved =~ ^[[:graph:]]{1,200}$ ]] || fail "$1: its last line is not one word of printable ASCII characters"
  say "$1: $resolved"
}

# lock_clocks MHZ COMMAND...: locks the clocks of the GPUs that CUDA_VISIBLE_DEVICES names, else of all, until the server stops
lock_clocks() {
  local mhz=$1
  clocks=("${@:2}" ${CUDA_VISIBLE_DEVICES:+-i "$CUDA_VISIBLE_DEVICES"})
  "${clocks[@]}" -lgc "$mhz,$mhz" >&2 || fail "the clocks of the GPUs cannot be locked"
}

restore_clocks() {
  [[ ${clocks[*]-} ]] || return 0
  "${clocks[@]}" -rgc >&2 || say "the clocks of the GPUs are still locked; to restore them, run: ${clocks[*]} -rgc"
  clocks=()
}

# serve NAME STOP_SECONDS [VARIABLE=VALUE...] -- COMMAND...: starts a server
serve() {
  server_name=$1 server_stop_s=$2
  say "$1"
  shift 2
  start "$server_name" 0 "$@"
  server=$started
}

server_lives() { kill -0 "$server" 2>/dev/null || fail "$server_name is gone: $(last_lines "$server_name")"; }

# wait_ready SECONDS URL...: waits until every URL answers 200
wait_ready() {
  local deadline=$((SECONDS + $1)) url
  shift
  for url in "$@"; do
    until [[ $(curl -s -o /dev/null -w '%{http_code}' --noproxy '*' --max-time 2 "$url") == 200 ]]; do
      server_lives
      ((SECONDS < deadline)) || fail "$url does not answer 200: $(last_lines "$server_name")"
      sleep 0.1
    done
  done
}

# smoke SECONDS URL FIELD BODY: sends one request, and repeats it while the server is loading; then checks that FIELD of
# the answer is not empty, unless FIELD is ""
smoke() {
  local answer deadline=$((SECONDS + $1))
  until answer=$(curl -sS --fail-with-body --noproxy '*' --max-time "$1" -w '\n%{http_code}' -H 'Content-Type: application/json' --data-raw "$4" "$2"); do
    server_lives
    [[ $answer =~ $'\n'(429|502|503|504)$ ]] || fail "$2: $answer"
    ((SECONDS < deadline)) || fail "$2: $answer"
    sleep 0.1
  done
  [[ ! $3 || $answer =~ \""$3"\"[[:space:]]*:[[:space:]]*(\[[[:space:]]*)?\"[^\"] ]] || fail "$2: no text in $3: $answer"
}

measure() {
  server_lives
  good_status=4 task "$@"  # 4: the record declares itself invalid
}

stop() {
  [[ $server ]] || return 0
  end "$server" "$server_stop_s" ${ask_server[@]+"${ask_server[@]}"}
  wait "$server" 2>/dev/null || true
  server=""
  restore_clocks
  remove_shm
}

leave() {
  local status=$?
  trap '' INT TERM HUP
  [[ -z $running ]] || end "$running" 10
  stop
  restore_clocks
  remove_shm
  rm -rf --one-file-system -- ${tmp:+"$tmp"} ${shm:+"$shm"} || true
  exit "$status"
}

# begin: must be called before the first process is started
begin() {
  local tool
  for tool in curl find sed setsid timeout; do type -P "$tool" >/dev/null || fail "install $tool, which this script requires"; done
  trap leave EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  # The folders for temporary files and for the shared memory of Open MPI's ranks are removed when this script ends.
  tmp=$(mktemp -d)
  shm=$(mktemp -d /dev/shm/orchestrate.XXXXXXXX)
}
