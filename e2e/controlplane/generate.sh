#!/bin/bash
# generate.sh KUBERNETES_VERSION [FOLDER]: writes go.mod and go.sum anew, for example `generate.sh v1.34.4`, or
# `generate.sh v1.36.3 1.36` for one of the others that `make matrix` builds (build-version.sh).
#
# Kubernetes is not made to be depended upon: its go.mod names its own staging modules at v0.0.0 and finds them in its
# source tree. From outside, each needs a line that replaces it with the version published for the same release.
# etcd is the one that this Kubernetes names. Only who changes versions runs this; go.mod and go.sum are committed.
set -euo pipefail
cd "$(dirname "$0")"

{ [ $# = 1 ] || [ $# = 2 ]; } && [[ $1 == v1.* ]] || { echo "usage: generate.sh v1.MINOR.PATCH [FOLDER]" >&2; exit 2; }
version=$1
mkdir -p "${2:-.}" && cd "${2:-.}"
staging=v0.${version#v1.}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
theirs=$(cd "$scratch" && go mod init scratch 2> /dev/null &&
  go mod download -json "k8s.io/kubernetes@$version" | awk -F'"' '$2 == "GoMod" { print $4 }')
go=$(awk '$1 == "go" { print $2 }' "$theirs")
etcd=$(awk '$1 == "go.etcd.io/etcd/server/v3" { print $2 }' "$theirs")

{
  printf '// Written by generate.sh %s: %s.\n\n' "$version" \
    "$([ $# = 2 ] && echo 'a control plane of make matrix' || echo 'the control plane that the tests run against')"
  printf 'module northgate.example/controlplane\n\ngo %s\n\n' "$go"
  printf 'godebug default=go%s\n\n' "${go%.*}"
  printf 'tool (\n'
  printf '\tgo.etcd.io/etcd/server/v3\n\tk8s.io/kubernetes/cmd/kube-apiserver\n\tk8s.io/kubernetes/cmd/kubectl\n)\n\n'
  printf 'require (\n\tgo.etcd.io/etcd/server/v3 %s\n\tk8s.io/kubernetes %s\n)\n\nreplace (\n' "$etcd" "$version"
  awk -v staging="$staging" '$2 == "v0.0.0" && $1 ~ /^k8s.io\// { print "\t" $1 " => " $1 " " staging }' "$theirs"
  printf ')\n'
} > go.mod
rm -f go.sum
GOFLAGS=-mod=mod go mod tidy
