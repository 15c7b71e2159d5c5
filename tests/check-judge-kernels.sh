#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-judge-kernels.sh: `ktlsim judge --kernel` takes any user-mode kernel by path, with modules
# beside it, and says in one line what is wrong with others: no program, no kernel, a kernel that
# does not boot, one without tls; and the running kernel, if it has tls. The kernel is the 6.1 that
# judges everything else; `ktlsim bench judge` has figures of it. Env: KTLSIM. Without that kernel:
# a line, and exit code 77.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

: "${KTLSIM:?is not set, expected the path of the program}"
dir=$(mktemp -d)
trap 'rm -rf "$dir" build/judge/own.*' EXIT
trace=tests/judge/small.trace
passed=0 failed=0

bad() {
	failed=$((failed + 1))
	echo "judge-kernels: $*"
}

# wants CODE LINES TEXT ARG...: exit code, lines of output, and a text in it
wants() {
	local code=$1 lines=$2 text=$3 out ret
	shift 3
	out=$("$KTLSIM" judge "$@" "$trace" 2>&1)
	ret=$?
	if [ "$ret" -ne "$code" ] || [ "$(wc -l <<<"$out")" -ne "$lines" ] ||
		! grep -qF -- "$text" <<<"$out"; then
		bad "judge $*: exit $ret, expected $code, $lines lines and '$text'; got:"
		head -8 <<<"$out"
		return 1
	fi
	passed=$((passed + 1))
}

# script NAME TEXT...: a program of that name
script() {
	local path=$dir/$1
	shift
	printf '%s\n' '#!/bin/sh' "$@" >"$path"
	chmod +x "$path"
}

# What is no kernel, needs none.
script silent 'exit 1'
script dies '[ "$1" = --version ] && echo 6.1.176 || { echo "Kernel panic"; exit 1; }'
script odd 'echo 9.9.9'
wants 2 1 'is no program, expected' --kernel "$dir/nothing"
wants 2 1 'is a directory, expected' --kernel "$dir"
wants 2 1 'is no kernel: --version says' --kernel /bin/true
wants 77 1 'does not run here, expected a user-mode kernel' --kernel "$dir/silent"
wants 2 1 'does not boot here; its last line: Kernel panic' --kernel "$dir/dies"
wants 2 1 'no profile models Linux 9.9.9, expected --profile P' --kernel "$dir/odd"
wants 77 1 'has no modules.dep' --kernel "$dir/dies" --modules "$dir"
if [ -e /proc/net/tls_stat ]; then
	wants 0 1 ' 1 agree, ' --kernel host --profile v7.2
else
	wants 77 1 'has no tls module loaded (modprobe tls)' --kernel host
fi

# A real one, by its path.
kernel=$(scripts/judge-kernel.sh 6.1)
case $? in
0) ;;
77)
	echo "judge-kernels: SKIPPED, no Linux 6.1 here: $passed passed without one"
	[ "$failed" -eq 0 ] || exit 1
	exit 77
	;;
*) bad "scripts/judge-kernel.sh 6.1 failed" ;;
esac
cp "$kernel/linux" "$dir/patched"
mkdir "$dir/modules"
cp "$kernel"/guest/modules/* "$dir/modules"
# What the list of the fetched kernel loads first, the later ones may need.
while read -r path; do
	name=$(basename "$path")
	echo "$name:${before:-}"
	before="${before:-} $name"
done <"$kernel/guest/modules.list" >"$dir/modules/modules.dep"
wants 0 1 ' 1 agree, ' --kernel "$dir/patched" --modules "$dir/modules"
wants 0 1 'profile v6.1.192)' --kernel "$dir/patched" --modules "$dir/modules" --profile v6.1.192
wants 2 1 'kernel patched has no tls, neither built in nor as a module' --kernel "$dir/patched"

# The benchmark has figures of it.
if "$KTLSIM" bench --quick --format json judge >"$dir/bench"; then
	python3 - "$dir/bench" <<'EOT' && passed=$((passed + 1)) || bad "bench judge"
import json, sys

bench = json.load(open(sys.argv[1]))
rows = {row["name"]: row["value"] for row in bench["rows"]}
assert rows["model: the small trace, v7.2"] > 0, rows
for what in "through the judge", "the kernel's tight loop", "model / kernel":
    assert rows[f"6.1: {what}"] > 0, rows
for kernel in "6.12", "7.2":
    here = [value for name, value in rows.items() if name.startswith(kernel + ": ")]
    assert len(here) == 3 and all(here) or kernel in rows and rows[kernel] is None, rows
EOT
else
	bad "bench --quick judge does not end with 0"
fi
echo "judge-kernels: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
