#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# deps.sh TARGET...: installs the packages that make TARGET needs and that are missing.
#
# TARGET is build, test, fuzz, determinism, static, format, coverage, bench or all. As root or
# with a passwordless sudo the packages are installed; else one line says the command to run
# and the exit code is 2. Silent when nothing is missing. Where there is no dpkg the tools are
# looked for by name.
set -euo pipefail

build="gcc libc6-dev make cmake ninja-build pkg-config libssl-dev libjson-c-dev check python3"
clang="clang libclang-rt-dev llvm"

packages_of() {
	case $1 in
	build | test | bench) echo "$build" ;;
	fuzz | determinism) echo "$build $clang" ;;
	static) echo "$build clang clang-format clang-tidy cppcheck" ;;
	format) echo "clang-format" ;;
	coverage) echo "$build lcov" ;;
	all) echo "$build $clang clang-format clang-tidy cppcheck lcov" ;;
	*)
		echo "deps: no target '$1'" >&2
		return 2
		;;
	esac
}

# Is a package there? Without dpkg: is what we use of it there?
have() {
	if command -v dpkg-query >/dev/null; then
		[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
		return
	fi
	case $1 in
	libc6-dev | libclang-rt-dev) true ;;
	ninja-build) command -v ninja >/dev/null ;;
	llvm) command -v llvm-symbolizer >/dev/null ;;
	libssl-dev) pkg-config --exists libssl ;;
	libjson-c-dev) pkg-config --exists json-c ;;
	check) pkg-config --exists check ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

wanted=
for target in "$@"; do
	wanted+=" $(packages_of "$target")"
done

missing=()
for package in $(printf '%s\n' $wanted | sort -u); do
	have "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
	echo "deps: missing (names as in Debian): ${missing[*]}; please install them" >&2
	exit 2
fi
if [ "$(id -u)" = 0 ]; then
	root=(env)
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
	root=(sudo -n env)
else
	echo "deps: please run as root: apt-get update &&" \
		"apt-get install --no-install-recommends ${missing[*]}" >&2
	exit 2
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
	"${root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
		-o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null >>"$log" 2>&1
}

echo "deps: installing ${missing[*]}"
# Another apt-get may hold the lists' lock, for which there is no timeout option. An update
# that fails is no end: the old index may do.
for _ in 1 2 3 4 5; do
	apt update && break
	grep -q 'Could not get lock' "$log" || break
	sleep 5
done
if ! apt install --no-install-recommends "${missing[@]}"; then
	tail -n 20 "$log" >&2
	echo "deps: could not install ${missing[*]}" \
		"(apt-get's last lines are above; is there a network and an apt source?)" >&2
	exit 2
fi
