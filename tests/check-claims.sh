#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-claims.sh: what posted patches claim, and what they break.
#
# `ktlsim claims PROFILE` must come to the verdicts of tests/claims/PROFILE.txt, and there is such a
# file for each profile that it lists.
#
# Each tests/findings/PROFILE/*.trace has a line `# finding: INVARIANT SLUG`. On PROFILE the program
# must end with code 1 and report exactly that, in every order of its events that `ktlsim explore`
# tries at least once. On v7.2 and on the mended version of the patch the trace must hold, in every
# order. Random worlds must find what the patch breaks, and nothing in the mended version.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${KTLSIM:?is not set, expected the path of the program}"
passed=0 failed=0
out=$(mktemp)
dir=$(mktemp -d)
trap 'rm -rf "$out" "$dir"' EXIT

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
	rc=0
	"$KTLSIM" explore --profile "$2" "$file" >"$out" 2>&1 || rc=$?
	if [ "$rc" != 1 ] || ! grep -q "^broken: *$want in " "$out"; then
		wrong "$file" "explore does not find $want on $2"
		return
	fi
	for other in v7.2 "$3"; do
		if ! "$KTLSIM" run --profile "$other" "$file" >"$out" 2>&1; then
			wrong "$file" "does not hold on $other"
			return
		elif ! "$KTLSIM" explore --profile "$other" "$file" >"$out" 2>&1; then
			wrong "$file" "does not hold on $other in every order"
			return
		fi
	done
	passed=$((passed + 1))
}

# verdicts PROFILE
verdicts() {
	local want=tests/claims/$1.txt n

	n=$(grep -c '^[0-9]' "$want" || true)
	if ! "$KTLSIM" claims --runs 2000 "$1" >"$out"; then
		wrong "ktlsim claims $1" "ends with another code than 0"
	elif [ "$n" = 0 ]; then
		wrong "$want" "has no verdict"
	elif ! { sed -n 's/^ *\([0-9]*\)  \(holds\|fails\|depends\) */\1 \2 /p' "$out" &&
		tail -n 1 "$out"; } | diff <(grep -v '^#' "$want") -; then
		wrong "ktlsim claims $1" "other verdicts than $want"
	else
		passed=$((passed + n))
	fi
}

# answers CODE TEXT ARG...: what the command ends with and prints
answers() {
	local code=$1 text=$2 rc=0
	shift 2
	"$KTLSIM" claims "$@" >"$out" 2>&1 || rc=$?
	if [ "$rc" = "$code" ] && grep -qF -- "$text" "$out" &&
		{ [ "$code" = 0 ] || [ "$(wc -l <"$out")" = 1 ]; }; then
		passed=$((passed + 1))
	else
		wrong "ktlsim claims $*" "expected code $code and '$text', got code $rc"
	fi
}

answers 0 'usage: ktlsim claims' --help
answers 2 "PROFILE 'v7.2' is not usable" v7.2
answers 2 "unexpected argument 'x'" rfc-splice-coalesce x
answers 2 "--runs '0' is not usable" --runs 0
answers 2 "nonsense" --nonsense
while read -r profile _; do
	verdicts "$profile"
done < <("$KTLSIM" claims)
[ "$(find tests/claims -name '*.txt' | wc -l)" = "$("$KTLSIM" claims | wc -l)" ] ||
	wrong tests/claims "not one file a profile"

for file in tests/findings/rfc-splice-coalesce/*.trace; do
	broken "$file" rfc-splice-coalesce splice-coalesce-fixed
done

# found PROFILE CODE TEXT: what random worlds say
found() {
	local rc=0

	"$KTLSIM" check --profile "$1" --runs 4000 --out "$dir" >"$out" 2>&1 || rc=$?
	if [ "$rc" = "$2" ] && grep -qF -- "$3" "$out"; then
		passed=$((passed + 1))
	else
		wrong "ktlsim check --profile $1" "expected code $2 and '$3', got code $rc"
	fi
}

found rfc-splice-coalesce 1 'new: B6 no-room'
found rfc-splice-coalesce 1 'new: W1 poll-hides-ahead'
found rfc-splice-coalesce 1 'new: W3 fionread-ahead'
found splice-coalesce-fixed 0 'findings: 0 new'

echo "claims: $passed passed, $failed failed"
[ "$passed" -gt 0 ] || echo "claims: nothing ran, so this is a failure"
[ "$passed" -gt 0 ] && [ "$failed" = 0 ]
