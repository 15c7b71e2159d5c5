#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The program's front: commands, options, formats, exit codes, error lines.
# Env: KTLSIM. Every case states the exit code and a text that must appear.
set -u
: "${KTLSIM:?program to test}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
bad=0

# want CODE TEXT ARG... : runs ktlsim with the arguments
want() {
	local code=$1 text=$2 out ret
	shift 2
	n=$((n + 1))
	out=$("$KTLSIM" "$@" 2>&1)
	ret=$?
	if [ "$ret" -ne "$code" ] || ! grep -qF -- "$text" <<<"$out"; then
		bad=$((bad + 1))
		echo "ktlsim $*: exit $ret, expected $code and '$text'; got:"
		head -5 <<<"$out"
	fi
}

cat >"$dir/good.trace" <<'EOT'
ktlsim-trace 1
+0     peer  A = data 10
+0     wire  A
+0     a     recvmsg 10 = 10 data A
EOT
sed 's/= 10 data A/= 11/' "$dir/good.trace" >"$dir/bad.trace"
sed 's/recvmsg 10/recvmsq 10/' "$dir/good.trace" >"$dir/typo.trace"
sed 's/^+0     peer/set profile=v0\n&/' "$dir/good.trace" >"$dir/profile.trace"
mkdir "$dir/folder"

want 0 'usage: ktlsim' --help
want 2 'usage: ktlsim'
want 2 "unknown command 'frobnicate'" frobnicate
want 0 'ok  ' run "$dir/good.trace"
want 1 'expected: 11' run "$dir/bad.trace"
want 1 'replay:   ktlsim run' run "$dir/bad.trace"
want 2 "typo.trace:4:" run "$dir/typo.trace"
want 2 "unknown profile 'v0'" run "$dir/profile.trace"
want 2 'No such file' run "$dir/none.trace"
want 2 'directory' run "$dir/folder"
want 2 'no trace given' run
want 2 "--profile 'v0'" run --profile v0 "$dir/good.trace"
want 2 "--format 'xml'" run --format xml "$dir/good.trace"
want 2 'option' run --nonsense
want 0 'usage: ktlsim run' run --help
want 0 'tls-recv' run --log "$dir/good.trace"
want 2 '3 traces: 1 hold, 1 do not, 1 unusable' run "$dir/good.trace" \
	"$dir/bad.trace" "$dir/typo.trace"
want 1 'not ok 2' run --format ktap "$dir/good.trace" "$dir/bad.trace"
want 0 'ok 1' run --format ktap "$dir/good.trace"
want 0 'usage: ktlsim bench' bench --help
want 2 "benchmark 'nothing'" bench nothing
want 2 "--format 'xml'" bench --format xml
want 2 'option' bench --nonsense
want 0 'v7.2' profiles
want 0 'No lost wakeup' invariants
want 0 'bad-fd' reasons
want 0 '' changes
want 2 "unexpected argument 'x'" profiles x
want 2 "unexpected argument 'x'" invariants x
want 2 "unexpected argument 'x'" reasons x
want 2 "unexpected argument 'x'" changes x

# JSON and JUnit are what they claim to be
for format in json junit; do
	n=$((n + 1))
	"$KTLSIM" run --format $format "$dir/good.trace" "$dir/bad.trace" \
		"$dir/typo.trace" >"$dir/out.$format" 2>/dev/null
done
python3 - "$dir" <<'EOT' || bad=$((bad + 1))
import json, sys, xml.etree.ElementTree as ET
d = sys.argv[1]
j = json.load(open(d + "/out.json"))
assert (j["traces"], j["failed"], j["unusable"]) == (3, 1, 1), j
assert [r["status"] for r in j["results"]] == ["pass", "fail", "unusable"]
x = ET.parse(d + "/out.junit").getroot()
assert x.get("tests") == "3" and x.get("failures") == "2"
assert len(x.findall("testcase")) == 3
EOT

# the same hash twice, and one line a trace
n=$((n + 1))
a=$("$KTLSIM" run --log-hash "$dir/good.trace")
b=$("$KTLSIM" run --log-hash "$dir/good.trace")
if [ "$a" != "$b" ] || [ "$(wc -l <<<"$a")" -ne 1 ]; then
	bad=$((bad + 1))
	echo "run --log-hash: '$a' then '$b'"
fi

echo "command line: $n cases, $bad wrong"
[ "$n" -gt 0 ] && [ "$bad" -eq 0 ]
