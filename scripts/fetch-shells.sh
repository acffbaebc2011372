#!/bin/bash
# fetch-shells.sh DIR: Debian's zsh and fish in DIR, without root and without installing anything: DIR/bin/zsh and DIR/bin/fish, and
# DIR/.ok with their versions.
#
# Packages come from the sources of this machine's own apt, checked with the keys apt trusts: the shells, and what of their libraries is not
# installed here. DIR can be moved. Parallel callers wait for one another.
# A failure leaves no DIR behind. Exit codes: 0 they are in DIR, 1 fetching failed, 2 wrong usage, 3 this machine cannot fetch them.
set -euo pipefail
export LC_ALL=C

# shellcheck source=support/fetching.sh
. "$(dirname "$0")/support/fetching.sh"
cannot() {
  say "$*; install Debian's packages zsh and fish"
  exit 3
}

[ $# = 1 ] || { echo "usage: fetch-shells.sh DIR" >&2; exit 2; }
begin shells "$(readlink -m "$1")"
needs apt-get dpkg dpkg-deb

download "zsh and fish" --reinstall zsh zsh-common fish fish-common
root=$dir/root
unpack_packages "$root"
mkdir -p "$dir/bin"
libraries=$(find "$root" -name '*.so*' -not -path '*/zsh/*' -printf '%h\n' | sort -u | tr '\n' ':')
modules=$(find "$root/usr/lib" -type d -path '*/zsh/*' -name zsh | head -n 1)
modules=${modules%/zsh}
functions=$(find "$root/usr/share/zsh/functions" -type d | tr '\n' ':')
[ -n "$modules" ] || { say "the package of zsh has no modules"; exit 1; }
# A shell that is not installed looks for its own files where it would be.
starter zsh "export LD_LIBRARY_PATH=\"${libraries%:}\" NORTHGATE_ZSH_MODULES=\"$modules\" FPATH=\"${functions%:}\"
exec \"$(find "$root" -path '*/bin/zsh*' -type f | head -n 1)\" \"\$@\""
starter fish "export LD_LIBRARY_PATH=\"${libraries%:}\"
exec \"$root/usr/bin/fish\" --no-config --init-command \"set -g fish_function_path '$root/usr/share/fish/functions'\" \"\$@\""
version="$("$dir/bin/zsh" --version 2> "$apt/log") and $("$dir/bin/fish" --version 2>> "$apt/log")" ||
  { tail -n 3 "$apt/log" >&2; say "they do not start"; exit 1; }
finish "$version"
