#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Builds every program of this folder with race detection, runs it, and compares what is
# found with what the program itself states:
#
#   NAME_race.c[c]     ends with status 66 and has findings, all between lines that are
#                      marked `// race: a` and `// race: b` (see ../Programs.pm)
#   NAME_norace.c[c]   ends with status 0 and has no finding
#
# and in comment lines at its top, all optional:
#
#   // flags: ...      more arguments for the compiler
#   // run: ...        more options for `deadheat run`
#   // args: ...       arguments of the program
#   // status: N       its exit status, where it is another one
#   // output: TEXT    a line of its standard output (all, in order, if there are any)
#   // message: TEXT   is part of its standard error
#   // skip: WORD ...  not with this compiler (gcc, clang), level (O0 O1 O2), kind of
#                      executable (pie, nopie), way (wrapper, dropin), library (libcxx)
#
#   run.t [PROGRAM...]          all by default
#   DH_PROGRAMS_ALL=1           each compiler, level, kind and way; else gcc -O1 only
#   DH_PROGRAMS_ONLY='WORD ...' of these only those that have all the words: clang O2
#   DH_PROGRAMS_REPEAT=N        run each N times
#   DH_PROGRAMS_JOBS=N          at a time (2)
#   DH_PROGRAMS_ENGINE=NAME     with another engine. What it states as `observed` is judged
#                               as above; what is `potential` may be anything, and stands
#                               for a race that is missing. Programs for which that does
#                               not hold are listed in NAME.differs, with the reason
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use File::Temp 'tempdir';
use List::Util 'none';
use Test::More;
use Programs;

use constant {BUILD_LIMIT => 300, RUN_LIMIT => 60};

my $engine = $ENV{DH_PROGRAMS_ENGINE} // '';
my @engine = $engine ? ('--engine', $engine) : ();
my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());

# Programs on which the engine differs, and why.
sub read_differences
{
	my %why;
	open my $in, '<', "$FindBin::Bin/$engine.differs" or return {};
	while (<$in>) {
		next if /^\s*(#|$)/;
		my ($name, $reason) = /^(\w+): (\S.*)$/ or die "$engine.differs:$.: no reason\n";
		$why{$name} = $reason;
	}
	return \%why;
}

# ---- the ways to build ----

sub config
{
	my ($compiler, $level, $kind, $way) = @_;
	my $cc = $compiler eq 'clang' ? 'clang-22' : $compiler;
	(my $cxx = $cc) =~ s/^gcc/g++/;
	$cxx =~ s/^clang/clang++/;
	my @pie = $kind eq 'pie' ? qw(-fPIE -pie) : qw(-fno-pie -no-pie);
	return {
		label => "$compiler -$level $kind $way",
		words => [$compiler, $level, $kind, $way],
		cc => $way eq 'wrapper' ? [$deadheat, 'cc'] : [$cc, '-fsanitize=thread'],
		cxx => $way eq 'wrapper' ? [$deadheat, 'c++'] : [$cxx, '-fsanitize=thread'],
		env => {DEADHEAT_CC => $cc, DEADHEAT_CXX => $cxx},
		flags => ["-$level", '-g', @pie, '-Wall', '-Wextra', '-pthread'],
	};
}

# clang's own C++ library, where it is installed; for programs in C++ only. A library that
# is older than its headers lacks what C++20 needs.
my $libcxx_20;
sub libcxx
{
	my $program = '#include <latch>\nint main() { std::latch l(0); l.wait(); }\n';
	$libcxx_20 = installed('clang++-22') && system("printf '$program' | clang++-22 "
		. "-stdlib=libc++ -std=c++20 -x c++ - -o $dir/latch 2>/dev/null") == 0;
	my $c = config('clang', 'O1', 'pie', 'wrapper');
	push @{$c->{flags}}, '-stdlib=libc++';
	push @{$c->{words}}, 'libcxx';
	$c->{label} .= ' libcxx';
	return -e '/usr/lib/llvm-22/lib/libc++.so' ? $c : ();
}

sub has_libcxx
{
	my ($p) = @_;
	return $p->{cxx} && ($libcxx_20 || none { $_ eq '-std=c++20' } @{$p->{flags}});
}

# clang links its own runtime into the executable: there is nothing to drop in for.
sub configs
{
	return config('gcc', 'O1', 'pie', 'wrapper') unless $ENV{DH_PROGRAMS_ALL};
	my @all;
	for my $level (qw(O0 O2)) {
		for my $kind (qw(pie nopie)) {
			push @all, config('gcc', $level, $kind, 'wrapper');
			push @all, config('gcc', $level, $kind, 'dropin');
			push @all, config('clang', $level, $kind, 'wrapper')
				if installed('clang-22');
		}
	}
	diag('clang-22 is not installed: tested with gcc alone') unless installed('clang-22');
	return (@all, libcxx());
}

# ---- running ----

# What is wrong with a run: a list of sentences.
sub judge_run
{
	my ($p, $base, $status) = @_;
	my @wrong = complaints($p, $base, $status, $p->{race});
	my $output = join '', map { "$_\n" } @{$p->{output}};
	push @wrong, 'output: ' . slurp("$base.out")
		if @{$p->{output}} && slurp("$base.out") ne $output;
	for my $message (@{$p->{message}}) {
		push @wrong, "does not say: $message"
			if index(slurp("$base.err"), $message) < 0;
	}
	return @wrong;
}

# Builds one program in one way and runs it as often as asked. Returns complaints.
sub try
{
	my ($task) = @_;
	my ($p, $c) = @{$task}{qw(p c)};
	(my $base = "$dir/$p->{name} $c->{label}") =~ s/[ -]+/_/g;
	my @compiler = @{$p->{cxx} ? $c->{cxx} : $c->{cc}};
	my $status = run_command(BUILD_LIMIT, $base, $c->{env}, @compiler, @{$c->{flags}},
		$p->{path}, '-o', $base, @{$p->{flags}});
	return "does not build: $status\n" . slurp("$base.err") if $status ne 0;
	my @wrong;
	for my $round (1 .. $ENV{DH_PROGRAMS_REPEAT} || 1) {
		unlink "$base.json";
		$status = run_command(RUN_LIMIT, $base, {}, $deadheat, 'run', '--json',
			"$base.json", @engine, @{$p->{run}}, '--', $base, @{$p->{args}});
		@wrong = judge_run($p, $base, $status);
		next unless @wrong;
		push @wrong, slurp("$base.err");
		unshift @wrong, "in round $round" if $round > 1;
		last;
	}
	unlink $base, map { "$base.$_" } qw(out err json);
	return @wrong;
}

# ---- all of them, some at a time ----

my @words = qw(flags run args status skip);
my @programs = map { read_program($_, \@words, [qw(output message)]) }
	@ARGV ? @ARGV : sort(glob("$FindBin::Bin/*.c"), glob("$FindBin::Bin/*.cc"));
my %differs = $engine ? %{read_differences()} : ();
my @only = split ' ', $ENV{DH_PROGRAMS_ONLY} // '';
my @configs = grep {
	my %has = map { $_ => 1 } @{$_->{words}};
	none { !$has{$_} } @only;
} configs();
my $jobs = $ENV{DH_PROGRAMS_JOBS} || 2;
my @tasks;
for my $p (@programs) {
	for my $c (@configs) {
		my %skip = map { $_ => 1 } @{$p->{skip}};
		push @tasks, {p => $p, c => $c, name => "$p->{name}: $c->{label}"}
			if none { $skip{$_} || $_ eq 'libcxx' && !has_libcxx($p) } @{$c->{words}};
	}
}
plan(skip_all => 'no programs') unless @tasks;
plan(tests => scalar @tasks);

# Where an engine is known to differ, it has to.
run_tasks(\@tasks, $dir, $jobs, \&try, sub {
	my ($task, $wrong) = @_;
	my $why = $differs{$task->{p}{name}};
	if (defined $why) {
		ok($wrong ne '', "$task->{name}: differs, $why");
	} else {
		ok($wrong eq '', $task->{name}) or diag($wrong);
	}
});
