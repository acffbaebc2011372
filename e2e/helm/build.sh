#!/bin/bash
# build.sh [DIR]: a helm for the tests of manifests/chart in DIR/bin; DIR is .cache/helm of this repository unless given.
#
# Built from the version in go.mod through the Go module proxy: a minute and a half of two cores, 60 MB. Exit codes: 0 helm is in DIR/bin,
# 1 the build failed, 2 wrong usage, 3 this machine cannot build it. $NORTHGATE_BUILD_JOBS: how many compilers at once, one a core
# unless given.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../go-program.sh
. "$here/../go-program.sh"
begin helm helm helm.sh/helm/v3 "$@"

# Without a stamp it takes every cluster for Kubernetes 1.20.
kubernetes=$(awk '$1 == "k8s.io/client-go" { print $2; exit }' "$here/go.mod") # v0.34.2: Kubernetes 1.34
minor=${kubernetes#v0.}
minor=${minor%%.*}
stamp="-X $module/internal/version.version=$release"
for package in pkg/lint/rules pkg/chartutil; do
  stamp+=" -X $module/$package.k8sVersionMajor=1 -X $module/$package.k8sVersionMinor=$minor"
done
build cmd/helm "two minutes" "$stamp"
"$scratch/helm" version --short > "$scratch/log" 2>&1 ||
  { say "it was built but does not run:"; tail -n 5 "$scratch/log" >&2; exit 1; }
finish
