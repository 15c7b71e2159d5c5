#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-judge-findings.sh [KERNEL...]: do real kernels still answer what tests/findings/SLUG.judge
# says? 6.1 unless others are named. Of another version than the one asked then, only agreement with
# the model counts. Env: KTLSIM, BUILD (to write to). Without a kernel: a line, and exit code 77.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

: "${KTLSIM:?is not set, expected the path of the program}"
: "${BUILD:?is not set, expected the directory to write to}"
[ $# -gt 0 ] || set -- 6.1
dir=$BUILD/judge-findings
failed=0 judged=0

rm -rf "$dir"
mkdir -p "$dir"
cp tests/findings/*.judge "$dir" || exit 2

# compare KERNEL: its lines of both
compare() {
	local old new

	old=$(cat tests/findings/*.judge | sed -n "s/^\($1\.[0-9]*\) .*/\1/p" | sort -u)
	new=$(cat "$dir"/*.judge | sed -n "s/^\($1\.[0-9]*\) .*/\1/p" | sort -u)
	if [ "$old" != "$new" ]; then
		echo "judge-findings: $new agrees with the model; recorded is ${old:-no $1}," \
			"scripts/judge-findings.sh $1 records it"
		return 0
	fi
	diff -r <(cd tests/findings && grep "^$1\.[0-9]* " ./*.judge) \
		<(cd "$dir" && grep "^$1\.[0-9]* " ./*.judge)
}

for kernel in "$@"; do
	OUT=$dir scripts/judge-findings.sh "$kernel"
	case $? in
	0)
		judged=$((judged + 1))
		compare "${kernel//./\\.}" || failed=$((failed + 1))
		;;
	77) echo "judge-findings: SKIPPED, no Linux $kernel here: it was not asked" ;;
	*) failed=$((failed + 1)) ;;
	esac
done
echo "judge-findings: $judged kernels asked, $failed differ"
[ $failed = 0 ] || exit 1
[ $judged -gt 0 ] || exit 77
