#!/usr/bin/env bash
# Builds the module program, statically linked, into files/bin/<architecture>/ and writes files/manifest.json with its digests.
#
#   ansible_modules/build.sh                 for the architecture of this machine
#   ansible_modules/build.sh x86_64 aarch64  for these; another one than the machine's own is built with scripts/toolchain
#
# Both are built at once where there are two cores: half of a build is the optimisation of the whole, which takes one core. A line of
# either begins with its architecture then.
#
# A program is kept in the user's cache under the digest of everything it is made of. The same sources and compiler give the same bytes,
# whatever the folders are called (scripts/reproduce). What is at hand of the same sources for another architecture goes into the collection as well.
set -euo pipefail
cd "$(dirname "$0")"

own=$(uname -m)
checkout=$(cd .. && pwd -P)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$checkout/target}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/pharos/programs

say() { printf 'modules: %s\n' "$*" >&2; }

# Everything that a program is made of, beside its compiler.
sources() {
  (
    cd "$checkout"
    find Cargo.toml Cargo.lock ./*/Cargo.toml core/src live/src ansible_modules/src ansible_modules/build.sh ansible_modules/cc-for-modules \
      -type f -print0 2>/dev/null | sort -z | xargs -0 sha256sum
  )
}

compiler() {
  if [ "$1" = "$own" ]; then rustc -vV && cc --version | head -n 1; else grep -v '^qemu' "$tools/packages.txt"; fi
}

# Sets and exports what cargo needs for an architecture: environment ARCHITECTURE TARGET
environment() {
  local name=${2//-/_} home=${CARGO_HOME:-$HOME/.cargo} separator=$'\x1f' crates
  local flags=(-C target-feature=+crt-static)
  export PATH=$PWD:$PATH CARGO_INCREMENTAL=0
  # No folder of this machine in the program. Cargo names the checkout's own files from the checkout on; naming that one here would have
  # everything compiled anew for each.
  flags+=("--remap-path-prefix=$CARGO_TARGET_DIR=/target")
  # a folder for each registry, named after its address
  for crates in "$home"/registry/src/*/; do flags+=("--remap-path-prefix=${crates%/}=/crates"); done
  # OpenSSL is most of the program: what is not called is left out, and nothing in it unwinds
  export "CFLAGS_$name=-Os -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables"
  export "CC_$name=cc-for-modules" SOURCE_DATE_EPOCH=315532800
  if [ "$1" = "$own" ]; then
    export PHAROS_CC=cc
  else
    export PATH=$tools/bin:$PATH RUSTC=$tools/bin/rustc PHAROS_CC=aarch64-linux-gnu-gcc
    export "AR_$name=aarch64-linux-gnu-ar" "RANLIB_$name=aarch64-linux-gnu-ranlib"
    local linker=CARGO_TARGET_${name^^}_LINKER
    export "$linker=aarch64-linux-gnu-gcc"
  fi
  case $1 in
    # kernels of aarch64 have pages of 4, 16 or 64 KiB
    aarch64) flags+=(-C "link-arg=-Wl,-z,max-page-size=65536") ;;
    # relative relocations take a megabyte unless they are packed
    x86_64) flags+=(-C "link-arg=-Wl,-z,pack-relative-relocs") ;;
  esac
  CARGO_ENCODED_RUSTFLAGS=$(printf "%s$separator" "${flags[@]}")
  export CARGO_ENCODED_RUSTFLAGS=${CARGO_ENCODED_RUSTFLAGS%"$separator"}
}

# build ARCHITECTURE KEPT: the program, into the cache
build() {
  local architecture=$1 kept=$2 target=$1-unknown-linux-gnu begin=$SECONDS
  # what another compiler makes for this machine meanwhile (macros) lies apart
  [ "$architecture" = "$own" ] || local CARGO_TARGET_DIR=$CARGO_TARGET_DIR/cross
  # Checkouts may share a target folder: until the program is kept, no other one may put its own there. The kernel gives the lock back,
  # however this ends.
  mkdir -p "$CARGO_TARGET_DIR" "$cache"
  exec 9>"$CARGO_TARGET_DIR/.pharos-modules.lock"
  flock --nonblock 9 || { say "another checkout builds into $CARGO_TARGET_DIR: waiting for it" && flock 9; }
  if [ ! -e "$kept" ]; then
    say "building the module program for $architecture (the first time some minutes, half of them in silence at its end: it is optimised as a whole)"
    (
      # on a new machine, so that the folders of the crates are there and can be left out
      [ -d "${CARGO_HOME:-$HOME/.cargo}/registry/src" ] || cargo fetch --locked --target "$target" 9>&-
      environment "$architecture" "$target"
      cargo build --profile modules --locked --package pharos-modules --bin pharos-modules --target "$target" 9>&-
    )
    install -m 0644 "$CARGO_TARGET_DIR/$target/modules/pharos-modules" "$kept.new"
    mv "$kept.new" "$kept"
    say "built for $architecture in $((SECONDS - begin)) s"
  fi
  exec 9>&-
}

# Ends the builds that still run. One that has ended meanwhile has no group left to signal, and that is as well.
stop() {
  local group
  for group in $(jobs -p); do kill -- "-$group" 2>/dev/null || true; done
}

# build_all ARCHITECTURE...: those that are not kept yet
build_all() {
  local architecture jobs=() failed=()
  if [ "$#" -lt 2 ] || [ "$(nproc)" -lt 2 ]; then
    for architecture; do build "$architecture" "${kept[$architecture]}"; done
    return
  fi
  # a process group each, which ends with this script, also by the terminal's interrupt
  trap stop EXIT
  set -m
  for architecture; do
    { build "$architecture" "${kept[$architecture]}" 2>&1 | sed -u "s/^/$architecture: /" >&2; } &
    jobs+=("$architecture=$!")
  done
  set +m
  for architecture in "${jobs[@]}"; do
    wait "${architecture#*=}" || failed+=("${architecture%=*}")
  done
  trap - EXIT
  [ "${#failed[@]}" -eq 0 ] || { say "the program for ${failed[*]} was not built: its lines above say why" && exit 1; }
}

wanted=("$@")
[ "$#" -gt 0 ] || wanted=("$own")
for architecture in "${wanted[@]}"; do
  case $architecture in
    "$own") ;;
    aarch64) tools=$(../scripts/toolchain) ;;
    x86_64 | *)
      say "the program for $architecture cannot be built on a machine of $own: x86_64 machines build x86_64 and aarch64, others their own"
      exit 3
      ;;
  esac
done

digest=$(sources)
declare -A kept
missing=()
for architecture in x86_64 aarch64; do
  [ "$architecture" = "$own" ] || [ -n "${tools:=$(../scripts/toolchain --at-hand)}" ] || continue
  kept[$architecture]=$cache/$architecture-$({ compiler "$architecture" && echo "$digest"; } | sha256sum | cut -c1-24)
  case " ${wanted[*]} " in *" $architecture "*) [ -e "${kept[$architecture]}" ] || missing+=("$architecture") ;; esac
done
build_all ${missing[@]+"${missing[@]}"}

rm -rf files/bin
for architecture in x86_64 aarch64; do
  program=${kept[$architecture]:-}
  [ -n "$program" ] && [ -e "$program" ] || continue
  touch "$program"
  install -D -m 0644 "$program" "files/bin/$architecture/pharos-modules"
  say "$architecture: $(stat -c %s "$program") bytes"
done
# What no checkout has used for a month goes.
find "$cache" -type f -mtime +30 -delete

{
  printf '{\n  "programs": {\n'
  for program in files/bin/*/pharos-modules; do
    folder=${program%/*}
    printf '    "%s": "%s"\n' "${folder##*/}" "$(sha256sum "$program" | cut -d' ' -f1)"
  done | sed '$!s/$/,/'
  printf '  }\n}\n'
} >files/manifest.json
