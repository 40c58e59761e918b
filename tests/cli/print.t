#!/bin/sh
# SPDX-License-Identifier: MIT
# `deadheat print`: both formats, both ways, and every way to go wrong. Prints TAP;
# $DEADHEAT is the program.
: "${DEADHEAT:?does not name the program}"
case $DEADHEAT in
/*) ;;
*/*) DEADHEAT=$PWD/$DEADHEAT ;;
esac
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
count=0

# ok NAME COMMAND...: the command must succeed.
ok() {
	name=$1
	shift
	count=$((count + 1))
	if "$@"; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		sed 's/^/# /' out err 2>/dev/null
	fi
}

# Runs print; leaves its output in out and err, its status in $status.
print() {
	"$DEADHEAT" print "$@" >out 2>err
	status=$?
}

# ends NAME STATUS [LINE]: how the last print must have ended, and all that it must
# have said.
ends() {
	ok "$1: status" test "$status" -eq "$2"
	printf '%s' "${3:+$3
}" >expected
	ok "$1: standard error" cmp -s expected err
}

# refuses NAME MESSAGE LINES: a text trace that is bad input.
refuses() {
	printf '%b' "$3" >bad.std
	print -o none bad.std
	ends "$1" 2 "deadheat: bad.std:$2"
	ok "$1: no file" test ! -e none
}

cat >all.std <<'END'
main|fork(T1)|main.c:1
main|w(x)=-5|main.c:2
T1|r(x)=-5|a place, with (marks)
T1|acq(l)|
T1|acq(l)|b
T1|rel(l)|b
T1|rel(l)|b
T1|rdacq(l)|b
T1|rdrel(l)|b
main|snd(m)|
T1|rcv(m)|
main|benter(b)|
T1|benter(b)|
main|bleave(b)|
T1|bleave(b)|
main|vw(v)|
T1|vr(v)|
T1|alloc(x)|
T1|mb(f:x,y)|
T1|mb(g)|
T1|me(g)|
T1|me(f)|
main|join(T1)|main.c:9
END

# Both ways.
print all.std
ends 'text to text' 0
ok 'text to text: the same' cmp -s all.std out
print -o all.dht all.std
ends 'text to binary' 0
ok 'text to binary: the magic' test "$(dd if=all.dht bs=1 skip=1 count=3 2>/dev/null)" = DHT
ok 'text to binary: smaller' test "$(wc -c <all.dht)" -lt "$(wc -c <all.std)"
print all.dht
ends 'binary to text' 0
ok 'binary to text: the same' cmp -s all.std out
print --format binary all.std
ends '--format binary' 0
ok '--format binary: the same file' cmp -s all.dht out
print --format=text -o text.dht all.dht
ends '--format text beats the name' 0
ok '--format text beats the name: text' cmp -s all.std text.dht
print --output again.dht all.dht
ok 'binary to binary: the same' cmp -s all.dht again.dht

# Standard input and output, pipes.
"$DEADHEAT" print - <all.dht >out 2>err
status=$?
ends 'standard input' 0
ok 'standard input: the same' cmp -s all.std out
"$DEADHEAT" print -o - --format binary all.std 2>err | "$DEADHEAT" print - >out
ok 'pipes: the same' cmp -s all.std out

# Comments, empty lines and carriage returns go.
printf '# c\n\nA|r(x)|a\r\n#\nA|r(x)' >odd.std
print odd.std
printf 'A|r(x)|a\nA|r(x)|\n' >expected
ok 'comments are left out' cmp -s expected out
: >empty.std
print empty.std
ends 'an empty trace' 0
print -o empty.dht empty.std
print empty.dht
ends 'an empty binary trace' 0
ok 'an empty binary trace: nothing' test ! -s out

# Bad input: each case of the contract.
refuses 'unknown operation' "2: unknown operation 'foo'" 'A|r(x)|\nA|foo(x)|\n'
refuses 'malformed line' "1: malformed line: '|' after the thread expected at its end" 'A'
refuses 'release of a lock not held' \
	"1: release of lock 'l', which thread 'A' does not hold" 'A|rel(l)|\n'
refuses 'acquire of a held lock' \
	"3: acquire of lock 'l', which thread 'A' has held since line 1" \
	'A|acq(l)|\n#\nB|acq(l)|\n'
refuses 'event before the fork' \
	"2: fork of thread 'B', which has an event before its fork, at line 1" \
	'B|r(x)|\nA|fork(B)|\n'
refuses 'event after the join' "2: event of thread 'B' after its join at line 1" \
	'A|join(B)|\nB|r(x)|\n'
refuses 'me without mb' "1: me of 'm' without mb: thread 'A' has no open call" \
	'A|me(m)|\n'
print bad.std
ends 'bad input' 2 "deadheat: bad.std:1: me of 'm' without mb: thread 'A' has no open call"
printf 'A|r(x)|\nA|rel(l)|\n' >bad.std
print bad.std
printf 'A|r(x)|\n' >expected
ok 'bad input: what comes before it is shown' cmp -s expected out
"$DEADHEAT" print - <bad.std >out 2>err
status=$?
ends 'bad standard input' 2 "deadheat: -:2: release of lock 'l', which thread 'A' does not hold"

# Damage: what can be read is written, the status is 2.
size=$(wc -c <all.dht)
head -c $((size - 21)) all.dht >cut.dht
print cut.dht
ends 'cut short' 2 "deadheat: cut.dht: block 2 at byte $((size - 21)): the end block is\
 missing; 23 events before it were read"
ok 'cut short: the events' cmp -s all.std out
print -o mended.dht cut.dht
ok 'cut short: a file is made' cmp -s all.dht mended.dht
head -c $((size - 25)) all.dht >cut.dht
print -o none.std cut.dht
ends 'cut in a block' 2 \
	'deadheat: cut.dht: block 1 at byte 16: cut short; 0 events before it were read'
ok 'cut in a block: an empty file' test -e none.std -a ! -s none.std
{ head -c 60 all.dht; printf '\377'; tail -c +62 all.dht; } >hurt.dht
print hurt.dht
ends 'hurt' 2 \
	'deadheat: hurt.dht: block 1 at byte 16: CRC mismatch; 0 events before it were read'

# Files that cannot be read or written.
print nosuch
ends 'no such file' 2 'deadheat: nosuch: No such file or directory'
print .
ends 'a folder' 2 'deadheat: .: Is a directory'
print -o nosuch/x all.std
ends 'no such folder' 1 'deadheat: nosuch/x: No such file or directory'
if test -c /dev/full; then
	print -o /dev/full all.std
	ends 'a full disk' 1 'deadheat: /dev/full: No space left on device'
	"$DEADHEAT" print all.std >/dev/full 2>err
	status=$?
	ends 'a full disk as standard output' 1 'deadheat: -: No space left on device'
fi
cp all.std same.std
print -o same.std same.std
ok 'onto itself' cmp -s all.std same.std
ok 'no temporary file is left' test "$(echo ./*.??????)" = './*.??????'

# Options.
print --help
ends '--help' 0
ok '--help: usage' grep -q '^usage: deadheat print' out
print
ends 'no trace' 2 'deadheat: print takes one TRACE; see `deadheat print --help`'
print a b
ends 'two traces' 2 'deadheat: print takes one TRACE; see `deadheat print --help`'
print --format xml all.std
ends 'another format' 2 "deadheat: --format takes text or binary, not 'xml'"
print --nosuch all.std
ok 'an unknown option: status' test "$status" -eq 2
ok 'an unknown option: what to do' grep -q "deadheat: print: .*--help" err
print -o
ok 'a lacking argument: status' test "$status" -eq 2

echo "1..$count"
