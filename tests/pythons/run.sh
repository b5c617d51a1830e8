#!/bin/sh
# `run.sh [SUITE...]` runs inside.py with the Python of each Debian release: 11 (3.9), 12 (3.11), 13
# (3.13) and sid. The roots are made by debootstrap below build/pythons, from the mirror that apt
# uses, and mounts are private to each run. Needs root and the network.
set -eu
cd "$(dirname "$0")/../.."
scripts/install-packages.sh pythons
work=$PWD/build/pythons
mkdir -p "$work"
# shellcheck disable=SC2016 # apt expands it
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security |
  head -n 1)
packages=python3,python3-venv,ca-certificates,git,libgomp1,libstdc++6,libb64-0d,python3-yaml
status=0
[ $# -gt 0 ] || set -- bullseye bookworm trixie sid
for suite in "$@"; do
  root=$work/$suite
  if [ ! -e "$work/$suite.complete" ]; then
    rm -rf "$root"
    unshare --mount debootstrap --variant=minbase --include="$packages" "$suite" "$root" \
      "$mirror" >"$work/$suite.log" || {
      echo "run.sh: debootstrap could not make $root; see $work/$suite.log" >&2
      exit 1
    }
    # The python backend of Triton links to it.
    version=$(chroot "$root" /usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    unshare --mount chroot "$root" apt-get install -q -y --no-install-recommends \
      "libpython$version" >>"$work/$suite.log"
    touch "$work/$suite.complete"
  fi
  for file in /etc/resolv.conf /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
    [ ! -e "$file" ] || cp -L "$file" "$root$file"
  done
  mkdir -p "$root/project" "$root/uv"
  uv=$(command -v uv) && cp "$uv" "$root/uv/uv"
  echo "== $suite"
  # shellcheck disable=SC2016 # the inner shell expands it
  unshare --mount --pid --fork sh -euc '
    mount --bind "$1" "$2/project"
    mount -o remount,bind,ro "$2/project"
    mount -t proc proc "$2/proc"
    mount -t tmpfs tmpfs "$2/dev/shm" 2>/dev/null || true
    exec chroot "$2" /usr/bin/env -u PIP_FIND_LINKS HOME=/root PYTHONDONTWRITEBYTECODE=1 \
      /usr/bin/python3 /project/tests/pythons/inside.py' sh "$PWD" "$root" || status=1
done
exit $status
