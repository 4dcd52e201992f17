#!/bin/sh
# Installs what building berth needs and this machine lacks: setup.sh [build|check|dev|image|packages|mirror].
#
#   build   compiler, meson and the libraries (default)
#   check   also what the gates and the end-to-end tests use, and real clients kept inside the checkout
#   image   also what builds the container images, for other architectures too
#   packages  also what builds and checks the Debian packages
#   mirror  installs nothing: prints the mirror of Debian that this machine's apt uses
#   dev     also what the slower targets use: clang-tidy, the sanitizers of clang, coverage
#
# Made for Debian 12 and 13. Looks first and touches neither network nor system when nothing is missing. Installing
# needs root or sudo. Debian 12 has no yyjson: there the one library comes from Debian 13, with every other package
# of that release pinned away.
# shellcheck disable=SC1091,SC2015,SC2016,SC2086 # word splitting is meant: package and option lists
set -u
wanted=${1:-build}
cd "$(dirname "$0")/.." || exit 1
cache=$PWD/.cache
log=$cache/setup.log
codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}")
yyjson_packages="libyyjson-dev libyyjson0"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
apt_options="-o Acquire::Retries=2 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20"

say() {
        printf 'setup: %s\n' "$*"
}
fail() {
        say "$*" >&2
        exit 1
}
# logged COMMAND...: its output goes to the log, and on the terminal only when it fails
logged() {
        printf '\n$ %s\n' "$*" >>"$log"
        "$@" >>"$log" 2>&1 && return 0
        say "failed: $*" >&2
        tail -n 15 "$log" >&2
        return 1
}

# What is needed, as Debian package names after the thing that proves it is there.
commands="meson:meson ninja:ninja-build gcc:gcc pkg-config:pkg-config ar:binutils"
modules="libmicrohttpd:libmicrohttpd-dev gnutls:libgnutls28-dev libfyaml:libfyaml-dev libpcre2-8:libpcre2-dev sqlite3:libsqlite3-dev
        libcurl:libcurl4-openssl-dev libnghttp2:libnghttp2-dev libcrypto:libssl-dev zlib:zlib1g-dev yyjson:libyyjson-dev
        cmocka:libcmocka-dev"
headers="stdio.h:libc6-dev uthash.h:uthash-dev"
case $wanted in
build) ;;
packages) commands="$commands dh:debhelper lintian:lintian dpkg-buildpackage:dpkg-dev debootstrap:debootstrap git:git python3:python3" ;;
image)
        commands="$commands strip:binutils python3:python3 dpkg-deb:dpkg patch:patch make:make openssl:openssl
                x86_64-linux-gnu-gcc:gcc-x86-64-linux-gnu aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu qemu-aarch64:qemu-user"
        ;;
mirror) ;;
check | dev)
        commands="$commands clang:clang python3:python3 curl:curl git:git openssl:openssl"
        commands="$commands chromium:chromium chromedriver:chromium-driver"
        # Another release of it formats differently, so only the one of Debian 12 is asked for.
        if [ "$codename" = bookworm ]; then
                commands="$commands clang-format:clang-format"
        fi
        ;;
*) fail "usage: setup.sh [build|check|dev|image|packages|mirror]" ;;
esac
[ "$wanted" != dev ] || commands="$commands clang-tidy:clang-tidy gcovr:gcovr shellcheck:shellcheck"

# The packages that are missing, one per line.
missing() {
        for pair in $commands; do
                command -v "${pair%%:*}" >/dev/null 2>&1 || echo "${pair#*:}"
        done
        for pair in $modules; do
                pkg-config --exists "${pair%%:*}" 2>/dev/null || echo "${pair#*:}"
        done
        for pair in $headers; do
                [ -e "/usr/include/${pair%%:*}" ] || echo "${pair#*:}"
        done
        [ "$wanted" != dev ] || [ -n "$(find /usr/lib -name 'libclang_rt.fuzzer*' 2>/dev/null | head -n 1)" ] ||
                echo "libclang-rt-dev"
}

as_root() {
        if [ "$(id -u)" -eq 0 ]; then
                "$@"
        elif command -v sudo >/dev/null 2>&1; then
                sudo "$@"
        else
                fail "neither root nor sudo: please install these packages yourself:" $lacking
        fi
}

# The mirror this machine already uses for Debian itself, from apt's own configuration; nothing when there is none. Package lists
# say which source is Debian; without lists it is the first of the release.
debian_mirror() {
        known=$(apt-get indextargets --format '$(SITE)|$(CODENAME)|$(ORIGIN)' 'Created-By: Packages' 'Component: main' 2>/dev/null |
                sed -n "s/|$codename|Debian\$//p" | head -n 1)
        [ -n "$known" ] ||
                known=$(apt-get --print-uris update 2>/dev/null |
                        sed -n "s,^'\(.*\)/dists/\($codename\|stable\)/InRelease'.*,\1,p" | head -n 1)
        echo "$known"
}
no_mirror="apt on this machine has no source of Debian (suite $codename, component main), which would name a mirror:
setup: add one to /etc/apt/sources.list.d and start again"

write_as_root() {
        as_root sh -c 'cat >"$1"' sh "$1" || fail "cannot write $1"
}

# Debian 12 only: makes the one library of Debian 13 installable and nothing else of it.
pin_yyjson() {
        mirror=$(debian_mirror)
        [ -n "$mirror" ] || fail "$no_mirror"
        say "Debian 12 has no yyjson: taking just $yyjson_packages from Debian 13 (/etc/apt/sources.list.d/berth-trixie.sources)"
        write_as_root /etc/apt/sources.list.d/berth-trixie.sources <<EOF
Types: deb
URIs: $mirror
Suites: trixie
Components: main
Signed-By: $keyring
EOF
        write_as_root /etc/apt/preferences.d/berth-trixie <<EOF
Package: *
Pin: release n=trixie
Pin-Priority: -10

Package: $yyjson_packages
Pin: release n=trixie
Pin-Priority: 500
EOF
}

install_missing() {
        lacking=$(missing | tr '\n' ' ')
        [ -n "$lacking" ] || return 0
        command -v apt-get >/dev/null 2>&1 ||
                fail "no apt-get here; please install the equivalents of these Debian packages: $lacking"
        say "installing: $lacking"
        case "$codename $lacking" in
        "bookworm "*yyjson*) [ -e /etc/apt/preferences.d/berth-trixie ] || pin_yyjson ;;
        esac
        logged as_root apt-get $apt_options -q update ||
                fail "the package lists cannot be brought up to date: is there a network? (log: $log)"
        logged as_root env DEBIAN_FRONTEND=noninteractive apt-get $apt_options -q -y --no-install-recommends \
                install $lacking || fail "installation failed (log: $log)"
        lacking=$(missing)
        [ -z "$lacking" ] || fail "still missing after the installation:" $lacking
}

# ---- real clients, kept in the cache of this checkout: the system stays as it is, and no root is needed. The absence of one
# only makes the tests that use it skip.
client_options=

# Package lists of Debian 12 and 13 side by side, apart from the system's.
client_lists() {
        [ -z "$client_options" ] || return 0
        state=$cache/apt
        mkdir -p "$state/lists/partial" "$state/archives/partial"
        for suite in bookworm trixie; do
                echo "deb [signed-by=$keyring] $mirror $suite main"
        done >"$state/sources.list"
        client_options="$apt_options -o Dir::State::lists=$state/lists -o Dir::Cache=$state
                -o Dir::Cache::archives=$state/archives -o Dir::Etc::sourcelist=$state/sources.list
                -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferences=/dev/null -o Debug::NoLocking=1
                -o Dir::Etc::preferencesparts=/dev/null -o Acquire::Languages=none -o APT::Sandbox::User=$(id -un)
                -o APT::Update::Post-Invoke-Success="
        logged apt-get $client_options -q update
}
# fetch_client FOLDER PROOF SUITE PACKAGE...: unpacks packages into .cache/FOLDER, unless PROOF is in it already
fetch_client() {
        folder=$cache/$1 proof=$2 suite=$3
        shift 3
        [ ! -e "$folder/$proof" ] || return 0
        say "fetching $* of $suite into .cache (for tests and benchmarks only)"
        rm -rf "$folder.new" "$cache/packages"
        mkdir -p "$folder.new" "$cache/packages"
        wanted_packages=
        for package in "$@"; do
                wanted_packages="$wanted_packages $package/$suite"
        done
        if client_lists && (cd "$cache/packages" && logged apt-get $client_options -q download $wanted_packages) &&
                for package in "$cache"/packages/*.deb; do
                        logged dpkg -x "$package" "$folder.new" || break
                done && [ -e "$folder.new/$proof" ]; then
                rm -rf "$folder" && mv "$folder.new" "$folder"
        else
                say "no $1: the package mirror gave none; its tests use the one on PATH or skip"
        fi
        rm -rf "$folder.new" "$cache/packages"
}
# The accessibility checker of the page's tests: one file of its npm package, which is in no Debian release.
axe_version=4.10.2
axe_digest=b511cd9dec01c76f4b2ad1723b66b6db37d4c2eb4ed199076e1829d9ee7b75e3
fetch_axe() {
        axe=$cache/axe/axe.min.js
        [ ! -e "$axe" ] || return 0
        command -v npm >/dev/null 2>&1 || {
                say "no axe-core: npm is not here; the page is then not checked for accessibility"
                return 0
        }
        say "fetching axe-core $axe_version by npm into .cache (for tests only)"
        rm -rf "$cache/axe.new"
        mkdir -p "$cache/axe.new"
        if (cd "$cache/axe.new" && logged npm pack --silent "axe-core@$axe_version" &&
                tar -xzf "axe-core-$axe_version.tgz" package/axe.min.js) &&
                echo "$axe_digest  $cache/axe.new/package/axe.min.js" | sha256sum -c --status; then
                mkdir -p "$cache/axe" && mv "$cache/axe.new/package/axe.min.js" "$axe"
        else
                say "no axe-core: npm gave none, or another one; the page is then not checked for accessibility"
        fi
        rm -rf "$cache/axe.new"
}
# The Python client's own release, with what it imports; pure Python but for YAML, which it finds where there is python3-yaml.
python_client="python3-kubernetes python3-cachetools python3-certifi python3-chardet python3-charset-normalizer
        python3-dateutil python3-pyasn1 python3-pyasn1-modules python3-rsa python3-google-auth python3-idna
        python3-urllib3 python3-requests python3-requests-oauthlib python3-oauthlib python3-websocket python3-six
        python3-yaml"
fetch_clients() {
        command -v apt-get >/dev/null 2>&1 && [ -e "$keyring" ] || {
                say "no real clients: not a Debian system; their tests use those on PATH or skip"
                return 0
        }
        mirror=$(debian_mirror)
        [ -n "$mirror" ] || {
                say "no real clients: $no_mirror"
                say "Until then their tests use those on PATH or skip"
                return 0
        }
        fetch_client kubectl-1.32 usr/bin/kubectl trixie kubectl
        fetch_client kubectl-1.20 usr/bin/kubectl bookworm kubernetes-client
        fetch_client prometheus usr/bin/prometheus trixie prometheus
        fetch_client promtool usr/bin/promtool bookworm prometheus
        fetch_client python-client usr/lib/python3/dist-packages/kubernetes bookworm $python_client
        fetch_client etcd usr/bin/etcd bookworm etcd-server
        fetch_client zsh bin/zsh-static bookworm zsh-static zsh-common
        fetch_client fish usr/bin/fish bookworm fish fish-common libpcre2-32-0
        rm -rf "$cache/apt"
}

if [ "$wanted" = mirror ]; then
        debian_mirror | grep . || fail "$no_mirror"
        exit 0
fi
mkdir -p "$cache" && : >"$log" || fail "cannot write $log"
install_missing
case $wanted in check | dev) fetch_clients && fetch_axe ;; esac
exit 0
