#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-random.sh: random worlds and the fuzz targets, a little of each and always the same, so
# that a build with sanitizers meets them in every test run. New findings go to $BUILD/random.
set -uo pipefail
cd "$(dirname "$0")/.."

: "${KTLSIM:?is not set, expected the path of the program}"
: "${BUILD:?is not set, expected the directory to write to}"
dir=$BUILD/random
n=0
bad=0
rm -rf "$dir"
mkdir -p "$dir"

# try NAME COMMAND...: it must end with 0.
try() {
	local name=$1 rc=0

	shift
	n=$((n + 1))
	"$@" >"$dir/$name.out" 2>&1 || rc=$?
	[ $rc != 0 ] || return 0
	bad=$((bad + 1))
	echo "$name: exit $rc: $*"
	grep -E -A 3 '^new|^fuzz|ERROR|runtime error' "$dir/$name.out" | head -n 20 ||
		tail -n 5 "$dir/$name.out"
}

try check "$KTLSIM" check --seed 1 --runs 4000 --out "$dir/findings"
try shards "$KTLSIM" check --seed 1 --runs 400 --shard 2/3 --jobs 2 --out "$dir/findings"

# The same runs, whoever does them: one hash a run.
try hashes1 "$KTLSIM" check --seed 5 --runs 300 --log-hash
try hashes2 "$KTLSIM" check --seed 5 --runs 300 --log-hash --jobs 3
try same cmp "$dir/hashes1.out" "$dir/hashes2.out"

for target in fuzz_rx fuzz_diffseg fuzz_strp; do
	[ -x "$BUILD/$target" ] || continue
	try "$target" "$BUILD/$target" "fuzz/corpus/$target" -runs=400 -seed=1 \
		--out="$dir/findings" --stats="$dir/$target.stats"
	try "$target-stats" "$KTLSIM" fuzz-stats "$dir/$target.stats"
done
if [ -x "$BUILD/fuzz_trace" ]; then
	try fuzz_trace "$BUILD/fuzz_trace" tests/traces tests/must_fail -runs=400
fi
try usage grep -q 'usage: ktlsim check' <("$KTLSIM" check --help)

echo "random: $n commands, $bad failed"
[ "$bad" = 0 ]
