#compdef berth kubectl-berth kube-scheduler descheduler kured
# Completion of berth for zsh; "berth completion words" knows what may stand where.
_berth() {
    local -a typed lines found
    local line word

    typed=("${words[1]:t}")
    ((CURRENT > 2)) && typed+=("${(@Q)words[2,CURRENT-1]}")
    lines=("${(@f)$(command berth completion words -- "${typed[@]}" "${(Q)PREFIX}" 2>/dev/null)}")
    # Of --option=value the value is completed.
    if [[ $PREFIX == --*=* ]]; then
        word=${PREFIX%%=*}=
        compset -P '*='
    fi
    for line in "${lines[@][1,-2]}"; do
        line=${line#"$word"}
        found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    ((${#found})) && _describe -t berth berth found
    [[ ${lines[-1]} == :0 ]] && _files
    return 0
}
# Loaded by compinit it is the function itself; sourced it has to be registered.
if [[ $funcstack[1] == _berth ]]; then
    _berth "$@"
else
    compdef _berth berth kubectl-berth kube-scheduler descheduler kured
fi
