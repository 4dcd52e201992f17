#!/bin/sh
# What "make install" installs: install.sh BUILD PREFIX. Installs into a folder and checks each file and link there, that the
# program does the work of each name, that the manual pages are clean, and that the units of systemd start what they say.
# shellcheck source=tests/e2e/clients.sh disable=SC1091,SC2129,SC2154,SC2163
. "$(dirname "$0")/clients.sh"
build=$1 prefix=$2
command -v meson >/dev/null || skip "no meson"
tree=$(cd "$(dirname "$0")/../.." && pwd)
root=$work/root$prefix
DESTDIR=$work/root meson install -C "$build" --no-rebuild --quiet >"$work/install.log" 2>&1 ||
        { cat "$work/install.log"; exit 1; }
names="kube-scheduler descheduler kured kubectl-berth"

# ---- nothing is missing, and nothing else is there
cd "$root" || exit 1
for name in $names; do
        echo "bin/$name -> berth"
        echo "share/bash-completion/completions/$name -> berth"
        echo "share/fish/vendor_completions.d/$name.fish -> berth.fish"
done >"$work/expected"
cat >>"$work/expected" <<'E2'
bin/berth
bin/kubectl_complete-berth -> berth
lib/systemd/system/berth-reboot.service
lib/systemd/system/berth-sandbox.service
share/bash-completion/completions/berth
share/fish/vendor_completions.d/berth.fish
share/zsh/site-functions/_berth
E2
pages="berth kube-scheduler descheduler kured $(bin/berth help | sed -n 's/^  \([a-z][a-z-]*\)  .*/berth-\1/p')"
for page in $pages kubectl-berth kubectl_complete-berth; do
        echo "share/man/man1/$page.1"
done >>"$work/expected"
(cd "$tree" && find LICENSE NEWS.md README.md SECURITY.md docs examples deploy -type f ! -path 'docs/internals/*' \
        ! -path 'deploy/systemd/*' ! -name meson.build) | sed 's|^|share/doc/berth/|' >>"$work/expected"
find . -type f -printf '%P\n' -o -type l -printf '%P -> %l\n' | sort >"$work/found"
is "files" "" "$(sort "$work/expected" | diff - "$work/found")"
is "files with wrong modes" "" "$(find . ! -type l \( -perm /022 -o ! -perm -444 \))"
is "empty files" "" "$(find . -type f -empty)"
is "the licence" "" "$(diff "$tree/LICENSE" share/doc/berth/LICENSE)"

# ---- each name is its program
check "berth" '^Usage: berth COMMAND' bin/berth --help
check "kubectl-berth" '^Usage: berth COMMAND' bin/kubectl-berth --help
for name in kube-scheduler descheduler kured; do
        check "$name" "^Usage: $name " bin/$name --help
done
check "kube-scheduler's options" 'write-config-to' bin/kube-scheduler --help
check "kured's options" 'ds-namespace' bin/kured --help
if [ -n "$kubectl_program" ]; then
        check "a plugin of kubectl" '^berth 0' env PATH="$root/bin:$PATH" kubectl berth version
        check "its completion" '^explain' env PATH="$root/bin:$PATH" kubectl __complete berth exp
fi

# ---- manual pages: named as they are called, and roff that groff takes without a warning
for page in $pages; do
        check "title of $page" "^$page .?- " sed -n '/^.SH NAME/{n;s/\\//g;p}' "share/man/man1/$page.1"
        ! command -v groff >/dev/null || is "groff about $page" "" \
                "$(groff -man -Tutf8 -ww -z "share/man/man1/$page.1" 2>&1 | head -n 3)"
done

# ---- units
for unit in berth-reboot berth-sandbox; do
        file=$root/lib/systemd/system/$unit.service
        check "program of $unit" "^ExecStart=$prefix/bin/berth " grep ^ExecStart "$file"
        command -v systemd-analyze >/dev/null || continue
        exits "hardening of $unit" 0 "Overall exposure" systemd-analyze security --offline=yes --threshold=30 --no-pager "$file"
done
# start_unit NAME: its command with its environment as systemd gives it, in the background
start_unit() {
        file=$root/lib/systemd/system/$1.service
        for line in $(sed -n 's/^Environment="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$file" | tr ' ' '\001'); do
                line=$(echo "$line" | tr '\001' ' ')
                name=${line%%=*}
                eval "[ -n \"\${$name:-}\" ]" || export "$line"
        done
        command=$(sed -n 's/^ExecStart=//p' "$file" | sed "s|%H|node-0|g; s|^$prefix|$root|")
        eval "exec $command" >"$work/$1.log" 2>&1 &
        children="$children $!"
}
mkdir -m 700 "$work/state" "$work/run"
export STATE_DIRECTORY="$work/state" RUNTIME_DIRECTORY="$work/run" BERTH_LISTEN=127.0.0.1:0
start_unit berth-sandbox
until_true grep -q ^kubeconfig "$work/berth-sandbox.log" || judge bad "the sandbox: $(cat "$work/berth-sandbox.log")"
is "nodes of the sandbox" 10 "$(bin/berth reboot status --kubeconfig "$work/run/kubeconfig" | grep -c ^node-)"
check "the sandbox's folder" . ls "$work/state"
# The agent finds its node, and that there is no Lease to take: the node is not rebooted.
touch "$work/required"
export KUBECONFIG="$work/run/kubeconfig" KURED_METRICS_PORT=0 KURED_PERIOD=1s KURED_REBOOT_SENTINEL="$work/required"
start_unit berth-reboot
wait_for "the agent" "Lease kube-system/kured" bin/berth reboot status
finish
