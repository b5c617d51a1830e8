#!/bin/sh
# `check-style.sh python` or `check-style.sh yaml` checks the form of these files without changing
# them: black and flake8, or yamllint, at 100 columns. It exits with 77 where a tool is missing.
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
  *)
    echo "check-style.sh: unknown kind '${1:-}' (python, yaml)" >&2
    exit 2
    ;;
esac
