#!/bin/sh
# Builds the Debian packages of the committed tree, from a clean clone, and has lintian look at them: packages.sh [FOLDER] (build-packages).
# RELEASES are the releases of Debian to build for (default: this machine's); another than this machine's is built in a chroot made by
# debootstrap (needs root). The packages are in FOLDER/RELEASE. With CHECK=1 they are also installed, upgraded, removed and purged in a
# fresh Debian of their release (needs root), and the tests of debian/tests run there. MAINTAINER, such as "Ann <ann@example.org>", is who
# answers for the packages; without it they name the placeholder of debian/control, which no mail reaches.
set -eu
cd "$(dirname "$0")/.."
folder=$(mkdir -p "${1:-build-packages}" && cd "${1:-build-packages}" && pwd)
# shellcheck disable=SC1091
here=$(. /etc/os-release && echo "$VERSION_CODENAME")
case ${MAINTAINER:-a <b@c>} in
*[\|\&\\]* | "<"*) wrong=1 ;;
*" <"?*@?*">") wrong= ;;
*) wrong=1 ;;
esac
[ -z "$wrong" ] || {
        echo "packages: MAINTAINER=$MAINTAINER: expected a name and an address, such as \"Ann <ann@example.org>\"" >&2
        exit 2
}
scripts/setup.sh packages

# clone_for RELEASE: the committed tree in FOLDER/RELEASE/berth, whose version says the release, so that an upgrade of Debian upgrades
# the package
clone_for() {
        case $1 in
        bookworm) number=12 ;;
        trixie) number=13 ;;
        *)
                echo "packages: release $1: expected bookworm or trixie" >&2
                exit 2
                ;;
        esac
        rm -rf "$folder/$1" && mkdir -p "$folder/$1"
        git clone --quiet --no-hardlinks . "$folder/$1/berth"
        sed -i "1s/(\([^)]*\))/(\1+deb${number}u1)/" "$folder/$1/berth/debian/changelog"
        [ -z "${MAINTAINER:-}" ] || sed -i "s|^Maintainer: .*|Maintainer: $MAINTAINER|; 1,/^ -- /s|^ -- .*>  | -- $MAINTAINER  |" \
                "$folder/$1/berth/debian/control" "$folder/$1/berth/debian/changelog"
}

# build_here RELEASE: with this machine's own tools
build_here() {
        (cd "$folder/$1/berth" && dpkg-buildpackage --build=binary --no-sign --jobs=2) >"$folder/$1/build.log" 2>&1 || {
                tail -n 30 "$folder/$1/build.log"
                exit 1
        }
        lintian --fail-on error --tag-display-limit 0 "$folder/$1"/*.changes # errors fail, warnings are printed
}

# build_in_chroot RELEASE: with that release's tools
build_in_chroot() {
        root=$folder/$1/build-chroot
        scripts/chroot.sh "$1" "$root" "$folder/$1/debootstrap.log"
        mv "$folder/$1/berth" "$root/berth"
        DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 chroot "$root" /bin/sh -ec "
                apt-get -q update
                apt-get -q -y --no-install-recommends install build-essential lintian
                apt-get -q -y --no-install-recommends build-dep /berth
                cd /berth && dpkg-buildpackage --build=binary --no-sign --jobs=2
                lintian --allow-root --fail-on error --tag-display-limit 0 ../*.changes >/lintian 2>&1" >"$folder/$1/build.log" 2>&1 || {
                tail -n 30 "$folder/$1/build.log" "$root/lintian"
                exit 1
        }
        cat "$root/lintian"
        mv "$root"/*.deb "$root"/*.changes "$root"/*.buildinfo "$folder/$1"
        rm -rf "$root"
}

for release in ${RELEASES:-$here}; do
        clone_for "$release"
        if [ "$release" = "$here" ]; then
                build_here "$release"
        else
                build_in_chroot "$release"
        fi
        rm -rf "$folder/$release/berth"
        ls -l "$folder/$release"/*.deb
        [ -z "${CHECK:-}" ] || scripts/packages_check.sh "$folder/$release" "$release"
done
