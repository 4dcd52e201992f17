#!/bin/sh
# Completion in the shells themselves: completion.sh BERTH bash|zsh|fish. Loads the script and types at a terminal; what stands
# on the line after the tabulator must be the one command, option, value, node or pod that it can be. Skips (77) without the shell.
# shellcheck source=tests/e2e/clients.sh disable=SC1091,SC2154
. "$(dirname "$0")/clients.sh"
berth=$1 shell=$2
here=$(cd "$(dirname "$0")" && pwd)
libraries=
case $shell in
bash) program=$(command -v bash) ;;
zsh) program=$(find_client "${BERTH_ZSH:-}" zsh/bin/zsh-static zsh) ;;
fish)
        program=$(find_client "${BERTH_FISH:-}" fish/usr/bin/fish fish)
        libraries=$(echo "$cache"/fish/usr/lib/*-linux-gnu)
        ;;
esac
[ -n "$program" ] || skip "no $shell"

start_sandbox "$berth" --nodes 2 --controllers kubelet --seed 1
# pod NAMESPACE NAME
pod() {
        printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s"},"spec":{"containers":[{"name":"c","image":"i"}]}}' "$2" |
                curl -sk -H "Authorization: Bearer e2e" -H "Content-Type: application/json" -d @- \
                        "$url/api/v1/namespaces/$1/pods" >"$work/made"
        grep -q '"uid"' "$work/made" || judge bad "no pod: $(cat "$work/made")"
}
pod default web-1
pod kube-system dns-1
mkdir -p "$work/programs" "$work/files"
for name in berth kube-scheduler descheduler kured kubectl-berth; do
        ln -sf "$(realpath "$berth")" "$work/programs/$name"
done
PATH=$work/programs:$PATH
"$berth" completion "$shell" >"$work/script" || judge bad "no script"
cp "$KUBECONFIG" "$work/files/other-kubeconfig"
: >"$work/files/policy-1.yaml"
cd "$work/files" || exit 1

# Each of the programs prints its words; "command berth" in the script is berth itself.
case $shell in
bash)
        cat >"$work/rc" <<'E2'
PS1='READY> '
bind 'set enable-bracketed-paste off'
bind 'set show-all-if-ambiguous on'
bind 'set completion-query-items 0'
bind 'set page-completions off'
for name in berth kube-scheduler kured kubectl-berth; do
        eval "$name() { printf 'GOT'; printf ' <%s>' \"\$@\"; echo; }"
done
E2
        echo ". '$work/script'" >>"$work/rc"
        set -- "$program" --noprofile --rcfile "$work/rc" -i
        ;;
zsh)
        mkdir "$work/zsh"
        cat >"$work/zsh/.zshrc" <<'E2'
PS1='READY> '
unsetopt zle_bracketed_paste prompt_cr prompt_sp beep 2>/dev/null
unset zle_bracketed_paste
E2
        [ ! -d "$cache/zsh" ] || printf 'fpath=(%s/zsh/usr/share/zsh/functions/**/*(N/) %s/zsh/usr/share/zsh/functions)\n' \
                "$cache" "$cache" >>"$work/zsh/.zshrc"
        cat >>"$work/zsh/.zshrc" <<'E2'
autoload -U compinit
compinit -D -u
zstyle ':completion:*' insert-tab false
LISTMAX=10000
for name in berth kube-scheduler kured kubectl-berth; do
        eval "$name() { printf 'GOT'; printf ' <%s>' \"\$@\"; echo; }"
done
E2
        echo ". '$work/script'" >>"$work/zsh/.zshrc"
        export ZDOTDIR="$work/zsh"
        set -- "$program" -d -i
        ;;
fish)
        [ ! -d "$cache/fish" ] || echo "set fish_function_path $cache/fish/usr/share/fish/functions" >"$work/rc"
        cat >>"$work/rc" <<'E2'
function fish_prompt; echo -n 'READY> '; end
for name in berth kube-scheduler kured kubectl-berth
        function $name; printf GOT; printf ' <%s>' $argv; echo; end
end
E2
        echo "source '$work/script'" >>"$work/rc"
        set -- env LD_LIBRARY_PATH="$libraries" "$program" --no-config -i -C "source '$work/rc'"
        ;;
esac

# Given what is typed, the words that the program gets: of one candidate all of it stands on the line.
cat >"$work/cases" <<'E2'
berth expl\t|<explain>
berth help --man\t|<help> <--manual>
berth explain --pol\t|<explain> <--policy>
berth explain -o js\t|<explain> <-o> <json>
berth explain --output=y\t|<explain> <--output=yaml>
berth completion fi\t|<completion> <fish>
berth reboot sta\t|<reboot> <status>
berth evict --node node-1\t|<evict> <--node> <node-1>
berth evict --node=node-\t0|<evict> <--node=node-0>
berth explain we\t|<explain> <web-1>
berth evict -n kube-system dn\t|<evict> <-n> <kube-system> <dns-1>
berth explain --pod kube-system/\t|<explain> <--pod> <kube-system/dns-1>
berth explain --pod=kube-system/d\t|<explain> <--pod=kube-system/dns-1>
berth evict -n kube-sys\t|<evict> <-n> <kube-system>
berth evict --kubeconfig other\t --node node-1\t|<evict> <--kubeconfig> <other-kubeconfig> <--node> <node-1>
berth plan --policy=p\t|<plan> <--policy=policy-1.yaml>
berth explain -f pol\t|<explain> <-f> <policy-1.yaml>
kube-scheduler --write-c\t|<--write-config-to>
kured --lock-t\t|<--lock-ttl>
kubectl-berth expl\t|<explain>
berth nonesuch --pol\t|<nonesuch> <--pol>
E2
while IFS='|' read -r typed expected; do
        case $typed in *\\t*) ;; *) judge bad "no tabulator in $typed" ;; esac
        printf '%s\n' "$typed"
done <"$work/cases" >"$work/typed"
python3 "$here/type_lines.py" "$@" <"$work/typed" >"$work/terminal" 2>&1 || judge bad "the terminal: $(tail -c 600 "$work/terminal")"
sed -n 's/^.*GOT </</p' "$work/terminal" | sed 's/>[^>]*$/>/' >"$work/got"
while IFS='|' read -r typed expected; do
        read -r got <&3 || got="nothing"
        is "$shell: $typed" "$expected" "$got"
done <"$work/cases" 3<"$work/got"

# More than one: the shell lists them. fish draws its list when nothing is typed for a while; it is asked for it.
typed='berth explain --p\t\u'
[ "$shell" != fish ] || typed="complete -C 'berth explain --p'"
echo "$typed" | python3 "$here/type_lines.py" "$@" >"$work/terminal" 2>&1
for word in --parity --pod --policy; do
        check "$shell lists $word" "(^|[^<a-z-])$word([[:blank:]]|\$)" cat "$work/terminal"
done
finish
