#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# determinism.sh: same trace, same choices, same log. Builds with gcc -O0, clang -O2 and gcc with
# sanitizers, prints the log hashes of all traces and of 1000 random ones twice with each, and
# compares the six outputs byte by byte. RUNS and SEED change the random part.
set -euo pipefail
cd "$(dirname "$0")/.."

presets="gcc-O0 clang-O2 asan-ubsan"
runs=${RUNS:-1000}
seed=${SEED:-1}

scripts/build.sh determinism $presets
dir=build/determinism
rm -rf "$dir"
mkdir -p "$dir"

# A trace is a file that says so in its first line.
traces=()
if [ -d tests/traces ]; then
	while IFS= read -r -d '' file; do
		read -r first <"$file" || true
		case $first in "ktlsim-trace "*) traces+=("$file") ;; esac
	done < <(find tests/traces -type f -print0 | LC_ALL=C sort -z)
fi
if [ ${#traces[@]} = 0 ]; then
	echo "determinism: there is no trace under tests/traces, so nothing was compared" >&2
	exit 1
fi

# hashes NAME PRESET ROUND COMMAND...: the output of ktlsim COMMAND, in a file.
hashes() {
	local out=$dir/$1.$2.$3 preset=$2 rc=0

	shift 3
	"build/$preset/ktlsim" "$@" >"$out" 2>"$out.err" || rc=$?
	if [ "$rc" != 0 ] || [ ! -s "$out" ]; then
		tail -n 20 "$out" "$out.err" >&2
		echo "determinism: build/$preset/ktlsim $1 ended with exit code $rc and" \
			"$(wc -l <"$out") lines, expected 0 and hashes" >&2
		exit 1
	fi
}

differ=0
compare() {
	local name=$1 what=$2 ref=$dir/$1.gcc-O0.1 preset round out

	for preset in $presets; do
		for round in 1 2; do
			out=$dir/$name.$preset.$round
			cmp -s "$ref" "$out" && continue
			differ=$((differ + 1))
			echo "$what: $preset, run $round differs from gcc-O0, run 1:"
			diff "$ref" "$out" | head -n 20 || true
		done
	done
}

for preset in $presets; do
	if [ ! -x "build/$preset/ktlsim" ]; then
		echo "determinism: there is no build/$preset/ktlsim" >&2
		exit 1
	fi
	for round in 1 2; do
		hashes run "$preset" "$round" run --log-hash "${traces[@]}"
		hashes check "$preset" "$round" check --seed "$seed" --runs "$runs" --log-hash
	done
	echo "determinism: $preset ran ${#traces[@]} traces and $runs random ones twice"
done
compare run "traces"
compare check "random traces"

if [ "$differ" != 0 ]; then
	echo "determinism: FAILED, $differ outputs differ (all of them: $dir)"
	exit 1
fi
echo "determinism: ok, ${#traces[@]} traces and $runs random ones (seed $seed) give the same" \
	"log with $(echo $presets | sed 's/ /, /g'), twice each"
