#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh TARGET PRESET...: builds the presets into build/PRESET, after installing what make
# TARGET needs. Prints a line a preset, and the compiler's output only when something is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$1
shift
scripts/deps.sh "$target"

mkdir -p build
for preset in "$@"; do
	log=build/$preset.log
	if ! cmake --preset "$preset" >"$log" 2>&1; then
		cat "$log" >&2
		echo "build: cmake --preset $preset failed" >&2
		exit 2
	fi
	if ! cmake --build --preset "$preset" >>"$log" 2>&1; then
		grep -v '^\[[0-9]*/[0-9]*\] \(Building\|Linking\)' "$log" | tail -n 200 >&2 || true
		echo "build: $preset failed (everything: $log)" >&2
		exit 1
	fi
	# Messages of a reconfiguration are in the log too: say each once.
	sed -n 's/^-- ktlsim: skipping/build:   skipping/p' "$log" | sort -u
	programs=$(find "build/$preset" -maxdepth 1 -type f -perm -u+x -printf '%f\n' | sort)
	echo "build: build/$preset: $(echo ${programs:-no program})"
done
