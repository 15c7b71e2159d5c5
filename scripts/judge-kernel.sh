#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# judge-kernel.sh 6.1|6.12|7.2|PROGRAM [MODULES]: makes a kernel ready for `ktlsim judge`.
#
# A version is Debian's package user-mode-linux of the suite that has it, with that suite's libc
# beside it where this system's may be too old. Packages come with an apt state of their own, so
# nothing of the system's apt changes; mirror and keyring are those of the system's sources.
# PROGRAM is any user-mode kernel; MODULES its modules (a directory with modules.dep), if what
# is needed is not built in. "agent" makes only the agent, for the running kernel.
#
# Leaves in build/judge/NAME: linux, the program; guest/, the guest's root with the agent as
# init and the modules; version. Prints that directory. Exit: 0 ready, 77 cannot be had here,
# 2 unusable arguments.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted="tls gcm ccm ctr ghash-generic chacha chacha_generic poly1305_generic chacha20poly1305
	tun cryptd af_alg algif_aead"
cache=build/judge

skip() {
	echo "judge-kernel: $*" >&2
	exit 77
}

usage() {
	echo "usage: judge-kernel.sh 6.1|6.12|7.2|PROGRAM [MODULES] | agent" >&2
	exit 2
}

# The agent is static: the guest has no libraries.
make_agent() {
	local sources=(tests/judge/*.c)
	mkdir -p "$cache"
	local newer
	if [ -e $cache/agent ]; then
		newer=$(find tests/judge sim/judge/judge_job.h -newer $cache/agent -name '*.[ch]')
		[ -n "$newer" ] || return 0
	fi
	"${CC:-cc}" -std=gnu17 -O2 -g -Wall -Wextra -static -pthread -I. "${sources[@]}" \
		-o "$cache/agent.$$" 2>"$cache/agent.log" ||
		skip "the agent does not compile, see $cache/agent.log"
	mv "$cache/agent.$$" $cache/agent
}

# Stands before the kernel's ptrace(), see there.
make_preload() {
	[ "$(uname -m)" = x86_64 ] || return 0
	[ $cache/xstate.so -nt tests/judge/preload/xstate.c ] ||
		"${CC:-cc}" -O2 -shared -fPIC -nostdlib -o $cache/xstate.so \
			tests/judge/preload/xstate.c
	# never written in place: a kernel that runs has it mapped
	cp $cache/xstate.so "$1/xstate.so.new"
	mv "$1/xstate.so.new" "$1/xstate.so"
}

# Mirror of the Debian the system itself is from.
mirror() {
	apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Identifier: Packages' 2>/dev/null |
		awk '$1 == "Debian" && !uri { uri = $2 } END { print uri }'
}

# download DIR SUITE PACKAGE...: unpacks each package into DIR/PACKAGE.
download() {
	local dir=$1 suite=$2 uri state signed=
	local key=/usr/share/keyrings/debian-archive-keyring.gpg
	shift 2
	command -v apt-get >/dev/null || skip "no apt-get, so no Debian package of Linux $name"
	uri=$(mirror)
	[ -n "$uri" ] || skip "apt's sources name no Debian mirror"
	[ ! -e $key ] || signed="[signed-by=$key]"
	state=$(readlink -f "$dir")/apt
	mkdir -p "$state"/{lists/partial,cache/archives/partial}
	echo "deb $signed $uri $suite main" >"$state/sources.list"
	local apt=(apt-get -qq -o "Dir::Etc::SourceList=$state/sources.list"
		-o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$state/lists"
		-o "Dir::Cache=$state/cache" -o APT::Sandbox::User=root
		-o Acquire::Retries=2 -o Acquire::http::Timeout=30)
	"${apt[@]}" update >"$dir/apt.log" 2>&1 ||
		skip "suite $suite is not reachable (Linux $name), see $dir/apt.log"
	(cd "$dir" && "${apt[@]}" download "$@" >>apt.log 2>&1) ||
		skip "suite $suite has not got $* (Linux $name), see $dir/apt.log"
	for package in "$@"; do
		dpkg -x "$dir/$package"_*.deb "$dir/$package"
	done
	rm -rf "$state" "$dir"/*.deb
}

# Gives the program the libc of its suite.
own_libc() {
	local dir=$1 patchelf libs
	patchelf=$(command -v patchelf || true)
	if [ -z "$patchelf" ]; then
		download "$dir" "$(. /etc/os-release && echo "$VERSION_CODENAME")" patchelf
		patchelf=$dir/patchelf/usr/bin/patchelf
	fi
	libs=$(readlink -f $cache)/$name/libc6
	"$patchelf" --set-interpreter "$libs/usr/lib64/ld-linux-x86-64.so.2" \
		--set-rpath "$libs/usr/lib/x86_64-linux-gnu" "$dir/linux"
}

# Files of the wanted modules and what they need, in an order that loads.
modules_in_order() {
	awk -v wanted="$wanted" '
	function visit(path,	n, i, dep) {
		if (seen[path]++)
			return
		n = split(needs[path], dep, " ")
		for (i = n; i > 0; i--)
			visit(dep[i])
		print path
	}
	{
		split($0, half, ":")
		needs[half[1]] = half[2]
		base = half[1]
		sub(/.*\//, "", base)
		sub(/\.ko.*/, "", base)
		path_of[base] = half[1]
	}
	END {
		n = split(wanted, want, " ")
		for (i = 1; i <= n; i++)
			if (want[i] in path_of)
				visit(path_of[want[i]])
	}' "$1/modules.dep"
}

# make_root DIR MODULES
make_root() {
	local dir=$1 modules=$2 path
	mkdir -p "$dir/guest/modules" "$dir/guest/proc" "$dir/guest/dev"
	: >"$dir/guest/modules.list"
	[ -n "$modules" ] || return 0
	[ -e "$modules/modules.dep" ] || skip "$modules has no modules.dep (depmod makes it)"
	for path in $(modules_in_order "$modules"); do
		cp "$modules/$path" "$dir/guest/modules/"
		echo "/modules/$(basename "$path")" >>"$dir/guest/modules.list"
	done
}

fetch() {
	local dir=$cache/$name.new packages=user-mode-linux
	[ "$suite" = bookworm ] || packages+=" libc6"
	rm -rf "$dir" "${cache:?}/$name"
	mkdir -p "$dir"
	download "$dir" "$suite" $packages
	cp "$dir/user-mode-linux/usr/bin/linux.uml" "$dir/linux"
	[ "$suite" = bookworm ] || own_libc "$dir"
	make_root "$dir" "$(echo "$dir"/user-mode-linux/usr/lib/uml/modules/*)"
	rm -rf "$dir/user-mode-linux" "$dir/patchelf"
	mv "$dir" "$cache/$name"
	"$cache/$name/linux" --version >"$cache/$name/version" 2>/dev/null ||
		skip "the kernel of suite $suite does not run here"
}

own_kernel() {
	local dir=$cache/$name
	rm -rf "$dir"
	mkdir -p "$dir"
	ln -s "$(readlink -f "$program")" "$dir/linux"
	make_root "$dir" "$modules"
	"$dir/linux" --version >"$dir/version" 2>/dev/null </dev/null ||
		skip "$program does not run here, expected a user-mode kernel"
	grep -qE '^[0-9]+\.[0-9]+' "$dir/version" || {
		echo "judge-kernel: $program is no kernel: --version says" \
			"'$(head -c 60 "$dir/version" | head -n 1)', expected a number" >&2
		exit 2
	}
}

[ $# -ge 1 ] && [ $# -le 2 ] || usage
mkdir -p $cache
exec 9>$cache/lock
flock 9
make_agent
case $1 in
agent)
	readlink -f $cache/agent
	exit
	;;
6.1 | 6.12 | 7.2)
	name=$1
	case $name in
	6.1) suite=bookworm ;;
	6.12) suite=trixie ;;
	7.2) suite=sid ;;
	esac
	[ -e "$cache/$name/guest/modules.list" ] && [ -e "$cache/$name/version" ] || fetch
	;;
*)
	program=$1
	modules=${2:-}
	[ -x "$program" ] || {
		echo "judge-kernel: $program is no program, expected 6.1, 6.12, 7.2, host or" \
			"a user-mode kernel" >&2
		exit 2
	}
	[ -d "$program" ] && {
		echo "judge-kernel: $program is a directory, expected a user-mode kernel" >&2
		exit 2
	}
	name=own.$(echo "$program $modules" | cksum | cut -d' ' -f1)
	own_kernel
	;;
esac
make_preload "$cache/$name"
cp $cache/agent "$cache/$name/guest/init.new"
mv "$cache/$name/guest/init.new" "$cache/$name/guest/init"
readlink -f "$cache/$name"
