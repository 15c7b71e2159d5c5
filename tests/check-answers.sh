#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-answers.sh: does the model answer as real kernels did? Writes the scenarios of
# tests/answers as traces into $BUILD/answers/PROFILE, runs each kernel's on its profile and
# counts. Reports of those that differ are in $BUILD/answers/PROFILE.ktap; the first few are shown.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${KTLSIM:?is not set, expected the path of the program}"
: "${BUILD:?is not set, expected the directory to write to}"
shown=5
dir=$BUILD/answers
profiles="v6.1.176 v6.12.113 v7.2"
bad=0

rm -rf "$dir"
mkdir -p "$dir"
tests/answers/answers2traces.py "$dir" >"$dir/summary"
left_out=$(sed -n 's/^left out: //p' "$dir/summary" | paste -sd ';' | sed 's/;/; /g')

for profile in $profiles; do
	ktap=$dir/$profile.ktap
	traces=$(find "$dir/$profile" -name '*.trace' | wc -l)

	# A few processes, so that one that dies takes only a part of the results with it.
	find "$dir/$profile" -name '*.trace' -print0 | LC_ALL=C sort -z |
		xargs -0 -r -n 100 "$KTLSIM" run --format ktap >"$ktap" \
			2>"$dir/$profile.stderr" || true
	agree=$(grep -c '^ok ' "$ktap" || true)
	differ=$((traces - agree))

	if [ "$differ" != 0 ]; then
		awk -v shown="$shown" '/^#/ { text = text $0 "\n" }
			/^not ok / { if (n++ < shown) printf "%s%s\n", text, $0 }
			/^(not )?ok / { text = "" }' "$ktap"
		grep '^not ok ' "$ktap" | tail -n +$((shown + 1)) || true
		head -n 20 "$dir/$profile.stderr"
	fi
	echo "answers $profile: $traces scenarios, $agree agree, $differ differ," \
		"left out: ${left_out:-none}"
	[ "$traces" -gt 0 ] || echo "answers $profile: nothing ran, so this is a failure"
	[ "$traces" -gt 0 ] && [ "$differ" = 0 ] || bad=1
done
exit "$bad"
