#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-answers.sh: does the model answer as Linux 7.2 did? Writes the scenarios of
# tests/answers as traces into $BUILD/answers, runs them all and counts. Reports of those that
# differ are in $BUILD/answers/ktap; the first few are shown.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${KTLSIM:?is not set, expected the path of the program}"
: "${BUILD:?is not set, expected the directory to write to}"
shown=5
dir=$BUILD/answers
ktap=$dir/ktap

rm -rf "$dir"
mkdir -p "$dir"
tests/answers/answers2traces.py "$dir" >"$dir/summary"
traces=$(find "$dir" -name '*.trace' | wc -l)

# A few processes, so that one that dies takes only a part of the results with it.
find "$dir" -name '*.trace' -print0 | LC_ALL=C sort -z |
	xargs -0 -r -n 100 "$KTLSIM" run --format ktap >"$ktap" 2>"$dir/stderr" || true
agree=$(grep -c '^ok ' "$ktap" || true)
differ=$((traces - agree))
left_out=$(sed -n 's/^left out: //p' "$dir/summary" | paste -sd ';' | sed 's/;/; /g')

if [ "$differ" != 0 ]; then
	awk -v shown="$shown" '/^#/ { text = text $0 "\n" }
		/^not ok / { if (n++ < shown) printf "%s%s\n", text, $0 }
		/^(not )?ok / { text = "" }' "$ktap"
	grep '^not ok ' "$ktap" | tail -n +$((shown + 1)) || true
	head -n 20 "$dir/stderr"
fi
echo "answers: $traces scenarios, $agree agree, $differ differ, left out: ${left_out:-none}"
[ "$traces" -gt 0 ] || echo "answers: nothing ran, so this is a failure"
[ "$traces" -gt 0 ] && [ "$differ" = 0 ]
