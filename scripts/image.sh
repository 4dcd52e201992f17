#!/bin/sh
# A container image of berth in BUILD/berth-image.tar (an OCI archive): image.sh BUILD. For `make image`.
#
# It holds the stripped program, the shared libraries it is linked to, the names it stands in for where their images have them,
# nsenter for the reboot agent, and the authorities of this machine: no shell, no package manager. Two builds of the same tree on
# the same system give the same image.
set -eu
build=$1
name=berth
program=$build/$name
image=$build/berth-image.tar
work=$(mktemp -d)
root=$work/root
storage="--storage-driver vfs --root $work/storage --runroot $work/run"
export BUILDAH_ISOLATION=chroot
trap 'rm -rf "$work"' EXIT

# take FILE...: into the image at the same place, with what it is linked to
take() {
        for file in "$@"; do
                mkdir -p "$root$(dirname "$file")"
                cp -L "$file" "$root$file"
        done
}
libraries_of() {
        ldd "$1" | sed -n 's|.* => \(/[^ ]*\) .*|\1|p; s|^[[:space:]]*\(/[^ ]*\) .*|\1|p'
}

mkdir -p "$root/usr/bin" "$root/usr/lib" "$root/usr/lib64" "$root/usr/local/bin" "$root/etc/ssl/certs" "$root/tmp"
chmod 1777 "$root/tmp"
for merged in bin lib lib64; do
        ln -s "usr/$merged" "$root/$merged"
done
strip -o "$root/usr/bin/$name" "$program"
ln -s ../../bin/$name "$root/usr/local/bin/kube-scheduler"
ln -s $name "$root/usr/bin/descheduler"
ln -s $name "$root/usr/bin/kured"
# shellcheck disable=SC2046 # a list of files
take $(libraries_of "$program")
if nsenter=$(command -v nsenter); then
        take /usr/bin/nsenter
        # shellcheck disable=SC2046
        take $(libraries_of "$nsenter")
fi
[ ! -e /etc/ssl/certs/ca-certificates.crt ] || take /etc/ssl/certs/ca-certificates.crt
printf 'root:x:0:0:root:/:\nnonroot:x:65532:65532:nonroot:/:\n' >"$root/etc/passwd"
printf 'root:x:0:\nnonroot:x:65532:\n' >"$root/etc/group"

# It runs where nothing else is.
if [ "$(id -u)" -eq 0 ]; then
        for called in $name kube-scheduler descheduler kured; do
                chroot "$root" "$called" --help >/dev/null || {
                        echo "image: $called does not run in it" >&2
                        exit 1
                }
        done
fi

tar -C "$root" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$work/root.tar" .
# shellcheck disable=SC2086
{
        container=$(buildah $storage from scratch)
        buildah $storage add --quiet "$container" "$work/root.tar" / >/dev/null
        buildah $storage config --env PATH=/usr/local/bin:/usr/bin --entrypoint '["/usr/bin/berth"]' --cmd help \
                --label "org.opencontainers.image.title=$name" \
                --label "org.opencontainers.image.version=$("$program" version | awk '{print $2}')" \
                --label org.opencontainers.image.licenses=Apache-2.0 "$container"
        rm -f "$image"
        buildah $storage commit --quiet --timestamp 0 --rm "$container" $name >/dev/null
        buildah $storage push --quiet --compression-format gzip --compression-level 9 $name "oci-archive:$image:$name"
}
digest=$(tar -xOf "$image" index.json | sed "s/.*\"digest\":\"\([^\"]*\)\".*/\1/")
echo "$image: $(du -k "$image" | cut -f1) KiB packed, $(du -sk "$root" | cut -f1) KiB unpacked," \
        "program $(du -k "$root/usr/bin/$name" | cut -f1) KiB, $digest"
