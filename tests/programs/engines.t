#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The engines other than fasttrack in running programs. Each program is run with each of
# them, and
#
#   - there is a finding where the program states a race (see run.t), and none where it
#     states that there is none; or what engines.txt says of the program and the engine;
#   - `deadheat analyze` with the same engine, over the events that the engine was told
#     (--events), has the same findings: the same places in the code, with the same grade;
#     also behind a filter (the first few programs).
#
#   engines.t [PROGRAM...]      a few by default
#   DH_ENGINES_ALL=1            all programs
#   DH_ENGINES='NAME ...'       only these engines
#   DH_ENGINES_RUN='OPTION ...' more options for `deadheat run`
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use File::Temp 'tempdir';
use JSON::PP ();
use List::Util qw(min none);
use Programs;
use Test::More;

use constant {BUILD_LIMIT => 300, RUN_LIMIT => 120};

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());
my @engines = split ' ', $ENV{DH_ENGINES} // 'djit goldilocks goldilocks-paper lockset '
	. 'multirace eraser racetrack-basic patent';
my @some = qw(barrier_race barrier_norace c11_cond_race fence_both_norace fence_no_release_race
	guard_norace heap_reuse_norace heap_use_after_free_race memset_race mutex_race
	mutex_norace rwlock_readers_race rwlock_two_readers_norace thread_unseen_norace
	word_of_eight_race word_of_eight_norace);

# Engines behind the filters of traces, in the first of these.
my @filtered = (['djit', 'tree-strict'], ['djit', 'span'], ['racetrack-basic', 'tree']);

# ---- the table ----

# PROGRAMS ENGINES VERDICT; see there.
sub read_table
{
	my @table;
	open my $in, '<', "$FindBin::Bin/engines.txt" or die "engines.txt: $!\n";
	while (<$in>) {
		next if /^\s*(#|$)/;
		my ($program, $engines, $verdict) = /^(\S+) +(\S+) +(race|silent|any|skip|apart)$/
			or die "engines.txt:$.: not PROGRAMS ENGINES VERDICT\n";
		push @table, [map({ glob_of($_) } $program, $engines), $verdict];
	}
	return @table;
}

sub glob_of
{
	my ($names) = @_;
	my $any = join '|', map { s/\*/.*/gr } split /,/, $names;
	return qr/^(?:$any)$/;
}

my @table = read_table();

sub expected
{
	my ($p, $engine) = @_;
	my $verdict = $p->{race} ? 'race' : 'silent';
	for my $line (@table) {
		my ($programs, $engines, $word) = @$line;
		$verdict = $word
			if $word ne 'apart' && $p->{name} =~ $programs && $engine =~ $engines;
	}
	return $verdict;
}

sub is_compared
{
	my ($p) = @_;
	return none { $_->[2] eq 'apart' && $p->{name} =~ $_->[0] } @table;
}

# ---- findings: grade and the two places ----

sub pair
{
	my ($grade, @places) = @_;
	return join ' ', $grade, sort map { $_ // '-' } @places;
}

sub live_findings
{
	my ($file) = @_;
	my %found;
	for my $line (split /\n/, slurp($file)) {
		my $o = JSON::PP->new->utf8->decode($line);
		next unless ($o->{type} // '') eq 'race';
		my @places = map { $_->{stack}[0]{offset} } @{$o}{qw(first second)};
		$found{pair($o->{grade}, @places)} = 1;
	}
	return \%found;
}

sub traced_findings
{
	my ($text) = @_;
	my %found;
	my $top = JSON::PP->new->utf8->decode($text);
	for my $race (@{$top->{engines}[0]{races}}) {
		my @places = map { ($_->{loc} // '') =~ /\+(0x[0-9a-f]+)@/ ? $1 : undef }
			@{$race}{qw(first second)};
		$found{pair($race->{grade}, @places)} = 1;
	}
	return \%found;
}

# ---- running ----

sub build
{
	my ($p) = @_;
	my $base = "$dir/$p->{name}";
	my $status = run_command(BUILD_LIMIT, $base, {}, $deadheat, $p->{cxx} ? 'c++' : 'cc',
		qw(-O1 -g -pthread), $p->{path}, '-o', $base, @{$p->{flags}});
	return $status eq 0 ? '' : "does not build: $status\n" . slurp("$base.err");
}

sub agree
{
	my ($base, $engine, $filter, $live) = @_;
	return 'no trace of the events' unless -e "$base.std";
	my $status = run_command(RUN_LIMIT, "$base.analyze", {}, $deadheat, 'analyze', '-e',
		$engine, $filter ? ('-f', $filter) : (), '--format', 'json', "$base.std");
	return "analyze: status $status\n" . slurp("$base.analyze.err")
		if $status ne 0 && $status ne 66;
	my $traced = traced_findings(slurp("$base.analyze.out"));
	return ((map { "analyze does not find: $_" } grep { !$traced->{$_} } sort keys %$live),
		map { "only analyze finds: $_" } grep { !$live->{$_} } sort keys %$traced);
}

sub try_engine
{
	my ($p, $engine, $filter) = @_;
	my $base = "$dir/$p->{name}.$engine";
	my $wanted = expected($p, $engine);
	return if $wanted eq 'skip';
	my $status = run_command(RUN_LIMIT, $base, {}, $deadheat, 'run', '--engine', $engine,
		qw(--fail-on potential), '--json', "$base.json", '--events', "$base.std",
		$filter ? ('--filter', $filter) : (), split(' ', $ENV{DH_ENGINES_RUN} // ''),
		@{$p->{run}}, '--', "$dir/$p->{name}",
		@{$p->{args}});
	my $live = live_findings("$base.json");
	my @wrong = is_compared($p) ? agree($base, $engine, $filter, $live) : ();
	my $has = %$live ? 'race' : 'silent';
	push @wrong, "$has, not $wanted" if $wanted ne 'any' && $has ne $wanted;
	my $end = @{$p->{status}} ? "@{$p->{status}}" : %$live ? 66 : 0;
	push @wrong, "status $status, not $end" if is_compared($p) && $status ne $end;
	push @wrong, slurp("$base.err") if @wrong;
	unlink map { "$base.$_" } qw(json std out err analyze.out analyze.err);
	return map { "$engine: $_" } @wrong;
}

sub try
{
	my ($task) = @_;
	my $p = $task->{p};
	my $bad = build($p);
	return $bad if $bad;
	my @wrong = map { try_engine($p, $_) } @engines;
	push @wrong, try_engine($p, @$_) for $task->{filtered} ? @filtered : ();
	unlink "$dir/$p->{name}";
	return @wrong;
}

my @paths = @ARGV;
@paths = sort(glob("$FindBin::Bin/*.c"), glob("$FindBin::Bin/*.cc"))
	if !@paths && $ENV{DH_ENGINES_ALL};
@paths = map { glob("$FindBin::Bin/$_.{c,cc}") } @some unless @paths;
my @words = qw(flags run args status skip);
my @tasks = map { {p => $_, name => $_->{name}} }
	map { read_program($_, \@words, [qw(output message)]) } grep { -e } @paths;
$_->{filtered} = 1 for @tasks[0 .. min(3, $#tasks)];
plan(tests => scalar @tasks);
run_tasks(\@tasks, $dir, $ENV{DH_PROGRAMS_JOBS} || 2, \&try);
