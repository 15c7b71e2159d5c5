#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-judge.sh [KERNEL...]: do real kernels agree with the model? All traces of tests/traces and
# tests/answers, RUNS random ones (none) of SEED (1), and NEW_RUNS random ones (none) of a seed
# that comes from the commit, so that each commit has other ones; 6.1 unless others are named.
# Env: KTLSIM, BUILD (to write to). Leaves what was judged in BUILD/judge-summary. Of tests/traces,
# at least 85 % must be judgeable. Without a kernel: a line, and exit code 77.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

: "${KTLSIM:?is not set, expected the path of the program}"
: "${BUILD:?is not set, expected the directory to write to}"
[ $# -gt 0 ] || set -- 6.1
dir=$BUILD/judge-answers
out=$BUILD/judge-found
summary=$BUILD/judge-summary
new_seed=$((16#$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0)))
share_min=85
worst=0
judged=0

rm -rf "$dir" "$out"
mkdir -p "$dir" "$out"
: >"$summary"
tests/answers/answers2traces.py "$dir" >"$dir/summary" || exit 2
mapfile -t traces < <(find tests/traces -name '*.trace' | LC_ALL=C sort)
mapfile -t answers < <(find "$dir" -name '*.trace' | LC_ALL=C sort)

# judge KERNEL NAME ARG...: NAME is what is judged, for the summary
judge() {
	local kernel=$1 name=$2 line ret
	shift 2
	line=$("$KTLSIM" judge --quiet --kernel "$kernel" --out "$out" "$@")
	ret=$?
	echo "$line"
	line=$(tail -n 1 <<<"$line")
	if [ $ret -eq 77 ]; then
		return 77
	elif [ $ret -ne 0 ]; then
		worst=1
		name+=" FAILED"
	fi
	echo "judge $kernel: $name: ${line#*: }" >>"$summary"
	return $ret
}

# enough_judged KERNEL: of the line written last
enough_judged() {
	local share

	share=$(sed -n 's/.*(\([0-9]*\)\.[0-9] % are).*/\1/p' "$summary" | tail -n 1)
	[ "${share:-0}" -lt $share_min ] || return 0
	echo "judge: on $1 only ${share:-0} % of tests/traces are judgeable, expected $share_min"
	worst=1
}

for kernel in "$@"; do
	judge "$kernel" "tests/traces" --jobs 2 "${traces[@]}"
	if [ $? -eq 77 ]; then
		echo "judge: SKIPPED, no Linux $kernel here: nothing was compared with it" |
			tee -a "$summary"
		continue
	fi
	judged=$((judged + 1))
	enough_judged "$kernel"
	judge "$kernel" "tests/answers" --jobs 2 "${answers[@]}"
	[ "${RUNS:-0}" -eq 0 ] ||
		judge "$kernel" "random, seed ${SEED:-1}" --jobs 4 --runs "$RUNS" \
			--seed "${SEED:-1}"
	[ "${NEW_RUNS:-0}" -eq 0 ] ||
		judge "$kernel" "random, new seed $new_seed" --jobs 4 --runs "$NEW_RUNS" \
			--seed "$new_seed"
done
echo "== judged"
cat "$summary"
[ $worst -eq 0 ] || exit 1
[ $judged -gt 0 ] || exit 77
