#!/bin/sh
# Replays the recorded API-server scenarios against a bare server: replay_apiserver.sh PROGRAM
# [ARGUMENT of replay.py ...]. Skips (77) where the recordings or python3 are missing.
program=$1
shift
vectors=${BERTH_SHARED:-../shared}/vectors/apiserver
if ! command -v python3 >/dev/null || [ ! -f "$vectors/replay.py" ]; then
        echo "skipped: no python3 or no recordings in $vectors"
        exit 77
fi
work=$(mktemp -d) || exit 1
"$program" 127.0.0.1:0 replay-token >"$work/port" &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT INT TERM
tries=0
while [ ! -s "$work/port" ] && [ $tries -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.1
done
python3 "$vectors/replay.py" --server "http://127.0.0.1:$(head -n 1 "$work/port")" \
        --token replay-token "$@" "$vectors"/*.jsonl
