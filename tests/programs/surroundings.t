#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Where a watched program can be put: few files, no environment, no /proc, the first
# process of a namespace, another allocator or another detector's library in front. In
# each place the race of living/crash.c is found and told with its lines, and the program
# itself notices nothing of us (living/guest.c).
use strict;
use warnings;
use FindBin;
use File::Temp 'tempdir';
use Test::More;
use lib "$FindBin::Bin/..";
use Programs qw(:DEFAULT build);

use constant {TIMEOUT => 100, STATUS_RACE => 66};

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $source = "$FindBin::Bin/living";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());
chmod 0755, $dir;
delete @ENV{qw(LD_PRELOAD LD_LIBRARY_PATH DEADHEAT_OPTIONS DEADHEAT_CC DEADHEAT_CXX)};

sub run { return run_to_end(TIMEOUT, @_) }

sub sh
{
	my ($script, @arguments) = @_;
	return run('sh', '-c', $script, @arguments);
}

my $told = qr/data race.* on x\n.*crash\.c:\d+.* in main\n(?s:.*) in child/;

# The race is found and told, wherever the script puts the command "$0" "$@".
sub found_in
{
	my ($place, $script, @command) = @_;
	@command = ($deadheat, 'run', "$dir/crash", 'return') unless @command;
	my ($status, $text) = sh($script, @command);
	is($status, STATUS_RACE, $place) or diag($text);
	like($text, $told, "$place: told");
	return $text;
}

build('crash', $deadheat, 'cc', '-g', '-O1', "$source/crash.c", '-o', "$dir/crash", '-pthread');

# ---- what a shell can set ----

found_in('16 files', 'ulimit -n 16 && exec "$0" "$@"');
found_in('a stack of 128 KiB', 'ulimit -s 128 && exec "$0" "$@"');
found_in('100 MiB of data', 'ulimit -d 102400 && exec "$0" "$@"');
found_in('no environment', 'exec env -i "$0" "$@"');
found_in('no environment, alone', 'exec env -i "$0" "$@"', "$dir/crash", 'return');
found_in('all bound at start', 'LD_BIND_NOW=1 exec "$0" "$@"');
found_in('no standard input', 'exec "$0" "$@" <&-');
found_in('no folder for temporary files', 'cd / && TMPDIR=/nowhere exec "$0" "$@"');
is((sh('exec "$0" "$@" <&- >&- 2>&-', $deadheat, 'run', "$dir/crash", 'return'))[0],
	STATUS_RACE, 'no standard files');
found_in('no standard files, a log', "$deadheat run --log $dir/log $dir/crash return "
	. "<&- >&- 2>&-; s=\$?; cat $dir/log; exit \$s");
my ($few, $few_text) = sh('ulimit -n 4 && exec "$0" "$@"', "$dir/crash", 'return');
is($few, STATUS_RACE, 'no room for a file');
like($few_text, qr/data race/, 'no room for a file: told in short');

# ---- namespaces ----

SKIP: {
	skip('namespaces cannot be had here', 11)
		if (run(qw(unshare -mrpf --mount-proc true)))[0] ne 0;
	my $hide = 'unshare -mr sh -c "mount -t tmpfs none /proc && '
		. 'exec \"\\$0\" \"\\$@\"" "$0" "$@"';
	found_in('no /proc', $hide);
	found_in('no /proc, alone', $hide, "$dir/crash", 'return');
	like((sh($hide, $deadheat, 'run', '--stats', "$dir/crash", 'return'))[1],
		qr/nothing was lost/, 'no /proc: options are heeded');
	my $first = 'exec unshare -mrpf --mount-proc "$0" "$@"';
	found_in('the first process', $first);
	like((sh($first, $deadheat, 'run', "$dir/crash", 'segv'))[1], $told,
		'the first process, when it crashes: told');
	my $frozen = 'exec unshare -mr sh -c "mount -t tmpfs -o ro none /dev/shm; '
		. 'cd /dev/shm && exec \"\\$0\" \"\\$@\"" "$0" "$@"';
	found_in('nothing to write to', $frozen);
}

SKIP: {
	skip('only root can become another', 2) if $> != 0 || $deadheat =~ m{^/root/};
	skip('no setpriv', 2) if (sh('command -v setpriv'))[0] ne 0;
	found_in('nobody', 'exec setpriv --reuid 65534 --regid 65534 --clear-groups '
		. '--no-new-privs "$0" "$@"');
}

# ---- the program looks around ----

build('guest', $deadheat, 'cc', '-g', '-O1', "$source/guest.c", '-o', "$dir/guest", '-pthread');
my $nothing = "threads 0\nchildren 1, strangers 0, at the end none, signals 1\n";

sub unnoticed
{
	my ($how, $expected, @command) = @_;
	my ($status, $text) = run(@command);
	is($status, STATUS_RACE, "$how: both races") or diag($text);
	is(join('', grep { /^(threads|children|signals)/ } map { "$_\n" } split /\n/, $text),
		$expected, "$how: nothing to be noticed");
	is(join(',', $text =~ /^deadheat: (\d+ distinct \w+)/mg), '2 distinct races',
		"$how: one helper");
	return;
}

my @guest = ($deadheat, 'run', "$dir/guest");
unnoticed('a plain program', $nothing, @guest);
unnoticed('one that adopts orphans', $nothing, @guest, 'adopt');
unnoticed('one that has all signals', "signals all\n$nothing", @guest, 'signals');
unnoticed("one that closes files ($_)", $nothing, @guest, 'close', $_)
	for qw(each range from copy);
SKIP: {
	skip('namespaces cannot be had here', 3)
		if (run(qw(unshare -mrpf --mount-proc true)))[0] ne 0;
	unnoticed('the first process', $nothing, qw(unshare -mrpf --mount-proc), @guest);
}

# ---- others in front ----

build('allocator', 'cc', '-O1', '-shared', '-fPIC', '-fno-builtin', "$source/allocator.c",
	'-o', "$dir/allocator.so", '-pthread');
my $none = found_in('another allocator', "LD_PRELOAD=$dir/allocator.so exec \"\$0\" \"\$@\"");
unlike($none, qr/malloc\(\) is that of/, 'another allocator: ours takes its place');
my $alone = found_in('another allocator, alone',
	"LD_PRELOAD=$dir/allocator.so exec \"\$0\" \"\$@\"", "$dir/crash", 'return');
like($alone, qr/malloc\(\) is that of \S*allocator\.so/, 'another allocator, alone: named');
for my $library (grep { -e } map { glob "/usr/lib/*/$_" }
	qw(libjemalloc.so.2 libmimalloc.so.2 libtcmalloc_minimal.so.4)) {
	my ($name) = $library =~ m{(lib[a-z]+)};
	found_in($name, "LD_PRELOAD=$library exec \"\$0\" \"\$@\"");
	found_in("$name, alone", "LD_PRELOAD=$library exec \"\$0\" \"\$@\"", "$dir/crash",
		'return');
}

my ($tsan) = (sh('gcc -print-file-name=libtsan.so.2'))[1] =~ m{^(/.*)/};
SKIP: {
	skip('gcc has no libtsan.so.2 here', 8) unless $tsan;
	for my $kind (qw(enable disable)) {
		my $program = "$dir/$kind";
		build("a path by --$kind-new-dtags", qw(gcc -fsanitize=thread -g -O1),
			"$source/crash.c", '-o', $program, '-pthread',
			"-Wl,--$kind-new-dtags,-rpath,$tsan");
		found_in("gcc's library by --$kind-new-dtags", 'exec "$0" "$@"', $deadheat,
			'run', $program, 'return');
	}
	my $print = 'int main(void) { return system("echo ${LD_PRELOAD-none}"); }';
	my ($clean, $said) = sh("printf '%s\n' '#include <stdlib.h>' '$print' | "
		. "gcc -x c - -fsanitize=thread -o $dir/child "
		. "-Wl,--disable-new-dtags,-rpath,$tsan && $deadheat run $dir/child");
	is("$clean $said", "0 none\n", 'what it starts has nothing preloaded');
}

# ---- an instrumented library in a program that is not ----

build('an opener', 'cc', '-O1', "$source/opener.c", '-o', "$dir/opener", '-ldl');
build('a library', $deadheat, 'cc', '-g', '-O1', '-shared', '-fPIC', "$source/crash.c", '-o',
	"$dir/crash.so", '-pthread');
build('a program linked with it', 'cc', '-O1', "$source/opener.c", '-o', "$dir/linked",
	'-Wl,--no-as-needed', "$dir/crash.so", '-ldl');
for my $how ('opener', 'linked') {
	my @open = ("$dir/$how", "$dir/crash.so", 'return');
	my ($late, $why) = run(@open);
	is($late, 0, "a library in a program that is not watched, $how: runs");
	my ($ours) = $why =~ /so nothing is watched\. Start it with LD_PRELOAD=(\S+)$/m;
	ok($ours, 'and it is told what would help') or diag($why);
	found_in('with that', "LD_PRELOAD=$ours exec \"\$0\" \"\$@\"", @open);
	found_in('with that, through a script',
		"LD_PRELOAD=$ours exec sh -c '\"\$0\" \"\$@\"; exit \$?' " . '"$0" "$@"', @open);
	found_in('run by `deadheat run`', 'exec "$0" "$@"', $deadheat, 'run', @open);
}

# ---- a library that is not instrumented, in a program that is ----

build('a plain library', 'cc', '-O2', '-shared', '-fPIC', "$source/keeper.c", '-o',
	"$dir/libkeeper.so");
for my $calls ('-fplt', '-fno-plt') {
	build("its user, $calls", $deadheat, 'cc', '-g', '-O1', $calls, "$source/kept.c", '-o',
		"$dir/kept", "$dir/libkeeper.so", '-pthread');
	my ($status, $text) = run("$dir/kept");
	is($status, 0, "what it frees with its last jump is not the program's doing, $calls")
		or diag($text);
	is((run("$dir/kept", 'own'))[0], STATUS_RACE, "what the program frees is, $calls");
}

# ---- a program with more rights than who starts it ----

SKIP: {
	skip('not root: no file can be given away', 2) if $> != 0;
	my ($nobody, $program) = ((getpwnam 'nobody')[2] // 65534, "$dir/setuid");
	sh("cp $dir/crash $program");
	chown $nobody, -1, $program;
	chmod 04755, $program;
	local $ENV{DEADHEAT_OPTIONS} = "log=$dir/setuid.log exit-code=3";
	my ($status, $text) = run($program, 'return');
	skip('programs get no rights here', 2) if $status == 3;
	is($status, STATUS_RACE, 'set-user-ID: options of who starts it do not count');
	ok($text =~ /data race/ && !-e "$dir/setuid.log", 'and no file of theirs is written');
}

# ---- what cannot be watched ----

for my $kind (qw(-static -static-pie)) {
	my ($built) = sh("cc $kind -O1 $source/crash.c -o $dir/static -pthread 2>/dev/null");
	SKIP: {
		skip("cc cannot link $kind", 2) if $built ne 0;
		my ($status, $text) = run($deadheat, 'run', "$dir/static", 'return');
		is($status, 2, "$kind: refused");
		like($text, qr/is linked statically and cannot be watched/, "$kind: told why");
	}
}

done_testing();
