#!/bin/bash
# build.sh [DIR]: the CNI plugin and the program that holds a pod's namespaces in DIR/bin, as cni and pause; DIR is .cache/cluster of
# this repository unless given.
#
# Built from the sources here, which need no other modules. DIR/marks/programs names what they were made from: when that fits, no Go
# is needed. Parallel callers wait for one another. Exit codes: 0 they are there, 1 the build failed, 2 wrong usage, 3 this
# machine cannot build them.
set -euo pipefail
export LC_ALL=C

say() { printf 'cluster: %s\n' "$*" >&2; }
[ $# -le 1 ] || { say "usage: build.sh [DIR]"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
dir=$(readlink -m "${1:-$here/../../../.cache/cluster}")
required=$(awk '$1 == "go" { print $2; exit }' "$here/go.mod")
mark=$(cat "$here"/*/*.go "$here/go.mod" "$here/build.sh" | sha256sum | cut -d ' ' -f 1)

built() { [ -x "$dir/bin/cni" ] && [ -x "$dir/bin/pause" ] && [ "$(cat "$dir/marks/programs" 2> /dev/null)" = "$mark" ]; }
built && exit 0
mkdir -p "$dir/bin" "$dir/marks"
exec 9> "$dir/programs.lock"
flock 9
built && exit 0

# shellcheck source=../../find-go.sh
. "$here/../../find-go.sh"
find_go "$here" "$required" || exit 3

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$here"
for program in cni pause; do
  CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off "$go" build -trimpath -buildvcs=false -ldflags "-s -w" \
    -p "${NORTHGATE_BUILD_JOBS:-$(nproc)}" -o "$scratch/$program" "./$program" 9>&- 2> "$scratch/log" ||
    { say "building $program failed:"; tail -n 20 "$scratch/log" >&2; exit 1; }
done
mv "$scratch/cni" "$scratch/pause" "$dir/bin/"
printf '%s\n' "$mark" > "$dir/marks/programs"
say "its CNI plugin and pause are in $dir/bin ($SECONDS s)"
