#!/bin/sh
# Packages in a fresh Debian: packages_check.sh FOLDER RELEASE [CHROOT]. Makes one with debootstrap unless CHROOT is one already; installs an older
# version of the packages, upgrades, runs debian/tests, removes and purges, and looks each time at what is there. Says how long it took from
# `apt install` to a first useful answer, where nothing of it was there before: a pod and an eviction explained and done. Needs root.
set -eu
tests=$(cd "$(dirname "$0")/../debian/tests" && pwd)
folder=$(cd "$1" && pwd)
release=$2
root=${3:-$folder/chroot}
"$(dirname "$0")/chroot.sh" "$release" "$root" "$folder/debootstrap.log"
mount -t proc proc "$root/proc" 2>/dev/null || true
trap 'umount "$root/proc" 2>/dev/null || true' EXIT
rm -rf "$root/packages" && mkdir -p "$root/packages/old" "$root/packages/tests"
cp "$folder"/berth_*.deb "$folder"/berth-compat_*.deb "$root/packages"
cp "$tests"/* "$root/packages/tests"
# The same packages as an older version: what an upgrade comes from.
for package in "$root"/packages/*.deb; do
        rm -rf "$root/packages/unpacked"
        dpkg-deb -R "$package" "$root/packages/unpacked"
        sed -i 's/^Version: .*/Version: 0.0.9/; s/berth (>= [^)]*)/berth (>= 0.0.9)/' "$root/packages/unpacked/DEBIAN/control"
        dpkg-deb -b "$root/packages/unpacked" "$root/packages/old/$(basename "$package")" >/dev/null
done
rm -rf "$root/packages/unpacked"

# inside COMMAND: in the chroot, silent unless it fails
inside() {
        DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 chroot "$root" /bin/sh -ec "$1" >"$folder/inside.log" 2>&1 || {
                echo "packages: failed: $1" >&2
                tail -n 20 "$folder/inside.log" >&2
                exit 1
        }
        echo "ok $1"
}
now() {
        date +%s%N
}
inside "apt-get -q update && apt-get -q -y --no-install-recommends install curl"
inside "find / -xdev -not -path '/proc/*' -not -path '/var/*' -not -path '/packages/*' | sort >/tmp/before"
# From nothing to an answer, the download of what berth needs included.
from=$(now)
inside "apt-get -q -y --no-install-recommends install /packages/berth_*.deb"
installed=$(now)
inside "/packages/tests/first-eviction"
answered=$(now)
inside "apt-get -q -y purge berth && apt-get -q -y --purge autoremove"
inside "apt-get -q -y --no-install-recommends install /packages/old/*.deb && dpkg -s berth | grep 'Version: 0.0.9'"
inside "mkdir -p /var/lib/private/berth-sandbox /etc/berth && echo kept >/etc/default/berth-sandbox"
inside "apt-get -q -y install /packages/*.deb && berth version && ! dpkg -s berth | grep 'Version: 0.0.9'"
for test in first-eviction names; do
        inside "/packages/tests/$test"
done
inside "apt-get -q -y remove berth-compat && berth version && ! command -v kured"
inside "apt-get -q -y install /packages/*.deb && apt-get -q -y remove berth && ! command -v berth && ! command -v kured"
inside "test -e /var/lib/private/berth-sandbox && test -e /etc/default/berth-sandbox"
inside "apt-get -q -y purge berth && ! dpkg -s berth && test ! -e /var/lib/private/berth-sandbox && test ! -e /etc/berth"
inside "apt-get -q -y --purge autoremove"
inside "find / -xdev -not -path '/proc/*' -not -path '/var/*' -not -path '/packages/*' | sort | diff /tmp/before - | grep '^> .*berth' && exit 1 || true"
seconds() {
        awk -v from="$1" -v to="$2" 'BEGIN { printf "%.1f s", (to - from) / 1e9 }'
}
echo "packages: $release: apt install $(seconds "$from" "$installed"), then explained and evicted in $(seconds "$installed" "$answered"):" \
        "$(seconds "$from" "$answered") from apt install to the first useful answer"
echo "packages: installed, upgraded, removed and purged in $release"
