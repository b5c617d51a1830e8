#!/bin/sh
# `check-style.sh KIND` checks files of one kind without changing them: python (black and flake8 at
# 100 columns), pythons (the oldest Python that scripts run with), yaml (yamllint), shell
# (shellcheck) or javascript (eslint). It exits with 77 where a tool is missing.
# Golden inputs and recorded data keep the form that they have.
set -eu
cd "$(dirname "$0")/.."

tool() { # NAME: the distribution's program, else the one on PATH
  if [ -x "/usr/bin/$1" ]; then echo "/usr/bin/$1"; else command -v "$1"; fi || {
    echo "skipped: $1 is not installed; run scripts/install-packages.sh test" >&2
    exit 77
  }
}

case ${1:-} in
  python)
    black=$(tool black)
    flake8=$(tool flake8)
    # Releases of black differ in what they write.
    case $("$black" --version) in
      *" 23."*) ;;
      *) echo "skipped: $black is not black 23, the release that these files follow" >&2; exit 77 ;;
    esac
    "$black" --check --quiet --diff runners scripts templates/new_runner tests
    "$flake8" runners scripts templates/new_runner tests
    ;;
  pythons)
    # Images and nodes run the scripts of runners with Pythons of their own, from 3.6 on. These run
    # in, or make, environments of this project, whose Pythons begin with 3.9; as all others do.
    newer='runners/(triton-openvino/.*|llama-cpp/scripts/serve|common/scripts/(locked|tool)_.*)\.py'
    # It reads TensorRT-LLM's sources, which need 3.11.
    none='tests/runners/triton_trtllm/upstream\.py'
    work=build/vermin
    client=$(scripts/locked-client.sh tests/tidy/vermin.lock "$work") || {
      echo "skipped: vermin could not be installed" >&2
      exit 77
    }
    git ls-files -s '*.py' | grep -v '^120000' | cut -f 2 | grep -Ex -v "$none" >"$work/all"
    grep '^runners/' "$work/all" | grep -Ex -v "$newer" >"$work/3.6"
    grep -Fx -v -f "$work/3.6" "$work/all" >"$work/3.9"
    for floor in 3.6 3.9; do
      xargs "$client/bin/vermin" --quiet --no-tips --violations --target="$floor-" <"$work/$floor"
    done
    # Methods, whose classes vermin cannot know, of 3.7 to 3.11.
    of_39='\.(removeprefix|removesuffix|is_relative_to|with_stem|readlink|isascii)\(|missing_ok'
    of_311='\.(hardlink_to|enter(Class)?Context)\(|set_authorizer\(None|ignore_cleanup_errors'
    ! xargs grep -nE "$of_39|$of_311" <"$work/3.6" || exit 1
    ! xargs grep -nE "$of_311" <"$work/3.9" || exit 1
    ;;
  yaml)
    yamllint=$(tool yamllint)
    "$yamllint" --strict experiments runners templates/new_runner tests/data tests/e2e \
      tests/genai_perf tests/rehearsal tests/runners tests/schema
    ;;
  shell)
    shellcheck=$(tool shellcheck)
    "$shellcheck" scripts/*.sh .ci/run
    # These are parts of one script: what one sets, another reads.
    "$shellcheck" --shell=bash --exclude=SC2034,SC2154 src/run/script/*.sh
    ;;
  javascript)
    eslint=$(tool eslint)
    # Debian's eslint finds its modules here, also under another node.
    NODE_PATH=/usr/share/nodejs "$eslint" --no-eslintrc --format unix --env browser,es2020 \
      --parser-options=ecmaVersion:2020 --rule '{"no-unused-vars": 2, "no-undef": 2, "eqeqeq": 2,
        "no-var": 2, "prefer-const": 2, "curly": [2, "multi-line"]}' src/analysis/page/*.js
    ;;
  *)
    echo "check-style.sh: unknown kind '${1:-}' (python, pythons, yaml, shell, javascript)" >&2
    exit 2
    ;;
esac
