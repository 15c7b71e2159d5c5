#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every change of the kernels' profiles is told in docs/profiles.md and shown by
# a trace: tests/traces/versions/NAME.trace holds on the older kernel and does
# not on v7.2; tests/panics/NAME.trace ends where that kernel would die, and
# holds on v7.2. A change that nothing shows says so in the table.
# Env: KTLSIM.
set -u
: "${KTLSIM:?program to test}"
cd "$(dirname "$0")/.." || exit 2
doc=docs/profiles.md
passed=0
failed=0

bad() {
	failed=$((failed + 1))
	echo "profiles: $*"
}

# wants CODE TEXT ARG...: what `ktlsim run ARG...` must end with and print
wants() {
	local code=$1 text=$2 out ret
	shift 2
	out=$("$KTLSIM" run "$@" 2>&1)
	ret=$?
	if [ "$ret" -eq "$code" ] && grep -qF -- "$text" <<<"$out"; then
		return 0
	fi
	bad "ktlsim run $*: exit $ret, expected $code and '$text'; got:"
	head -8 <<<"$out"
	return 1
}

shown() {
	local name=$1 trace=tests/traces/versions/$1.trace panic=tests/panics/$1.trace
	if [ -f "$trace" ]; then
		wants 0 'ok  ' "$trace" &&
			wants 1 'the trace expects another result' \
				--profile v7.2 "$trace"
	elif [ -f "$panic" ]; then
		wants 1 'a kernel with' "$panic" &&
			wants 0 'ok  ' --profile v7.2 "$panic"
	else
		grep -qE "^\| \`$name\` \|.*\| none: " "$doc" ||
			{ bad "$name has no trace and $doc does not say why"; false; }
	fi
}

while read -r name _; do
	if ! grep -qF -- "| \`$name\` |" "$doc"; then
		bad "$doc has no row for $name"
		continue
	fi
	grep -qE -- "^\| \`$name\` \|.*\| (yes|no: [^|]*) \|$" "$doc" ||
		bad "$doc does not say in the last column whether kernels confirm $name"
	shown "$name" && passed=$((passed + 1))
done < <("$KTLSIM" changes | sed -n '2,/^$/{/./p;}')
while read -r name _; do
	grep -qF -- "\`$name\`" "$doc" || bad "$doc does not name $name"
done < <("$KTLSIM" profiles)
for trace in tests/traces/versions/*.trace tests/panics/*.trace; do
	name=$(basename "$trace" .trace)
	"$KTLSIM" changes | grep -q "^$name " || bad "$trace: there is no such change"
done
[ "$passed" -gt 0 ] || bad "nothing was checked"
echo "profiles: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
