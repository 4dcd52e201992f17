#!/bin/sh
# A release, in one folder: release.sh VERSION [FOLDER] (build-releases/VERSION). For `make release`; docs/internals/release.md has the whole.
# SIGN names a private key (PEM), IMAGE the registry's repository, MAINTAINER who answers for the packages, TAG=1 makes the tag. CHECKS are the
# targets of make that must pass before (default "gates check"; "none": none), RELEASES and ARCHITECTURES what is built.
# shellcheck disable=SC2086 # lists of words
set -eu
cd "$(dirname "$0")/.."
version=$1 folder=${2:-build-releases/$1}
: "${CHECKS:=gates check}" "${RELEASES:=bookworm trixie}" "${ARCHITECTURES:=amd64 arm64}" "${IMAGE:=}" "${SIGN:=}" "${TAG:=}"
fail() {
        echo "release: $*" >&2
        exit 1
}
step() {
        echo "release: $*"
}

# ---- may it be released?
scripts/release.py version "$version"
[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed: $(git status --porcelain | head -n 3 | tr '\n' ' ')"
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || [ "$(git rev-parse "v$version^{commit}")" = "$(git rev-parse HEAD)" ] ||
        fail "the tag v$version is there, for another commit"
[ -z "$SIGN" ] || openssl pkey -in "$SIGN" -noout 2>/dev/null || fail "SIGN=$SIGN: no private key in PEM"
for check in $CHECKS; do
        [ "$check" != none ] || continue
        step "make $check"
        make --no-print-directory "$check"
done
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C
rm -rf "$folder" && mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# packed FILE FOLDER NAME...: a tar with nothing of this machine or moment in it
packed() {
        tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw --format=ustar -cf "$1" -C "$2" "$3"
}

# ---- the sources, twice: from here, and from a clone
step "sources"
git archive --format=tar --prefix="berth-$version/" HEAD | xz -T1 -9 >"$folder/berth-$version.tar.xz"
again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT
git clone -q . "$again/berth"
git -C "$again/berth" archive --format=tar --prefix="berth-$version/" HEAD | xz -T1 -9 >"$again/tar.xz"
cmp "$folder/berth-$version.tar.xz" "$again/tar.xz" || fail "two tarballs of one commit differ"

# ---- charts: what `helm install FILE` takes
step "charts"
for chart in deploy/charts/*/Chart.yaml; do
        name=$(basename "$(dirname "$chart")")
        packed "$again/chart.tar" "$again/berth/deploy/charts" "$name"
        gzip -9 -n <"$again/chart.tar" >"$folder/$name-$version.tgz"
done

# ---- packages
for release in $RELEASES; do
        step "packages for $release"
        RELEASES=$release scripts/packages.sh build-packages >"$again/packages.log" 2>&1 || {
                tail -n 20 "$again/packages.log" >&2
                fail "no packages for $release"
        }
        cp build-packages/"$release"/*.deb build-packages/"$release"/*.changes build-packages/"$release"/*.buildinfo "$folder"
done

# ---- images
[ -z "$ARCHITECTURES" ] || [ "$ARCHITECTURES" = none ] || {
        step "images for $ARCHITECTURES"
        scripts/setup.sh image
        SIGN='' scripts/image.sh build-image "$IMAGE" $ARCHITECTURES >"$again/image.log" 2>&1 || {
                tail -n 20 "$again/image.log" >&2
                fail "no images"
        }
        packed "$folder/berth-$version-image.tar" build-image oci
        cp build-image/digests "$folder/berth-$version-image.digests"
        cp build-image/*.spdx.json "$folder"
}

# ---- what it says, and that it is this
scripts/release.py notes "$version" >"$folder/release-notes.md"
(cd "$folder" && find . -maxdepth 1 -type f ! -name 'SHA256SUMS*' -printf '%f\n' | sort | xargs sha256sum >SHA256SUMS)
[ -z "$SIGN" ] || openssl dgst -sha256 -sign "$SIGN" -out "$folder/SHA256SUMS.sig" "$folder/SHA256SUMS"
[ "$TAG" != 1 ] || git rev-parse -q --verify "refs/tags/v$version" >/dev/null || {
        git tag -a "v$version" -F "$folder/release-notes.md"
        step "tag v$version"
}
while read -r digest file; do
        printf '%-44s %10d  %s\n' "$file" "$(stat -c %s "$folder/$file")" "$digest"
done <"$folder/SHA256SUMS"
step "$folder: $(wc -l <"$folder/SHA256SUMS") files, $([ -n "$SIGN" ] && echo "signed with $SIGN" || echo "not signed: SIGN names no key")"
