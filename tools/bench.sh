#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/bench.sh BUILD-DIR [--quick] [-e ENGINE] [TABLE]
# Says what was measured where, then prints the tables of bench/trace_bench. Numbers of
# builds other than release mean little.
set -eu
build=$1
shift

type=$(meson introspect --buildoptions "$build" |
	perl -MJSON::PP -0777 -ne 'for (@{decode_json($_)}) {
		print $_->{value} if $_->{name} eq "buildtype" }')
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
echo "$("$build/deadheat" --version), $type build, $(uname -m)${cpu:+, $cpu}," \
	"$(getconf _NPROCESSORS_ONLN) cores, load $(cut -d ' ' -f 1 /proc/loadavg)"
echo
exec "$build/bench/trace_bench" "$@"
