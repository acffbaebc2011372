#!/bin/bash
# fetch-netfilter.sh DIR: Debian's iptables, ipset and nftables in DIR, without root and without installing anything:
# DIR/bin/iptables-nft-restore, DIR/bin/iptables-legacy-save, DIR/bin/ipset and others, and DIR/.ok with the version of iptables.
#
# Packages come from the sources of this machine's own apt, checked with the keys apt trusts: the tools, and what of their libraries
# is not installed here. DIR can be moved. Parallel callers wait for one another.
# A failure leaves no DIR behind. Exit codes: 0 it is in DIR, 1 fetching failed, 2 wrong usage, 3 this machine cannot fetch it.
set -euo pipefail
export LC_ALL=C

wanted=(iptables ipset nftables)

# shellcheck source=support/fetching.sh
. "$(dirname "$0")/support/fetching.sh"
cannot() {
  say "$*; install Debian's packages iptables, ipset and nftables"
  exit 3
}

[ $# = 1 ] || { echo "usage: fetch-netfilter.sh DIR" >&2; exit 2; }
begin netfilter "$(readlink -m "$1")"
needs apt-get dpkg dpkg-deb

# The machine's sources and its list of installed packages; everything that is written is in DIR.
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
options=(
  -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o Dir::Log=/dev/null -o Debug::NoLocking=1
  -o APT::Sandbox::User= -o APT::Update::Post-Invoke::= -o Acquire::Languages=none -o Acquire::Retries=3
)
apt-get "${options[@]}" -qq update > "$apt/log" 2>&1 || { tail -n 3 "$apt/log" >&2; say "no package lists"; exit 1; }
apt-get "${options[@]}" -qq install --download-only --reinstall --yes --no-install-recommends "${wanted[@]}" > "$apt/log" 2>&1 ||
  { tail -n 3 "$apt/log" >&2; cannot "this machine's apt has no iptables, ipset and nftables"; }

root=$dir/root
mkdir -p "$root" "$dir/bin"
for file in "$apt"/cache/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$file" | tar -x -C "$root" --no-same-owner --keep-directory-symlink \
    --exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='./usr/share/locale'
done
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
