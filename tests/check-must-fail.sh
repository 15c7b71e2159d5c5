#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-must-fail.sh: input that `ktlsim run` must refuse, with the message.
#
# Each tests/must_fail/*.trace has a line `# expect: LINE:COL: MESSAGE`. The program must end
# with code 2, print exactly FILE:LINE:COL: MESSAGE on stderr and nothing on stdout. Files that
# cannot be kept in a repository (a directory, none, too large, a line too long) are made here.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${KTLSIM:?is not set, expected the path of the program}"
passed=0 failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# refused FILE MESSAGE: MESSAGE is all that stands behind "FILE:".
refused() {
	local file=$1 want=$1:$2 rc=0

	"$KTLSIM" run "$file" >"$tmp/out" 2>"$tmp/err" || rc=$?
	if [ "$rc" = 2 ] && [ ! -s "$tmp/out" ] && [ "$(cat "$tmp/err")" = "$want" ]; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "$file: FAILED"
	echo "  expected code 2: $want"
	echo "  got code $rc: $(cat "$tmp/err")"
	head -n 3 "$tmp/out" | sed 's/^/  stdout: /'
}

count=0
for file in tests/must_fail/*.trace; do
	[ -e "$file" ] || continue
	count=$((count + 1))
	want=$(grep -a -m 1 '^# expect: ' "$file" || true)
	if [ -z "$want" ]; then
		echo "$file: FAILED: there is no line '# expect: LINE:COL: MESSAGE'"
		failed=$((failed + 1))
		continue
	fi
	refused "$file" "${want#\# expect: }"
done

refused "$tmp/none.trace" " cannot open: No such file or directory"
mkdir "$tmp/dir.trace"
refused "$tmp/dir.trace" " is a directory, expected a file"
mkfifo "$tmp/fifo.trace"
refused "$tmp/fifo.trace" " is not a regular file"
: >"$tmp/empty.trace"
refused "$tmp/empty.trace" "1:1: no text, expected 'ktlsim-trace 1' in the first line"
truncate -s 16777217 "$tmp/large.trace"
refused "$tmp/large.trace" " file of 16777217 bytes, expected at most 16777216"
{
	echo "ktlsim-trace 1"
	head -c 70000 /dev/zero | tr '\0' '#'
} >"$tmp/line.trace"
refused "$tmp/line.trace" "2:65537: line too long, expected at most 65536 bytes"
{
	echo "ktlsim-trace 1"
	echo "+0     peer  A = raw $(head -c 40962 /dev/zero | tr '\0' '0')"
} >"$tmp/raw.trace"
refused "$tmp/raw.trace" "2:22: raw record has 20481 bytes, expected at most 20480"
if [ "$(id -u)" != 0 ]; then
	echo "ktlsim-trace 1" >"$tmp/secret.trace"
	chmod 0 "$tmp/secret.trace"
	refused "$tmp/secret.trace" " cannot open: Permission denied"
fi

echo "must_fail: $passed refused as expected, $failed not; $count files in tests/must_fail"
[ "$count" -gt 0 ] || echo "must_fail: no file was found, so this is a failure"
[ "$failed" = 0 ] && [ "$count" -gt 0 ]
