#!/bin/bash
# build.sh [DIR]: a helm for the tests of manifests/chart in DIR/bin; DIR is .cache/helm of this repository unless given.
#
# Built from the version in go.mod through the Go module proxy: a minute and a half of two cores, 60 MB. The mark DIR/.ok, which
# names the sources and this script, makes every later call a matter of milliseconds, without Go and network. Parallel callers
# wait for one another; a failure leaves the last good one alone. Exit codes: 0 helm is in DIR/bin, 1 the build failed, 2 wrong
# usage, 3 this machine cannot build it. $NORTHGATE_BUILD_JOBS: how many compilers at once, one a core unless given.
set -euo pipefail
export LC_ALL=C

say() { printf 'helm: %s\n' "$*" >&2; }
[ $# -le 1 ] || { say "usage: build.sh [DIR]"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
dir=$(readlink -m "${1:-$here/../../.cache/helm}")
module=helm.sh/helm/v3
release=$(awk -v module="$module" '$1 == module { print $2; exit }' "$here/go.mod")
kubernetes=$(awk '$1 == "k8s.io/client-go" { print $2; exit }' "$here/go.mod") # v0.34.2: Kubernetes 1.34
marker=$(cat "$here/go.mod" "$here/go.sum" "$here/build.sh" | sha256sum | cut -d ' ' -f 1)

built() { [ "$(cat "$dir/.ok" 2> /dev/null)" = "$marker" ] && [ -x "$dir/bin/helm" ]; }

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

required=$(awk '$1 == "go" { print $2; exit }' "$here/go.mod")
# shellcheck source=../find-go.sh
. "$here/../find-go.sh"
find_go "$here" "$required" || exit 3

# A static program without debug information; what the linker would strip is not even generated. Without a stamp it takes
# every cluster for Kubernetes 1.20.
export CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off
minor=${kubernetes#v0.}
minor=${minor%%.*}
stamp="-X $module/internal/version.version=$release"
for package in pkg/lint/rules pkg/chartutil; do
  stamp+=" -X $module/$package.k8sVersionMajor=1 -X $module/$package.k8sVersionMinor=$minor"
done

say "building Helm $release with Go $version ($go); the first time takes about two minutes"
: > "$scratch/log"
while sleep 30; do
  say "compiled $(wc -l < "$scratch/log") packages, $((SECONDS / 60)) min $((SECONDS % 60)) s"
done 9>&- &
reporter=$!
cd "$here"
"$go" build -v -trimpath -buildvcs=false -gcflags=all=-dwarf=false -p "${NORTHGATE_BUILD_JOBS:-$(nproc)}" \
  -ldflags "-s -w $stamp" -o "$scratch/helm" "$module/cmd/helm" >> "$scratch/log" 2>&1 9>&- ||
  { say "building it failed:"; tail -n 20 "$scratch/log" >&2; exit 1; }
"$scratch/helm" version --short > "$scratch/log" 2>&1 ||
  { say "it was built but does not run:"; tail -n 5 "$scratch/log" >&2; exit 1; }
mkdir -p "$dir/bin"
mv "$scratch/helm" "$dir/bin/helm"
printf '%s\n' "$marker" > "$dir/.ok"
say "ready in $dir/bin ($(du -sm "$dir/bin" | cut -f 1) MB, $SECONDS s)"
