#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-known-bad.sh: each trace of tests/known_bad and tests/variants breaks the promise its second
# line names (or meets an assertion of the simulator) on the kernel it sets, which is v7.2 with a
# change, and none on v7.2 as it is. tests/known_bad has one for each bug of the past that the exam
# looks for, and no other; tests/variants what docs/wakeups.md tells of.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${KTLSIM:?is not set, expected the path of the program}"
passed=0 failed=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

wrong() {
	failed=$((failed + 1))
	echo "$1: FAILED: $2"
	sed -n 's/^  \(broken\|where\|got\|expected\): /  \1: /p' "$out" | head -n 4
}

# "D1 bytes", or "assertion"
broken() {
	sed -n -e 's/^  broken:  *\([A-Z0-9]*\) (\([a-z0-9-]*\)):.*/\1 \2/p' \
		-e 's/^  broken:  *an assertion of the simulator.*/assertion/p' "$out" |
		head -n 1
}

check() {
	local file=$1 rc=0 want got

	want=$(sed -n '2s/^# breaks: //p' "$file")
	"$KTLSIM" run --strict "$file" >"$out" 2>&1 || rc=$?
	got=$(broken)
	if [ -z "$want" ]; then
		wrong "$file" "line 2 is neither '# breaks: ID SLUG' nor of an assertion"
	elif [ "$rc" != 1 ] || [ "$got" != "$want" ]; then
		wrong "$file" "expected code 1 and $want, got code $rc and ${got:-nothing}"
	elif ! "$KTLSIM" run --strict --profile v7.2 "$file" >"$out" 2>&1; then
		wrong "$file" "fails on v7.2, too"
	else
		passed=$((passed + 1))
	fi
}

for file in tests/known_bad/*.trace tests/variants/*.trace; do
	[ ! -e "$file" ] || check "$file"
done

"$KTLSIM" exam --list | awk '!/ left out: / { print $2 }' | LC_ALL=C sort >"$out"
listed=$(wc -l <"$out")
if ! ls tests/known_bad | sed 's/\.trace$//' | LC_ALL=C sort | diff - "$out"; then
	failed=$((failed + 1))
	echo "ktlsim exam --list and tests/known_bad do not list the same: FAILED"
fi

echo "known_bad: $passed passed, $failed failed, $listed listed"
[ "$passed" -gt 0 ] || echo "known_bad: nothing ran, so this is a failure"
[ "$passed" -gt 0 ] && [ "$failed" = 0 ]
