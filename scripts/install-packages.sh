#!/bin/sh
# Installs the distribution packages that are missing: `install-packages.sh run [test] [genai-perf]`. On systems without apt it prints
# the list and stops, unless everything it can look for is there.
set -eu

run_packages="g++ cmake ninja-build pkg-config ca-certificates
  libyaml-cpp-dev libcurl4-openssl-dev nlohmann-json3-dev libboost-dev libboost-filesystem-dev libsqlite3-dev
  libfmt-dev libcli11-dev libssl-dev
  python3 python3-venv libpython3.11 libb64-0d"
test_packages="libgtest-dev libgmock-dev sqlite3 procps"
genai_perf_packages="libb64-0d"  # perf_analyzer is linked to it

packages=
for group in "$@"; do
  case $group in
    run) packages="$packages $run_packages" ;;
    test) packages="$packages $test_packages" ;;
    genai-perf) packages="$packages $genai_perf_packages" ;;
    *) echo "install-packages.sh: unknown group '$group' (run, test, genai-perf)" >&2; exit 2 ;;
  esac
done
packages=$(echo $packages)

if ! command -v apt-get >/dev/null 2>&1; then
  echo "This is no Debian or Ubuntu. Install the equivalents of these packages, then run make again with ORCH_SKIP_PACKAGES=1:" >&2
  echo "  $packages" >&2
  [ -n "${ORCH_SKIP_PACKAGES:-}" ] && exit 0
  exit 1
fi

missing=
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

sudo=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null 2>&1 || { echo "These packages are missing and neither root nor sudo is here to install them:$missing" >&2; exit 1; }
  sudo=sudo
fi
echo "Installing:$missing" >&2
$sudo apt-get update -q
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
