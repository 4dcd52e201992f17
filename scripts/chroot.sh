#!/bin/sh
# A minimal Debian of RELEASE in FOLDER, unless one is there: chroot.sh RELEASE FOLDER LOG. Needs root; takes the mirror from this
# machine's own apt.
set -eu
release=$1 root=$2 log=$3
[ ! -e "$root/etc/debian_version" ] || exit 0
[ "$(id -u)" -eq 0 ] || {
        echo "packages: root is needed for a chroot" >&2
        exit 1
}
echo "packages: a fresh $release in $root"
mirror=$("$(dirname "$0")/setup.sh" mirror)
debootstrap --variant=minbase "$release" "$root" "$mirror" >"$log" 2>&1 || {
        tail -n 5 "$log"
        exit 1
}
