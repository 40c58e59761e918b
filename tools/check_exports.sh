#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/check_exports.sh SOURCE-DIR BUILD-DIR
# Global names are meant to be: each begins with dh_ and is declared in a header under
# src/ (or is listed in tools/exports.txt), and the program exports none of them.
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -P -g --defined-only "$build"/src/libdeadheat-*.a "$build"/deadheat.p/*.o |
	awk 'NF >= 2 { print $1 }' | grep -v '^__odr_asan\.' | sort -u >"$work/global"
[ -s "$work/global" ] || {
	echo "no symbols found in $build"
	exit 1
}

sed 's/[ \t]*#.*//; /^$/d' "$source/tools/exports.txt" | sort -u >"$work/listed"
# The words of all headers, comments left out.
find "$source/src" -name '*.h' -exec cat {} + |
	perl -0777 -pe 's{/\*.*?\*/|//[^\n]*}{ }gs' |
	tr -c 'A-Za-z0-9_' '\n' | sort -u >"$work/declared"

status=0
complain() { # FILE-OF-NAMES TEXT
	[ -s "$1" ] || return 0
	sed "s|\$|: $2|" "$1"
	status=1
}

comm -23 "$work/global" "$work/listed" >"$work/unlisted"
grep -v '^dh_' "$work/unlisted" >"$work/prefix" || :
complain "$work/prefix" "global, but does not begin with dh_; make it static"
grep '^dh_' "$work/unlisted" | comm -23 - "$work/declared" >"$work/accident"
complain "$work/accident" "global, but no header declares it; make it static"
comm -13 "$work/global" "$work/listed" >"$work/stale"
complain "$work/stale" "listed in tools/exports.txt, but not defined"

nm -D -P --defined-only "$build/deadheat" | awk '{ sub(/@.*/, "", $1); print $1 }' |
	sort -u | comm -12 - "$work/global" >"$work/dynamic"
complain "$work/dynamic" "exported by the program; keep it hidden"

[ $status -ne 0 ] || echo "$(wc -l <"$work/global") global names, all meant to be"
exit $status
