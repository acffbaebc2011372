#!/bin/bash
# fetch-go.sh DIR MINIMUM: a private Go of at least version MINIMUM in DIR, without root and without installing anything.
#
# Packages come from the lists this machine's apt has, then, on Debian, from later releases on the same mirror, checked
# with the keys apt trusts. The program is DIR/usr/lib/go-*/bin/go. A failure leaves no DIR behind. Exit codes: 0 Go is
# in DIR, 1 this machine's package manager has none that new, 2 wrong usage.
set -euo pipefail
export LC_ALL=C

say() { printf 'control plane: %s\n' "$*" >&2; }
[ $# = 2 ] || { say "usage: fetch-go.sh DIR MINIMUM"; exit 2; }
dir=$(readlink -m "$1")
minimum=$2
minor=${minimum#1.}
minor=${minor%%.*}
for tool in apt-get apt-cache dpkg dpkg-deb; do command -v "$tool" > /dev/null || exit 1; done

done=no
trap '[ $done = yes ] || rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP
rm -rf "$dir" && mkdir -p "$dir"
apt=$dir/apt
log=$dir/log

unpack() { # unpack APT-OPTION...: the newest Go that these lists have
  local package has
  for package in $(apt-cache "$@" pkgnames golang-1. | grep -E '^golang-1\.[0-9]+-go$' | sort -rV); do
    package=${package%-go}
    [ "${package#golang-1.}" -ge "$minor" ] || continue
    has=$(apt-cache "$@" --no-all-versions show "$package-go" 2> /dev/null | awk '/^Version:/ { print $2; exit }')
    [ -n "$has" ] && dpkg --compare-versions "$has" ge "$minimum" || continue
    say "fetching $package $has from this machine's package manager"
    rm -rf "$dir/packages" && mkdir -p "$dir/packages"
    (cd "$dir/packages" && apt-get "$@" -qq -o APT::Sandbox::User= download "$package-go" "$package-src") \
      > "$log" 2>&1 || continue
    for file in "$dir"/packages/*.deb; do dpkg-deb -x "$file" "$dir" || return 1; done
    rm -rf "$dir/packages" "$apt" "$log"
    done=yes
    exit 0
  done
}

unpack

[ "$(. /etc/os-release && echo "${ID:-}")" = debian ] || exit 1
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
sources=$(apt-get indextargets --format '$(RELEASE)|$(REPO_URI)|$(SIGNED_BY)' 'Created-By: Packages' |
  awk -F'|' -v release="$release" '$1 == release { print; exit }')
mirror=$(cut -d '|' -f 2 <<< "$sources")
key=$(cut -d '|' -f 3 <<< "$sources")
[ -n "$mirror" ] || exit 1
[ -n "$key" ] || key=/usr/share/keyrings/debian-archive-keyring.gpg
trust=""
[ -e "$key" ] && trust="[signed-by=$key] "

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
for suite in trixie sid; do
  say "looking for Go >= $minimum in $suite"
  rm -rf "$apt" && mkdir -p "$apt/none" "$apt/lists/partial" "$apt/cache/archives/partial"
  : > "$apt/status"
  printf 'deb %s%s %s main\n' "$trust" "$mirror" "$suite" > "$apt/sources.list"
  apt-get "${options[@]}" -qq update > "$log" 2>&1 || { tail -n 2 "$log" >&2; continue; }
  unpack "${options[@]}"
done
exit 1
