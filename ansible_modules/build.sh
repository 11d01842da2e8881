#!/usr/bin/env bash
# Builds the module program, statically linked, into files/bin/<architecture>/ and writes files/manifest.json with its digest.
set -euo pipefail
cd "$(dirname "$0")"

architecture=$(uname -m)
target=$architecture-unknown-linux-gnu
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../target}
# OpenSSL is most of the program: what is not called is left out, and nothing in it unwinds
export "CFLAGS_${target//-/_}=-Os -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables"
# relative relocations take a megabyte unless they are packed
flags="-C target-feature=+crt-static -C link-arg=-Wl,-z,pack-relative-relocs"

say() { printf 'modules: %s\n' "$*" >&2; }

# Checkouts may share a target folder: until the program is copied, no other one may put its own there. The kernel gives the lock
# back, however this ends.
mkdir -p "$CARGO_TARGET_DIR"
exec 9>"$CARGO_TARGET_DIR/.pharos-modules.lock"
flock --nonblock 9 || { say "another checkout builds into $CARGO_TARGET_DIR: waiting for it" && flock 9; }
say "building the module program for $architecture (the first time some minutes, half of them in silence at its end: it is optimised as a whole)"
CARGO_INCREMENTAL=0 RUSTFLAGS="${RUSTFLAGS:-} $flags" \
  cargo build --profile modules --locked --package pharos-modules --bin pharos-modules --target "$target" 9>&-

install -D -m 0644 "$CARGO_TARGET_DIR/$target/modules/pharos-modules" "files/bin/$architecture/pharos-modules"
{
  printf '{\n  "programs": {\n'
  for program in files/bin/*/pharos-modules; do
    folder=${program%/*}
    printf '    "%s": "%s"\n' "${folder##*/}" "$(sha256sum "$program" | cut -d' ' -f1)"
  done | sed '$!s/$/,/'
  printf '  }\n}\n'
} >files/manifest.json
