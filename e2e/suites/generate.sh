#!/bin/bash
# generate.sh: writes go.mod and go.sum of the suites anew. Only who changes versions runs this; the files are committed.
#
# Kubernetes' version, and where its staging modules are, is what ../controlplane/go.mod says. The versions of the policy
# API's suites are those in test/support/upstream.ts; e2e/conformance/suites.test.ts compares them.
set -euo pipefail
cd "$(dirname "$0")"
export GOFLAGS=-mod=mod GOWORK=off

anp=v0.1.7
cnp=v0.2.0
cyclonus=v0.5.6
kubernetes=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' ../controlplane/go.mod)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

policy_api() { # policy_api NAME VERSION: the go.mod of a release's suite and of what its tests import
  local suite=sigs.k8s.io/network-policy-api theirs go
  theirs=$(cd "$scratch" && go mod download -json "$suite@$2" | awk -F'"' '$2 == "GoMod" { print $4 }')
  go=$(awk '$1 == "go" { print $2 }' "$theirs")
  (
    cd "$1"
    rm -f go.sum
    printf '// Written by ../generate.sh: the conformance suite of %s %s.\n\n' "$suite" "$2" > go.mod
    printf 'module northgate.example/suites/%s\n\ngo %s\n' "$1" "$go" >> go.mod
    go get -t "$suite/conformance@$2"
  )
}

policy_api anp "$anp"
policy_api cnp "$cnp"

( # The program's own dependencies, at the versions that it names.
  cd cyclonus
  rm -f go.sum
  printf '// Written by ../generate.sh: Cyclonus %s.\n\n' "$cyclonus" > go.mod
  printf 'module northgate.example/suites/cyclonus\n\ngo 1.24.0\n' >> go.mod
  go get -tool "github.com/mattfenwick/cyclonus/cmd/cyclonus@$cyclonus"
)

programs_of_kubernetes() { # programs_of_kubernetes NAME WHAT PACKAGE...: the go.mod of programs of Kubernetes
  local name=$1 what=$2
  shift 2
  (
    cd "$name"
    rm -f go.sum
    {
      printf "// Written by ../generate.sh: %s, %s.\n\n" "$what" "$kubernetes"
      printf 'module northgate.example/suites/%s\n\n' "$name"
      grep -E '^(go|godebug) ' ../../controlplane/go.mod
      printf '\ntool (\n'
      printf '\tk8s.io/kubernetes/%s\n' "$@"
      printf ')\n\nrequire k8s.io/kubernetes %s\n\n' "$kubernetes"
      sed -n '/^replace (/,/^)/p' ../../controlplane/go.mod
    } > go.mod
    go mod tidy
  )
}

programs_of_kubernetes kubernetes "Kubernetes' NetworkPolicy specs, the programs of their pods and of the cluster" \
  cmd/kube-controller-manager test/images/agnhost
programs_of_kubernetes node "the programs of nodes and the scheduler" cmd/kubelet cmd/kube-scheduler
