# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shell functions of scripts/test.sh and scripts/coverage.sh: run everything that is a test
# against one build and count. To be sourced, in the repository's root.
#
#   run_tests PRESET    runs build/PRESET/unit, then tests/check-*.sh in order of name with
#                       KTLSIM and BUILD set. A check script counts as one test; it exits with
#                       0, 1 or 77 (skipped).
#   tests_summary NAME  prints what ran; false if a test failed or none ran.

passed=0 failed=0 skipped=0
results=()

result() {
	results+=("$(printf '  %-8s %-16s %s' "$1" "$2" "$3")")
}

run_unit() {
	local preset=$1 out=build/$1/unit.out checks fails errors rc=0

	[ -x "build/$preset/unit" ] || return 0
	echo "== unit ($preset)"
	CK_DEFAULT_TIMEOUT=${CK_DEFAULT_TIMEOUT:-120} "build/$preset/unit" >"$out" 2>&1 || rc=$?
	cat "$out"
	read -r checks fails errors < <(sed -n \
		's/.*Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1 \2 \3/p' \
		"$out" | tail -n 1) || true
	if [ -z "${errors:-}" ]; then
		# It did not live to report.
		checks=1 fails=0 errors=1
	elif [ "$rc" != 0 ] && [ $((fails + errors)) = 0 ]; then
		checks=$((checks + 1)) errors=1
	fi
	fails=$((fails + errors))
	passed=$((passed + checks - fails))
	failed=$((failed + fails))
	if [ "$fails" = 0 ]; then
		result ok "$preset" "unit: $checks tests"
	else
		result FAILED "$preset" "unit: $fails of $checks tests (exit code $rc)"
	fi
}

run_check_script() {
	local preset=$1 script=$2 rc=0

	echo "== $script ($preset)"
	if [ -x "$script" ]; then
		KTLSIM=$PWD/build/$preset/ktlsim BUILD=$PWD/build/$preset "$script" || rc=$?
	else
		echo "$script is not executable: chmod +x $script"
		rc=126
	fi
	case $rc in
	0)
		passed=$((passed + 1))
		result ok "$preset" "$script"
		;;
	77)
		skipped=$((skipped + 1))
		result skipped "$preset" "$script"
		;;
	*)
		failed=$((failed + 1))
		result FAILED "$preset" "$script (exit code $rc)"
		;;
	esac
}

run_tests() {
	local preset=$1 script

	export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
	export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
	run_unit "$preset"
	for script in tests/check-*.sh; do
		[ -e "$script" ] || continue
		run_check_script "$preset" "$script"
	done
}

tests_summary() {
	local line rc=0

	[ "$failed" = 0 ] || rc=1
	echo "== what ran"
	[ ${#results[@]} = 0 ] || printf '%s\n' "${results[@]}"
	if [ $((passed + failed)) = 0 ]; then
		echo "$1: no test was executed, so this is a failure"
		rc=1
	fi
	line="$1: $passed passed, $failed failed"
	[ "$skipped" = 0 ] || line+=", $skipped skipped"
	echo "$line" | tee "build/$1-summary"
	return $rc
}
