#!/bin/bash
# fetch-schema.sh DIR: the Northbound schema of the OVN that this machine's own release has, in DIR/schema, with that OVN's version in
# DIR/version: of Debian 12 it is too old to run with. Exit codes: 0 it is there, 1 apt does not have it.
set -euo pipefail
dir=$1
[ -s "$dir/version" ] && exit 0
rm -rf "$dir" && mkdir -p "$dir/schema"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch" # apt reads it as another user
(cd "$scratch" && apt-get -qq -o APT::Sandbox::User= download ovn-central)
dpkg-deb --fsys-tarfile "$scratch"/ovn-central_*.deb | tar -x -O ./usr/share/ovn/ovn-nb.ovsschema > "$dir/schema/ovn-nb.ovsschema"
dpkg-deb --field "$scratch"/ovn-central_*.deb Version > "$dir/version"
