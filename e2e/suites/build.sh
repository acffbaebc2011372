#!/bin/bash
# build.sh [DIR [PROGRAM...]]: what the conformance runs need in DIR/bin; DIR is .cache/conformance of this repository unless
# given, PROGRAM one of agnhost kube-controller-manager anp.test cnp.test netpol.test cyclonus, all of them unless given; or kubelet or
# kube-scheduler, which a cluster with kubelets needs (../cluster).
#
# Built from the versions in anp/go.mod, cnp/go.mod, cyclonus/go.mod, kubernetes/go.mod and node/go.mod through the Go module proxy, unmodified but for one
# thing: where this kernel has no SCTP, agnhost gets sctp/ in place of its SCTP library, and DIR/bin/agnhost.sctp says
# "replaced", else "kernel". Each program has a mark of the sources it was made from: one that fits is not built again, and
# then neither Go nor a network is needed. Parallel callers wait for one another; a failure leaves the last good program
# alone. Exit codes: 0 the programs are in DIR/bin, 1 a build failed, 2 wrong usage, 3 this machine cannot build them.
# $NORTHGATE_BUILD_JOBS: how many compilers at once, one a core unless given.
set -euo pipefail
export LC_ALL=C

say() { printf 'conformance: %s\n' "$*" >&2; }
here=$(cd "$(dirname "$0")" && pwd)
dir=$(readlink -m "${1:-$here/../../.cache/conformance}")
programs=(agnhost kube-controller-manager anp.test cnp.test netpol.test cyclonus)
wanted=("${@:2}")
[ ${#wanted[@]} -gt 0 ] || wanted=("${programs[@]}")

module_of() { # module_of PROGRAM: the folder whose go.mod it is built with
  case $1 in
    agnhost | kube-controller-manager | netpol.test) echo kubernetes ;;
    kubelet | kube-scheduler) echo node ;;
    anp.test | cnp.test | cyclonus) echo "${1%.test}" ;;
    *) return 1 ;;
  esac
}
for program in "${wanted[@]}"; do
  module_of "$program" > /dev/null ||
    { say "usage: build.sh [DIR [PROGRAM...]]; there is no '$program', but ${programs[*]} kubelet kube-scheduler"; exit 2; }
done

# Asking for a socket makes the kernel load the module, if there is one.
sctp=replaced
if perl -MSocket -e 'socket(my $s, AF_INET, SOCK_STREAM, 132) or exit 1' 2> /dev/null; then sctp=kernel; fi

mark_of() { # mark_of PROGRAM: a name of all that it is made from
  local module
  module=$(module_of "$1")
  {
    cat "$here/build.sh" "$here/$module/go.mod" "$here/$module/go.sum"
    case $1 in
      agnhost) echo "$sctp"; [ $sctp = kernel ] || cat "$here"/sctp/go.mod $(sources_of_sctp) ;;
      netpol.test) cat "$here"/kubernetes/netpol/*.go ;;
    esac
  } | sha256sum | cut -d ' ' -f 1
}
sources_of_sctp() { find "$here/sctp" -name '*.go' -not -name '*_test.go' | sort; }

missing=()
look() { # look: those of the wanted programs that are not there as they should be
  local program
  missing=()
  for program in "${wanted[@]}"; do
    [ -x "$dir/bin/$program" ] && [ "$(cat "$dir/marks/$program" 2> /dev/null)" = "$(mark_of "$program")" ] ||
      missing+=("$program")
  done
}

look
[ ${#missing[@]} -gt 0 ] || exit 0
mkdir -p "$dir/bin" "$dir/marks"
exec 9> "$dir.lock"
if ! flock --nonblock 9; then
  say "another process is building in $dir, waiting for that"
  flock 9
  look
  [ ${#missing[@]} -gt 0 ] || exit 0
fi

scratch=$dir/build
rm -rf "$scratch" && mkdir -p "$scratch"
trap 'rm -rf "$scratch"; [ -z "${reporter:-}" ] || kill "$reporter" 2> /dev/null || :' EXIT
trap 'exit 1' INT TERM HUP

required=$(awk '$1 == "go" { print $2 }' "$here"/{anp,cnp,cyclonus,kubernetes,node}/go.mod | sort -V | tail -n 1)
# shellcheck source=../find-go.sh
. "$here/../find-go.sh"
find_go "$here/cnp" "$required" || exit 3

# Static programs without debug information; what the linker would strip is not even generated.
export CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off
kubernetes=$(awk '$1 == "require" && $2 == "k8s.io/kubernetes" { print $3 }' "$here/kubernetes/go.mod")
stamp="-X k8s.io/component-base/version.gitVersion=$kubernetes -X k8s.io/client-go/pkg/version.gitVersion=$kubernetes"
common=(-trimpath -gcflags=all=-dwarf=false -p "${NORTHGATE_BUILD_JOBS:-$(nproc)}")
stamped=("${common[@]}" -ldflags "-s -w $stamp")

# -v prints a package's name when its compilation begins; where it means the tests' own words, -x prints the compiler's command.
build() { # build PROGRAM
  local out=$scratch/$1 modules=() check=(-test.list .)
  cd "$here/$(module_of "$1")"
  case $1 in
    agnhost)
      if [ $sctp = replaced ]; then
        cp go.mod go.sum "$scratch/"
        "$go" mod edit -replace "github.com/ishidawataru/sctp=$here/sctp" "$scratch/go.mod"
        modules=(-modfile "$scratch/go.mod")
      fi
      "$go" build -v -buildvcs=false "${stamped[@]}" "${modules[@]}" -o "$out" k8s.io/kubernetes/test/images/agnhost
      check=(--version)
      ;;
    kube-controller-manager | kubelet | kube-scheduler)
      "$go" build -v -buildvcs=false "${stamped[@]}" -o "$out" "k8s.io/kubernetes/cmd/$1"
      check=(--version)
      ;;
    cyclonus)
      "$go" build -v -buildvcs=false "${common[@]}" -ldflags "-s -w" -o "$out" github.com/mattfenwick/cyclonus/cmd/cyclonus
      check=(generate --mock --dry-run)
      ;;
    netpol.test) "$go" test -x -c "${stamped[@]}" -o "$out" ./netpol ;;
    *) "$go" test -x -c "${common[@]}" -ldflags "-s -w" -o "$out" sigs.k8s.io/network-policy-api/conformance ;;
  esac
  "$out" "${check[@]}"
}

say "building ${missing[*]} with Go $version ($go); all of them take about 6 minutes the first time"
for program in "${missing[@]}"; do
  started=$SECONDS
  : > "$scratch/log"
  while sleep 30; do
    say "$program: compiled $(grep -cE '/compile -o |^[^ ]+$' "$scratch/log") packages, $((SECONDS - started)) s"
  done 9>&- &
  reporter=$!
  failed=no
  # A function in a condition goes on after an error, so it runs in a shell of its own.
  (set -e; build "$program") >> "$scratch/log" 2>&1 9>&- & wait $! || failed=yes
  kill "$reporter" 2> /dev/null || :
  wait "$reporter" 2> /dev/null || :
  reporter=
  if [ $failed = yes ]; then
    say "building $program failed:"
    tail -n 20 "$scratch/log" >&2
    exit 1
  fi
  mv "$scratch/$program" "$dir/bin/$program"
  [ "$program" != agnhost ] || printf '%s\n' "$sctp" > "$dir/bin/agnhost.sctp"
  mark_of "$program" > "$dir/marks/$program"
  say "$program is ready ($(du -m "$dir/bin/$program" | cut -f 1) MB, $((SECONDS - started)) s)"
done
