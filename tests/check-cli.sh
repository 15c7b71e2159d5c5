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
sed '$ { s/=.*//; p; p; }' "$dir/good.trace" >"$dir/impossible.trace"
cp "$dir/bad.trace" "$dir/a<b>&\"c.trace"
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
want 2 "unknown profile 'v0'" run --profile v0 "$dir/good.trace"
want 2 "--format 'xml'" run --format xml "$dir/good.trace"
want 2 'option' run --nonsense
want 2 'impossible.trace:6:1: a is still in its recvmsg' run "$dir/impossible.trace"
want 0 'usage: ktlsim run' run --help
want 0 'tls-recv' run --log "$dir/good.trace"
want 2 '3 traces: 1 hold, 1 do not, 1 unusable' run "$dir/good.trace" \
	"$dir/bad.trace" "$dir/typo.trace"
want 1 'not ok 2' run --format ktap "$dir/good.trace" "$dir/bad.trace"
want 0 'ok 1' run --format ktap "$dir/good.trace"
want 0 '# ' run --format ktap --log "$dir/good.trace"
want 0 '"log":"' run --format json --log "$dir/good.trace"
want 1 'a&lt;b&gt;&amp;&quot;c.trace' run --format junit "$dir/a<b>&\"c.trace"
want 0 'usage: ktlsim bench' bench --help
want 2 "benchmark 'nothing'" bench nothing
want 2 "--format 'xml'" bench --format xml
want 2 'option' bench --nonsense
want 0 'v7.2' profiles
want 0 'No lost wakeup' invariants
want 0 'bad-fd' reasons
want 0 '' changes
want 0 'usage: ktlsim invariants' invariants --help
want 2 "unexpected argument 'x'" profiles x
want 2 "unexpected argument 'x'" invariants x
want 2 "unexpected argument 'x'" reasons x
want 2 "unexpected argument 'x'" changes x

# check
want 0 'usage: ktlsim check' check --help
want 2 "unknown profile 'v0'" check --profile v0
want 2 "--seed '-1'" check --seed -1
want 2 "--runs '0'" check --runs 0
want 2 "--from '1x'" check --from 1x
want 2 "--jobs '1000'" check --jobs 1000
want 2 "--shard '3/2'" check --shard 3/2
want 2 "--shard '1'" check --shard 1
want 2 'option' check --nonsense
want 2 "unexpected argument 'x'" check x
want 0 'ktlsim check --profile v7.2 --seed 3 --from 7 --runs 9 --all --first' \
	check --profile v7.2 --seed 3 --from 7 --runs 9 --jobs 0 --all --first \
	--out "$dir/found"
want 0 'findings: 0 new' check --runs 20 --jobs 2 --out "$dir/found"

# exam
want 0 'usage: ktlsim exam' exam --help
want 0 'left out: device offload' exam --list
want 2 "bug 'none'" exam none
want 2 'option' exam --nonsense
want 2 "--seconds 'x'" exam --seconds x
want 0 'exam: 1 of 1 found' exam --out "$dir/exam" poll-ignores-rx-list
want 1 '1 with more than 1' exam --seconds 1 --events 1 --out "$dir/exam" poll-ignores-rx-list
want 2 'Not a directory' exam --out "$dir/good.trace" poll-ignores-rx-list

want 2 "--runs '0' is not usable, expected a number from 1 to" check --runs 0
want 2 "--shard '-1/1'" check --shard -1/1
want 2 "--shard '1/ 2'" check --shard '1/ 2'
want 2 "--shard '1/1000001'" check --shard 1/1000001

# A finding that cannot be written is no success, and no line says how to replay it
n=$((n + 1))
out=$("$KTLSIM" check --all --runs 300 --out "$dir/good.trace" 2>&1)
if [ $? -ne 2 ] || grep -q 'replay:' <<<"$out" ||
	! grep -q 'cannot write .*: Not a directory' <<<"$out"; then
	bad=$((bad + 1))
	echo "check --out FILE: exit not 2, or it tells a file that is not there"
fi
# and a disk that is full leaves no half of it
n=$((n + 1))
(trap '' XFSZ; ulimit -f 0
	"$KTLSIM" check --all --runs 300 --out "$dir/full") >/dev/null 2>&1
if [ $? -ne 2 ] || [ -n "$(ls -A "$dir/full")" ]; then
	bad=$((bad + 1))
	echo "check --out on a full disk: exit not 2, or left $(ls -A "$dir/full")"
fi

# Whoever ends check ends its processes
n=$((n + 1))
"$KTLSIM" check --jobs 2 --runs 1000000000 --out "$dir/found" >/dev/null &
check=$!
sleep 0.3
kids=$(cat "/proc/$check/task/$check/children")
kill "$check"
wait "$check" 2>/dev/null
sleep 0.3
for kid in $kids; do
	if grep -q '^State:.[RS]' "/proc/$kid/status" 2>/dev/null; then
		bad=$((bad + 1))
		echo "check: process $kid goes on without its parent"
		kill "$kid"
	fi
done

# What stdout does not take is an error, whoever wrote it
for words in "run $dir/good.trace" "why $dir/good.trace" "fmt $dir/good.trace" \
	"check --runs 10" "run --format json $dir/good.trace" "run --help" \
	profiles changes invariants reasons findings help; do
	for to in /dev/full closed; do
		n=$((n + 1))
		if [ $to = closed ]; then
			# shellcheck disable=SC2086
			out=$("$KTLSIM" $words 2>&1 >&-)
		else
			# shellcheck disable=SC2086
			out=$("$KTLSIM" $words 2>&1 >$to)
		fi
		if [ $? -ne 2 ] || ! grep -q 'cannot write to stdout' <<<"$out"; then
			bad=$((bad + 1))
			echo "ktlsim $words, stdout $to: nothing was noticed"
		fi
	done
done

# fmt: canonical text is a fixed point
want 0 'usage: ktlsim fmt' fmt --help
want 2 'no file given' fmt
want 2 'ktlsim fmt --help' fmt --nonsense
want 2 'typo.trace:4:' fmt "$dir/typo.trace"
want 2 'No such file' fmt "$dir/none.trace"
want 0 'wire  A' fmt "$dir/good.trace"
"$KTLSIM" fmt "$dir/good.trace" >"$dir/canonical.trace"
want 0 '' fmt --check "$dir/canonical.trace"
sed 's/wire  A/wire A/' "$dir/canonical.trace" >"$dir/other.trace"
want 1 'other.trace: not canonical' fmt --check "$dir/canonical.trace" "$dir/other.trace"

# fuzz-stats
want 0 'usage: ktlsim fuzz-stats' fuzz-stats --help
want 2 'ktlsim: no file given' fuzz-stats
want 2 "ktlsim: option '--nonsense' is unknown" fuzz-stats --nonsense
want 2 "ktlsim: option '--nonsense' is unknown" findings --nonsense
want 2 'good.trace is not readable, or no file of' fuzz-stats "$dir/good.trace"
mkfifo "$dir/pipe"
: >"$dir/empty"
printf 'sum worlds 12' >"$dir/half"
for file in folder pipe empty half; do
	want 2 "$file is not readable, or no file of" fuzz-stats "$dir/$file"
done

# judge: nothing here gets as far as a kernel
want 0 'usage: ktlsim judge' judge --help
want 2 'nothing to judge' judge
want 2 "unknown profile 'v0'" judge --profile v0 --runs 1
want 2 "--runs 'many'" judge --runs many
want 2 "--runs ' 1'" judge --runs ' 1'
want 2 "--runs '0'" judge --runs 0
want 2 "--runs '99999999999999999999'" judge --runs 99999999999999999999
want 2 "--jobs '65' is not usable, expected a number from 1 to 64" judge --jobs 65 x
want 2 'option' judge --nonsense

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
