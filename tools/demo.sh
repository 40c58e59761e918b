#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/demo.sh BUILD-DIR
# Shows what reports look like: builds examples/bank.c with race detection and runs it,
# then has two engines judge a trace of it.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
case $build in
/*) ;;
*) [ "$PWD" = "$root" ] || build=$PWD/$build ;;
esac
cd "$root"

show() { # COMMAND...
	echo "\$ $*"
	"$@"
}

expect_races() { # COMMAND...
	status=0
	show "$@" || status=$?
	[ $status -eq 66 ] || {
		[ ! -s "$build/demo/report" ] || cat "$build/demo/report" >&2
		echo "demo: deadheat ended with status $status, not 66 (races found)" >&2
		exit 1
	}
}

mkdir -p "$build/demo"
: >"$build/demo/report"

cat <<'TEXT'
examples/bank.c has two tellers who move money between two accounts. It works, and prints
the right numbers. Built and run with race detection:

TEXT

show "$build/deadheat" cc examples/bank.c -o "$build/demo/bank"
# The report goes to standard error; here it is shown when the program has ended.
expect_races "$build/deadheat" run "$build/demo/bank" 2>"$build/demo/report"
echo
cat "$build/demo/report"
: >"$build/demo/report"

cat <<'TEXT'

It exited with status 66: races found. transfer() writes audit.last when it has given
bank_lock back, so nothing orders the two tellers there. The balances, always used under
the lock or before the threads start and after they are joined, are rightly not mentioned.

rate.usd has no lock either. Most runs do not show it, because the first teller happens
to give bank_lock to the second after it has written the rate. Other algorithms see
through that; so far they work on traces. examples/bank.std is such a run:

TEXT

expect_races "$build/deadheat" analyze -q -e fasttrack,racetrack-basic examples/bank.std

cat <<'TEXT'

fasttrack is what also watched the program: `observed` means that the run itself left the
two writes unordered. racetrack-basic adds rate.usd as `potential`: no lock protects it,
and what kept the two apart may be luck.
TEXT
