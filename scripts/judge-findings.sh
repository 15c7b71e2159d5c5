#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# judge-findings.sh [KERNEL...|doc]: asks real kernels (6.1 6.12 7.2) about the findings, writes
# what they answered to tests/findings/SLUG.judge, and what follows from that to docs/findings.md
# ("doc": only this). A line of SLUG.judge is one of
#
#	VERSION line N: CALL = ANSWER
#	VERSION not judgeable: WHY
#
# Lines of other kernels stay. Env: KTLSIM (build/release/ktlsim); OUT: another directory for
# SLUG.judge, docs/findings.md is left alone then. Exit: 0 the kernels agree with the model, 1 one
# differs, 77 one cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."

KTLSIM=${KTLSIM:-build/release/ktlsim}
[ $# -gt 0 ] || set -- 6.1 6.12 7.2
doc=docs/findings.md
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# lines SLUG: those of the kernel just asked, as they are kept
lines() {
	sed -n \
		-e "s|^tests/findings/$1\.trace:\([0-9]*\): $version: |$version line \1: |p" \
		-e "s|^tests/findings/$1\.trace: not judgeable: |$version not judgeable: |p" "$out"
}

ask() {
	local kernel=$1 rc=0 version trace judge

	"$KTLSIM" judge --answers --kernel "$kernel" tests/findings/*.trace >"$out" || rc=$?
	tail -n 1 "$out"
	if [ $rc != 0 ]; then
		grep -v ': not judgeable: ' "$out" | head -n 40 >&2
		exit $rc
	fi
	version=$(sed -n 's/^judge .*(Linux \([^,]*\), .*/\1/p' "$out")
	for trace in tests/findings/*.trace; do
		judge=${OUT:-tests/findings}/$(basename "$trace" .trace).judge
		{
			grep -v "^${version%.*}\.[0-9]* " "$judge" 2>/dev/null || true
			lines "$(basename "$trace" .trace)"
		} | sort -s -t ' ' -k 1,1V >"$judge.new"
		mv "$judge.new" "$judge"
	done
}

# What stands above the first table is written by hand.
write_doc() {
	{
		sed '/^| finding /,$d' $doc
		"$KTLSIM" findings tests/findings
	} >$doc.new
	mv $doc.new $doc
}

if [ "$1" != doc ]; then
	for kernel in "$@"; do
		ask "$kernel"
	done
fi
[ -n "${OUT:-}" ] || write_doc
