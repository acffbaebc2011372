#!/bin/bash
# build.sh [DIR]: a control plane for tests in DIR/bin (kube-apiserver, etcd, kubectl); DIR is .cache/controlplane of this
# repository unless given.
#
# Built from the versions in go.mod through the Go module proxy. The first build takes about five minutes on two cores;
# after that the marker DIR/.ok, which names the sources and this script, makes it a matter of milliseconds. Parallel
# callers wait for one another. A failed build leaves the last good one alone. Exit codes: 0 the programs are in DIR/bin,
# 1 the build failed, 2 wrong usage, 3 this machine cannot build them. $NORTHGATE_BUILD_JOBS: how many compilers at once,
# one a core unless given.
set -euo pipefail
export LC_ALL=C

say() { printf 'control plane: %s\n' "$*" >&2; }
[ $# -le 1 ] || { say "usage: build.sh [DIR]"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
dir=$(readlink -m "${1:-$here/../../.cache/controlplane}")
programs=(kube-apiserver etcd kubectl)
required=$(awk '$1 == "go" { print $2; exit }' "$here/go.mod")
kubernetes=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' "$here/go.mod")
etcd=$(awk '$1 == "go.etcd.io/etcd/server/v3" && $2 ~ /^v/ { print $2; exit }' "$here/go.mod")
marker=$(cat "$here/go.mod" "$here/go.sum" "$here/build.sh" | sha256sum | cut -d ' ' -f 1)

built() {
  [ "$(cat "$dir/.ok" 2> /dev/null)" = "$marker" ] || return 1
  local program
  for program in "${programs[@]}"; do [ -x "$dir/bin/$program" ] || return 1; done
}

built && exit 0
mkdir -p "$dir"
exec 9> "$dir.lock"
if ! flock --nonblock 9; then
  say "another process is building it in $dir, waiting for that"
  flock 9
  built && exit 0
fi

scratch=$dir/build
rm -rf "$scratch" && mkdir -p "$scratch/bin"
trap 'rm -rf "$scratch"; [ -z "${reporter:-}" ] || kill "$reporter" 2> /dev/null || :' EXIT
trap 'exit 1' INT TERM HUP

# The Go of this machine. One since 1.21 fetches a newer toolchain by itself, unless it is told not to.
recent() { # recent GO: whether this one can build the module; its version is then in $version
  local word
  word=$(cd "$here" && "$1" env GOVERSION 2> "$scratch/log") || return 1
  version=${word#go}
  version=${version%% *}
  [ "$(printf '%s\n' "$required" "$version" | sort -V | head -n 1)" = "$required" ]
}

find_go() {
  local candidate
  for candidate in "$(command -v go || :)" /usr/local/go/bin/go /usr/lib/go-1.*/bin/go "$dir"/go/usr/lib/go-1.*/bin/go; do
    if [ -x "$candidate" ] && recent "$candidate"; then go=$candidate; return; fi
  done
  return 1
}

if ! find_go && ! { "$here/fetch-go.sh" "$dir/go" "$required" && find_go; }; then
  say "needs Go >= $required, and neither PATH nor the package manager has one that runs:" \
    "install it (https://go.dev/doc/install), or name a folder with ${programs[*]} in KUBEBUILDER_ASSETS"
  exit 3
fi

# Static programs without debug information; what the linker would strip is not even generated.
export CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off
cd "$here"
of_base=k8s.io/component-base/version
of_client=k8s.io/client-go/pkg/version
stamp="-X $of_base.gitVersion=$kubernetes -X $of_client.gitVersion=$kubernetes"
common=(-trimpath -buildvcs=false -gcflags=all=-dwarf=false -p "${NORTHGATE_BUILD_JOBS:-$(nproc)}")
packages=(go.etcd.io/etcd/server/v3 k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kubectl)

say "building Kubernetes $kubernetes and etcd $etcd with Go $version ($go); the first time takes about 5 minutes"
say "fetching their modules"
"$go" list -deps "${packages[@]}" > "$scratch/packages.list" 2> "$scratch/log" ||
  { say "could not fetch them:"; tail -n 5 "$scratch/log" >&2; exit 1; }
total=$(wc -l < "$scratch/packages.list")

build() { # build NAME PACKAGE: -v prints a package's name when its compilation begins
  "$go" build -v "${common[@]}" -ldflags "-s -w $stamp" -o "$scratch/bin/$1" "$2" >> "$scratch/log" 2>&1 && return
  say "building $1 failed:"
  tail -n 20 "$scratch/log" >&2
  exit 1
}

: > "$scratch/log"
while sleep 30; do
  say "compiled $(wc -l < "$scratch/log") of at most $total packages, $((SECONDS / 60)) min $((SECONDS % 60)) s"
done 9>&- &
reporter=$!
build etcd "${packages[0]}"
build kube-apiserver "${packages[1]}"
build kubectl "${packages[2]}"

for program in "${programs[@]}"; do
  case $program in kubectl) check=(version --client) ;; *) check=(--version) ;; esac
  "$scratch/bin/$program" "${check[@]}" > "$scratch/log" 2>&1 ||
    { say "$program was built but does not run:"; tail -n 5 "$scratch/log" >&2; exit 1; }
done
rm -rf "$dir/bin"
mv "$scratch/bin" "$dir/bin"
printf '%s\n' "$marker" > "$dir/.ok"
say "ready in $dir/bin ($(du -sm "$dir/bin" | cut -f 1) MB, $SECONDS s)"
