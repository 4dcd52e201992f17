#!/bin/sh
# The kustomizations of deploy/: kustomize.sh BERTH TREE. Each is rendered and looked at, applied to a sandbox, and its role started with
# its arguments and exactly its rights, until it did its first work. Skips (77) without kubectl, or one that knows no kustomizations.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
[ -n "$kubectl_program" ] || skip "no kubectl"
command -v python3 >/dev/null || skip "no python3"
kubectl kustomize "$2/deploy/run" >/dev/null || exit 1
start_sandbox "$1" --nodes 2 --seed 1
python3 "$(dirname "$0")/kustomize.py" "$1" "$2" "$url" "$work" ${ONLY:-}
