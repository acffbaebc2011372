#!/bin/bash
# fetch-chromium.sh DIR: Debian's Chromium in DIR, without root and without installing anything: DIR/bin/chromium, and
# DIR/.ok with its version. It is the one without a window (chromium-headless-shell), which takes less of the processor.
#
# Packages come from the sources of this machine's own apt, checked with the keys apt trusts: Chromium, a font, and what of
# their libraries is not installed here. DIR can be moved. Parallel callers wait for one another.
# A failure leaves no DIR behind. Exit codes: 0 it is in DIR, 1 fetching failed, 2 wrong usage, 3 this machine cannot fetch it.
set -euo pipefail
export LC_ALL=C

# shellcheck source=support/fetching.sh
. "$(dirname "$0")/support/fetching.sh"
cannot() {
  say "$*; install Debian's package chromium-headless-shell, or name a Chromium in NORTHGATE_CHROMIUM"
  exit 3
}

[ $# = 1 ] || { echo "usage: fetch-chromium.sh DIR" >&2; exit 2; }
begin chromium "$(readlink -m "$1")"
needs apt-get dpkg dpkg-deb

download "chromium-headless-shell" chromium-headless-shell fonts-inter fonts-jetbrains-mono
root=$dir/root
unpack_packages "$root"
mkdir -p "$dir/bin"
program=$root/usr/lib/chromium/chromium-headless-shell
[ -e "$program" ] || program=/usr/lib/chromium/chromium-headless-shell # it is installed, and only the fonts were missing
[ -x "$program" ] || { say "the package has no program"; exit 1; }
libraries=$(find "$root" -name '*.so*' -printf '%h\n' | sort -u | tr '\n' ':')
starter chromium "export LD_LIBRARY_PATH=\"${libraries%:}\" XDG_DATA_HOME=\"$root/usr/share\"
exec \"$program\" \"\$@\""
version=$("$dir/bin/chromium" --version 2> "$apt/log") || { tail -n 3 "$apt/log" >&2; say "it does not start"; exit 1; }
finish "$version"
