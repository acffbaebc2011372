#!/bin/bash
# build.sh [DIR]: krew, kubectl's plugin manager, as DIR/bin/kubectl-krew; DIR is .cache/krew of this repository unless given.
#
# Built from the version in go.mod, the newest that the Go module proxy serves: a minute of processor time, 13 MB. Exit codes: 0 it is in
# DIR/bin, 1 the build failed, 2 wrong usage, 3 this machine cannot build it. $NORTHGATE_BUILD_JOBS: how many compilers at once, one a
# core unless given.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../go-program.sh
. "$here/../go-program.sh"
begin krew kubectl-krew sigs.k8s.io/krew "$@"
build cmd/krew "a minute"
finish
