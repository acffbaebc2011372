# Sourced by the builds of e2e: find_go FOLDER REQUIRED, which sets $go and $version to a Go of this machine, or to one that a build
# has fetched, that can build the module in FOLDER and is at least REQUIRED; one since 1.21 fetches a newer toolchain by itself.
# $dir is the build's own folder. Returns 1 where there is none and none can be fetched.
e2e=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

recent_go() { # recent_go GO FOLDER REQUIRED: whether it is; its version is then in $version
  local word
  word=$(cd "$2" && "$1" env GOVERSION 2> /dev/null) || return 1
  version=${word#go}
  version=${version%% *}
  [ "$(printf '%s\n' "$3" "$version" | sort -V | head -n 1)" = "$3" ]
}

go_here() {
  local candidate
  for candidate in "$(command -v go || :)" /usr/local/go/bin/go /usr/lib/go-1.*/bin/go \
    "$e2e"/../.cache/controlplane/go/usr/lib/go-1.*/bin/go "$dir"/go/usr/lib/go-1.*/bin/go; do
    if [ -x "$candidate" ] && recent_go "$candidate" "$1" "$2"; then go=$candidate; return; fi
  done
  return 1
}

find_go() {
  go_here "$1" "$2" || { "$e2e/controlplane/fetch-go.sh" "$dir/go" "$2" && go_here "$1" "$2"; } || {
    say "needs Go >= $2, and neither PATH nor the package manager has one that runs: install it (https://go.dev/doc/install)"
    return 1
  }
}
