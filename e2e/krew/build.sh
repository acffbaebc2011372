#!/bin/bash
# build.sh [DIR]: krew, kubectl's plugin manager, as DIR/bin/kubectl-krew; DIR is .cache/krew of this repository unless given.
#
# Built from the version in go.mod, the newest that the Go module proxy serves: a minute of processor time, 13 MB. The mark DIR/.ok,
# which names the sources and this script, makes every later call a matter of milliseconds, without Go and network. Parallel callers
# wait for one another; a failure leaves the last good one alone. Exit codes: 0 it is in DIR/bin, 1 the build failed, 2 wrong usage,
# 3 this machine cannot build it. $NORTHGATE_BUILD_JOBS: how many compilers at once, one a core unless given.
set -euo pipefail
export LC_ALL=C

say() { printf 'krew: %s\n' "$*" >&2; }
[ $# -le 1 ] || { say "usage: build.sh [DIR]"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
dir=$(readlink -m "${1:-$here/../../.cache/krew}")
module=sigs.k8s.io/krew
release=$(awk -v module="$module" '$1 == module { print $2; exit }' "$here/go.mod")
marker=$(cat "$here/go.mod" "$here/go.sum" "$here/build.sh" | sha256sum | cut -d ' ' -f 1)

built() { [ "$(cat "$dir/.ok" 2> /dev/null)" = "$marker" ] && [ -x "$dir/bin/kubectl-krew" ]; }

built && exit 0
mkdir -p "$dir"
exec 9> "$dir.lock"
if ! flock --nonblock 9; then
  say "another process is building it in $dir, waiting for that"
  flock 9
  built && exit 0
fi

scratch=$dir/build
rm -rf "$scratch" && mkdir -p "$scratch" "$dir/bin"
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP

required=$(awk '$1 == "go" { print $2; exit }' "$here/go.mod")
# shellcheck source=../find-go.sh
. "$here/../find-go.sh"
find_go "$here" "$required" || exit 3

say "building krew $release with Go $version ($go); the first time takes about a minute"
cd "$here"
CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off "$go" build -trimpath -buildvcs=false -gcflags=all=-dwarf=false \
  -p "${NORTHGATE_BUILD_JOBS:-$(nproc)}" -ldflags "-s -w" -o "$scratch/kubectl-krew" "$module/cmd/krew" > "$scratch/log" 2>&1 9>&- ||
  { say "building it failed:"; tail -n 20 "$scratch/log" >&2; exit 1; }
mv "$scratch/kubectl-krew" "$dir/bin/kubectl-krew"
printf '%s\n' "$marker" > "$dir/.ok"
say "ready in $dir/bin ($(du -sm "$dir/bin" | cut -f 1) MB, $SECONDS s)"
