# shellcheck shell=bash
# Sourced by the builds of one program of others, whose version is in the go.mod beside the build's script, in $here. The mark DIR/.ok, which
# names the sources and the scripts, makes every later call a matter of milliseconds, without Go and network. Parallel callers wait for
# one another; a failure leaves the last good one alone.
#
#   begin NAME PROGRAM MODULE [DIR]  ends the script with 0 when DIR/bin/PROGRAM is of these sources; DIR is .cache/NAME of this repository
#                                    unless given. Otherwise $release is the module's version, and $scratch a folder until the script ends
#   build PACKAGE TIME [STAMP]       a static program of the module's package in $scratch; STAMP: more flags of the linker
#   finish                           DIR has it

say() { printf '%s: %s\n' "$name" "$*" >&2; }

built() { [ "$(cat "$dir/.ok" 2> /dev/null)" = "$marker" ] && [ -x "$dir/bin/$program" ]; }

begin() {
  name=$1 program=$2 module=$3
  [ $# -le 4 ] || { say "usage: build.sh [DIR]"; exit 2; }
  dir=$(readlink -m "${4:-$here/../../.cache/$name}")
  release=$(awk -v module="$module" '$1 == module { print $2; exit }' "$here/go.mod")
  marker=$(cat "$here/go.mod" "$here/go.sum" "$here/build.sh" "$here/../go-program.sh" | sha256sum | cut -d ' ' -f 1)
  built && exit 0
  mkdir -p "$dir"
  exec 9> "$dir.lock"
  if ! flock --nonblock 9; then
    say "another process is building it in $dir, waiting for that"
    flock 9
    built && exit 0
  fi
  scratch=$dir/build
  rm -rf "$scratch" && mkdir -p "$scratch"
  trap 'rm -rf "$scratch"; [ -z "${reporter:-}" ] || kill "$reporter" 2> /dev/null || :' EXIT
  trap 'exit 1' INT TERM HUP
}

build() {
  # shellcheck source=find-go.sh
  . "$here/../find-go.sh"
  find_go "$here" "$(awk '$1 == "go" { print $2; exit }' "$here/go.mod")" || exit 3
  say "building $release with Go $version ($go); the first time takes about $2"
  : > "$scratch/log"
  while sleep 30; do
    say "compiled $(wc -l < "$scratch/log") packages, $((SECONDS / 60)) min $((SECONDS % 60)) s"
  done 9>&- &
  reporter=$!
  cd "$here"
  # Without debug information; what the linker would strip is not even generated.
  CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off "$go" build -v -trimpath -buildvcs=false -gcflags=all=-dwarf=false \
    -p "${NORTHGATE_BUILD_JOBS:-$(nproc)}" -ldflags "-s -w ${3:-}" -o "$scratch/$program" "$module/$1" >> "$scratch/log" 2>&1 9>&- ||
    { say "building it failed:"; tail -n 20 "$scratch/log" >&2; exit 1; }
}

finish() {
  mkdir -p "$dir/bin"
  mv "$scratch/$program" "$dir/bin/$program"
  printf '%s\n' "$marker" > "$scratch/ok"
  mv "$scratch/ok" "$dir/.ok"
  say "ready in $dir/bin ($(du -sm "$dir/bin" | cut -f 1) MB, $SECONDS s)"
}
