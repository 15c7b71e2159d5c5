#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# coverage.sh: runs all tests on the coverage build, writes the pages coverage/out/index.html and
# a table per directory, and fails below the floors of coverage/floors.txt. A floor is a line:
#
#   model branches 85        directory (with all below it), lines or branches, percent
#
# Branches on a line with SIM_ASSERT, M_ASSERT or WARN_ON are not counted: one side cannot happen.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/run-tests.sh

scripts/build.sh coverage coverage
find build/coverage -name '*.gcda' -delete
run_tests coverage
tests_summary coverage-tests

# lcov 2 renamed the options of lcov 1.
lcov_major=$(lcov --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
if [ "${lcov_major:-1}" -ge 2 ]; then
	branch_option=branch_coverage=1
else
	branch_option=lcov_branch_coverage=1
fi
options=(--quiet --rc "$branch_option"
	--rc 'lcov_excl_br_line=LCOV_EXCL_BR_LINE|SIM_ASSERT|M_ASSERT|WARN_ON')

out=coverage/out
rm -rf "$out"
mkdir -p "$out"
log=build/coverage-lcov.log
if ! {
	lcov "${options[@]}" --capture --directory build/coverage \
		--base-directory "$PWD" --output-file build/coverage/all.info &&
		lcov "${options[@]}" --extract build/coverage/all.info "$PWD/model/*" \
			"$PWD/sim/*" --output-file "$out/ktlsim.info" &&
		genhtml "${options[@]}" --branch-coverage --prefix "$PWD" --title ktlsim \
			--output-directory "$out" "$out/ktlsim.info"
} >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "coverage: lcov failed (everything: $log)" >&2
	exit 2
fi

echo "== coverage"
python3 scripts/coverage-table.py "$out/ktlsim.info" "$PWD" coverage/floors.txt
