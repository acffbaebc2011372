#!/bin/bash
# fetch-ovn.sh DIR [SUITE]: a private OVN in DIR, without root and without installing anything.
#
# Packages come from the mirror this machine's own apt already uses, checked with the keys apt trusts. Every program is
# started by the C library that came with it, so the machine's own may be older. The result is DIR/bin, DIR/schema and
# DIR/.ok; DIR can be moved. Parallel callers wait for one another. A failure leaves no DIR behind. Exit codes: 0 OVN is in
# DIR, 1 fetching failed, 2 wrong usage, 3 this machine cannot fetch it.
set -euo pipefail
export LC_ALL=C

oldest=23.06 # the first OVN whose ACLs have tiers
wanted=(ovn-central ovn-host openvswitch-switch)
# What the programs load, as ldd tells for trixie and sid. When it no longer holds, apt's solver names the packages.
closed=(ovn-common ovn-central ovn-host openvswitch-common openvswitch-switch
  libc6 libcap-ng0 libcap2 libssl3t64 libevent-2.1-7t64 libelf1t64 libbpf1 libnuma1 libudev1 libunbound8 libxdp1
  zlib1g libzstd1)
programs=(ovsdb-server ovsdb-tool ovsdb-client ovn-northd ovn-nbctl ovn-sbctl ovn-trace ovn-controller
  ovs-vswitchd ovs-vsctl ovs-appctl)

# shellcheck source=support/fetching.sh
. "$(dirname "$0")/support/fetching.sh"
cannot() {
  say "$*; install OVN >= $oldest (ovn-central, ovn-host, openvswitch-switch) or name one in NORTHGATE_OVN_PREFIX"
  exit 3
}

[ $# -ge 1 ] && [ $# -le 2 ] || { echo "usage: fetch-ovn.sh DIR [SUITE]" >&2; exit 2; }
begin ovn "$(readlink -m "$1")"
needs apt-get apt-cache dpkg dpkg-deb

distribution=$(. /etc/os-release && echo "${ID:-}")
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
version=$(. /etc/os-release && echo "${VERSION_ID:-}")

# Releases to try, the nearest to this machine first.
suites=()
if [ $# = 2 ]; then
  suites=("$2")
elif [ "$distribution" = debian ]; then
  { [ -z "$version" ] || [ "${version%%.*}" -ge 13 ]; } && [ -n "$release" ] && suites+=("$release")
  suites+=(trixie sid)
else
  suites=("$release")
fi

# The mirror: where apt gets this machine's own release from, with the components and the key of that entry.
sources=$(apt-get indextargets --format '$(RELEASE)|$(COMPONENT)|$(REPO_URI)|$(SIGNED_BY)' 'Created-By: Packages' |
  awk -F'|' -v release="$release" '$1 == release')
mirror=$(awk -F'|' 'NR == 1 { print $3 }' <<< "$sources")
components=$(awk -F'|' -v mirror="$mirror" '$3 == mirror { print $2 }' <<< "$sources" | sort -u | tr '\n' ' ')
key=$(awk -F'|' 'NR == 1 { print $4 }' <<< "$sources")
[ -n "$mirror" ] || cannot "apt on this machine has no source for its own release '$release'"
[ -n "$key" ] || key=/usr/share/keyrings/$distribution-archive-keyring.gpg

# An apt that shares nothing with the machine's: neither its package status, its pins, its lists nor its locks.
options=(
  -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts="$apt/none"
  -o Dir::State="$apt" -o Dir::State::Lists="$apt/lists" -o Dir::State::status="$apt/status"
  -o Dir::Cache="$apt/cache" -o Dir::Log=/dev/null -o Debug::NoLocking=1
  -o APT::Sandbox::User= -o APT::Update::Post-Invoke::= -o APT::Architectures::="$(dpkg --print-architecture)"
  -o Acquire::Languages=none -o Acquire::Retries=3
  -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false
)

index() { # index SUITE: read its package lists; false when it has no OVN that will do
  rm -rf "$apt" && mkdir -p "$apt/none" "$apt/lists/partial" "$apt/cache/archives/partial"
  : > "$apt/status"
  local trust=""
  [ -e "$key" ] && trust="[signed-by=$key] "
  printf 'deb %s%s %s %s\n' "$trust" "$mirror" "$1" "$components" > "$apt/sources.list"
  apt-get "${options[@]}" -qq update > "$apt/log" 2>&1 || return 1
  local has
  has=$(apt-cache "${options[@]}" --no-all-versions show ovn-central 2> /dev/null | awk '/^Version:/ { print $2 }')
  [ -n "$has" ] && dpkg --compare-versions "$has" ge "$oldest" && say "fetching OVN $has of $1"
}

download_closed() {
  (cd "$apt/cache/archives" && apt-get "${options[@]}" -qq download "${closed[@]}") > "$apt/log" 2>&1
}

download_solved() {
  rm -f "$apt"/cache/archives/*.deb
  apt-get "${options[@]}" -qq install --download-only --yes --no-install-recommends "${wanted[@]}" \
    > "$apt/log" 2>&1
}

wrap() { # wrap PROGRAM: a script of its name that starts it by its own loader
  local name=${1##*/}
  starter "$name" "exec \"$loader\" --argv0 $name --library-path \"$libraries\" \"$1\" \"\$@\""
}

unpack() {
  local root=$dir/root file
  rm -rf "$root" "$dir/bin" "$dir/schema"
  mkdir -p "$root" "$dir/bin" "$dir/schema"
  for file in "$apt"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$file" | tar -x -C "$root" --no-same-owner --keep-directory-symlink \
      --exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='./usr/share/locale' \
      --exclude='./usr/share/i18n' --exclude='*/gconv' || return 1
  done
  libraries=$(dirname "$(find "$root" -name libc.so.6 | head -n 1)")
  loader=$(find "$libraries" -maxdepth 1 \( -name 'ld-linux*.so.*' -o -name 'ld64.so.*' \) | head -n 1)
  [ -n "$loader" ] || return 1
  for file in "$root"/usr/lib/openvswitch-switch/* "$root"/usr/sbin/* "$root"/usr/bin/*; do
    case ${file##*/} in ov[ns]*) ;; *) continue ;; esac
    [ "$(head -c 4 "$file" 2> /dev/null | tr -d '\0')" = $'\x7fELF' ] && wrap "$file"
  done
  find "$root/usr/share" -name '*.ovsschema' -exec cp {} "$dir/schema/" \;
  for file in "${programs[@]}"; do
    "$dir/bin/$file" --version > "$apt/log" 2>&1 || return 1
  done
  grep -q '"tier"' "$dir/schema/ovn-nb.ovsschema"
}

for suite in "${suites[@]}"; do
  say "reading the package lists of $suite"
  index "$suite" || { say "no OVN >= $oldest in $suite"; tail -n 3 "$apt/log" >&2; continue; }
  if download_closed && unpack; then :; else
    say "the known list of packages does not do for $suite, asking apt which ones do"
    download_solved && unpack || { say "$suite failed"; tail -n 3 "$apt/log" >&2; continue; }
  fi
  finish "$("$dir/bin/ovn-nbctl" --version | awk 'NR == 1 { print $NF }')"
  exit 0
done
say "could not fetch OVN from the mirror of this machine (tried: ${suites[*]})"
exit 1
