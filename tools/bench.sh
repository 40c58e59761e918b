#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/bench.sh BUILD-DIR [--quick]
#                       [kernels|openmp|traces|record|predict|missing|papers
#                        [OPTION...]]
# Says what was measured where, then prints the tables of bench/run_kernels (the runtime,
# against ThreadSanitizer), of bench/run_openmp (the same for OpenMP), of bench/trace_bench
# (the engines over traces), of bench/run_record (recording, against fasttrack), of
# bench/run_predict (prediction) and of bench/run_missing (calls whose inside is missing),
# or of one of them with its own options; those of bench/run_papers (the papers'
# experiments) only when asked for.
# Numbers of builds other than release mean little.
set -eu
build=$1
shift
quick=
[ "${1-}" != --quick ] || { quick=--quick; shift; }
what=${1-all}
[ $# = 0 ] || shift
here=$(dirname "$0")/../bench

type=$(meson introspect --buildoptions "$build" |
	perl -MJSON::PP -0777 -ne 'for (@{decode_json($_)}) {
		print $_->{value} if $_->{name} eq "buildtype" }')
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
echo "$("$build/deadheat" --version), $type build, $(uname -m)${cpu:+, $cpu}," \
	"$(getconf _NPROCESSORS_ONLN) cores, load $(cut -d ' ' -f 1 /proc/loadavg)"
echo
case $what in
all)
	"$here/run_kernels" "$build" $quick
	"$here/run_openmp" "$build" $quick
	"$build/bench/trace_bench" $quick
	"$here/run_record" "$build" $quick
	"$here/run_predict" "$build" $quick
	"$here/run_missing" "$build" $quick
	;;
kernels) exec "$here/run_kernels" "$build" $quick "$@" ;;
openmp) exec "$here/run_openmp" "$build" $quick "$@" ;;
traces) exec "$build/bench/trace_bench" $quick "$@" ;;
record) exec "$here/run_record" "$build" $quick "$@" ;;
predict) exec "$here/run_predict" "$build" $quick "$@" ;;
missing) exec "$here/run_missing" "$build" $quick "$@" ;;
papers) exec "$here/run_papers" "$build" $quick "$@" ;;
*)
	echo "tools/bench.sh: no such benchmark: $what; there are kernels, openmp, traces," \
		"record, predict, missing and papers" >&2
	exit 2
	;;
esac
