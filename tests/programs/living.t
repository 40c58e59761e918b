#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Programs that take the process, and us with it, to its limits: ends without warning,
# stacks that are left without returning, libraries that come and go, crowds of threads,
# and processes that are not given what they ask for. The sources are in living/.
#
#   DH_LIVING_LONG=1    more threads, more signals
use strict;
use warnings;
use FindBin;
use File::Temp 'tempdir';
use JSON::PP ();
use Test::More;
use lib "$FindBin::Bin/..";
use Programs qw(:DEFAULT build);

use constant {TIMEOUT => 100, STATUS_RACE => 66, MIB => 1024};

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $source = "$FindBin::Bin/living";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());

sub run { return run_to_end(TIMEOUT, @_) }

# The findings of a run with --json: of each the functions of its two stacks.
sub stacks
{
	my ($file) = @_;
	open my $in, '<', $file or return;
	my @found;
	while (<$in>) {
		my $o = JSON::PP->new->utf8->decode($_);
		next unless ($o->{type} // '') eq 'race';
		push @found, join ' / ', map {
			join ' ', map { $_->{function} // '?' } @{$_->{stack}}
		} @{$o}{qw(first second)};
	}
	return @found;
}

# ---- ends ----

build('crash', $deadheat, 'cc', '-g', '-O1', "$source/crash.c", '-o', "$dir/crash", '-pthread');
my %ends = (segv => 'signal 11', kill => 'signal 9', term => 'signal 15',
	abort => 'signal 6', return => STATUS_RACE);
for my $end (sort keys %ends) {
	my ($status, $text) = run($deadheat, 'run', "$dir/crash", $end);
	is($status, $ends{$end}, "ends by $end");
	like($text, qr/data race.* on x\n.*crash\.c:\d+.* in main\n(?s:.*) in child/,
		"ends by $end: what was found is told");
}

# ---- stacks ----

build('C', $deadheat, 'cc', '-g', '-O1', '-c', "$source/depth_c.c", '-o', "$dir/depth_c.o");
build('depth', $deadheat, 'c++', '-g', '-O1', "$source/depth.cc", "$dir/depth_c.o", '-o',
	"$dir/depth", '-pthread');
for my $way (qw(longjmp handler handler-stack vfork exception exception-through-c)) {
	unlink "$dir/json";
	run($deadheat, 'run', '--json', "$dir/json", "$dir/depth", $way);
	is(join("\n", stacks("$dir/json")), 'child(void*) / main', "stack after $way");
}

build('recursion', $deadheat, 'cc', '-g', '-O1', "$source/recursion.c", '-o',
	"$dir/recursion", '-pthread');
unlink "$dir/json";
my ($status) = run($deadheat, 'run', '--json', "$dir/json", "$dir/recursion");
is($status, STATUS_RACE, 'a million calls deep');
my @deep = stacks("$dir/json");
is(scalar @deep, 2, 'both races of it');
like($_, qr{^deep (deep )*child / main$}, 'its stack') for @deep;

# ---- signals ----

build('storm', $deadheat, 'c++', '-g', '-O1', "$source/storm.cc", '-o', "$dir/storm", '-pthread');
my ($stormy, $said) = run($deadheat, 'run', "$dir/storm", $ENV{DH_LIVING_LONG} ? 20_000 : 1000);
is($stormy, 0, 'a storm of signals') or diag($said);

# ---- libraries ----

build('plugin', $deadheat, 'cc', '-g', '-O1', '-shared', '-fPIC', "$source/plugin.c", '-o',
	"$dir/plugin.so");
build('host', $deadheat, 'cc', '-g', '-O1', "$source/host.c", '-o', "$dir/host", '-pthread',
	'-ldl', "-Wl,-rpath,$dir");
my %uses = (race => 'plugin_write call write_it / plugin_write call race main',
	gone => 'plugin_touch lend / main', reload => '', both => '');
for my $use (sort keys %uses) {
	for my $path ("$dir/plugin.so", 'plugin.so') {
		next if $use eq 'both' && $path !~ m{/};
		unlink "$dir/json";
		my ($s, $text) = run($deadheat, 'run', '--json', "$dir/json", "$dir/host", $path,
			$use);
		is($s, $uses{$use} ? STATUS_RACE : 0, "plugin, $use") or diag($text);
		is(join("\n", stacks("$dir/json")), $uses{$use}, "plugin, $use: stacks");
	}
}

# ---- crowds ----

build('crowd', $deadheat, 'cc', '-g', '-O1', "$source/crowd.c", '-o', "$dir/crowd", '-pthread');
my @crowds = $ENV{DH_LIVING_LONG} ? (['live', 2000, 500], ['successive', 100_000, 200])
	: (['live', 300, 200], ['successive', 5000, 60]);
for my $crowd (@crowds) {
	my ($kind, $many, $most) = @$crowd;
	my ($s, $text) = run($deadheat, 'run', "$dir/crowd", $kind, $many);
	is($s, 0, "$many threads, $kind") or diag($text);
	my ($took) = $text =~ /^(\d+) MiB$/m;
	cmp_ok($took // $most, '<', $most, "$many threads, $kind: memory");
}

# ---- families ----

build('family', $deadheat, 'cc', '-g', '-O1', "$source/family.c", '-o', "$dir/family", '-pthread',
	'-ldl');
for my $kind (qw(fork spawn clone load)) {
	my ($s, $text) = run($deadheat, 'run', "$dir/family", $kind,
		$ENV{DH_LIVING_LONG} ? 300 : 10, "$dir/plugin.so");
	is($s, 0, "a storm of them: $kind") or diag($text);
}

# ---- what the kernel does not give ----

build('native crash', 'cc', '-O1', "$source/crash.c", '-o', "$dir/native", '-pthread');
sub limited
{
	my ($kib, @command) = @_;
	return run('sh', '-c', "ulimit -v $kib && exec \"\$0\" \"\$@\"", @command);
}
my $need = 4 * MIB;
$need += 512 while $need < 1024 * MIB && (limited($need, "$dir/native", 'return'))[0] ne 0;
my ($limited, $told) = limited(4 * $need, "$dir/crash", 'return');
is($limited, STATUS_RACE, "with $need KiB natively, in four times as much");
like($told, qr/race/, 'and it is told, if only in short');

build('sandbox', 'cc', '-O1', "$source/sandbox.c", '-o', "$dir/sandbox");
SKIP: {
	skip('seccomp cannot be had here', 2)
		if (run("$dir/sandbox", "$dir/native", 'return'))[0] eq 77;
	my ($s, $text) = run("$dir/sandbox", "$dir/crash", 'return');
	is($s, STATUS_RACE, 'where personality() is forbidden');
	like($text, qr/data race/, 'where personality() is forbidden: told as ever');
}

# The kernel counts private writable memory. Where it is strict, this is what has to be
# there.
sub setting
{
	my ($name) = @_;
	open my $in, '<', "/proc/sys/vm/$name" or return -1;
	my $value = <$in>;
	return $value + 0;
}

SKIP: {
	skip('vm.overcommit_memory is not 2 (see tools/with_setting.sh)', 1)
		if setting('overcommit_memory') != 2;
	is((run("$dir/crash", 'return'))[0], STATUS_RACE, 'vm.overcommit_memory = 2');
}
SKIP: {
	skip('vm.mmap_rnd_bits is not 32 (see tools/with_setting.sh)', 1)
		if setting('mmap_rnd_bits') != 32;
	my %ends_at;
	$ends_at{(run("$dir/crash", 'return'))[0]}++ for 1 .. 50;
	is_deeply(\%ends_at, {STATUS_RACE, 50}, 'vm.mmap_rnd_bits = 32');
}

done_testing();
