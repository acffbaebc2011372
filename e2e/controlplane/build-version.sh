#!/bin/bash
# build-version.sh MINOR: the control plane of another Kubernetes, for example `build-version.sh 1.32`, in
# .cache/controlplane-MINOR/bin. The versions that can be asked for are the folders with a go.mod here; generate.sh writes them.
#
# build.sh builds the module beside it, so it runs as a copy beside that of the version. Exit codes: those of build.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] && [ -f "$here/$1/go.mod" ] || {
  echo "usage: build-version.sh MINOR, one of: $(cd "$here" && echo */go.mod | sed 's#/go.mod##g')" >&2
  exit 2
}
dir=$(readlink -m "$here/../../.cache/controlplane-$1")
mkdir -p "$dir/module"
cp "$here"/{build.sh,fetch-go.sh} "$here/$1"/go.{mod,sum} "$dir/module/"
exec "$dir/module/build.sh" "$dir"
