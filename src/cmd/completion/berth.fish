# Completion of berth for fish; "berth completion words" knows what may stand where.
function __berth_words
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '.*/' '' -- $typed[1])
    set -e typed[1]
    set -l found (command berth completion words -- $program $typed "$current" 2>/dev/null)
    test (count $found) -gt 0; or return
    set -l last $found[-1]
    set -e found[-1]
    string join \n -- $found
    if test "$last" = :0
        # Of --option=path the path is completed, and the option stays before it.
        set -l path (string replace -r -- '^--[^=]*=' '' "$current")
        set -l option (string match -r -- '^--[^=]*=' "$current"; or echo)
        __fish_complete_path "$path" | string replace -r -- '^' "$option"
    end
end
for program in berth kubectl-berth kube-scheduler descheduler kured
    complete -c $program -f -a '(__berth_words)'
end
