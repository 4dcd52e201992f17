#!/bin/sh
# Everything CI runs, stage by stage, each with one line of outcome; ends with 1 when any failed. All stages run even
# when an earlier one failed, except those that need its build. The counts of all tests and gates are left in
# .cache/check-counts as "PASSED FAILED SKIPPED".
cd "$(dirname "$0")/.." || exit 1
mkdir -p .cache
counts=.cache/check-counts
echo "0 1 0" >"$counts"
passed=0
failed=0
skipped=0
summary=
failures=
started=$(date +%s)

# stage NAME COMMAND...: runs it, keeps a bounded end of its output on the terminal when it fails
stage() {
        name=$1
        shift
        from=$(date +%s)
        if "$@" >.cache/check-stage.log 2>&1; then
                outcome=ok
        else
                outcome=FAILED
        fi
        if [ $outcome = FAILED ]; then
                tail -n 60 .cache/check-stage.log
        else
                grep -E '^(skipped|slow) ' .cache/check-stage.log
        fi
        line=$(printf '%-6s %-28s %4d s  %s' $outcome "$name" $(($(date +%s) - from)) "$(tail -n 1 .cache/check-stage.log | cut -c 1-90)")
        echo "$line"
        summary="$summary$line
"
        [ $outcome = ok ]
}
# A stage that is one check by itself: a build or a gate.
single() {
        if stage "$@"; then
                passed=$((passed + 1))
        else
                failed=$((failed + 1))
                return 1
        fi
}
# A stage that runs the tests of a build directory.
tests() {
        rm -f "$2/meson-logs/counts" "$2/meson-logs/failures"
        stage "$1" scripts/test.sh "$2" --timeout-multiplier "$3"
        [ ! -s "$2/meson-logs/failures" ] || failures="$failures$(cat "$2/meson-logs/failures")
"
        read -r p f s <"$2/meson-logs/counts" 2>/dev/null || { p=0 f=1 s=0; }
        passed=$((passed + p))
        failed=$((failed + f))
        skipped=$((skipped + s))
}
# build DIRECTORY COMPILER MESON-OPTION...: configures and builds, silent but for warnings and errors
build() {
        directory=$1
        compiler=$2
        shift 2
        if [ ! -f "$directory/build.ninja" ]; then
                mkdir -p "$directory"
                CC=$compiler meson setup "$directory" "$@" >"$directory/setup.log" 2>&1 || {
                        tail -n 30 "$directory/setup.log"
                        return 1
                }
        fi
        ninja --quiet -k 20 -C "$directory" || return 1
        echo "$(grep -c 'warning:' .cache/check-stage.log) warnings"
}

single "setup" scripts/setup.sh check
for gate in layers banned limits headers format style docs commits way_out; do
        single "gate $gate" scripts/check_$gate.py
done
if single "gcc -Werror" build build-check gcc -Dwerror=true; then
        single "gate symbols" scripts/check_symbols.py --build build-check
        single "gate circles" scripts/check_circles.py --build build-check
        tests "tests" build-check 2
fi
single "clang -Werror" build build-clang clang -Dwerror=true -Doptimization=0 -Ddebug=false
if single "gcc ASan UBSan" build build-asan gcc -Db_sanitize=address,undefined -Doptimization=1 -Dwerror=true; then
        tests "tests ASan UBSan" build-asan 6
fi

echo "$passed $failed $skipped" >"$counts"
printf '\n%s' "$summary"
printf '%s' "$failures" | head -n 30
echo "check: $passed passed, $failed failed, $skipped skipped in $(($(date +%s) - started)) s"
[ $failed -eq 0 ]
