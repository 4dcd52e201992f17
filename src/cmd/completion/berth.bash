# Completion of berth for bash; "berth completion words" knows what may stand where.
_berth() {
    local rest=${COMP_LINE:0:COMP_POINT} count=0 i token gap cut line
    local words=() found=()

    # The words as they are typed: bash cuts them at "=" and ":", too.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        token=${COMP_WORDS[i]}
        gap=${rest%%[![:space:]]*}
        rest=${rest#"$gap"}
        ((i < COMP_CWORD)) || token=$rest
        rest=${rest#"$token"}
        if [[ -n $gap || $count -eq 0 ]]; then
            words[count++]=$token
        else
            words[count - 1]+=$token
        fi
    done
    mapfile -t found < <(command berth completion words -- "${words[0]##*/}" "${words[@]:1}" 2>/dev/null)
    ((${#found[@]} > 0)) || return 0

    # bash replaces what follows the last such character only.
    cut=${words[count - 1]}
    case $COMP_WORDBREAKS in *:*) cut=${cut%"${cut##*[=:]}"} ;; *) cut=${cut%"${cut##*=}"} ;; esac
    COMPREPLY=()
    for line in "${found[@]::${#found[@]}-1}"; do
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"$cut"}")
    done
    if [[ ${found[-1]} == :0 ]]; then
        compopt -o filenames 2>/dev/null
        token=${words[count - 1]}
        [[ $token != --*=* ]] || token=${token#*=}
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$token")
    fi
}
complete -F _berth berth kubectl-berth kube-scheduler descheduler kured
