#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-test-your-patch.sh: what docs/test-your-patch.md shows happens. Its patch applies to a copy
# of the sources, builds, and is found to break what the document says; v7.2 in the same program is
# as it was.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${KTLSIM:?is not set, expected the path of the program}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0

# want CODE TEXT ARG...
want() {
	local code=$1 text=$2 rc=0
	shift 2
	"$mine" "$@" >"$dir/out" 2>&1 || rc=$?
	if [ "$rc" = "$code" ] && grep -qF -- "$text" "$dir/out"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "ktlsim $*: exit $rc, expected $code and '$text'; got:"
	head -n 8 "$dir/out"
}

mkdir "$dir/src"
cp -r CMakeLists.txt cmake model sim fuzz tests "$dir/src"
(cd "$dir/src" && git apply) <docs/test-your-patch.diff
cmake -S "$dir/src" -B "$dir/build" -G Ninja -DCMAKE_C_FLAGS=-O0 >"$dir/log" 2>&1 &&
	cmake --build "$dir/build" --target ktlsim >>"$dir/log" 2>&1 || {
	tail -n 20 "$dir/log"
	echo "test-your-patch: the patched program does not build: FAILED"
	exit 1
}
mine=$dir/build/ktlsim
trace=$dir/found/W1-reader-unparsed.trace
want 1 'new: W1 reader-unparsed (run 0)' \
	check --profile v7.2+mine --runs 5000 --out "$dir/found"
want 1 'W1 (reader-unparsed)' run "$trace"
want 0 'ok  ' run --profile v7.2 "$trace"
want 1 'sleeps to the end' diff --profiles v7.2,v7.2+mine "$trace"
want 0 'findings: 0 new' check --profile v7.2 --runs 5000 --out "$dir/none"
echo "test-your-patch: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
