#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/demo.sh BUILD-DIR
# Shows what a report looks like: runs two engines over a recorded trace.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
case $build in
/*) ;;
*) [ "$PWD" = "$root" ] || build=$PWD/$build ;;
esac
cd "$root"

cat <<'TEXT'
examples/bank.std is a recorded run of two bank tellers that went well and printed the
right numbers. fasttrack looks for accesses that nothing ordered in this run,
racetrack-basic also for those that were kept apart by luck only.

TEXT

set -- analyze -q -e fasttrack,racetrack-basic examples/bank.std
echo "\$ $build/deadheat $*"
status=0
"$build/deadheat" "$@" || status=$?
[ $status -eq 66 ] || {
	echo "demo: deadheat ended with status $status, not 66 (races found)" >&2
	exit 1
}

cat <<'TEXT'

It exited with status 66: races found. audit.last is written after the lock was given
back: `observed`, this run itself left the two writes unordered. rate.usd was kept
apart only because teller1 happened to get bank.lock first: `potential`, another run
may have it. The account balances, always used under the lock or before fork and after
join, are rightly not mentioned.
TEXT
