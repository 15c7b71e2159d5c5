#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh SECONDS [PROFILE]: fuzzes for that long on all cores and says what came of it.
#
# Env: BUILD, the build directory with the targets (preset fuzz); KTLSIM, the program.
# Every core is a lane that runs the targets one after the other, fuzz_rx the longest. A target
# that finds something new writes a trace and dies; the lane starts it again, and what was found
# is passed over from then on. Inputs are kept in $BUILD/corpus/TARGET, so that the next run
# goes on where this one stopped. Logs and sums are in $BUILD/fuzz-run.
#
# Exit codes: 0 nothing new, 1 new findings or nothing ran, 2 unusable arguments.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${BUILD:?is not set, expected the build directory with the fuzz targets}"
: "${KTLSIM:?is not set, expected the path of the program}"
seconds=${1:?expected SECONDS}
profile=${2:-v7.2}
lanes=$(nproc)
work=$BUILD/fuzz-run
found=$work/found
max_restarts=100

# target, share of a lane's time in percent, longest input
targets="fuzz_rx:55:1024 fuzz_diffseg:15:1024 fuzz_strp:15:2048 fuzz_trace:15:4096"

rm -rf "$work"
# Says what is wrong with the profile's name, v7.2+CHANGE or the like, and ends with 2.
"$KTLSIM" check --profile "$profile" --runs 1 --out "$work" >/dev/null || [ $? -eq 1 ] || exit 2
mkdir -p "$found"

# run_target NAME LANE UNTIL MAX_LEN: until that time of $SECONDS, restarted when it dies.
run_target() {
	local name=$1 lane=$2 until=$3 max_len=$4 n=0 left log rc dirs dict=()

	dirs=("$BUILD/corpus/$name")
	mkdir -p "${dirs[0]}" "$work/crash"
	[ ! -d "fuzz/corpus/$name" ] || dirs+=("fuzz/corpus/$name")
	if [ "$name" = fuzz_trace ]; then
		dict=(-dict=fuzz/dict/trace.dict)
		dirs+=(tests/traces tests/findings tests/must_fail)
	fi
	while left=$((until - SECONDS)) && [ "$left" -gt 0 ] && [ $n -lt $max_restarts ]; do
		log=$work/$name.$lane.$n.log
		rc=0
		"$BUILD/$name" "${dirs[@]}" "${dict[@]}" -max_total_time="$left" \
			-max_len="$max_len" -seed=$((RANDOM_BASE + lane * 1000 + n)) -timeout=20 \
			-rss_limit_mb=2048 -reload=1 -print_final_stats=1 \
			-entropic=0 -reduce_inputs=0 -detect_leaks=0 \
			-artifact_prefix="$work/crash/$name-" \
			--profile="$profile" --out="$found" \
			--stats="$work/$name.$lane.$n.stats" >"$log" 2>&1 </dev/null || rc=$?
		n=$((n + 1))
		[ "$rc" != 0 ] || break
		# What a finding left behind is a trace already; anything else is kept.
		if grep -q '^fuzz: new finding' "$log"; then
			sed -n 's/.*Test unit written to //p' "$log" | xargs -r -d '\n' rm -f
		else
			echo "$log" >>"$work/crashes"
		fi
	done
}

# A core's work: every target has its share; lanes begin with different ones.
run_lane() {
	local lane=$1 spec order=() i name share max_len until count

	read -r -a order <<<"$targets"
	count=${#order[@]}
	until=$SECONDS
	for ((i = 0; i < count; i++)); do
		spec=${order[(lane + i) % count]}
		IFS=: read -r name share max_len <<<"$spec"
		[ -x "$BUILD/$name" ] || continue
		share=$((seconds * share / 100))
		until=$((until + (share > 0 ? share : 1)))
		run_target "$name" "$lane" "$until" "$max_len"
	done
}

RANDOM_BASE=$((${SEED:-$(date +%s)} % 1000000 * 1000 + 1))
echo "fuzz: $seconds s on $lanes cores, profile $profile"
SECONDS=0
for ((lane = 0; lane < lanes; lane++)); do
	run_lane "$lane" &
done
wait
took=$((SECONDS > 0 ? SECONDS : 1))

# --- summary ---------------------------------------------------------------

echo
printf '%-14s %12s %10s %8s\n' target inputs a/second corpus
total=0
for spec in $targets; do
	name=${spec%%:*}
	[ -x "$BUILD/$name" ] || continue
	# A process that died did not print its statistics; its last pulse tells.
	n=$(for log in "$work/$name".*.log; do
		[ -e "$log" ] || continue
		sed -n -e 's/^stat::number_of_executed_units: *//p' \
			-e 's/^#\([0-9]*\)\t.*/\1/p' "$log" | tail -n 1
	done | awk '{ s += $1 } END { print s + 0 }')
	share=${spec#*:}
	share=${share%%:*}
	secs=$((took * lanes * share / 100))
	printf '%-14s %12d %10d %8d\n' "$name" "$n" $((n / (secs > 0 ? secs : 1))) \
		"$(find "$BUILD/corpus/$name" -type f | wc -l)"
	total=$((total + n))
done
printf '%-14s %12d %10d\n\n' all "$total" $((total / took))

shopt -s nullglob
stats=("$work"/*.stats)
[ ${#stats[@]} = 0 ] || "$KTLSIM" fuzz-stats "${stats[@]}"

# Findings: the traces of this run; each is replayed by `ktlsim run`.
news=0
for file in "$found"/*.trace; do
	mkdir -p findings-new
	cp "$file" findings-new/
	case $file in *-whole.trace) continue ;; esac
	news=$((news + 1))
	printf '\nnew: %s\n  replay: %s run --log findings-new/%s\n' \
		"$(sed -n 's/^# //p' "$file" | head -n 1)" "${KTLSIM#"$PWD"/}" "${file##*/}"
done
while read -r log; do
	news=$((news + 1))
	name=$(basename "$log" | cut -d. -f1)
	input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
	printf '\nnew: %s died without a finding:\n' "$name"
	grep -m 1 -E 'ERROR: |runtime error|deadly signal|ABORTING' "$log" | sed 's/^/  /' || true
	printf '  log:    %s\n  replay: %s %s\n' "$log" "$BUILD/$name" "${input:-(no input)}"
done < <(cat "$work/crashes" 2>/dev/null)

if [ "$total" = 0 ]; then
	echo "fuzz: nothing ran, so this is a failure; logs: $work"
	exit 1
fi
printf '\nfuzz: %d inputs, %d new findings\n' "$total" "$news"
[ "$news" = 0 ]
