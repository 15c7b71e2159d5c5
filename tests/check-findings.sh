#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-findings.sh: the promises that Linux 7.2 breaks itself, one trace each.
#
# Each tests/findings/SLUG.trace has a line `# finding: INVARIANT SLUG`. With --all the program
# must end with code 1 and report exactly that; without, a known finding is passed over, so the
# trace must pass with every result as a real kernel gave it. sim/inv/findings.def lists the same
# findings, and docs/findings.md has what `ktlsim findings` makes of them: it runs each trace on all
# profiles, and reads what real kernels answered (SLUG.judge).
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

check() {
	local file=$1 rc=0 want got

	want=$(sed -n '2s/^# finding: //p' "$file")
	"$KTLSIM" run --all "$file" >"$out" 2>&1 || rc=$?
	got=$(sed -n 's/^  broken:  *\([A-Z0-9]*\) (\([a-z-]*\)):.*/\1 \2/p' "$out" | head -n 1)
	if [ -z "$want" ] || [ "$(basename "$file" .trace)" != "${want#* }" ]; then
		wrong "$file" "line 2 is not '# finding: INVARIANT SLUG' with the file's name"
	elif [ "$rc" != 1 ] || [ "$got" != "$want" ]; then
		wrong "$file" "expected code 1 and $want, got code $rc and ${got:-nothing}"
	elif ! "$KTLSIM" run "$file" >"$out" 2>&1; then
		wrong "$file" "fails without --all, too"
	else
		passed=$((passed + 1))
	fi
}

for file in tests/findings/*.trace; do
	[ ! -e "$file" ] || check "$file"
done

# Both ways: no trace without an entry, no entry without a trace.
sed -n 's/^FINDING(\([A-Z0-9]*\), "\([a-z-]*\)".*/\1 \2/p' \
	sim/inv/findings.def | LC_ALL=C sort >"$out"
listed=$(wc -l <"$out")
if ! sed -n 's/^# finding: //p' tests/findings/*.trace | LC_ALL=C sort | diff - "$out"; then
	failed=$((failed + 1))
	echo "sim/inv/findings.def and tests/findings do not list the same: FAILED"
fi

# Every file belongs to one, and the table is what the profiles do now. Directories are what posted
# patches break, see check-claims.sh.
for file in tests/findings/*; do
	[ ! -d "$file" ] || continue
	case $file in
	*.trace | *.judge) [ -e "${file%.*}.trace" ] && [ -e "${file%.*}.judge" ] && continue ;;
	esac
	wrong "$file" "is not one of SLUG.trace and SLUG.judge"
done
if ! "$KTLSIM" findings tests/findings >"$out" ||
	! diff <(sed -n '/^| finding /,$p' docs/findings.md) "$out"; then
	failed=$((failed + 1))
	echo "docs/findings.md is not what \`ktlsim findings\` prints: FAILED;" \
		"scripts/judge-findings.sh doc writes it"
fi

echo "findings: $passed passed, $failed failed, $listed listed"
[ "$passed" -gt 0 ] || echo "findings: nothing ran, so this is a failure"
[ "$passed" -gt 0 ] && [ "$failed" = 0 ]
