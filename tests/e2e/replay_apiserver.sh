#!/bin/sh
# Replays the recorded API-server scenarios against a bare server: replay_apiserver.sh PROGRAM
# [ARGUMENT of replay.py ...]. Skips (77) where the recordings or python3 are missing.
# shellcheck source=tests/e2e/clients.sh disable=SC1091
. "$(dirname "$0")/clients.sh"
program=$1
shift
vectors=${BERTH_SHARED:-../shared}/vectors/apiserver
command -v python3 >/dev/null && [ -f "$vectors/replay.py" ] || skip "no python3 or no recordings in $vectors"
"$program" 127.0.0.1:0 replay-token >"$work/port" &
children="$children $!"
until_true test -s "$work/port"
python3 "$vectors/replay.py" --server "http://127.0.0.1:$(head -n 1 "$work/port")" \
        --token replay-token "$@" "$vectors"/*.jsonl
