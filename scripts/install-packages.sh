#!/bin/sh
# `install-packages.sh GROUP...` installs the missing distribution packages of the groups: run,
# test, deb, portable, genai-perf, bench, fuzz, lint, pythons. On systems without apt it prints the
# list and exits with 1, unless ORCH_SKIP_PACKAGES=1 states that the equivalents are installed.
set -eu

run_packages="g++ cmake ninja-build pkg-config ca-certificates
  libyaml-cpp-dev libcurl4-openssl-dev nlohmann-json3-dev libsqlite3-dev
  libfmt-dev libspdlog-dev libcli11-dev libssl-dev libzstd-dev libnghttp2-dev libprotobuf-dev protobuf-compiler
  libboost-dev python3 python3-venv libb64-0d"
test_packages="mold libgtest-dev libgmock-dev sqlite3 procps curl openssl shellcheck zsh fish parallel
  openmpi-bin python3-yaml python3-jsonschema python3-grpcio clang-format-14 black flake8 yamllint
  mandoc man-db tmux
  dpkg-dev file e2fsprogs mount chromium fonts-dejavu-core podman crun catatonit busybox-static
  slurm-wlm munge libpmix-dev"
deb_packages="dpkg-dev file"
portable_packages="git g++ cmake ninja-build make perl tcl pkg-config dpkg-dev llvm python3 python3-pip
  protobuf-compiler"
genai_perf_packages="libb64-0d"
bench_packages="libb64-0d wrk"
fuzz_packages="clang libclang-rt-dev"
pythons_packages="debootstrap"
lint_packages="clang-14 clang-tidy-14 clang-format-14 shellcheck eslint"

packages=
for group in "$@"; do
  case $group in
    run) packages="$packages $run_packages" ;;
    test) packages="$packages $test_packages" ;;
    deb) packages="$packages $deb_packages" ;;
    portable) packages="$packages $portable_packages" ;;
    genai-perf) packages="$packages $genai_perf_packages" ;;
    bench) packages="$packages $bench_packages" ;;
    fuzz) packages="$packages $fuzz_packages" ;;
    lint) packages="$packages $lint_packages" ;;
    pythons) packages="$packages $pythons_packages" ;;
    *)
      echo "install-packages.sh: unknown group '$group'" \
        "(run, test, deb, portable, genai-perf, bench, fuzz, lint, pythons)" >&2
      exit 2
      ;;
  esac
done
# shellcheck disable=SC2086,SC2116 # one line, with single blanks
packages=$(echo $packages)

if ! command -v apt-get >/dev/null 2>&1; then
  [ -n "${ORCH_SKIP_PACKAGES:-}" ] && exit 0
  echo "This system has no apt-get. Install the equivalents of these packages and the shared" >&2
  echo "library of Python (libpython3.X), then run make again with ORCH_SKIP_PACKAGES=1:" >&2
  echo "  $packages" >&2
  exit 1
fi

updated=
install() {
  sudo=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
      echo "These packages are missing and need root or sudo to be installed: $*" >&2
      exit 1
    }
    sudo=sudo
  fi
  echo "Installing: $*" >&2
  [ -n "$updated" ] || $sudo apt-get update -q
  updated=yes
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

missing=
for package in $packages; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) || status=
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
# shellcheck disable=SC2086 # names without blanks
[ -z "$missing" ] || install $missing

# The python backend of the server links to the shared library of the system's Python.
version=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
/sbin/ldconfig -p | grep -q "libpython$version\.so" || install "libpython$version"
