#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Builds every program of this folder with race detection, one OpenMP construct each, runs
# it with 1 thread and with 2 or 4, and compares what is found with what the program states:
#
#   NAME_race.c[c]     ends with status 66 and has findings, all between lines that are
#                      marked `// race: a` and `// race: b` (see ../Programs.pm)
#   NAME_norace.c[c]   ends with status 0 and has no finding
#
# and in comment lines at its top, all optional:
#
#   // threads: N      the race is one between members of a team, and wants so many; with
#                      fewer there is none. Races between tasks are there with one
#                      thread. `never`: not seen with any number
#   // fewer: any      with fewer it may be found all the same: it is between pieces of
#                      work, but the library may hand them out as one
#   // flags: ...      more arguments for the compiler
#   // env: NAME=VALUE ...
#   // skip: WORD ...  not with this compiler (gcc, clang)
#
# And every kernel of bench/openmp, in two ways: as it is, and with one synchronisation
# less (-DRACE), which is the race that its marks are about:
#
#   // small: ...      its arguments
#
# What falls short as yet is listed in the file `todo`, a line each:
#
#   PROGRAM COMPILER THREADS REASON      (`*` in the first three stands for anything)
#
#   run.t [PROGRAM...]          all by default
#   DH_OPENMP_COMPILERS='...'   which of gcc, clang; gcc by default
#   DH_OPENMP_LEVELS='...'      levels of optimisation of gcc; O1 by default. clang moves
#                               accesses to other lines: always O0
#   DH_OPENMP_THREADS='...'     how many; by default 1, and 2 or 4 by the program's name
#   DH_OPENMP_REPEAT=N          run each N times
#   DH_OPENMP_LIBRARY=DIR       run with the libraries there: those of clang's, which has
#                               libgomp's functions too
#   DH_PROGRAMS_JOBS=N          at a time (2)
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use File::Temp 'tempdir';
use List::Util qw(any none);
use Test::More;
use Programs;

use constant {BUILD_LIMIT => 300, RUN_LIMIT => 60};

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());

# ---- what falls short ----

sub read_todo
{
	my ($path) = @_;
	open my $in, '<', $path or return;
	my @todo;
	while (<$in>) {
		next if /^\s*(#|$)/;
		my ($program, $compiler, $threads, $reason) = split ' ', $_, 4;
		die "$path:$.: no reason\n" unless defined $reason;
		chomp $reason;
		my ($match) = map { qr/^$_$/ } join ' ',
			map { join '.*', map { quotemeta } split /\*/, $_, -1 }
			$program, $compiler, $threads;
		push @todo, {match => $match, reason => $reason};
	}
	return @todo;
}

my @todo = read_todo("$FindBin::Bin/todo");

sub reason_for
{
	my ($p, $compiler, $threads) = @_;
	my ($entry) = grep { "$p->{name} $compiler $threads" =~ $_->{match} } @todo;
	return $entry && $entry->{reason};
}

# ---- building and running ----

my %compilers = (gcc => 'gcc', clang => 'clang-22');
my %cxx_compilers = (gcc => 'g++', clang => 'clang++-22');

# Whether programs with OpenMP can be built with it at all.
sub has_openmp
{
	my ($compiler) = @_;
	my $source = '#include <omp.h>\nint main(void) { return omp_get_num_threads() != 1; }\n';
	return installed($compilers{$compiler}) && system("printf '$source' | "
		. "$compilers{$compiler} -fopenmp -x c - -o $dir/probe 2>/dev/null") == 0;
}

# Whether a race must be found (1), must not (0), or may be (undef).
sub expected
{
	my ($p, $threads) = @_;
	return 0 unless $p->{race};
	my $least = $p->{threads}[0] // 1;
	return 0 if $least eq 'never';
	return 1 if $threads >= $least;
	return @{$p->{fewer}} ? undef : 0;
}

sub run_once
{
	my ($p, $base, $threads) = @_;
	unlink "$base.json";
	my $library = $ENV{DH_OPENMP_LIBRARY};
	my %env = (OMP_NUM_THREADS => $threads, OMP_WAIT_POLICY => 'passive',
		$library ? (LD_LIBRARY_PATH => $library) : (),
		map { split /=/, $_, 2 } @{$p->{env}});
	my $status = run_command(RUN_LIMIT, $base, \%env, $deadheat, 'run', '--json',
		"$base.json", '--', $base, @{$p->{small}});
	return complaints($p, $base, $status, expected($p, $threads));
}

# What a program and its counterpart are run with. Names are spread over both numbers.
sub thread_counts
{
	my ($p) = @_;
	return split ' ', $ENV{DH_OPENMP_THREADS} if $ENV{DH_OPENMP_THREADS};
	my $topic = $p->{name} =~ s/_(no)?race$//r;
	return (1, unpack('%32C*', $topic) % 2 ? 4 : 2);
}

# Complaints begin with a number of threads.
sub try
{
	my ($task) = @_;
	my ($p, $compiler, $level) = @{$task}{qw(p compiler level)};
	my $base = "$dir/$p->{name}_${compiler}_$level";
	my %compiler = (DEADHEAT_CC => $compilers{$compiler},
		DEADHEAT_CXX => $cxx_compilers{$compiler});
	my $status = run_command(BUILD_LIMIT, $base, \%compiler, $deadheat,
		$p->{cxx} ? 'c++' : 'cc', "-$level", '-g', '-Wall', '-Wextra', '-fopenmp',
		$p->{path}, '-o', $base, @{$p->{flags}});
	return "does not build: $status\n" . slurp("$base.err") if $status ne 0;
	my @wrong;
	for my $threads (thread_counts($p)) {
		for my $round (1 .. $ENV{DH_OPENMP_REPEAT} || 1) {
			my @now = run_once($p, $base, $threads) or next;
			my $text = join '; ', @now, $round > 1 ? "(round $round)" : ();
			$text .= "\n" . slurp("$base.err") unless
				reason_for($p, $compiler, $threads);
			push @wrong, "$threads threads: $text";
			last;
		}
	}
	unlink $base, map { "$base.$_" } qw(out err json);
	return @wrong;
}

# Wrong is only what is not on the list.
sub judge
{
	my ($task, $text) = @_;
	my ($p, $compiler) = @{$task}{qw(p compiler)};
	my %reasons = map { $_ => reason_for($p, $compiler, $_) } 1, 2, 4;
	my @listed = grep { defined $reasons{$_} } sort keys %reasons;
	my @wrong = $text =~ /^(\d) threads:/mg;
	if ($text eq '' || !@wrong || any { !defined $reasons{$_} } @wrong) {
		ok($text eq '', $task->{name}) or diag($text);
		note("$p->{name}: on the list of what falls short, but did not")
			if $text eq '' && @listed;
		return;
	}
	TODO: {
		local our $TODO = $reasons{$wrong[0]};
		ok(0, $task->{name}) or note($text);
	}
}

# ---- all of them ----

my @headings = qw(threads fewer flags env skip small);

# A kernel is two programs.
sub read_kernel
{
	my ($path) = @_;
	my ($clean, $race) = map { read_marks($path, \@headings, []) } 1, 2;
	$clean->{name} .= '_norace';
	$race->{name} .= '_race';
	$race->{race} = 1;
	push @{$race->{flags}}, '-DRACE';
	return ($clean, $race);
}

my @paths = @ARGV ? @ARGV : sort(glob("$FindBin::Bin/*.{c,cc}"),
	glob("$FindBin::Bin/../../bench/openmp/*.c"));
my @programs = map {
	m{bench/openmp/[^/]*$} ? read_kernel($_) : read_program($_, \@headings, [])
} @paths;
my @tasks;
for my $compiler (split ' ', $ENV{DH_OPENMP_COMPILERS} || 'gcc') {
	die "compilers are gcc and clang, not $compiler\n" unless $compilers{$compiler};
	if (!has_openmp($compiler)) {
		diag("no OpenMP with $compilers{$compiler} here: not tested");
		next;
	}
	my $levels = $compiler eq 'clang' ? 'O0' : $ENV{DH_OPENMP_LEVELS} || 'O1';
	for my $level (split ' ', $levels) {
		push @tasks, map {
			{p => $_, compiler => $compiler, level => $level,
				name => "$_->{name}: $compiler -$level"}
		} grep { none { $_ eq $compiler } @{$_->{skip}} } @programs;
	}
}
plan(skip_all => 'no compiler with OpenMP') unless @tasks;
plan(tests => scalar @tasks);
run_tasks(\@tasks, $dir, $ENV{DH_PROGRAMS_JOBS} || 2, \&try, \&judge);
