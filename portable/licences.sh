#!/bin/sh
# `licences.sh SOURCES FOLDER`: the licence texts of what the portable program has inside it.
set -eu
sources=$1 folder=$2
mkdir -p "$folder"
for name in openssl curl yaml-cpp fmtlib spdlog libzstd nghttp2 protobuf; do
  for file in LICENSE.txt LICENSE LICENSE.rst COPYING; do
    [ -e "$sources/$name/$file" ] || continue
    cp "$sources/$name/$file" "$folder/$name.txt"
    break
  done
  [ -e "$folder/$name.txt" ] || {
    echo "licences.sh: $name has no licence text" >&2
    exit 1
  }
done
# SQLite is in the public domain; Debian's file says so, with the few parts that are not.
cp "$sources/sqlite3/debian/copyright" "$folder/sqlite.txt"
doc=$sources/headers/usr/share/doc
cp "$doc/libboost1.83-dev/copyright" "$folder/boost.txt"
cp "$doc/nlohmann-json3-dev/copyright" "$folder/nlohmann-json.txt"
cp "$doc/libcli11-dev/copyright" "$folder/cli11.txt"
# The C++ runtime: LLVM's, under Apache-2.0 with its exception; start files of zig and glibc.
cp "$sources/ziglang/lib/libcxx/LICENSE.TXT" "$folder/libcxx.txt"
cp "$sources/ziglang/lib/libcxxabi/LICENSE.TXT" "$folder/libcxxabi.txt"
cp "$sources/ziglang/lib/libunwind/LICENSE.TXT" "$folder/libunwind.txt"
cp "$sources/ziglang/lib/libc/glibc/LICENSES" "$folder/glibc.txt"
