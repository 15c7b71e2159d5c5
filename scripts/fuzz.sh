#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# fuzz.sh [SECONDS [PROFILE]]: builds the fuzz targets and hands over to fuzz/run.sh, which
# finds them in $BUILD and prints the summary.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=${1:-60}
profile=${2:-}
case $limit in
'' | 0 | *[!0-9]*)
	echo "fuzz: SECONDS must be a whole number above 0, not '$limit'" >&2
	exit 2
	;;
esac
scripts/build.sh fuzz fuzz
if [ ! -x fuzz/run.sh ]; then
	echo "fuzz: fuzz/run.sh is missing or not executable, so nothing was fuzzed" >&2
	exit 1
fi
export BUILD=$PWD/build/fuzz KTLSIM=$PWD/build/fuzz/ktlsim
exec fuzz/run.sh "$limit" "$profile"
