#!/bin/sh
# `build.sh ARCH`: the portable program for x86_64 or aarch64, its tarball and its wheel, in
# build/portable/dist. Everything but glibc is linked statically; the highest glibc symbol is that
# of GLIBC below. Needs Debian 12 or later on x86-64, and for aarch64 that x86_64 was built before.
set -eu
cd "$(dirname "$0")/.."
ARCH=${1:?usage: build.sh x86_64|aarch64}
GLIBC=2.28
case $ARCH in x86_64 | aarch64) ;; *)
  echo "build.sh: ARCH is '$ARCH', not x86_64 or aarch64" >&2
  exit 2
  ;;
esac

project=$PWD
work=$project/build/portable
sources=$work/sources
deps=$work/deps-$ARCH
tool=$work/tool-$ARCH
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
ZIG_GLOBAL_CACHE_DIR=$work/zig-cache
ZIG_LOCAL_CACHE_DIR=$work/zig-cache
PKG_CONFIG_LIBDIR=$deps/lib/pkgconfig
PKG_CONFIG_PATH=
export SOURCE_DATE_EPOCH ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR PKG_CONFIG_LIBDIR PKG_CONFIG_PATH
mkdir -p "$sources" "$deps/include" "$tool"

log() { echo "portable: $*" >&2; }

# Source packages into folders that have no version in their names; the compiler.
unpack() {
  portable/sources.py fetch "$sources"
  for dsc in "$sources"/*.dsc; do
    name=$(basename "$dsc")
    name=${name%%_*}
    [ -e "$sources/$name/.of-$(basename "$dsc")" ] && continue
    log "unpacking $name"
    rm -rf "${sources:?}/$name" "$sources/unpacking"
    (cd "$sources" && dpkg-source --no-check --extract "$dsc" unpacking >/dev/null)
    mv "$sources/unpacking" "$sources/$name"
    touch "$sources/$name/.of-$(basename "$dsc")"
  done
  for deb in "$sources"/*.deb; do
    [ -e "$sources/headers/.of-$(basename "$deb")" ] && continue
    dpkg-deb --extract "$deb" "$sources/headers"
    touch "$sources/headers/.of-$(basename "$deb")"
  done
  [ -x "$sources/ziglang/zig" ] ||
    python3 -m zipfile -e "$(ls "$sources"/ziglang-*.whl)" "$sources"
  chmod +x "$sources/ziglang/zig"
}

# Compilers with every option that all parts share, so that one libc++ serves all of them.
make_tools() {
  for language in cc c++; do
    cat >"$tool/$language" <<EOF
#!/bin/sh
exec "$sources/ziglang/zig" $language -target $ARCH-linux-gnu.$GLIBC -g0 -O2 -fPIC \\
  -ffunction-sections -fdata-sections -fstack-protector-strong -D_FORTIFY_SOURCE=2 \\
  -ffile-prefix-map=$project=. "\$@"
EOF
  done
  for program in ar ranlib; do
    printf '#!/bin/sh\nexec "%s/ziglang/zig" %s "$@"\n' "$sources" $program >"$tool/$program"
  done
  chmod +x "$tool"/*
  cat >"$tool/toolchain.cmake" <<EOF
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $ARCH)
set(CMAKE_C_COMPILER "$tool/cc")
set(CMAKE_CXX_COMPILER "$tool/c++")
set(CMAKE_AR "$tool/ar")
set(CMAKE_RANLIB "$tool/ranlib")
set(CMAKE_FIND_ROOT_PATH "$deps")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
EOF
}

with_cmake() { # NAME FOLDER OPTION...
  name=$1 folder=$2
  shift 2
  cmake -S "$sources/$folder" -B "$work/build-$ARCH/$name" -G Ninja \
    -DCMAKE_TOOLCHAIN_FILE="$tool/toolchain.cmake" -DCMAKE_INSTALL_PREFIX="$deps" \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Portable -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_PREFIX_PATH="$deps" "$@"
  cmake --build "$work/build-$ARCH/$name" --target install
}

make_openssl() {
  mkdir -p "$work/build-$ARCH/openssl"
  (
    cd "$work/build-$ARCH/openssl"
    CC=$tool/cc AR=$tool/ar RANLIB=$tool/ranlib "$sources/openssl/Configure" "linux-$ARCH" \
      --prefix="$deps" --libdir=lib --openssldir=/etc/ssl \
      no-shared no-tests no-apps no-docs no-module no-engine no-legacy no-dso no-comp no-zlib \
      no-ssl3 no-dtls no-quic no-srp no-psk no-gost no-idea no-seed no-camellia no-aria no-sm2 \
      no-sm3 no-sm4 no-cms no-ts no-ocsp no-cmp no-weak-ssl-ciphers
    make -j"$(nproc)" build_generated libcrypto.a libssl.a
    make install_dev
  )
}

make_curl() {
  with_cmake curl curl -DBUILD_CURL_EXE=OFF -DBUILD_STATIC_LIBS=ON -DBUILD_LIBCURL_DOCS=OFF \
    -DBUILD_MISC_DOCS=OFF -DENABLE_CURL_MANUAL=OFF -DBUILD_TESTING=OFF -DHTTP_ONLY=ON \
    -DCURL_USE_OPENSSL=ON -DOPENSSL_ROOT_DIR="$deps" -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none \
    -DCURL_ZLIB=OFF -DCURL_BROTLI=OFF -DCURL_ZSTD=OFF -DUSE_NGHTTP2=OFF -DUSE_LIBIDN2=OFF \
    -DCURL_USE_LIBPSL=OFF -DCURL_USE_LIBSSH2=OFF -DCURL_DISABLE_LDAP=ON
}

make_sqlite3() {
  # The amalgamation is made by programs of this machine, which `configure` builds.
  made=$work/sqlite
  if [ ! -e "$made/sqlite3.c" ]; then
    mkdir -p "$made"
    (cd "$made" && "$sources/sqlite3/configure" --disable-tcl --disable-readline && make sqlite3.c)
  fi
  "$tool/cc" -c "$made/sqlite3.c" -o "$work/build-$ARCH/sqlite3.o" -DSQLITE_THREADSAFE=1 \
    -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_RTREE \
    -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_DBSTAT_VTAB -DSQLITE_ENABLE_STMTVTAB \
    -DSQLITE_SECURE_DELETE -DSQLITE_SOUNDEX -DSQLITE_USE_URI -DSQLITE_ENABLE_UNLOCK_NOTIFY \
    -DSQLITE_ENABLE_PREUPDATE_HOOK -DSQLITE_ENABLE_SESSION -DSQLITE_MAX_VARIABLE_NUMBER=250000 \
    -DSQLITE_LIKE_DOESNT_MATCH_BLOBS -DSQLITE_OMIT_LOAD_EXTENSION -DHAVE_ISNAN=1 -DHAVE_USLEEP=1 \
    -DHAVE_FDATASYNC=1 -DHAVE_GMTIME_R=1 -DHAVE_LOCALTIME_R=1 -DHAVE_PREAD64=1 -DHAVE_PWRITE64=1
  mkdir -p "$deps/lib"
  "$tool/ar" rcs "$deps/lib/libsqlite3.a" "$work/build-$ARCH/sqlite3.o"
  cp "$made/sqlite3.h" "$deps/include/"
}

make_yaml_cpp() {
  with_cmake yaml-cpp yaml-cpp -DYAML_CPP_BUILD_TESTS=OFF -DYAML_CPP_BUILD_TOOLS=OFF \
    -DYAML_CPP_BUILD_CONTRIB=OFF -DYAML_BUILD_SHARED_LIBS=OFF
}

make_fmtlib() { with_cmake fmtlib fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF; }

make_spdlog() {
  with_cmake spdlog spdlog -DSPDLOG_BUILD_EXAMPLE=OFF -DSPDLOG_BUILD_TESTS=OFF \
    -DSPDLOG_FMT_EXTERNAL=ON
}

make_libzstd() {
  with_cmake libzstd libzstd/build/cmake -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_SHARED=OFF \
    -DZSTD_BUILD_TESTS=OFF -DZSTD_LEGACY_SUPPORT=OFF
}

make_nghttp2() {
  with_cmake nghttp2 nghttp2 -DENABLE_LIB_ONLY=ON -DBUILD_STATIC_LIBS=ON -DENABLE_DOC=OFF \
    -DBUILD_TESTING=OFF
}

make_protobuf() {
  cmake -S "$sources/protobuf" -B "$work/build-$ARCH/protobuf" -G Ninja \
    -DCMAKE_TOOLCHAIN_FILE="$tool/toolchain.cmake" -DCMAKE_BUILD_TYPE=Portable \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -Dprotobuf_BUILD_TESTS=OFF -Dprotobuf_BUILD_PROTOC_BINARIES=OFF \
    -Dprotobuf_WITH_ZLIB=OFF
  cmake --build "$work/build-$ARCH/protobuf" --target libprotobuf-lite
  # CMake's FindProtobuf wants the full library, too, which nothing here links.
  for name in libprotobuf-lite libprotobuf; do
    cp "$work/build-$ARCH/protobuf/libprotobuf-lite.a" "$deps/lib/$name.a"
  done
  (cd "$sources/protobuf/src" && find google -name '*.h' -o -name '*.inc' -o -name '*.proto') |
    while read -r file; do
      mkdir -p "$deps/include/$(dirname "$file")"
      cp "$sources/protobuf/src/$file" "$deps/include/$file"
    done
}

make_dependencies() {
  mkdir -p "$work/build-$ARCH"
  for name in openssl curl sqlite3 yaml-cpp fmtlib spdlog libzstd nghttp2 protobuf; do
    key=$(grep " $name " portable/sources.txt | cat - portable/build.sh | sha256sum | cut -c1-16)
    [ -e "$deps/.$name-$key" ] && continue
    log "building $name for $ARCH"
    "make_$(echo "$name" | tr - _)" >"$work/build-$ARCH/$name.log" 2>&1 || {
      tail -30 "$work/build-$ARCH/$name.log" >&2
      log "$name cannot be built; the whole output is in build/portable/build-$ARCH/$name.log"
      exit 1
    }
    rm -f "$deps/.$name-"*
    touch "$deps/.$name-$key"
  done
  for folder in boost nlohmann CLI; do ln -sfn "$sources/headers/usr/include/$folder" "$deps/include/$folder"; done
}

# The manual page and the completion scripts are written by the program; a program of another
# processor does not run here, so they are those of x86_64.
make_program() {
  pages=
  [ "$ARCH" = x86_64 ] || pages=$work/build-x86_64/orchestrate/src/orchestrate
  built=$work/build-$ARCH/orchestrate
  log "building orchestrate for $ARCH"
  cmake -S . -B "$built" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$tool/toolchain.cmake" -DORCH_TESTS=OFF \
    -DCMAKE_BUILD_TYPE=Portable -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 \
    -DCMAKE_PREFIX_PATH="$deps" -DORCH_PORTABLE=ON -DORCH_PAGES_PROGRAM="$pages" \
    -DOPENSSL_USE_STATIC_LIBS=ON -DProtobuf_PROTOC_EXECUTABLE="$(command -v protoc)" \
    -DCMAKE_EXE_LINKER_FLAGS="-pie -Wl,--gc-sections -Wl,-z,relro,-z,now"
  cmake --build "$built" --target orchestrate
  rm -rf "$built/stage"
  DESTDIR=$built/stage cmake --install "$built" --prefix / >/dev/null
  llvm-objcopy --strip-all "$built/stage/bin/orchestrate"
  portable/licences.sh "$sources" "$built/stage/share/doc/orchestrate/licences"
}

unpack
make_tools
make_dependencies
make_program
portable/pack.py "$work/build-$ARCH/orchestrate/stage" "$ARCH" "$work/dist"
