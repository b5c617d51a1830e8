#!/bin/sh
# `check-style.sh KIND` checks files of one kind without changing them: python (black and flake8 at
# 100 columns), yaml (yamllint), shell (shellcheck) or javascript (eslint). It exits with 77 where a
# tool is missing.
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
    "$black" --check --quiet --diff runners templates/new_runner tests
    "$flake8" runners templates/new_runner tests
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
    echo "check-style.sh: unknown kind '${1:-}' (python, yaml, shell, javascript)" >&2
    exit 2
    ;;
esac
