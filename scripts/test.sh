#!/bin/sh
# Runs the tests of one build directory and prints what matters: test.sh BUILD [ARGUMENT of meson test ...].
# Failing tests with the end of their output, skipped ones, the slowest, and one line of counts. Ends with 1 when a test
# failed. Writes the counts to BUILD/meson-logs/counts as "PASSED FAILED SKIPPED".
build=$1
shift
here=$(dirname "$0")
kubectl=$(cd "$here/.." && pwd)/.cache/kubectl-1.32/usr/bin/kubectl
[ -n "${BERTH_KUBECTL:-}" ] || [ ! -x "$kubectl" ] || export BERTH_KUBECTL="$kubectl"
# One line per case, for counting; the first finding of a sanitizer ends the test.
export CMOCKA_MESSAGE_OUTPUT=TAP
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}"
rm -f "$build/meson-logs/testlog.json"
# Three more than there are processors: many tests wait for a role's next period.
meson test -C "$build" --no-rebuild --quiet --num-processes $(($(nproc) + 3)) "$@" >"$build/test-output.log" 2>&1
python3 "$here/test_report.py" "$build"
