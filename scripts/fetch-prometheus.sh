#!/bin/bash
# fetch-prometheus.sh DIR: Debian's Prometheus in DIR/bin (prometheus, promtool), without root and without installing anything.
#
# The package comes from the lists that this machine's apt has, else from its own mirrors read anew, checked with the keys apt
# trusts. It is of this machine's release, so its C library will do. The mark DIR/.ok has the version. Parallel callers wait
# for one another; a failure leaves no DIR behind. Exit codes: 0 both are in DIR/bin, 1 fetching failed, 2 wrong usage, 3 this
# machine cannot fetch them.
set -euo pipefail
export LC_ALL=C

# shellcheck source=support/fetching.sh
. "$(dirname "$0")/support/fetching.sh"
cannot() {
  say "$*; install prometheus (prometheus, promtool)"
  exit 3
}

[ $# = 1 ] || { echo "usage: fetch-prometheus.sh DIR" >&2; exit 2; }
begin prometheus "$(readlink -m "$1")"
needs apt-get dpkg-deb
mkdir -p "$dir/bin" "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/got"
: > "$apt/status"

# Where this machine's lists cannot be read or are out of date: its own sources, with lists of ours.
ours=(
  -o Dir::State="$apt/state" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" -o Debug::NoLocking=1
  -o APT::Update::Post-Invoke::= -o Acquire::Languages=none -o Acquire::Retries=3
)
get() { (cd "$apt/got" && apt-get "$@" -qq -o APT::Sandbox::User= download prometheus) > "$apt/log" 2>&1; }

say "fetching prometheus from this machine's package manager"
get || { apt-get "${ours[@]}" -qq -o APT::Sandbox::User= update > "$apt/log" 2>&1 && get "${ours[@]}"; } || {
  tail -n 3 "$apt/log" >&2
  cannot "apt on this machine has no package prometheus"
}
dpkg-deb --fsys-tarfile "$apt"/got/prometheus_*.deb |
  tar -x -C "$dir/bin" --no-same-owner --strip-components=3 ./usr/bin/prometheus ./usr/bin/promtool
for program in prometheus promtool; do
  "$dir/bin/$program" --version > "$apt/log" 2>&1 || { say "$program does not run: $(tail -n 1 "$apt/log")"; exit 1; }
done
version=$("$dir/bin/prometheus" --version | awk 'NR == 1 { print $3 }')
finish "Prometheus $version"
