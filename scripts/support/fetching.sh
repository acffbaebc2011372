# shellcheck shell=bash
# Sourced by the scripts that fetch programs of Debian's packages into a folder of their own, without root. The mark DIR/.ok
# says that DIR is whole. Parallel callers wait for one another; whatever ends the script before `finish` takes DIR away.
#
#   begin NAME DIR    takes DIR's lock; ends the script with 0 when it is whole; otherwise DIR is new, and `say` says NAME
#   needs TOOL...     calls `cannot`, which the script defines, when the machine has none of that name
#   starter NAME TEXT DIR/bin/NAME is a shell script of this text; DIR in it is where the script is found, so DIR can be moved
#   download WHAT [OPTION...] PACKAGE...  from the sources of the machine's own apt, with what of their libraries is not installed
#   unpack_packages ROOT  everything that was downloaded, without documents
#   finish TEXT       DIR is whole, and its mark says TEXT (the version)

say() { printf '%s: %s\n' "$name" "$*" >&2; }

needs() {
  local tool
  for tool in "$@"; do command -v "$tool" > /dev/null || cannot "there is no $tool on this machine"; done
}

begin() {
  name=$1 dir=$2
  [ -e "$dir/.ok" ] && exit 0
  needs flock
  mkdir -p "$(dirname "$dir")"
  exec 9> "$dir.lock"
  if ! flock --nonblock 9; then
    say "another process is fetching it into $dir, waiting for that"
    flock 9
  fi
  [ -e "$dir/.ok" ] && exit 0
  rm -rf "$dir" # what a killed run left
  done=no
  trap '[ $done = yes ] || rm -rf "$dir"' EXIT
  trap 'exit 1' INT TERM HUP
  apt=$dir/apt
  mkdir -p "$dir"
}

starter() {
  # shellcheck disable=SC2016 # the script expands it
  printf '#!/bin/sh\nhere=${0%%/*}/..\n%s\n' "${2//"$dir"/'$here'}" > "$dir/bin/$1"
  chmod +x "$dir/bin/$1"
}

# The machine's sources and its list of installed packages; everything that is written is in DIR.
download() {
  local what=$1
  shift
  local options=(
    -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o Dir::Log=/dev/null -o Debug::NoLocking=1
    -o APT::Sandbox::User= -o APT::Update::Post-Invoke::= -o Acquire::Languages=none -o Acquire::Retries=3
  )
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  apt-get "${options[@]}" -qq update > "$apt/log" 2>&1 || { tail -n 3 "$apt/log" >&2; say "no package lists"; exit 1; }
  apt-get "${options[@]}" -qq install --download-only --yes --no-install-recommends "$@" > "$apt/log" 2>&1 ||
    { tail -n 3 "$apt/log" >&2; cannot "this machine's apt has no $what"; }
}

unpack_packages() {
  local file
  mkdir -p "$1"
  for file in "$apt"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$file" | tar -x -C "$1" --no-same-owner --keep-directory-symlink \
      --exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='./usr/share/locale'
  done
}

finish() {
  rm -rf "$apt"
  printf '%s\n' "$1" > "$dir/.ok"
  done=yes
  say "$1 is in $dir ($(du -sm "$dir" | cut -f 1) MB, $SECONDS s)"
}
