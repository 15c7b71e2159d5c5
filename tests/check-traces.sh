#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every trace under tests/traces/ holds, is in canonical form, and together
# they reach every reason. Env: KTLSIM.
set -u
: "${KTLSIM:?program to test}"
cd "$(dirname "$0")/.." || exit 2
floor=120
mapfile -t files < <(find tests/traces -name '*.trace' | LC_ALL=C sort)
if [ "${#files[@]}" -lt "$floor" ]; then
	echo "traces: only ${#files[@]}, expected at least $floor"
	exit 1
fi
out=$("$KTLSIM" run "${files[@]}" 2>&1)
ret=$?
grep -v '^ok  ' <<<"$out"
if ! "$KTLSIM" fmt --check "${files[@]}"; then
	echo "traces: not in canonical form, see above (ktlsim fmt FILE)"
	ret=1
fi
missing=0
while read -r reason _; do
	if ! grep -qhE "why=$reason( |\$)" "${files[@]}"; then
		echo "traces: no trace expects why=$reason"
		missing=$((missing + 1))
	fi
done < <("$KTLSIM" reasons)
echo "traces: ${#files[@]} run, $missing reasons not reached"
[ "$ret" -eq 0 ] && [ "$missing" -eq 0 ]
