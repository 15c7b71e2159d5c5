#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# test.sh [PRESET...]: all tests against the release and asan-ubsan builds, or those named.
# Ends with the number of tests that passed and failed; running none is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/run-tests.sh

[ $# -gt 0 ] || set -- release asan-ubsan
needs=test
case " $* " in *clang* | *fuzz*) needs=determinism ;; esac
scripts/build.sh "$needs" "$@"
for preset in "$@"; do
	run_tests "$preset"
done
tests_summary test
