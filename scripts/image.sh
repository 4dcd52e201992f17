#!/bin/sh
# Container images of berth as an OCI layout: image.sh FOLDER NAME ARCHITECTURE... For `make image`. FOLDER gets
#
#   oci                 the layout: tags VERSION (user 65532) and VERSION-root (root), each for all architectures
#   digests             the digest of each tag, and of each of its architectures
#   digests.sig         the signature of that file, when SIGN names a private key (PEM)
#   *.spdx.json         what is in it, per architecture; the same file is inside
#
# NAME is that of the registry's repository, or empty. An image has the program, its libraries, nsenter for the agent, the
# authorities, licences: no shell, no package manager. The same tree and the same packages of Debian give the same digests.
# shellcheck disable=SC2086 # a list of architectures
set -eu
cd "$(dirname "$0")/.."
folder=$1 name=$2
shift 2
case ${name##*/} in
*[:@]*)
        echo "image: IMAGE=$name: expected the name alone: the tags are made here" >&2
        exit 2
        ;;
esac
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
[ -n "${SOURCE_DATE_EPOCH:-}" ] || SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH LC_ALL=C

# build_for ARCHITECTURE: the program, optimised, with static libraries where Debian has them
build_for() {
        build=$folder/build-$1
        [ -f "$build/build.ninja" ] && [ "$build/build.ninja" -nt "$system/cross.ini" ] || {
                rm -rf "$build"
                mkdir -p "$build"
                # The only path that could get into the program is the one from the build folder to the sources.
                env -u CC -u CFLAGS -u LDFLAGS meson setup "$build" --cross-file "$system/cross.ini" --buildtype=release -Doptimization=2 \
                        -Dtests=false -Dprefer_static=true "-Dc_args=-ffile-prefix-map=$(realpath --relative-to="$build" .)=." \
                        >"$build/setup.log" 2>&1 || {
                        tail -n 20 "$build/setup.log" >&2
                        exit 1
                }
        }
        ninja --quiet -C "$build" berth
}

# stage_for ARCHITECTURE: the files of the image
stage_for() {
        root=$folder/root-$1
        rm -rf "$root"
        mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/usr/local/bin" "$root/etc/ssl/certs" "$root/tmp"
        chmod 1777 "$root/tmp"
        for merged in bin sbin lib lib64; do
                ln -s "usr/$merged" "$root/$merged"
        done
        "$(sed -n "s/^strip = '\(.*\)'/\1/p" "$system/cross.ini")" -o "$root/usr/bin/berth" "$folder/build-$1/berth"
        ln -s ../../bin/berth "$root/usr/local/bin/kube-scheduler"
        ln -s berth "$root/usr/bin/descheduler"
        ln -s berth "$root/usr/bin/kured"
        cp "$system/root/usr/bin/nsenter" "$root/usr/bin/nsenter"
        cp "$system/ca-certificates.crt" "$root/etc/ssl/certs/ca-certificates.crt"
        cp -L "$system/root/etc/os-release" "$root/etc/os-release"
        printf 'root:x:0:0:root:/:\nnonroot:x:65532:65532:nonroot:/:\n' >"$root/etc/passwd"
        printf 'root:x:0:\nnonroot:x:65532:\n' >"$root/etc/group"
        python3 scripts/image_packages.py "$system" "$folder/build-$1" "$root" "$1" "$version"
        cp "$root/usr/share/sbom/berth.spdx.json" "$folder/berth-$version-$1.spdx.json"
}

mkdir -p "$folder"
rm -rf "$folder/oci" "$folder"/digests* "$folder"/*.spdx.json
for arch in "$@"; do
        scripts/image_system.sh "$arch"
        system=.cache/image-$arch
        build_for "$arch"
        stage_for "$arch"
done
python3 scripts/image_layout.py "$folder" "$name" "$version" "$revision" "$@"
if [ -n "${SIGN:-}" ]; then
        openssl dgst -sha256 -sign "$SIGN" -out "$folder/digests.sig" "$folder/digests"
        echo "$folder/digests.sig: signed with $SIGN"
fi
