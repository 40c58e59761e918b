#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Random programs whose races are known: schedules of a few threads (Schedule.pm), what races
# they have by definition (Order.pm), as programs that keep to the order (Source.pm). Each
# is built in several ways and run, and what is found is held against what there is:
#
#   - a finding is a pair of events that race, with the kind of access, the locks held and
#     the creation of the threads as they were;
#   - the first race on each part of each variable is found.
#
#   random.t [SEED [COUNT]]     so many schedules from a seed on (1, 90)
#   DH_RANDOM_WAYS='WAY ...'    COMPILER-LEVEL (gcc-O2), each in turn; `all`: eight of them
#   DH_RANDOM_SIZE=N            schedules to a program (30)
#   DH_RANDOM_ENGINE=NAME       with another engine, by what it promises (see below);
#                               `recorded`: by `deadheat record` and `analyze`
#   DH_RANDOM_KEEP=DIR          leave programs and findings there
#   DH_PROGRAMS_JOBS=N          at a time (2)
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin", "$FindBin::Bin/..";
use File::Temp 'tempdir';
use JSON::PP ();
use Test::More;
use Order;
use Programs;
use Schedule;
use Source;

use constant {BUILD_LIMIT => 300, RUN_LIMIT => 120, SHOWN => 8, MAY_FORGET => 0.03};

# Engines that judge events, all but two, take atomics for volatiles, which race with
# nothing, state one race to a variable, and do not tell locks. The diaries of racetrack
# may forget something, where two addresses have the same place in them. A trace knows no
# orders of atomics, and no stacks: accesses are to be in the line itself. And in it a free
# is a write of no more than what was used before.
my $engine = $ENV{DH_RANDOM_ENGINE} // 'fasttrack';
my $recorded = $engine eq 'recorded';
my $by_events = $engine !~ /^(fasttrack|racetrack)$/;
my %no = $by_events ? (mixed => 1, calls => $recorded, use => $recorded) : ();
my %model = $by_events ? (volatile => 1, strong => $recorded) : ();

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = $ENV{DH_RANDOM_KEEP} || tempdir(CLEANUP => 1,
	$ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());
my ($seed, $count) = (shift // 1, shift // 90);
my @ways = ways($ENV{DH_RANDOM_WAYS} // '');

sub ways
{
	my ($wanted) = @_;
	my @compilers = ('gcc', installed('clang-22') ? 'clang' : ());
	return (qw(gcc-O2 clang-O2 gcc-O0))[0, @compilers > 1 ? 1 : (), 2] if $wanted eq '';
	return split ' ', $wanted if $wanted ne 'all';
	return map { my $level = $_; map { "$_-$level" } @compilers } qw(O2 O0 O1 O3);
}

# ---- what was found, in events ----

# Lines of the program by number: the event that is there.
sub index_lines
{
	my (@schedules) = @_;
	my %at;
	for my $s (@schedules) {
		$at{$_->{line}} = {s => $s, ev => $_} for grep { $_->{line} } @{$s->{events}};
	}
	return \%at;
}

sub find
{
	my ($at, $stack) = @_;
	for my $frame (@$stack) {
		my ($file, $line) = @{$frame}{qw(file line)};
		return $at->{$line} if $line && $file =~ /random-\d+[^\/]*\.c$/;
	}
	return;
}

sub name
{
	my ($place) = @_;
	return 'an unknown line' unless $place;
	my $ev = $place->{ev};
	return "line $ev->{line} ($ev->{op}" . ($ev->{text} ? " $ev->{text}" : '') . ')';
}

# ---- complaints ----

sub is_kind
{
	my ($ev, $access) = @_;
	return $access->{op} ne 'read' if $ev->{op} eq 'free';
	return 1 if ($ev->{text} // '') =~ /ADD|MOVE_BYTES/;
	return grep { ($_->{write} ? 'write' : 'read') eq $access->{op}
		&& !$_->{atomic} == !$access->{atomic} } @{$ev->{accesses}};
}

sub lock_names
{
	my ($locks) = @_;
	return map { ($_->{global}{name} // '?') . " $_->{mode}" } @{$locks // []};
}

# The locks of an access: all that are said were held, and all that were held are said.
sub wrong_locks
{
	my ($ev, $access) = @_;
	return if ($access->{locks_known} // 1) eq JSON::PP::false();
	my %held = map { ("$_ $ev->{locks}{$_}" => 1) } keys %{$ev->{locks}};
	my @sure = lock_names($access->{locks});
	my %said = map { $_ => 1 } @sure, lock_names($access->{locks_maybe});
	return map({ "says that it held $_" } grep { !$held{$_} } @sure),
		map({ "does not say that it held $_" } grep { !$said{$_} } sort keys %held);
}

# The thread of an access, by where it was created.
sub wrong_thread
{
	my ($at, $place, $access, $race) = @_;
	my ($thread) = grep { $_->{id} == ($access->{thread} // -1) } @{$race->{threads}};
	return 'names no thread' unless $thread;
	return if $thread->{main} && $place->{ev}{t} == 0;
	my $made = find($at, $thread->{created} // []);
	return if $made && $made->{ev}{op} eq 'create'
		&& $made->{ev}{child}{n} == $place->{ev}{t};
	return 'has the wrong thread';
}

# Of one finding. found: events by second, then by first.
sub judge_race
{
	my ($at, $race, $found) = @_;
	return if $race->{grade} ne 'observed';
	my @accesses = @{$race}{qw(first second)};
	my ($first, $second) = map { find($at, $_->{stack}) } @accesses;
	my $names = join ' and ', map { name($_) } $first, $second;
	return "a race of $names: no such events" unless $first && $second;
	$found->{$second->{s}{seed}}{$second->{ev}{n}}{$first->{ev}{n}} = 1;
	return "a race of $names, which is none" unless $first->{s} == $second->{s}
		&& $first->{s}{pairs}{"$first->{ev}{n} $second->{ev}{n}"};
	my @wrong;
	for (my $i = 0; $i < 2; $i++) {
		my ($place, $access) = (($first, $second)[$i], $accesses[$i]);
		push @wrong, 'of another kind' unless is_kind($place->{ev}, $access);
		next if $by_events;
		push @wrong, wrong_locks($place->{ev}, $access);
		push @wrong, wrong_thread($at, $place, $access, $race);
	}
	return map { "a race of $names: $_" } @wrong;
}

# What has to be found and was not.
sub missing
{
	my ($s, $found) = @_;
	my @wrong;
	my %seen;
	for my $need (@{$s->{needs}}) {
		my $var = $need->{var};
		my $there = $found->{$s->{seed}}{$need->{second}} // {};
		next if grep { $need->{firsts}{$_} } keys %$there;
		next if $by_events && ($seen{$var->{n}} || found_on($s, $var, $found));
		$seen{$var->{n}} = 1;
		my @firsts = map { name({ev => $s->{events}[$_]}) }
			sort { $a <=> $b } keys %{$need->{firsts}};
		push @wrong, "no race of @firsts and " . name({ev => $s->{events}[$need->{second}]})
			. ", granule $need->{granule} of $var->{name}";
	}
	return @wrong;
}

# Is any race on the variable among the findings?
sub found_on
{
	my ($s, $var, $found) = @_;
	my $seconds = $found->{$s->{seed}} // {};
	for my $second (keys %$seconds) {
		return 1 if grep { $_->{var} == $var } Order::accesses($s->{events}[$second]);
	}
	return 0;
}

sub judge
{
	my ($status, $races, @schedules) = @_;
	my %found;
	my $at = index_lines(@schedules);
	my @wrong = map { judge_race($at, $_, \%found) } @$races;
	my @missing = map { missing($_, \%found) } @schedules;
	my $needs = map { @{$_->{needs}} } @schedules;
	push @wrong, @missing if $engine ne 'racetrack' || @missing > $needs * MAY_FORGET;
	my $wanted = $needs ? 66 : 0;
	push @wrong, "status $status, not $wanted" if $status ne $wanted;
	return @wrong;
}

# ---- one program ----

sub decode { return JSON::PP->new->utf8->decode($_[0]) }

# Runs it; returns the status, the races, and what is wrong beside them.
sub watch
{
	my ($base) = @_;
	my (@races, $summary);
	my $status = run_command(RUN_LIMIT, $base, {}, $deadheat, 'run', '--json', "$base.json",
		'--engine', $engine, '--findings', 'pair', '--log', "$base.log", '--', $base);
	for my $object (map { decode($_) } split /\n/, slurp("$base.json")) {
		push @races, $object if $object->{type} eq 'race';
		$summary = $object if $object->{type} eq 'summary';
	}
	my @lost = $summary ? sort keys %{$summary->{losses}} : 'the summary';
	return ($status, \@races, map { "lost: $_" } @lost);
}

# An access of a trace, as one of a run.
sub from_trace
{
	my ($access) = @_;
	my ($file, $line) = $access->{loc} =~ /^(.*):(\d+)$/;
	return {op => $access->{op} eq 'w' ? 'write' : 'read',
		stack => [{file => $file, line => $line}]};
}

# The same, recorded first.
sub analyze
{
	my ($base) = @_;
	my $status = run_command(RUN_LIMIT, $base, {}, $deadheat, 'record', '-q', '-o',
		"$base.dht", '--', $base);
	return ($status, [], 'does not run: ' . slurp("$base.err")) if $status ne 0;
	$status = run_command(RUN_LIMIT, $base, {}, $deadheat, 'analyze', '-q', '--format',
		'json', "$base.dht");
	my $result = decode(slurp("$base.out"));
	my @races = map { {grade => $_->{grade}, first => from_trace($_->{first}),
		second => from_trace($_->{second})} } @{$result->{engines}[0]{races}};
	return ($status, \@races, $result->{damage} // ());
}

sub write_program
{
	my ($path, @schedules) = @_;
	open my $out, '>', $path or die "$path: $!\n";
	print $out Source::write_program("$FindBin::Bin/random.h", @schedules);
	close $out or die "$path: $!\n";
	return;
}

sub try
{
	my ($task) = @_;
	my ($compiler, $level) = split /-/, $task->{way};
	my $base = "$dir/random-$task->{seed}-$task->{way}";
	my @schedules = map { Schedule::make($_, %no) }
		$task->{seed} .. $task->{seed} + $task->{count} - 1;
	Order::judge($_, %model) for @schedules;
	write_program("$base.c", @schedules);
	my %env = (DEADHEAT_CC => $compiler eq 'clang' ? 'clang-22' : $compiler);
	my $status = run_command(BUILD_LIMIT, $base, \%env, $deadheat, 'cc', "-$level",
		qw(-g -Wall -Wextra -Werror -pthread -D_GNU_SOURCE), "$base.c", '-o', $base);
	return "does not build: $status\n" . slurp("$base.err") if $status ne 0;
	my ($end, $races, @wrong) = $recorded ? analyze($base) : watch($base);
	push @wrong, judge($end, $races, @schedules);
	splice @wrong, SHOWN, @wrong, '...' if @wrong > SHOWN;
	unlink map { "$base$_" } '', qw(.c .out .err .json .log .dht)
		unless $ENV{DH_RANDOM_KEEP};
	return @wrong;
}

my $size = $ENV{DH_RANDOM_SIZE} || 30;
my @tasks;
for (my $from = $seed; $from < $seed + $count; $from += $size) {
	my $way = $ways[@tasks % @ways];
	my $n = $from + $size > $seed + $count ? $seed + $count - $from : $size;
	push @tasks, {seed => $from, count => $n, way => $way,
		name => "$way: schedules $from to " . ($from + $n - 1)};
}
plan(tests => scalar @tasks);
run_tasks(\@tasks, $dir, $ENV{DH_PROGRAMS_JOBS} || 2, \&try);
