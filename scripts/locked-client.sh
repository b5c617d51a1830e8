#!/bin/sh
# `locked-client.sh LOCK WORK` makes an environment with the packages of LOCK below WORK and prints
# its folder. A digest of its contents names the folder, so it is made once; the file `complete`
# marks it as whole.
set -eu
cd "$(dirname "$0")/.."
lock=$1
work=$2
python=/usr/bin/python3
digest=$( (cat "$lock"; "$python" --version) | sha256sum | cut -c1-12)
client=$work/client-$digest
if [ ! -e "$client/complete" ]; then
  rm -rf "$work"/client-*
  mkdir -p "$work"
  "$python" -m venv "$client"
  "$client/bin/python3" -m pip install --no-deps --only-binary :all: --require-hashes --no-input \
    --disable-pip-version-check --quiet --requirement "$lock" || {
    echo "locked-client: pip could not install $lock for the reason above;" \
      "check the network or the mirror that pip uses" >&2
    exit 1
  }
  touch "$client/complete"
fi
echo "$client"
