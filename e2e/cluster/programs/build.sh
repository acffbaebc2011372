#!/bin/bash
# build.sh [DIR]: the CNI plugin, the program that holds a pod's namespaces, and CoreDNS in DIR/bin, as cni, pause and coredns; DIR is
# .cache/cluster of this repository unless given.
#
# The first two are built from the sources here, which need no other modules; CoreDNS is built from its own, through the Go module proxy.
# DIR/marks/programs names what they were made from: when that fits, neither Go nor a network is needed. Parallel callers wait for one
# another. Exit codes: 0 they are there, 1 the build failed, 2 wrong usage, 3 this machine cannot build them.
set -euo pipefail
export LC_ALL=C

say() { printf 'cluster: %s\n' "$*" >&2; }
[ $# -le 1 ] || { say "usage: build.sh [DIR]"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
dir=$(readlink -m "${1:-$here/../../../.cache/cluster}")
required=$(awk '$1 == "go" { print $2; exit }' "$here/coredns/go.mod")
mark=$(cat "$here"/*/*.go "$here"/go.mod "$here"/coredns/go.{mod,sum} "$here/build.sh" | sha256sum | cut -d ' ' -f 1)
programs=(cni pause coredns)

built() {
  local program
  for program in "${programs[@]}"; do [ -x "$dir/bin/$program" ] || return 1; done
  [ "$(cat "$dir/marks/programs" 2> /dev/null)" = "$mark" ]
}
built && exit 0
mkdir -p "$dir/bin" "$dir/marks"
exec 9> "$dir/programs.lock"
flock 9
built && exit 0

# shellcheck source=../../find-go.sh
. "$here/../../find-go.sh"
find_go "$here/coredns" "$required" || exit 3

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
say "building ${programs[*]}; CoreDNS takes about three minutes the first time"
for program in "${programs[@]}"; do
  cd "$here/$program"
  CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off "$go" build -trimpath -buildvcs=false -gcflags=all=-dwarf=false -ldflags "-s -w" \
    -p "${NORTHGATE_BUILD_JOBS:-$(nproc)}" -o "$scratch/$program" . 9>&- 2> "$scratch/log" ||
    { say "building $program failed:"; tail -n 20 "$scratch/log" >&2; exit 1; }
done
for program in "${programs[@]}"; do mv "$scratch/$program" "$dir/bin/"; done
printf '%s\n' "$mark" > "$scratch/mark"
mv "$scratch/mark" "$dir/marks/programs"
say "${programs[*]} are in $dir/bin ($SECONDS s)"
