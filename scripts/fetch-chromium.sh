#!/bin/bash
# fetch-chromium.sh DIR: Debian's Chromium in DIR, without root and without installing anything: DIR/bin/chromium, and
# DIR/.ok with its version.
#
# Packages come from the sources of this machine's own apt, checked with the keys apt trusts: Chromium, a font, and what of
# their libraries is not installed here. DIR can be moved. Parallel callers wait for one another.
# A failure leaves no DIR behind. Exit codes: 0 it is in DIR, 1 fetching failed, 2 wrong usage, 3 this machine cannot fetch it.
set -euo pipefail
export LC_ALL=C

wanted=(chromium fonts-inter fonts-jetbrains-mono)

# shellcheck source=support/fetching.sh
. "$(dirname "$0")/support/fetching.sh"
cannot() {
  say "$*; install Debian's package chromium, or name a Chromium in NORTHGATE_CHROMIUM"
  exit 3
}

[ $# = 1 ] || { echo "usage: fetch-chromium.sh DIR" >&2; exit 2; }
begin chromium "$(readlink -m "$1")"
needs apt-get dpkg dpkg-deb

# The machine's sources and its list of installed packages; everything that is written is in DIR.
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
options=(
  -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o Dir::Log=/dev/null -o Debug::NoLocking=1
  -o APT::Sandbox::User= -o APT::Update::Post-Invoke::= -o Acquire::Languages=none -o Acquire::Retries=3
)
apt-get "${options[@]}" -qq update > "$apt/log" 2>&1 || { tail -n 3 "$apt/log" >&2; say "no package lists"; exit 1; }
apt-get "${options[@]}" -qq install --download-only --yes --no-install-recommends "${wanted[@]}" > "$apt/log" 2>&1 ||
  { tail -n 3 "$apt/log" >&2; cannot "this machine's apt has no chromium"; }

root=$dir/root
mkdir -p "$root" "$dir/bin"
for file in "$apt"/cache/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$file" | tar -x -C "$root" --no-same-owner --keep-directory-symlink \
    --exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='./usr/share/locale'
done
program=$root/usr/lib/chromium/chromium
[ -e "$program" ] || program=/usr/lib/chromium/chromium # it is installed, and only the fonts were missing
[ -x "$program" ] || { say "the package has no program"; exit 1; }
libraries=$(find "$root" -name '*.so*' -printf '%h\n' | sort -u | tr '\n' ':')
starter chromium "export LD_LIBRARY_PATH=\"${libraries%:}\" XDG_DATA_HOME=\"$root/usr/share\"
exec \"$program\" \"\$@\""
version=$("$dir/bin/chromium" --version 2> "$apt/log") || { tail -n 3 "$apt/log" >&2; say "it does not start"; exit 1; }
finish "$version"
