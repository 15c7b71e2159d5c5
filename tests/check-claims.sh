#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-claims.sh: what posted patches break.
#
# Each tests/findings/PROFILE/*.trace has a line `# finding: INVARIANT SLUG`. On PROFILE the program
# must end with code 1 and report exactly that. On v7.2 and on the mended version of the patch the
# trace must hold.
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

# broken FILE PROFILE FIXED
broken() {
	local file=$1 rc=0 want got other

	want=$(sed -n '2s/^# finding: //p' "$file")
	"$KTLSIM" run --profile "$2" "$file" >"$out" 2>&1 || rc=$?
	got=$(sed -n 's/^  broken:  *\([A-Z0-9]*\) (\([a-z-]*\)):.*/\1 \2/p' "$out" | head -n 1)
	if [ -z "$want" ]; then
		wrong "$file" "line 2 is not '# finding: INVARIANT SLUG'"
		return
	elif [ "$rc" != 1 ] || [ "$got" != "$want" ]; then
		wrong "$file" "expected code 1 and $want on $2, got code $rc and ${got:-nothing}"
		return
	fi
	for other in v7.2 "$3"; do
		if ! "$KTLSIM" run --profile "$other" "$file" >"$out" 2>&1; then
			wrong "$file" "does not hold on $other"
			return
		fi
	done
	passed=$((passed + 1))
}

for file in tests/findings/rfc-splice-coalesce/*.trace; do
	broken "$file" rfc-splice-coalesce splice-coalesce-fixed
done

echo "claims: $passed passed, $failed failed"
[ "$passed" -gt 0 ] || echo "claims: nothing ran, so this is a failure"
[ "$passed" -gt 0 ] && [ "$failed" = 0 ]
