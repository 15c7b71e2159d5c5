#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# static.sh [CHECK...]: what can be said about the sources without running them. CHECK is one of
# clang-format, tidy, cppcheck, clang-tidy; without, all run. `static.sh format` formats the C
# files in place instead.
set -euo pipefail
cd "$(dirname "$0")/.."

c_files() {
	local dir

	for dir in "$@"; do
		[ ! -d "$dir" ] || find "$dir" -name '*.[ch]' -type f
	done | LC_ALL=C sort
}

check_clang_format() {
	c_files model sim fuzz tests | xargs -r clang-format --style=file --dry-run -Werror ||
		{
			echo "clang-format: make format repairs this"
			return 1
		}
}

check_tidy() {
	scripts/tidy.sh
}

check_cppcheck() {
	local files

	files=$(c_files model sim fuzz)
	[ -n "$files" ] || return 0
	mkdir -p build/cppcheck
	# Only system headers are missing; cppcheck knows what they declare.
	cppcheck --quiet -j 2 --enable=warning,portability,performance --error-exitcode=1 \
		--inline-suppr --std=c11 --language=c -I . --cppcheck-build-dir=build/cppcheck \
		--suppress=missingIncludeSystem \
		--template='{file}:{line}: {severity}: {message} [{id}]' \
		$(grep '\.c$' <<<"$files")
}

check_clang_tidy() {
	local preset=clang-O2 files

	files=$(c_files model sim fuzz | grep '\.c$' || true)
	[ -n "$files" ] || return 0
	# Only files of the build have flags: fuzz/ is not in it without its driver.
	[ -e fuzz/driver.c ] || files=$(grep -v '^fuzz/' <<<"$files" || true)
	if ! cmake --preset "$preset" >build/$preset.log 2>&1; then
		cat "build/$preset.log"
		return 1
	fi
	# One process a core: the analyzer takes 1.5 s a file on average, almost all of this
	# script's time. clang-tidy counts the warnings it hid on stderr, which is of no use to
	# anybody.
	xargs -r -n 1 -P "$(nproc)" clang-tidy --quiet -p "build/$preset" <<<"$files" \
		2>build/clang-tidy.err || {
		grep -v ' warnings\? generated\.$\|^Suppressed ' build/clang-tidy.err || true
		return 1
	}
}

if [ "${1:-}" = format ]; then
	scripts/deps.sh format
	c_files model sim fuzz tests | xargs -r clang-format --style=file -i
	echo "format: done"
	exit 0
fi

[ $# -gt 0 ] || set -- clang-format tidy cppcheck clang-tidy
scripts/deps.sh static
mkdir -p build
failed=()
for check in "$@"; do
	case $check in
	clang-format | tidy | cppcheck | clang-tidy) ;;
	*)
		echo "static: no check '$check'" >&2
		exit 2
		;;
	esac
	echo "== $check"
	"check_${check/-/_}" || failed+=("$check")
done
count=$(c_files model sim fuzz tests | wc -l)
if [ "$count" = 0 ]; then
	echo "static: FAILED: there is no C file to look at"
	exit 1
fi
if [ ${#failed[@]} != 0 ]; then
	echo "static: FAILED: ${failed[*]}"
	exit 1
fi
echo "static: ok, $count C files: $*"
