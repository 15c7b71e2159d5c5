#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-judge-versions.sh [KERNEL...]: the last column of the tables of changes in docs/profiles.md
# is true: "yes" rows have a trace (in tests/traces/versions) that the kernel answers as its
# profile says, of the others none can be judged on all kernels. 6.1 unless others are named.
# Env: KTLSIM. Without a kernel: a line, and exit code 77.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

: "${KTLSIM:?is not set, expected the path of the program}"
[ $# -gt 0 ] || set -- 6.1
doc=docs/profiles.md
failed=0 judged=0 passed=0
declare -A refused=()

bad() {
	failed=$((failed + 1))
	echo "judge-versions: $*"
}

rows() {
	sed -nE "s/^\| \`([a-z0-9-]+)\` \|.*\| ($1[^|]*) \|$/\1/p" "$doc"
}

# refused_by KERNEL: which rows that say no it cannot be asked about
refused_by() {
	local name trace files=()

	for name in $(rows no); do
		for trace in tests/{traces/versions,panics}/"$name".trace; do
			[ ! -e "$trace" ] || files+=("$trace")
		done
	done
	for trace in $("$KTLSIM" judge --kernel "$1" "${files[@]}" |
		sed -n 's/^\([^ :]*\): not judgeable: .*/\1/p'); do
		refused[$(basename "$trace" .trace)]=1
	done
}

# on KERNEL: all rows that say yes
on() {
	local kernel=$1 name out ret trace files=()

	for name in $(rows yes); do
		files+=("tests/traces/versions/$name.trace")
	done
	[ ${#files[@]} -gt 0 ] || { bad "$doc has no row that says yes"; return; }
	out=$("$KTLSIM" judge --kernel "$kernel" "${files[@]}")
	ret=$?
	if [ $ret -eq 77 ] && [ -z "$out" ]; then
		echo "judge-versions: SKIPPED, no Linux $kernel here: it was not asked"
		return
	fi
	judged=$((judged + 1))
	if ! grep -q ": ${#files[@]} traces: ${#files[@]} agree, " <<<"$out"; then
		bad "$kernel does not confirm all ${#files[@]} rows that say yes:"
		head -20 <<<"$out"
	fi
	passed=$((passed + ${#files[@]}))
	refused_by "$kernel"
}

for kernel in "$@"; do
	on "$kernel"
done
[ $judged -gt 0 ] || [ $failed -gt 0 ] || exit 77
for name in $(rows no); do
	[ -e "tests/traces/versions/$name.trace" ] || [ -e "tests/panics/$name.trace" ] || continue
	[ "${refused[$name]:-0}" = 1 ] || [ $judged -eq 0 ] ||
		bad "$name says no, but all kernels asked confirm it"
done
echo "judge-versions: $passed rows confirmed on $judged kernels, $failed wrong"
[ $failed -eq 0 ]
