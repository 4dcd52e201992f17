#!/bin/sh
# Checks what image.sh made: image_check.sh FOLDER ARCHITECTURE... For `make image-check`. Builds the committed tree a second time in
# another folder and compares digests; signs and verifies; looks for what must not be in an image; runs each architecture's program (others
# than this machine's by qemu-user), and with buildah the whole image as its own user. Ends by printing `N passed, M failed`.
# shellcheck disable=SC2015 # passed and failed end with 0
set -u
cd "$(dirname "$0")/.." || exit 1
folder=$1
shift
passed=0 failed=0
limit=$((8 * 1024 * 1024))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check NAME COMMAND...: its output is shown when it fails
check() {
        name=$1
        shift
        if "$@" >"$work/said" 2>&1; then
                passed=$((passed + 1))
        else
                failed=$((failed + 1))
                echo "FAILED: $name"
                tail -n 10 "$work/said"
        fi
}

# ---- one architecture: what is in its files, and that it runs
no_shell() {
        ! find "$1" -name '*sh' -type f -perm /111 -o -name busybox -o -name 'apt*' -type f | grep .
}
no_rights() {
        ! find "$1" -perm /6000 | grep .
}
no_path_of_the_build() {
        ! grep -a -F -e "$PWD" -e "$HOME/" "$1/usr/bin/berth"
}
is_listed() {
        python3 - "$1" <<'END'
import json, pathlib, sys
root = pathlib.Path(sys.argv[1])
document = json.loads((root / "usr/share/sbom/berth.spdx.json").read_text())
ids = {package["SPDXID"] for package in document["packages"]} | {"SPDXRef-DOCUMENT"}
assert len(ids) == len(document["packages"]) + 1, "an id twice"
for relation in document["relationships"]:
    assert relation["spdxElementId"] in ids and relation["relatedSpdxElement"] in ids, relation
names = {package["name"] for package in document["packages"]}
for wanted in ("berth", "libc6", "libssl-dev", "libcurl4", "libgnutls28-dev", "libyyjson0", "util-linux"):
    assert wanted in names, wanted
for name in names - {"berth"}:
    assert (root / "usr/share/doc" / name / "copyright").stat().st_size > 0, name
END
}
runs() {
        berth=$1/usr/bin/berth
        case $2 in
        amd64) cpu=x86_64 ;;
        arm64) cpu=aarch64 ;;
        esac
        if [ "$(uname -m)" = $cpu ]; then
                for called in berth kube-scheduler descheduler kured; do
                        chroot "$1" "$called" --help >/dev/null || return 1
                done
                chroot "$1" nsenter --version
        else
                "qemu-$cpu" -L "$1" "$berth" version && "qemu-$cpu" -L "$1" "$1/usr/bin/nsenter" --version &&
                        "qemu-$cpu" -L "$1" "$berth" up --input examples/demo --settle --descheduling-interval 2s
        fi
}
small_enough() {
        largest=$(find "$folder/oci/blobs" -type f -size +100k -printf '%s\n' | sort -n | tail -n 1)
        echo "$largest bytes, of at most $limit"
        [ "$largest" -le "$limit" ]
}

check "at most 8 MiB packed" small_enough
for arch in "$@"; do
        check "$arch: no shell" no_shell "$folder/root-$arch"
        check "$arch: no set-user-id program" no_rights "$folder/root-$arch"
        check "$arch: no path of the build" no_path_of_the_build "$folder/root-$arch"
        check "$arch: list of packages" is_listed "$folder/root-$arch"
        check "$arch: list beside" cmp "$folder/root-$arch/usr/share/sbom/berth.spdx.json" "$(find "$folder" -maxdepth 1 -name "*-$arch.spdx.json")"
        check "$arch: runs" runs "$folder/root-$arch" "$arch"
done

# ---- a second build, of the same tree in another folder
git clone -q . "$work/berth" && mkdir -p "$work/berth/.cache"
for arch in "$@"; do
        ln -s "$(realpath ".cache/image-$arch")" "$work/berth/.cache/image-$arch"
done
image=$(awk 'NR == 1 { sub(/:?[^:]*$/, "", $2); print $2 }' "$folder/digests")
check "a second build" "$work/berth/scripts/image.sh" "$work/berth/second/folder" "$image" "$@"
check "the same digests" diff "$folder/digests" "$work/berth/second/folder/digests"

# ---- the signature, as docs/install.md has users verify it
openssl ecparam -name prime256v1 -genkey -noout -out "$work/key.pem" 2>/dev/null
openssl ec -in "$work/key.pem" -pubout -out "$work/key.pub" 2>/dev/null
cp "$folder/digests" "$work/digests"
openssl dgst -sha256 -sign "$work/key.pem" -out "$work/digests.sig" "$work/digests"
check "signature" openssl dgst -sha256 -verify "$work/key.pub" -signature "$work/digests.sig" "$work/digests"
echo "sha256:0 other" >>"$work/digests"
refused() {
        ! openssl dgst -sha256 -verify "$work/key.pub" -signature "$work/digests.sig" "$work/digests"
}
check "signature of another file" refused

# ---- as containers
if command -v buildah >/dev/null && [ "$(id -u)" -eq 0 ]; then
        storage="--storage-driver vfs --root $work/storage --runroot $work/run"
        # as_container TAG COMMAND...
        as_container() {
                tag=$1
                shift
                # shellcheck disable=SC2086
                container=$(buildah $storage from "oci:$PWD/$folder/oci:$tag") &&
                        buildah $storage run --isolation chroot "$container" -- "$@"
        }
        version=$(awk 'NR == 1 { sub(/.*:/, "", $2); print $2 }' "$folder/digests")
        check "runs as a container" as_container "$version" /usr/bin/berth version
        not_root() {
                ! as_container "$version" /usr/bin/nsenter --target 1 --mount true
        }
        check "is not root" not_root
        check "the other is root" as_container "$version-root" /usr/bin/nsenter --version
else
        echo "image-check: no buildah (or not root): the images did not run as containers"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
