# SPDX-License-Identifier: MIT
# What tests of small programs share (programs/*.t, openmp/run.t): building and running
# one, what it states about itself, and whether what was found is what it states.
#
#   NAME_race.c[c]     each finding is an access in a line marked `// race: a` and one in
#                      a line marked `// race: b` (a line can have both marks,
#                      `// race: a b`; a mark can be on several lines: any of them will
#                      do), and there is at least one
#   NAME_norace.c[c]   has no finding
#
# An access is in the line of the innermost frame that is in the program's own file (and
# has a line: code that a compiler has moved may have none).
package Programs;
use strict;
use warnings;
use Exporter 'import';
use FindBin ();
use JSON::PP ();
use List::Util 'any';
use Test::More;

our @EXPORT = qw(read_marks read_program installed slurp run_command run_to_end complaints
	run_tasks);
our @EXPORT_OK = qw(build build_text);

use constant STATUS_RACE => 66;

# ---- what a program states ----

# Headings are comment lines `// WORD: ...` at its top: those in @words are lists of
# words, those in @lines lists of lines.
sub read_marks
{
	my ($path, $words, $lines) = @_;
	my ($name, $suffix) = $path =~ m{([^/]+)\.(c|cc)$} or die "$path: not a program\n";
	my %p = (path => $path, name => $name, cxx => $suffix eq 'cc', marks => {},
		map { $_ => [] } @$words, @$lines);
	my ($word, $line) = map { join '|', @$_ } $words, $lines;
	open my $in, '<', $path or die "$path: $!\n";
	local $_;
	while (<$in>) {
		if (m{^// ($word): (.*)$}) {
			push @{$p{$1}}, split ' ', $2;
		} elsif (m{^// ($line): ?(.*)$}) {
			push @{$p{$1}}, $2;
		} elsif (m{// race:\s*([ab](?:[\s,]+[ab])?)\s*(?:\*/)?$}) {
			$p{marks}{$_}{$.} = 1 for $1 =~ /[ab]/g;
		}
	}
	return \%p;
}

# The same, with the verdict that is in its name.
sub read_program
{
	my ($path, $words, $lines) = @_;
	my $p = read_marks($path, $words, $lines);
	die "$path: neither _race nor _norace\n" unless $p->{name} =~ /_(no)?race$/;
	$p->{race} = !$1;
	die "$path: a race wants a line marked a and one marked b, the other has none\n"
		if $p->{race} ? keys %{$p->{marks}} != 2 : %{$p->{marks}};
	return $p;
}

# ---- running ----

sub installed
{
	my ($command) = @_;
	return any { -x "$_/$command" } split /:/, $ENV{PATH};
}

sub slurp
{
	my ($path) = @_;
	open my $in, '<:raw', $path or return '';
	local $/;
	my $bytes = <$in>;
	return defined $bytes ? $bytes : '';
}

# Starts a command in its own process group, after redirect() has set up its files.
sub start_command
{
	my ($redirect, @command) = @_;
	my $pid = fork;
	die "fork: $!\n" unless defined $pid;
	return $pid if $pid;
	setpgrp;
	$redirect->();
	exec { $command[0] } @command or die "$command[0]: $!\n";
}

# Does what meanwhile() does, and waits for the command, for so many seconds at most.
# Returns its exit status, or words.
sub end_command
{
	my ($limit, $pid, $meanwhile) = @_;
	my $late = 0;
	local $SIG{ALRM} = sub { $late = 1; kill 'KILL', -$pid };
	alarm $limit;
	$meanwhile->();
	1 while waitpid($pid, 0) < 0 && $!{EINTR};
	my $status = $?;
	alarm 0;
	return "still running after $limit s" if $late;
	return $status & 127 ? 'signal ' . ($status & 127) : $status >> 8;
}

# Runs a command, with output in BASE.out and BASE.err; returns its status.
sub run_command
{
	my ($limit, $base, $env, @command) = @_;
	my $pid = start_command(sub {
		$ENV{$_} = $env->{$_} for keys %$env;
		open STDIN, '<', '/dev/null' or die "/dev/null: $!\n";
		open STDOUT, '>', "$base.out" or die "$base.out: $!\n";
		open STDERR, '>', "$base.err" or die "$base.err: $!\n";
	}, @command);
	return end_command($limit, $pid, sub { });
}

# Runs a command; returns its status, and all that it and its helper wrote. Reading to the
# end is what waits for the helper.
sub run_to_end
{
	my ($limit, @command) = @_;
	pipe my $out, my $in or die "pipe: $!\n";
	my $pid = start_command(sub {
		open STDOUT, '>&', $in or die "stdout: $!\n";
		open STDERR, '>&', $in or die "stderr: $!\n";
		close $out;
		close $in;
	}, @command);
	close $in;
	my $text;
	my $status = end_command($limit, $pid, sub { local $/; $text = <$out> });
	return ($status, $text // '');
}

# Nothing that follows means anything where this fails.
sub build
{
	my ($what, @command) = @_;
	is(system(@command), 0, "builds: $what") or BAIL_OUT("cannot build $what");
	return;
}

# The same for a program that is made up: DIR/NAME, of its text and what is defined in it.
sub build_text
{
	my ($deadheat, $dir, $name, $text, %defined) = @_;
	open my $out, '>', "$dir/$name.c" or die "$dir/$name.c: $!\n";
	print $out (map { "#define $_ $defined{$_}\n" } sort keys %defined), $text;
	close $out or die "$dir/$name.c: $!\n";
	my $status = run_command(300, "$dir/$name", {}, $deadheat, 'cc', qw(-O0 -g -pthread),
		"-I$FindBin::Bin", "$dir/$name.c", '-o', "$dir/$name");
	die slurp("$dir/$name.err") if $status ne 0;
	return;
}

# ---- judging ----

# The findings of a run, and what was added to them: of each its two accesses as lines of
# the program, and its grade.
sub findings
{
	my ($p, $json) = @_;
	my @found;
	for my $line (split /\n/, slurp($json)) {
		my $object = JSON::PP->new->utf8->decode($line);
		next unless ($object->{type} // '') =~ /^(race|further)$/;
		push @found, [(map { own_line($p, $_) } @{$object}{qw(first second)}),
			$object->{grade}];
	}
	return @found;
}

sub own_line
{
	my ($p, $access) = @_;
	my ($own) = $p->{path} =~ m{([^/]+)$};
	for my $frame (@{$access->{stack}}) {
		return $frame->{line} if $frame->{line} && $frame->{file} =~ m{(^|/)\Q$own\E$};
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

# What is wrong with a run that left its findings in BASE.json: a list of sentences.
# race: whether there must be one (1), must not (0), or may (undef). A program that has
# the heading `status` ends with that one. A finding that is only `potential` is no race
# and no mistake; but it will do where there must be one, and none was observed.
sub complaints
{
	my ($p, $base, $status, $race) = @_;
	my @wrong;
	my @all = eval { findings($p, "$base.json") };
	push @wrong, "JSON: $@" if $@;
	my @found = grep { $_->[2] ne 'potential' } @all;
	return if $race && !@found && grep { is_marked($p, @$_[0, 1]) } @all;
	my $found = defined $race ? $race : @found > 0;
	my $wanted = @{$p->{status} // []} ? "@{$p->{status}}" : $found ? STATUS_RACE : 0;
	push @wrong, "status $status, not $wanted" if $status ne $wanted;
	return (@wrong, map { "a race of lines $_->[0] and $_->[1]" } @found) if !$found;
	my $lines = lines_of($p, 'a') . ' and ' . lines_of($p, 'b');
	push @wrong, "no race of lines $lines" unless @found;
	push @wrong, "a race of lines $_->[0] and $_->[1], not $lines"
		for grep { !is_marked($p, @$_[0, 1]) } @found;
	return @wrong;
}

# ---- all of them, some at a time ----

# Runs try(task) in a child; what it has to say is in the file that is returned.
sub start
{
	my ($file, $task, $try) = @_;
	my $pid = fork;
	die "fork: $!\n" unless defined $pid;
	return $pid if $pid;
	my @wrong = eval { $try->($task) };
	push @wrong, "the test itself: $@" if $@;
	open my $out, '>:raw', $file or die "$file: $!\n";
	print $out "judged\n", map { "$_\n" } @wrong;
	close $out or die "$file: $!\n";
	require POSIX;
	POSIX::_exit(0); # the directory is the parent's to clean up
}

# What try() returned, in one text; nothing where all is well.
sub verdict
{
	my ($file) = @_;
	my ($judged, $wrong) = split /\n/, slurp($file), 2;
	return defined $judged && $judged eq 'judged' ? $wrong : 'no verdict';
}

# Tasks are hashes with a name; try(task) returns what is wrong, judge(task, that) prints
# the line of TAP: by default ok or not. Verdicts come out in the order of the tasks,
# whichever ends first.
sub run_tasks
{
	my ($tasks, $dir, $jobs, $try, $judge) = @_;
	$judge //= sub {
		my ($task, $wrong) = @_;
		ok($wrong eq '', $task->{name}) or diag($wrong);
	};
	my ($next, $done, %running) = (0, 0);
	while ($done < @$tasks) {
		while ($next < @$tasks && keys %running < $jobs) {
			my $task = $tasks->[$next];
			$task->{file} = "$dir/verdict.$next";
			$next++;
			$running{start($task->{file}, $task, $try)} = $task;
		}
		my $pid = wait;
		last if $pid < 0;
		my $ended = delete $running{$pid} or next;
		$ended->{ended} = 1;
		while ($done < @$tasks && $tasks->[$done]{ended}) {
			my $task = $tasks->[$done++];
			$judge->($task, verdict($task->{file}));
		}
	}
}

1;
