#!/bin/sh
# Runs every fuzzer of a build directory for some seconds from its corpus: fuzz.sh BUILD SECONDS. New inputs stay in
# BUILD; a crash is printed with the file that reproduces it.
build=$1
seconds=$2
corpus=$(dirname "$0")/../tests/fuzz/corpus
failures=0
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}"
for program in "$build"/tests/fuzz/fuzz_*; do
        [ -f "$program" ] || continue
        name=$(basename "$program" | sed 's/^fuzz_//')
        mkdir -p "$build/corpus/$name" "$build/crashes"
        set -- "$build/corpus/$name"
        [ ! -d "$corpus/$name" ] || set -- "$@" "$corpus/$name"
        if "$program" -max_total_time="$seconds" -artifact_prefix="$build/crashes/$name-" \
                "$@" >"$build/fuzz-$name.log" 2>&1; then
                echo "ok $name: $(grep -c . "$build/fuzz-$name.log") lines, $(grep -o 'stat::number_of_executed_units.*\|Done [0-9]* runs' "$build/fuzz-$name.log" | tail -n 1)"
        else
                failures=$((failures + 1))
                echo "FAIL $name"
                grep -E 'ERROR|SUMMARY|Test unit written|runtime error' "$build/fuzz-$name.log" | head -n 8
        fi
done
[ $failures -eq 0 ]
