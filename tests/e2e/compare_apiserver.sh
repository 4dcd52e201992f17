#!/bin/sh
# Compares a bare server with the recorded corpus of kube-apiserver: compare_apiserver.sh BERTH [--raise] [--names]. Skips (77) where
# the corpus or python3 is missing.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
berth=$1
shift
vectors=${BERTH_SHARED:-../shared}/vectors
command -v python3 >/dev/null && [ -d "$vectors/apiserver-corpus" ] || skip "no python3 or no corpus in $vectors"
"$berth" sandbox --listen 127.0.0.1:0 --controllers none --nodes 0 --kubeconfig-out "$work/kc" --token T >"$work/out" 2>&1 &
children="$children $!"
until_true grep -q '^kubeconfig' "$work/out"
python3 "$(dirname "$0")/compare_apiserver.py" "$(sed -n 's/^listening on //p' "$work/out")" T "$vectors/apiserver/replay.py" \
        "$vectors/apiserver-corpus" "$(dirname "$0")/compare_apiserver.floors" "$@"
