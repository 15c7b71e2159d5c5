#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands that work on one trace: why, diff, bisect, shrink, explore. What
# they print, exit codes, one line for unusable input; each runs over all traces.
# Env: KTLSIM.
set -u
: "${KTLSIM:?program to test}"
cd "$(dirname "$0")/.." || exit 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
bad=0

wrong() {
	bad=$((bad + 1))
	echo "commands: $*"
}

# want CODE TEXT ARG...: runs ktlsim; unusable input must be told in one line
want() {
	local code=$1 text=$2 out ret
	shift 2
	n=$((n + 1))
	out=$("$KTLSIM" "$@" 2>&1)
	ret=$?
	if [ "$ret" -ne "$code" ] || ! grep -qF -- "$text" <<<"$out"; then
		wrong "ktlsim $*: exit $ret, expected $code and '$text'; got:"
		head -5 <<<"$out"
	elif [ "$code" = 2 ] && [ "$(wc -l <<<"$out")" -ne 1 ]; then
		wrong "ktlsim $*: more than one line:"
		head -5 <<<"$out"
	fi
}

# bad_input COMMAND ARG...: what each command must refuse
bad_input() {
	want 2 'no trace given' "$@"
	want 2 'No such file' "$@" "$dir/none.trace"
	want 2 'typo.trace:4:14' "$@" "$dir/typo.trace"
	want 2 "nonsense" "$@" --nonsense "$dir/good.trace"
}

cat >"$dir/good.trace" <<'EOT'
ktlsim-trace 1
+0     peer  A = data 10
+0     wire  A
+0     a     recvmsg 10 = 10 data A
EOT
sed 's/recvmsg 10/recvmsq 10/' "$dir/good.trace" >"$dir/typo.trace"
sed 's/^+0     peer/set profile=v0\n&/' "$dir/good.trace" >"$dir/profile.trace"

# why
reports=tests/traces/reports
want 0 'usage: ktlsim why' why --help
bad_input why
want 2 "unknown profile 'v0'" why "$dir/profile.trace"
want 2 "unknown profile 'v0'" why --profile v0 "$dir/good.trace"
want 2 'expected one FILE' why "$dir/good.trace" "$dir/good.trace"
want 0 'This EIO is no failure' why $reports/close_notify_is_no_end.trace
want 0 'The stream starts 100 bytes into record 1 (first)' why \
	$reports/keys_in_the_middle_of_a_record.trace
want 0 'was too low by 1' why $reports/wrong_first_number.trace
want 0 'otherwise v6.12' why $reports/key_update_storm.trace
want 1 'expects another result' why --profile v6.1 \
	$reports/readable_but_blocks.trace
# those of a posted patch break something on its profile
for trace in $(find tests/traces tests/findings -name '*.trace' | sort); do
	case $trace in
	tests/findings/*/*)
		what=$(sed -n 's/^# finding: //p' "$trace")
		want 1 ": ${what%% *} (${what#* })" why "$trace"
		;;
	*) want 0 ' calls on ' why "$trace" ;;
	esac
done

# diff
want 0 'usage: ktlsim diff' diff --help
bad_input diff --profiles v7.2,v6.1
want 2 'no profiles given' diff "$dir/good.trace"
want 2 "--profiles 'v7.2'" diff --profiles v7.2 "$dir/good.trace"
want 2 "--profiles: unknown profile 'v0'" diff --profiles v7.2,v0 "$dir/good.trace"
want 2 "--profiles: unknown profile ''" diff --profiles '' "$dir/good.trace"
want 0 'no difference' diff --profiles v7.2,v6.12,v6.1 "$dir/good.trace"
want 1 'v6.1             IN (tls-poll-bytes)' diff --profiles v7.2,v6.12,v6.1 \
	"$dir/good.trace" $reports/readable_but_blocks.trace
for trace in tests/traces/versions/*.trace; do
	n=$((n + 1))
	profile=$(sed -n 's/^set.* profile=\([^ ]*\).*/\1/p' "$trace")
	"$KTLSIM" diff --profiles "v7.2,$profile" "$trace" >"$dir/out" 2>&1
	grep -qE '^  (First difference|inside they part)' "$dir/out" ||
		wrong "diff $trace: exit $?, shows no difference"
done

# bisect: it names the change that a trace of docs/profiles.md shows
want 0 'usage: ktlsim bisect' bisect --help
bad_input bisect --good v7.2 --bad v6.1
want 2 'no good kernel' bisect --bad v6.1 "$dir/good.trace"
want 2 'no bad kernel' bisect --good v6.1 "$dir/good.trace"
want 2 "--bad: unknown profile 'v0'" bisect --good v7.2 --bad v0 "$dir/good.trace"
want 0 'no difference' bisect --good v7.2 --bad v6.1 "$dir/good.trace"
for trace in tests/traces/versions/*.trace; do
	kernel=$(sed -n 's/^set .*profile=\([^ ]*\).*/\1/p' "$trace")
	want 1 "  $(basename "$trace" .trace): " bisect --good v7.2 \
		--bad "$kernel" "$trace"
done

# shrink: what comes out breaks the same, and nothing can go of it any more
want 0 'usage: ktlsim shrink' shrink --help
bad_input shrink -o "$dir/small.trace"
want 2 'all holds on v7.2' shrink "$dir/good.trace" -o "$dir/small.trace"
want 2 'expected -o OUT' shrink "$dir/good.trace"
want 2 "unknown profile 'v0'" shrink --profile v0 -o "$dir/small.trace" "$dir/good.trace"
want 2 'No such file' shrink -o "$dir/none/small.trace" \
	tests/findings/poller-list.trace
sed 's/= 10 data A/= 11/' "$dir/good.trace" >"$dir/wrong.trace"
want 0 'expect on v7.2: 3 of 3 statements left' shrink "$dir/wrong.trace" \
	-o "$dir/small.trace"
want 1 'expected: 11' run "$dir/small.trace"
for trace in tests/findings/*.trace; do
	what=$(sed -n 's/^# finding: //p' "$trace" | head -n 1)
	want 0 "$what on v7.2: " shrink "$trace" -o "$dir/small.trace"
	want 1 "${what%% *} (${what#* })" run --all "$dir/small.trace"
	want 0 "minimal" shrink "$dir/small.trace" -o "$dir/again.trace"
	n=$((n + 1))
	cmp -s "$dir/small.trace" "$dir/again.trace" ||
		wrong "shrink $trace: can be shrunk once more"
done

# findings: a line each, or a table from a trace and answers of each
want 0 'usage: ktlsim findings' findings --help
want 0 'poller-list ' findings
want 2 "unexpected argument 'b'" findings a b
want 2 'No such file' findings "$dir/none"
cp -r tests/findings "$dir/findings"
want 0 '| [poller-list](#poller-list) | W1 | 7.2 |' findings "$dir/findings"
echo '7.2.7 says nothing' >"$dir/findings/wrapped.judge"
want 2 'wrapped.judge:1:1: unusable' findings "$dir/findings"
echo '9.9 line 1: x' >"$dir/findings/wrapped.judge"
want 2 'wrapped.judge:1:1: unusable' findings "$dir/findings"
printf '7.2.7 line 1: x\n6.1.176' >"$dir/findings/wrapped.judge"
want 2 'wrapped.judge:2:1: unusable' findings "$dir/findings"
rm "$dir/findings/wrapped.judge"
want 2 'wrapped.judge: No such file' findings "$dir/findings"

# explore
want 0 'usage: ktlsim explore' explore --help
bad_input explore
want 2 "unknown profile 'v0'" explore --profile v0 "$dir/good.trace"
want 2 "--preemptions 'few'" explore --preemptions few "$dir/good.trace"
want 2 "--shard '3/2'" explore --shard 3/2 "$dir/good.trace"
want 2 "--max '0'" explore --max 0 "$dir/good.trace"
want 0 'never reached: complete' explore --preemptions 9 "$dir/good.trace"
want 0 'found:     0 ways' explore --preemptions all "$dir/good.trace"
cat >"$dir/readers.trace" <<'EOT'
ktlsim-trace 1
+0     peer  A = data 10
+0     peer  B = data 20
+0     peer  C = data 30
+0     r1    recvmsg 15
+0     r2    recvmsg 100
+0     wire  A
+0     wire  B
+0     wire  C
+0     wire  rst
EOT
want 0 'complete within it' explore --preemptions 3 "$dir/readers.trace"
want 0 'r1 recvmsg 15 = ECONNRESET (tls-reset) 10 (tls-recv-target) 15' explore \
	--preemptions 3 "$dir/readers.trace"
want 0 'shard:     2 of 3' explore --shard 2/3 "$dir/readers.trace"
want 0 '--max 5, not complete' explore --max 5 "$dir/readers.trace"
want 1 'broken:    D4 eor-inside-record' explore --all "$dir/readers.trace"
"$KTLSIM" explore --all "$dir/readers.trace" 2>&1 |
	sed -n '/^ktlsim-trace/,/^$/p' >"$dir/found.trace"
want 1 'D4 (eor-inside-record)' run --all "$dir/found.trace"

echo "commands: $n cases, $bad wrong"
[ "$n" -gt 0 ] && [ "$bad" -eq 0 ]
