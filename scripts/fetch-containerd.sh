#!/bin/bash
# fetch-containerd.sh DIR: Debian's containerd and runc in DIR, without root and without installing anything: DIR/bin/containerd,
# DIR/bin/containerd-shim-runc-v2, DIR/bin/ctr, DIR/bin/runc, and DIR/.ok with the version of containerd.
#
# Packages come from the sources of this machine's own apt, checked with the keys apt trusts: the programs, and what of their
# libraries is not installed here. DIR can be moved. Parallel callers wait for one another.
# A failure leaves no DIR behind. Exit codes: 0 it is in DIR, 1 fetching failed, 2 wrong usage, 3 this machine cannot fetch it.
set -euo pipefail
export LC_ALL=C

# shellcheck source=support/fetching.sh
. "$(dirname "$0")/support/fetching.sh"
cannot() {
  say "$*; install Debian's packages containerd and runc"
  exit 3
}

[ $# = 1 ] || { echo "usage: fetch-containerd.sh DIR" >&2; exit 2; }
begin containerd "$(readlink -m "$1")"
needs apt-get dpkg dpkg-deb

download "containerd and runc" --reinstall containerd runc
root=$dir/root
unpack_packages "$root"
rm "$root"/usr/bin/containerd-shim "$root"/usr/bin/containerd-shim-runc-v1 # of older containers
mkdir -p "$dir/bin"
libraries=$(find "$root" -name '*.so*' -printf '%h\n' | sort -u | tr '\n' ':')
for program in usr/bin/containerd usr/bin/containerd-shim-runc-v2 usr/bin/ctr usr/sbin/runc; do
  starter "$(basename "$program")" "export LD_LIBRARY_PATH=\"${libraries%:}\"
exec \"$root/$program\" \"\$@\""
done
version=$("$dir/bin/containerd" --version 2> "$apt/log" | awk '{ print $3 }') ||
  { tail -n 3 "$apt/log" >&2; say "it does not start"; exit 1; }
finish "$version"
