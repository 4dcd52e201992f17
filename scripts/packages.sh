#!/bin/sh
# Builds the Debian packages of the committed tree for the release of this machine, from a clean clone, and has lintian look at them:
# packages.sh [FOLDER] (build-packages). With CHECK=1 they are also installed, upgraded, removed and purged in a fresh Debian of the
# same release (needs root), and the tests of debian/tests run there.
set -eu
cd "$(dirname "$0")/.."
folder=$(mkdir -p "${1:-build-packages}" && cd "${1:-build-packages}" && pwd)
scripts/setup.sh packages

rm -rf "$folder/berth" "$folder"/*.deb "$folder"/*.changes "$folder"/*.buildinfo
git clone --quiet --no-hardlinks . "$folder/berth"
(cd "$folder/berth" && dpkg-buildpackage --build=binary --no-sign --jobs=2) >"$folder/build.log" 2>&1 || {
        tail -n 30 "$folder/build.log"
        exit 1
}
rm -rf "$folder/berth"
# Errors fail, warnings are printed.
lintian --fail-on error --tag-display-limit 0 "$folder"/*.changes
ls -l "$folder"/*.deb
[ -z "${CHECK:-}" ] || scripts/packages_check.sh "$folder"
