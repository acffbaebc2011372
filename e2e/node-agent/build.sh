#!/bin/bash
# build.sh [DIR]: the node agent in DIR/bin/node-agent; DIR is .cache/conformance of this repository unless given.
#
# Built from the sources here, with modules from the Go module proxy that go.sum names. DIR/marks/node-agent names what it was
# made from: when that fits, neither Go nor a network is needed. Parallel callers wait for one another; a failure leaves the
# last good program alone. Exit codes: 0 it is there, 1 the build failed, 2 wrong usage, 3 this machine cannot build it.
# $NORTHGATE_BUILD_JOBS: how many compilers at once, one a core unless given.
set -euo pipefail
export LC_ALL=C

say() { printf 'node agent: %s\n' "$*" >&2; }
[ $# -le 1 ] || { say "usage: build.sh [DIR]"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
dir=$(readlink -m "${1:-$here/../../.cache/conformance}")
required=$(awk '$1 == "go" { print $2; exit }' "$here/go.mod")
mark=$(cat "$here"/*.go "$here/go.mod" "$here/go.sum" "$here/build.sh" | sha256sum | cut -d ' ' -f 1)

built() { [ -x "$dir/bin/node-agent" ] && [ "$(cat "$dir/marks/node-agent" 2> /dev/null)" = "$mark" ]; }
built && exit 0
mkdir -p "$dir/bin" "$dir/marks"
exec 9> "$dir/node-agent.lock"
flock 9
built && exit 0

# shellcheck source=../find-go.sh
. "$here/../find-go.sh"
find_go "$here" "$required" || exit 3

say "building it with $go; half a minute beside a built control plane, two without"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$here"
# Static and without debug information; what the linker would strip is not even generated.
CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off "$go" build -trimpath -buildvcs=false -gcflags=all=-dwarf=false \
  -ldflags "-s -w" -p "${NORTHGATE_BUILD_JOBS:-$(nproc)}" -o "$scratch/node-agent" . 9>&- 2> "$scratch/log" ||
  { say "the build failed:"; tail -n 20 "$scratch/log" >&2; exit 1; }
mv "$scratch/node-agent" "$dir/bin/node-agent"
printf '%s\n' "$mark" > "$dir/marks/node-agent"
say "ready in $dir/bin ($SECONDS s)"
