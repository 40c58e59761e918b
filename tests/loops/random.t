#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Random loops (Loops.pm) as clang builds them for us, with what tells of all rounds of a
# loop at once (src/pass) and without (DEADHEAT_LOOPS=no), at any level of optimisation:
#
#   told    with entry points of our own in place of the runtime (told.c), which note what
#           bytes are told of as read alone and as written between one synchronisation and
#           the next (a read of what is written adds nothing): the same with and without;
#           and what the functions compute is the same as without any instrumentation
#   meets   with the runtime: loops of one thread and single accesses of another that
#           nothing orders (meets.h); the same of these race with something, with and
#           without, and with what is in the same function
#
# In each program some calls are moved: one that the pass fails on is built without it, and
# nothing says so.
#
#   random.t [SEED [COUNT]]   so many functions from a seed on (1, 150)
#   DH_LOOPS_LEVELS='O2 ...'  these levels, each in turn (O2 O1 O3)
#   DH_LOOPS_SIZE=N           functions to a program (50)
#   DH_LOOPS_EVERY=N          one program in N is of the second kind too (3)
#   DH_LOOPS_KEEP=DIR         leave programs and what they print there
#   DH_PROGRAMS_JOBS=N        at a time (2)
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin", "$FindBin::Bin/..";
use File::Temp 'tempdir';
use JSON::PP ();
use Test::More;
use Clang;
use Loops;
use Programs;

use constant {RUN_LIMIT => 120, SHOWN => 8, RACES => 66};

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = $ENV{DH_LOOPS_KEEP} || tempdir(CLEANUP => 1,
	$ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());
my ($seed, $count) = (shift // 1, shift // 150);
my @levels = split ' ', $ENV{DH_LOOPS_LEVELS} || 'O2 O1 O3';
my $every = $ENV{DH_LOOPS_EVERY} || 3;
my @flags = qw(-g -w -pthread -std=gnu17);

my $clang = find_clang();
plan(skip_all => 'no clang ' . OLDEST . ' or newer that has its LLVM in a library')
	unless $clang;

# ---- programs ----

sub build
{
	my ($base, $env, @command) = @_;
	return build_or_die($base, {DEADHEAT_CC => $clang, %$env}, @command);
}

# Calls in an object that tell of all rounds of a loop, or of one access of those that are
# told of together.
sub moved
{
	my ($object) = @_;
	my $all = () = `objdump -r "$object"` =~ /__deadheat_rounds_/g;
	return $all;
}

# In files, since what the tasks find out is found out in processes of their own.
sub note_moved
{
	my ($base, $moved) = @_;
	write_lines("$base.moved", $moved);
	return $moved ? () : 'no call was moved';
}

# ---- told ----

# Builds the functions in one way and calls them.
sub call
{
	my ($base, $way, $env, @command) = @_;
	my $object = "$base.$way.o";
	build("$base.$way", $env, @command, @flags, '-fno-strict-aliasing', '-c', "$base.c",
		'-o', $object);
	build("$base.$way", {}, $clang, $object, "$dir/told.o", '-o', "$base.$way");
	my $status = run_command(RUN_LIMIT, "$base.$way", {}, "$base.$way", "$base.$way.marks");
	return $status eq 0 ? () : "$way: $status\n" . slurp("$base.$way.err");
}

sub try_told
{
	my ($base, $level, @functions) = @_;
	write_lines("$base.c", Loops::write_jobs($FindBin::Bin, @functions));
	my @cc = ($deadheat, 'cc', "-$level");
	my ($by, @rolled) = passed_by();
	my @wrong = (call($base, 'native', {}, $clang, '-O2'),
		call($base, 'with', {DEADHEAT_LOOPS => 'yes'}, @cc),
		call($base, 'without', $by, @cc, @rolled));
	return @wrong if @wrong;
	return (note_moved($base, moved("$base.with.o")),
		differences('computed natively and with', $base, qw(native.out with.out)),
		differences('computed natively and without', $base, qw(native.out without.out)),
		differences('told with and without', $base, qw(with.marks without.marks)));
}

# ---- meets ----

# The line of the program that an access is in: of its innermost frame that has one, which
# is that of the call where the compiler has put two lines together.
sub line_of
{
	my ($access) = @_;
	for my $frame (@{$access->{stack}}) {
		return $frame->{line} if $frame->{line} && $frame->{file} =~ /meets-\d+[^\/]*\.c$/;
	}
	return 0;
}

# Runs the program; returns the lines of single accesses with findings, and what is wrong.
sub meet
{
	my ($base, $way, $level, $functions) = @_;
	my $path = "$base.$way";
	my ($env, @more) = $way eq 'with' ? {DEADHEAT_LOOPS => 'yes'} : passed_by();
	build($path, $env, $deadheat, 'cc', "-$level", @flags, @more, '-fno-strict-aliasing',
		"$base.c", '-o', $path);
	my $status = run_command(RUN_LIMIT, $path, {}, $deadheat, 'run', '--json', "$path.json",
		'--log', "$path.log", '--', $path);
	my (%found, @wrong);
	push @wrong, "$way: status $status\n" . slurp("$path.err") if $status ne RACES;
	my ($top) = sort { $a <=> $b } map { $_->{line} } @$functions;
	for my $text (split /\n/, slurp("$path.json")) {
		my $race = JSON::PP->new->utf8->decode($text);
		next unless $race->{type} =~ /^(race|further)$/;
		my ($x, $y) = map { line_of($_) } @{$race}{qw(first second)};
		my ($f) = grep { $_->{single}{$x} || $_->{single}{$y} } @$functions;
		($x, $y) = ($y, $x) if $f && $f->{single}{$x};
		push @wrong, "$way: a race of lines $x and $y"
			unless $f && ($x < $top || $x == $f->{call}
			|| ($x >= $f->{line} && $x <= $f->{last}));
		$found{"line $y, $race->{grade}"} = $x;
	}
	return (\%found, @wrong);
}

sub try_meets
{
	my ($base, $level, @functions) = @_;
	write_lines("$base.c", Loops::write_program($FindBin::Bin, @functions));
	my ($with, @wrong) = meet($base, 'with', $level, \@functions);
	my ($without, @more) = meet($base, 'without', $level, \@functions);
	push @wrong, @more;
	push @wrong, map { "with alone: $_ (and $with->{$_})" }
		grep { !$without->{$_} } sort keys %$with;
	push @wrong, map { "without alone: $_ (and $without->{$_})" }
		grep { !$with->{$_} } sort keys %$without;
	return @wrong;
}

# ---- all of them ----

sub try
{
	my ($task) = @_;
	my @functions = map { Loops::make($_) } $task->{seed} .. $task->{seed} + $task->{count} - 1;
	my $base = "$dir/$task->{kind}-$task->{seed}";
	my @wrong = ($task->{kind} eq 'told' ? \&try_told : \&try_meets)->($base, $task->{level},
		@functions);
	splice @wrong, SHOWN, @wrong, '...' if @wrong > SHOWN;
	unlink grep { !/\.moved$/ } glob "$base.*" unless $ENV{DH_LOOPS_KEEP};
	return @wrong;
}

my $size = $ENV{DH_LOOPS_SIZE} || 50;
my ($number, @tasks) = 0;
for (my $from = $seed; $from < $seed + $count; $from += $size) {
	my $n = $from + $size > $seed + $count ? $seed + $count - $from : $size;
	my $level = $levels[$number % @levels];
	for my $kind ('told', $number++ % $every == 0 ? 'meets' : ()) {
		push @tasks, {seed => $from, count => $n, level => $level, kind => $kind,
			name => "$kind, -$level: functions $from to " . ($from + $n - 1)};
	}
}
plan(tests => @tasks + 1);
build("$dir/told", {}, $clang, '-O2', '-c', "$FindBin::Bin/told.c", '-o', "$dir/told.o");
run_tasks(\@tasks, $dir, $ENV{DH_PROGRAMS_JOBS} || 2, \&try);
my $moved = 0;
$moved += $_ for map { slurp($_) || 0 } glob "$dir/told-*.moved";
ok($moved, "$moved calls were moved");
