#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-exam.sh: does the random checker find the bugs of the past? Thirty CPU seconds a bug at
# most, with the seed of the documentation; at least 35 bugs, all found, traces of 8 events or
# fewer. docs/exam.md must tell of each bug, in or left out.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${KTLSIM:?is not set, expected the path of the program}"
: "${BUILD:?is not set, expected the directory to write to}"
floor=35
bad=0

out=$("$KTLSIM" exam --seconds 30 --out "$BUILD/exam-found") || bad=1
found=$(sed -n 's/^exam: \([0-9]*\) of .* found.*/\1/p' <<<"$out")
if [ "$bad" != 0 ] || [ "${found:-0}" -lt "$floor" ]; then
	bad=1
	echo "$out"
	echo "exam: expected all bugs found, $floor at least, and no trace above 8 events"
fi
while read -r nr slug _; do
	grep -q "^| $nr | $slug |" docs/exam.md || {
		bad=1
		echo "docs/exam.md has no row for bug $nr, $slug"
	}
done < <("$KTLSIM" exam --list)
tail -n 1 <<<"$out"
exit $bad
