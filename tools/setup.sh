#!/bin/sh
# SPDX-License-Identifier: MIT
# Sees to it that the packages that the build and the tests need are there: installs
# what is missing when run by root on Debian or Ubuntu, else names it.
set -eu

# command or file to look for : package that brings it
needs='gcc:gcc
g++:g++
ld:binutils
meson:meson
ninja:ninja-build
pkg-config:pkg-config
prove:perl
/usr/include/stdio.h:libc6-dev
/usr/include/zstd.h:libzstd-dev
/usr/include/elfutils/libdw.h:libdw-dev
/usr/include/z3.h:libz3-dev
/usr/include/cmocka.h:libcmocka-dev'

missing=
for need in $needs; do
	what=${need%%:*} package=${need#*:}
	case $what in
	/*) [ -e "$what" ] ;;
	*) command -v "$what" >/dev/null 2>&1 ;;
	esac || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
	echo "deadheat: these packages are missing:$missing" >&2
	echo "deadheat: install them, e.g.: sudo apt-get install$missing" >&2
	exit 1
fi

echo "deadheat: installing$missing"
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1; }
install || { apt-get update -qq >/dev/null && install; } || {
	echo "deadheat: apt-get could not install:$missing" >&2
	exit 1
}
