#!/bin/sh
# The Debian 12 that the image is built from, for one architecture: image_system.sh ARCHITECTURE (amd64, arm64). Into .cache/image-ARCHITECTURE:
#
#   root        headers and libraries to build with, and what the image takes from Debian
#   packages    what that is: name, version, source, one per line
#   files       which package has which file: path, package
#   cross.ini   for meson
#
# The packages stay as they are until that folder is removed. Takes the mirror from this machine's own apt, and touches neither its packages nor its lists. libcurl is built from Debian's source
# with nothing but HTTP in it: as Debian builds it, it brings twenty libraries.
# shellcheck disable=SC2016,SC2086 # apt's own variables; lists of options and packages
set -eu
arch=$1
cd "$(dirname "$0")/.."
project=$PWD
folder=$project/.cache/image-$arch
root=$folder/root
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
case $arch in
amd64) triplet=x86_64-linux-gnu cpu=x86_64 ;;
arm64) triplet=aarch64-linux-gnu cpu=aarch64 ;;
*)
        echo "image: architecture $arch: expected amd64 or arm64" >&2
        exit 2
        ;;
esac
tool=$triplet- foreign=false wrapper=
[ "$(dpkg --print-architecture)" = "$arch" ] || foreign=true wrapper="exe_wrapper = ['qemu-$cpu', '-L', '$root']"
packages="libc6-dev libgcc-s1 libmicrohttpd-dev libgnutls28-dev libfyaml-dev libpcre2-dev libsqlite3-dev libssl-dev zlib1g-dev
        libnghttp2-dev libunistring-dev uthash-dev util-linux ca-certificates base-files libcmocka-dev libyyjson-dev/trixie libyyjson0/trixie"
wanted="$packages 3" # the number changes with what this script makes of them

[ "$(cat "$folder/made-of" 2>/dev/null)" != "$(echo $wanted)" ] || exit 0
rm -rf "$folder"
mkdir -p "$folder/lists/partial" "$folder/archives/partial" "$root"
log=$folder/log
# logged COMMAND...: its output is shown only when it fails
logged() {
        "$@" >>"$log" 2>&1 && return 0
        echo "image: failed: $*" >&2
        tail -n 15 "$log" >&2
        exit 1
}

# ---- packages, by lists of our own
mirrors=$(apt-get indextargets --format '$(SITE)|$(CODENAME)|$(ORIGIN)' 'Created-By: Packages' 'Component: main' |
        sed -n 's/^\([^|]*\)|bookworm\(-security\)\{0,1\}|Debian$/\1 bookworm\2/p' | sort -u)
first=$(echo "$mirrors" | sed -n 's/ bookworm$//p' | head -n 1)
[ -n "$first" ] || first=$("$project/scripts/setup.sh" mirror)
[ -n "$mirrors" ] || mirrors="$first bookworm"
echo "$mirrors
$first trixie" | sed "s|^|deb [arch=$arch signed-by=$keyring] |; s|\$| main|" >"$folder/sources.list"
grep -v trixie "$folder/sources.list" | sed "s|^deb .arch=$arch |deb-src [|" >"$folder/source.list"
cat "$folder/source.list" >>"$folder/sources.list"
printf 'Package: *\nPin: release n=trixie\nPin-Priority: -10\n\nPackage: libyyjson-dev libyyjson0\nPin: release n=trixie\nPin-Priority: 500\n' \
        >"$folder/preferences"
: >"$folder/status"
apt="apt-get -q -o APT::Architecture=$arch -o APT::Architectures=$arch -o Dir::State::lists=$folder/lists
        -o Dir::State::status=$folder/status -o Dir::Cache=$folder -o Dir::Cache::archives=$folder/archives
        -o Dir::Etc::sourcelist=$folder/sources.list -o Dir::Etc::sourceparts=/dev/null
        -o Dir::Etc::preferences=$folder/preferences -o Dir::Etc::preferencesparts=/dev/null -o Debug::NoLocking=1
        -o Acquire::Languages=none -o Acquire::Retries=2 -o APT::Sandbox::User=$(id -un) -o APT::Update::Post-Invoke-Success="
logged $apt update
logged $apt -y --no-install-recommends --download-only install $packages
for merged in bin sbin lib lib64; do
        mkdir -p "$root/usr/$merged"
        ln -s "usr/$merged" "$root/$merged"
done
for package in "$folder"/archives/*.deb; do
        dpkg-deb --show --showformat '${Package} ${Version} ${source:Package}\n' "$package" >>"$folder/packages"
        dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root" --exclude './usr/share/man' --exclude './dev'
        name=$(dpkg-deb --field "$package" Package)
        dpkg-deb --fsys-tarfile "$package" | tar -t | sed -n "s|^\.\(/.*[^/]\)\$|\1 $name|p" | sed 's#^/\(s\{0,1\}bin\|lib\(64\)\{0,1\}\)/#/usr/\1/#' >>"$folder/files"
        mkdir -p "$folder/status.d"
        dpkg-deb --field "$package" >"$folder/status.d/$name"
done
sort -o "$folder/packages" "$folder/packages"
# Links that lead to the machine's own libraries lead into this root.
find "$root" -type l -lname '/*' | while read -r link; do
        ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$root$(readlink "$link")")" "$link"
done

# The authorities, in the one file that update-ca-certificates would make of them
(cd "$root/usr/share/ca-certificates" && find . -name '*.crt' | LC_ALL=C sort | xargs cat) >"$folder/ca-certificates.crt"

# ---- for meson
flags="-ffunction-sections -fdata-sections -ffile-prefix-map=$project=."
cat >"$folder/cross.ini" <<END
[binaries]
c = ['${tool}gcc', '--sysroot=$root', '-ffunction-sections', '-fdata-sections']
ar = '${tool}gcc-ar'
strip = '${tool}strip'
pkgconfig = 'pkg-config'
$wrapper
[properties]
sys_root = '$root'
pkg_config_libdir = '$root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig'
needs_exe_wrapper = $foreign
[built-in options]
c_link_args = ['-Wl,--gc-sections', '-Wl,--as-needed', '-Wl,--build-id=none']
[host_machine]
system = 'linux'
cpu_family = '$cpu'
cpu = '$cpu'
endian = 'little'
END

# ---- libcurl with HTTP alone
mkdir "$folder/source"
(cd "$folder/source" && logged $apt --download-only source curl && tar -xf curl_*.orig.tar.?z --strip-components 1)
for patch in "$folder"/source/curl_*.debian.tar.*; do
        tar -C "$folder/source" -xf "$patch"
done
(
        cd "$folder/source"
        sed -e '/^#/d; /^ *$/d' debian/patches/series | grep -v 'gnutls\|nss\|90_' | while read -r patch; do
                logged patch -s -p1 -i "debian/patches/$patch"
        done
        PKG_CONFIG_LIBDIR=$root/usr/lib/$triplet/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root logged ./configure \
                --host="$triplet" --prefix=/usr --libdir="/usr/lib/$triplet" --disable-shared --enable-static --with-openssl --with-nghttp2 \
                --with-zlib --without-brotli --without-zstd --without-libpsl --without-libssh2 --without-librtmp --without-libidn2 \
                --without-gssapi --with-ca-bundle=/etc/ssl/certs/ca-certificates.crt --disable-ldap --disable-ldaps --disable-rtsp \
                --disable-dict --disable-telnet --disable-tftp --disable-pop3 --disable-imap --disable-smb --disable-smtp \
                --disable-gopher --disable-mqtt --disable-ftp --disable-file --disable-manual --disable-ntlm --disable-debug \
                --disable-dependency-tracking CC="${tool}gcc --sysroot=$root" AR="${tool}ar" RANLIB="${tool}ranlib" \
                CFLAGS="-O2 $flags -ffile-prefix-map=$folder/source=curl"
        logged make -s -C lib -j "$(nproc)"
        logged make -s -C lib install DESTDIR="$root"
        logged make -s -C include install DESTDIR="$root"
        logged make -s install-pkgconfigDATA DESTDIR="$root"
)
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$folder/source/debian/changelog")
echo "libcurl4 $version curl" >>"$folder/packages"
mkdir -p "$root/usr/share/doc/libcurl4"
cp "$folder/source/debian/copyright" "$root/usr/share/doc/libcurl4/copyright"
rm -rf "$folder/source" "$folder/archives" "$folder/lists"
echo $wanted >"$folder/made-of"
