#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Builds every program of this folder with race detection, runs it, and compares what is
# found with what the program itself states:
#
#   NAME_race.c[c]     ends with status 66; each finding is an access in a line marked
#                      `// race: a` and one in a line marked `// race: b` (a line can
#                      have both marks, `// race: a b`; a mark can be on several lines:
#                      any of them will do), and there is at least one
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
# An access is in the line of the innermost frame that is in the program's own file.
#
#   run.t [PROGRAM...]          all by default
#   DH_PROGRAMS_ALL=1           each compiler, level, kind and way; else gcc -O1 only
#   DH_PROGRAMS_ONLY='WORD ...' of these only those that have all the words: clang O2
#   DH_PROGRAMS_REPEAT=N        run each N times
#   DH_PROGRAMS_JOBS=N          at a time (2)
use strict;
use warnings;
use FindBin;
use File::Temp 'tempdir';
use JSON::PP ();
use List::Util qw(any none);
use Test::More;

use constant {BUILD_LIMIT => 300, RUN_LIMIT => 60, STATUS_RACE => 66};

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());

# ---- what a program states ----

sub read_program
{
	my ($path) = @_;
	my ($name, $suffix) = $path =~ m{([^/]+)\.(c|cc)$} or die "$path: not a program\n";
	my %p = (path => $path, name => $name, cxx => $suffix eq 'cc', marks => {},
		map { $_ => [] } qw(flags run args status output message skip));
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		if (m{^// (flags|run|args|status|skip): (.*)$}) {
			push @{$p{$1}}, split ' ', $2;
		} elsif (m{^// (output|message): ?(.*)$}) {
			push @{$p{$1}}, $2;
		} elsif (m{// race:\s*([ab](?:[\s,]+[ab])?)\s*(?:\*/)?$}) {
			$p{marks}{$_}{$.} = 1 for $1 =~ /[ab]/g;
		}
	}
	die "$path: neither _race nor _norace\n" unless $name =~ /_(no)?race$/;
	$p{race} = !$1;
	die "$path: a race wants a line marked a and one marked b, the other has none\n"
		if $p{race} ? keys %{$p{marks}} != 2 : %{$p{marks}};
	return \%p;
}

# ---- the ways to build ----

sub installed
{
	my ($command) = @_;
	return any { -x "$_/$command" } split /:/, $ENV{PATH};
}

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

sub slurp
{
	my ($path) = @_;
	open my $in, '<:raw', $path or return '';
	local $/;
	my $bytes = <$in>;
	return defined $bytes ? $bytes : '';
}

# Runs a command in its own process group, with output in BASE.out and BASE.err, for so
# many seconds at most. Returns its exit status, or words.
sub run_command
{
	my ($limit, $base, $env, @command) = @_;
	my $pid = fork;
	die "fork: $!\n" unless defined $pid;
	if ($pid == 0) {
		setpgrp;
		$ENV{$_} = $env->{$_} for keys %$env;
		open STDIN, '<', '/dev/null' or die "/dev/null: $!\n";
		open STDOUT, '>', "$base.out" or die "$base.out: $!\n";
		open STDERR, '>', "$base.err" or die "$base.err: $!\n";
		exec { $command[0] } @command or die "$command[0]: $!\n";
	}
	my $late = 0;
	local $SIG{ALRM} = sub { $late = 1; kill 'KILL', -$pid };
	alarm $limit;
	1 while waitpid($pid, 0) < 0 && $!{EINTR};
	my $status = $?;
	alarm 0;
	return "still running after $limit s" if $late;
	return $status & 127 ? 'signal ' . ($status & 127) : $status >> 8;
}

# ---- judging ----

# The findings of a run: of each its two accesses as lines of the program.
sub findings
{
	my ($p, $json) = @_;
	my @found;
	for my $line (split /\n/, slurp($json)) {
		my $object = JSON::PP->new->utf8->decode($line);
		next unless ($object->{type} // '') eq 'race';
		push @found, [map { own_line($p, $_) } @{$object}{qw(first second)}];
	}
	return @found;
}

sub own_line
{
	my ($p, $access) = @_;
	my ($own) = $p->{path} =~ m{([^/]+)$};
	for my $frame (@{$access->{stack}}) {
		return $frame->{line} if ($frame->{file} // '') =~ m{(^|/)\Q$own\E$};
	}
	return 0;
}

sub is_marked
{
	my ($p, $x, $y) = @_;
	my ($a, $b) = @{$p->{marks}}{qw(a b)};
	return ($a->{$x} && $b->{$y}) || ($a->{$y} && $b->{$x});
}

sub lines_of
{
	my ($p, $mark) = @_;
	return join ' or ', sort { $a <=> $b } keys %{$p->{marks}{$mark}};
}

# What is wrong with a run: a list of sentences.
sub complaints
{
	my ($p, $base, $status) = @_;
	my $wanted = @{$p->{status}} ? "@{$p->{status}}" : $p->{race} ? STATUS_RACE : 0;
	my @wrong;
	push @wrong, "status $status, not $wanted" if $status ne $wanted;
	my @found = eval { findings($p, "$base.json") };
	push @wrong, "JSON: $@" if $@;
	if (!$p->{race}) {
		push @wrong, "a race of lines $_->[0] and $_->[1]" for @found;
	} else {
		my $lines = lines_of($p, 'a') . ' and ' . lines_of($p, 'b');
		push @wrong, "no race of lines $lines" unless @found;
		push @wrong, "a race of lines $_->[0] and $_->[1], not $lines"
			for grep { !is_marked($p, @$_) } @found;
	}
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
	my ($p, $c) = @_;
	(my $base = "$dir/$p->{name} $c->{label}") =~ s/[ -]+/_/g;
	my @compiler = @{$p->{cxx} ? $c->{cxx} : $c->{cc}};
	my $status = run_command(BUILD_LIMIT, $base, $c->{env}, @compiler, @{$c->{flags}},
		$p->{path}, '-o', $base, @{$p->{flags}});
	return "does not build: $status\n" . slurp("$base.err") if $status ne 0;
	my @wrong;
	for my $round (1 .. $ENV{DH_PROGRAMS_REPEAT} || 1) {
		unlink "$base.json";
		$status = run_command(RUN_LIMIT, $base, {}, $deadheat, 'run', '--json',
			"$base.json", @{$p->{run}}, '--', $base, @{$p->{args}});
		@wrong = complaints($p, $base, $status);
		next unless @wrong;
		push @wrong, slurp("$base.err");
		unshift @wrong, "in round $round" if $round > 1;
		last;
	}
	unlink $base, map { "$base.$_" } qw(out err json);
	return @wrong;
}

# ---- all of them, some at a time ----

# Runs try() in a child; what it has to say is in the file that is returned.
sub start
{
	my ($number, $p, $c) = @_;
	my $file = "$dir/verdict.$number";
	my $pid = fork;
	die "fork: $!\n" unless defined $pid;
	return ($pid, $file) if $pid;
	my @wrong = eval { try($p, $c) };
	push @wrong, "the test itself: $@" if $@;
	open my $out, '>:raw', $file or die "$file: $!\n";
	print $out "judged\n", map { "$_\n" } @wrong;
	close $out or die "$file: $!\n";
	require POSIX;
	POSIX::_exit(0); # the directory is the parent's to clean up
}

sub judge
{
	my ($name, $file) = @_;
	my ($judged, $wrong) = split /\n/, slurp($file), 2;
	my $good = defined $judged && $judged eq 'judged' && $wrong eq '';
	ok($good, $name) or diag(defined $wrong ? $wrong : 'no verdict');
}

my @programs = map { read_program($_) }
	@ARGV ? @ARGV : sort(glob("$FindBin::Bin/*.c"), glob("$FindBin::Bin/*.cc"));
my @only = split ' ', $ENV{DH_PROGRAMS_ONLY} // '';
my @configs = grep {
	my %has = map { $_ => 1 } @{$_->{words}};
	none { !$has{$_} } @only;
} configs();
my $jobs = $ENV{DH_PROGRAMS_JOBS} || 2;
my (@tasks, %running);
for my $p (@programs) {
	for my $c (@configs) {
		my %skip = map { $_ => 1 } @{$p->{skip}};
		push @tasks, {p => $p, c => $c, name => "$p->{name}: $c->{label}"}
			if none { $skip{$_} || $_ eq 'libcxx' && !has_libcxx($p) } @{$c->{words}};
	}
}
plan(skip_all => 'no programs') unless @tasks;
plan(tests => scalar @tasks);

# Verdicts come out in the order of the tasks, whichever ends first.
my ($next, $done) = (0, 0);
while ($done < @tasks) {
	while ($next < @tasks && keys %running < $jobs) {
		my $task = $tasks[$next];
		(my $pid, $task->{file}) = start($next++, @{$task}{qw(p c)});
		$running{$pid} = $task;
	}
	my $pid = wait;
	last if $pid < 0;
	my $ended = delete $running{$pid} or next;
	$ended->{ended} = 1;
	while ($done < @tasks && $tasks[$done]{ended}) {
		judge(@{$tasks[$done++]}{qw(name file)});
	}
}
