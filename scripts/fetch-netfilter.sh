#!/bin/bash
# fetch-netfilter.sh DIR: Debian's iptables, ipset and nftables in DIR, without root and without installing anything:
# DIR/bin/iptables-nft-restore, DIR/bin/iptables-legacy-save, DIR/bin/ipset and others, and DIR/.ok with the version of iptables.
#
# Packages come from the sources of this machine's own apt, checked with the keys apt trusts: the tools, and what of their libraries
# is not installed here. DIR can be moved. Parallel callers wait for one another.
# A failure leaves no DIR behind. Exit codes: 0 it is in DIR, 1 fetching failed, 2 wrong usage, 3 this machine cannot fetch it.
set -euo pipefail
export LC_ALL=C

# shellcheck source=support/fetching.sh
. "$(dirname "$0")/support/fetching.sh"
cannot() {
  say "$*; install Debian's packages iptables, ipset and nftables"
  exit 3
}

[ $# = 1 ] || { echo "usage: fetch-netfilter.sh DIR" >&2; exit 2; }
begin netfilter "$(readlink -m "$1")"
needs apt-get dpkg dpkg-deb

download "iptables, ipset and nftables" --reinstall iptables ipset nftables
root=$dir/root
unpack_packages "$root"
mkdir -p "$dir/bin"
libraries=$(find "$root" -name '*.so*' -not -path '*/xtables/*' -printf '%h\n' | sort -u | tr '\n' ':')
modules=$(find "$root" -type d -name xtables | head -n 1)
[ -n "$modules" ] || { say "the packages have no matches for iptables"; exit 1; }
for flavour in nft legacy; do
  for tool in iptables ip6tables; do
    for verb in "" -save -restore; do
      starter "$tool-$flavour$verb" "export LD_LIBRARY_PATH=\"${libraries%:}\" XTABLES_LIBDIR=\"$modules\"
exec \"$root/usr/sbin/xtables-$flavour-multi\" $tool$verb \"\$@\""
    done
  done
done
for tool in ipset nft; do
  starter "$tool" "export LD_LIBRARY_PATH=\"${libraries%:}\"
exec \"$root/usr/sbin/$tool\" \"\$@\""
done
version=$("$dir/bin/iptables-nft" --version 2> "$apt/log") || { tail -n 3 "$apt/log" >&2; say "it does not start"; exit 1; }
finish "$version"
