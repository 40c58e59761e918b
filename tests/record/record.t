#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `deadheat record`: programs are built, recorded, and their traces judged: by `analyze`,
# whose verdict must be that of the live run, by `predict`, and by the reader, which takes
# nothing that is not well formed.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../cli";
use Deadheat;
use File::Temp 'tempdir';
use Test::More;

my $dir = tempdir(CLEANUP => 1);
my $programs = "$FindBin::Bin/../programs";

sub build
{
	my ($path, @flags) = @_;
	my ($name, $suffix) = $path =~ m{([^/]+)\.(c|cc)$};
	my $r = deadheat($suffix eq 'cc' ? 'c++' : 'cc', '-O1', '-g', "-I$programs", $path, '-o',
		"$dir/$name", '-pthread', @flags);
	is($r->{status}, 0, "$name is built") or diag $r->{err};
	return "$dir/$name";
}

# The lines that a program marks, as "a-b".
sub marks
{
	my ($path) = @_;
	my %at;
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		push @{$at{$1}}, $. if m{// race: ([ab])\b};
	}
	return \%at;
}

sub record
{
	my ($trace, @rest) = @_;
	return deadheat('record', '-q', '-o', "$dir/$trace", @rest);
}

sub line_of { return $_[0]{loc} =~ /:(\d+)$/ ? $1 : $_[0]{loc} }

# Pairs of lines of the races of a result, each with the smaller first.
sub pairs
{
	my ($races) = @_;
	my %seen = map { join('-', sort { $a <=> $b } line_of($_->{first}),
		line_of($_->{second})) => 1 } @$races;
	return join ' ', sort keys %seen;
}

sub analyzed { return json_of(deadheat('analyze', '-e', 'fasttrack', '--format', 'json',
	"$dir/$_[0]"))->{engines}[0]{races} }
sub predicted { return json_of(deadheat('predict', '-m', $_[1], '--format', 'json',
	"$dir/$_[0]"))->{races} }

part 'a race that the order of a lock hid', sub {
	my $app = build("$FindBin::Bin/lock_luck_race.c");
	is(deadheat('run', $app)->{status}, 0, 'a run does not show it');
	is(record('luck.dht', $app)->{status}, 0, 'recorded');
	is_deeply(analyzed('luck.dht'), [], 'nor does happens-before over the trace');
	for my $model (qw(mc rdit)) {
		my $races = predicted('luck.dht', $model);
		is(pairs($races), '12-26', "$model predicts it");
		is($races->[0]{var}, 'y', 'by the name of the variable');
		my @w = @{$races->[0]{witness}};
		is_deeply([sort { $a <=> $b } @w[-2, -1]],
			[$races->[0]{first}{index}, $races->[0]{second}{index}], 'with a witness');
	}
	record('fixed.dht', build("$FindBin::Bin/lock_luck_norace.c"));
	is_deeply(predicted('fixed.dht', $_), [], "$_: not where y is under the lock, too")
		for qw(hb cp mc rdit);
};

part 'what a recording needs to be read', sub {
	my $text = deadheat('print', "$dir/luck.dht")->{out};
	like($text, qr/^T1\|w\(y\)\|.*lock_luck_race\.c:12$/m, 'has names');
	is(`cat '$dir/luck.dht' | '$ENV{DEADHEAT}' print -`, $text, 'from a pipe');
	is(deadheat('print', "$dir/luck.dht", '-o', "$dir/whole.dht")->{status}, 0,
		'made into a trace with all names');
	open my $app, '>>', "$dir/lock_luck_race" or die $!;
	print $app "\n";
	close $app;
	is(deadheat('print', "$dir/whole.dht")->{out}, $text, 'which needs no program');
	my $r = deadheat('print', "$dir/luck.dht");
	is($r->{err}, "deadheat: $dir/lock_luck_race is not as it was recorded: no names from it\n",
		'a program that has changed is told of');
	unlike($r->{out}, qr/lock_luck_race\.c/, 'and its names are not used');
	like($r->{out}, qr/^T1\|w\(0x[0-9a-f]+\)\|0x[0-9a-f]+$/m, 'but addresses');
	rename "$dir/lock_luck_race", "$dir/red\e[31m" or die $!;
	record('red.dht', "$dir/red\e[31m");
	rename "$dir/red\e[31m", "$dir/lock_luck_race" or die $!;
	like(deadheat('print', "$dir/red.dht")->{err}, qr{/red\?\[31m is not as it was recorded},
		'its name cannot steer the terminal');
};

# Each is recorded, and must have the races that it states, for the engine that looks at
# the order of the run; the solver must agree on those without a race.
my @same = qw(mutex_race mutex_norace mutex_two_race rwlock_readers_race rwlock_write_norace
	semaphore_race semaphore_norace barrier_race barrier_norace barrier_rounds_norace
	once_norace cond_wait_norace cond_wait_race heap_free_race heap_reuse_norace
	memcpy_target_race memcpy_norace munmap_race mmap_reuse_norace
	atomic_release_acquire_norace atomic_bytes_race atomic_bytes_norace
	plain_read_atomic_store_race plain_write_atomic_load_race plain_read_atomic_load_norace
	refcount_norace fence_release_norace mutex_recursive_norace mutex_handed_over_norace
	object_mutex_destroy_race
	descriptor_reuse_norace pipe_norace thread_chain_norace thread_create_race);

part 'the races of the run are in the trace', sub {
	for my $name (@same) {
		my $source = "$programs/$name.c";
		next unless -e $source;
		my $app = build($source);
		my $r = record("$name.dht", $app);
		is($r->{err}, '', "$name: recorded without a word");
		my $marks = marks($source);
		my $found = pairs(analyzed("$name.dht"));
		my %wanted;
		for my $one (@{$marks->{a} || []}) {
			$wanted{join '-', sort { $a <=> $b } $one, $_} = 1 for @{$marks->{b} || []};
		}
		if ($name =~ /_norace$/) {
			is($found, '', "$name: no race");
			is_deeply(predicted("$name.dht", 'mc'), [], "$name: none predicted");
		} else {
			my @other = grep { !$wanted{$_} } split ' ', $found;
			ok($found ne '' && !@other, "$name: its race") or diag $found;
		}
	}
};

part 'run --predict', sub {
	my $app = "$dir/lock_luck_race";
	my $r = deadheat('run', '--predict', $app);
	is($r->{status}, 66, 'the hidden race is found');
	like($r->{err}, qr/^1\. predicted: y: write at .*:12, write at .*:26$/m, 'and shown');
	like($r->{err}, qr/found by multirace, rdit/, 'with what else speaks for it');
	is($r->{out}, '', 'the program has standard output for itself');
	$r = deadheat('run', '--predict', "$dir/lock_luck_norace");
	is($r->{status}, 0, 'no finding: the status of the program');
	$r = deadheat('run', '--predict', "$dir/mutex_race");
	like($r->{err}, qr/^1\. observed: /m, 'what happened stands first');
	$r = deadheat('run', '--predict', '--exit-code', '0', "$dir/mutex_race");
	is($r->{status}, 0, '--exit-code 0');
	$r = deadheat('run', "--predict=$dir/kept.dht", '--quiet', '--json', "$dir/kept.json",
		"$dir/mutex_race");
	is($r->{err}, '', '--quiet');
	is(deadheat('analyze', "$dir/kept.dht")->{status}, 66, 'the trace is kept');
	like(do { local (@ARGV, $/) = "$dir/kept.json"; <> }, qr/"grade":"observed"/, '--json');
	is(deadheat('run', '--predict', '--halt', $app)->{status}, 2, 'not with --halt');
};

# The line that a program calls by another number.
sub line_called
{
	my ($path, $what) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	while (my $text = <$in>) {
		return $. if $text =~ m{// line $what$};
	}
	die "$path: no line $what\n";
}

part 'the inside of calls is missing', sub {
	my $source = "$FindBin::Bin/account.c";
	is(system('cc', qw(-O1 -g -fPIC -shared), "$FindBin::Bin/alive.c", '-o',
		"$dir/libalive.so"), 0, 'a library that is not instrumented');
	my $app = build($source, "-L$dir", '-lalive', "-Wl,-rpath,$dir");
	is(record('account.dht', $app)->{status}, 0, 'a program that waits by it');
	my %line = map { $_ => line_called($source, $_) } 4, 5, 7, 8, 16, 17, 19;
	my $pairs = sub {
		return join ' ', sort map { join '-', map { $line{$_} } split /-/ } @_;
	};
	is(pairs(predicted('account.dht', $_)), $pairs->(qw(4-16 7-17 5-19 8-19 5-8)),
		"$_: the race, and four false alarms") for qw(hb cp mc);
	is(pairs(predicted('account.dht', 'rdit')), $pairs->('5-8'), 'rdit: the race');
	record('none.dht', '--no-missing', 'worker_*', $app);
	is(pairs(predicted('none.dht', 'rdit')), $pairs->(qw(4-16 7-17 5-19 8-19 5-8)),
		'without the calls it is fooled, too');
	record('some.dht', '--missing', 'worker_is*', $app);
	my $text = deadheat('print', "$dir/some.dht")->{out};
	like($text, qr/mb\(worker_is_alive/, '--missing: one function');
	unlike($text, qr/mb\(worker_ends/, 'and not the other');
};

part 'programs that do not end by themselves', sub {
	my $app = build("$FindBin::Bin/killed.c");
	my $r = record('killed.dht', $app);
	is($r->{status}, 137, 'the status of one that was killed');
	is($r->{err}, '', 'nothing is wrong');
	my @lines = split /\n/, deadheat('print', "$dir/killed.dht")->{out};
	cmp_ok(scalar(grep { /\|w\(last\)\|/ } @lines), '>=', 1,
		'all that was done before is there');
	is(pairs(analyzed('killed.dht')), '13-24 13-25', 'and its race');
};

part 'many threads', sub {
	my $app = build("$FindBin::Bin/threads64.c");
	is(record('many.dht', $app)->{status}, 0, '64 threads at a time, twice');
	my $all = json_of(deadheat('analyze', '-e', 'fasttrack', '--format', 'json',
		"$dir/many.dht"));
	is_deeply($all->{engines}[0]{races}, [], 'no race under the lock');
	my $text = deadheat('print', "$dir/many.dht")->{out};
	is(scalar(() = $text =~ /\|fork\(/g), 128, 'all of them were forked');
	is(scalar(() = $text =~ /\|w\(sum\)/g), 128 * 50, 'and did what they do');
};

part 'a part of a run', sub {
	my $app = build("$FindBin::Bin/threads64.c", '-DROUNDS=2000');
	my $r = record('cut.dht', '--max-size', '4K', $app);
	like($r->{err}, qr/cut\.dht ends before the program did: --max-size\n/, '--max-size');
	is(deadheat('print', "$dir/cut.dht", '-o', "$dir/again.dht")->{status}, 0,
		'what is there is well formed');
	is($r->{status}, 0, 'the program went on to its end');
	$r = record('end.dht', '--ring', '5000', $app);
	is($r->{err}, '', '--ring');
	my @lines = split /\n/, deadheat('print', "$dir/end.dht")->{out};
	cmp_ok(@lines, '<', 8000, 'the end only');
	like($lines[-1], qr/rcv|join/, 'up to the end');
	is_deeply(analyzed('end.dht'), [], 'sections that are open where it begins protect');
	is_deeply(predicted('end.dht', 'mc'), [], 'for predict as well');
};

part 'damage', sub {
	my $whole = do { local (@ARGV, $/) = "$dir/many.dht"; <> };
	my $hurt = trace(substr($whole, 0, length($whole) - 200), 'hurt.dht');
	my $r = deadheat('predict', $hurt);
	is($r->{status}, 2, 'a trace that was cut off: status 2');
	like($r->{err}, qr/hurt\.dht: block \d+ at byte \d+: .* events before it were read/,
		'says what was read');
};

part 'other processes', sub {
	my $app = build("$FindBin::Bin/forks.c");
	my $r = deadheat('record', '-o', "$dir/forks.dht", $app);
	is($r->{status}, 0, 'a program that forks');
	like($r->{err}, qr/^deadheat: process \d+ was not recorded: a child by fork$/m,
		'the child is not recorded');
	$r = deadheat('record', '-o', "$dir/two.dht", '/bin/sh', '-c', "$app; $app");
	like($r->{err}, qr/^deadheat: process \d+ was not recorded: another program/m,
		'nor is a second program');
	is(pairs(analyzed('forks.dht')), '13-14', 'its parent is');
	$r = deadheat('record', '-q', '-o', "$dir/sh.dht", '/bin/sh', '-c', "$app; exit 7");
	is($r->{status}, 7, 'by way of a shell: its status');
	is(pairs(analyzed('sh.dht')), '13-14', 'and the program below it');
	$r = deadheat('record', '-o', "$dir/none.dht", '/bin/true');
	like($r->{err}, qr/none\.dht is empty: nothing was recorded/, 'nothing to record');
};

part 'bad options', sub {
	for (['-o'], [], ['-o', "$dir/x.dht"], ['-o', "$dir/x.dht", '--ring', 'x', 'true'],
		['-o', "$dir/x.dht", '--max-size', '1T', 'true'], ['--wrong', 'true'], ['true'],
		['-o', "$dir/x.dht", '--missing-cap', '0', 'true']) {
		my $r = deadheat('record', @$_);
		is($r->{status}, 2, "'@{[map { s/.*\///r } @$_]}' is refused");
		like($r->{err}, qr/\Adeadheat: [^\n]*\n\z/, 'in one line');
	}
	is(deadheat('record', '-o', "$dir/no/x.dht", 'true')->{status}, 1,
		'a folder that is not there');
	my $former = trace('of an earlier run');
	my $r = deadheat('record', '-o', $former, "$dir/not-there");
	is($r->{status}, 127, 'a program that is not there');
	like($r->{err}, qr/\Adeadheat: record: [^\n]*not-there: not found\n\z/, '... is told of');
	is(deadheat('record', '-o', $former, $former)->{status}, 126, 'one that is no program');
	is(Deadheat::slurp($former), 'of an earlier run', 'the former trace stays');
	is(join(' ', glob "$former?*"), '', 'and nothing beside it');
};

done_testing;
