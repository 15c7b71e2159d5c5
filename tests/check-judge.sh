#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-judge.sh [KERNEL...]: do real kernels agree with the model? All traces of tests/traces and
# tests/answers, and RUNS random ones (none) of SEED (1); 6.1 unless others are named. Env: KTLSIM,
# BUILD (to write to). Without a kernel: a line, and exit code 77.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

: "${KTLSIM:?is not set, expected the path of the program}"
: "${BUILD:?is not set, expected the directory to write to}"
[ $# -gt 0 ] || set -- 6.1
dir=$BUILD/judge-answers
out=$BUILD/judge-found
worst=0
judged=0

rm -rf "$dir" "$out"
mkdir -p "$dir" "$out"
tests/answers/answers2traces.py "$dir" >"$dir/summary" || exit 2
mapfile -t files < <(find tests/traces "$dir" -name '*.trace' | LC_ALL=C sort)

judge() {
	local ret
	"$KTLSIM" judge --quiet --kernel "$@" --out "$out"
	ret=$?
	[ $ret -eq 77 ] || judged=$((judged + 1))
	[ $ret -eq 0 ] || [ $ret -eq 77 ] || worst=1
	return $ret
}

for kernel in "$@"; do
	judge "$kernel" --jobs 2 "${files[@]}"
	if [ $? -eq 77 ]; then
		echo "judge: SKIPPED, no Linux $kernel here: nothing was compared with it"
		continue
	fi
	[ "${RUNS:-0}" -eq 0 ] ||
		judge "$kernel" --jobs 4 --runs "$RUNS" --seed "${SEED:-1}"
done
[ $judged -gt 0 ] || exit 77
exit $worst
