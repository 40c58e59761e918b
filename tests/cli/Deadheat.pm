# SPDX-License-Identifier: MIT
# Runs the program under test ($DEADHEAT) for the scripts in this folder.
#
#   my $r = deadheat('analyze', trace("T1|w(x)|a.c:1\n"));
#   is($r->{status}, 0);            # also: {out}, {err}, both as raw bytes
#   $r = deadheat({in => $bytes}, 'analyze', '-');
package Deadheat;
use strict;
use warnings;
use Exporter 'import';
use File::Temp 'tempdir';
use JSON::PP ();

our @EXPORT = qw(deadheat trace json_of race_of part);

my $dir = tempdir(CLEANUP => 1);
my $traces = 0;

sub slurp
{
	my ($path) = @_;
	open my $in, '<:raw', $path or die "$path: $!\n";
	local $/;
	my $bytes = <$in>;
	return defined $bytes ? $bytes : '';
}

# A file with these bytes; the second argument names it.
sub trace
{
	my ($bytes, $name) = @_;
	my $path = "$dir/" . (defined $name ? $name : 'trace' . ++$traces . '.std');
	open my $out, '>:raw', $path or die "$path: $!\n";
	print $out $bytes;
	close $out or die "$path: $!\n";
	return $path;
}

# {in => bytes} before the arguments feeds standard input, {out => path} sends standard
# output there.
sub deadheat
{
	my %how = ref $_[0] ? %{+shift} : ();
	my @command = ($ENV{DEADHEAT} || die("\$DEADHEAT does not name the program\n"), @_);
	my $in = trace(defined $how{in} ? $how{in} : '', 'stdin');
	my $out = $how{out} || "$dir/stdout";
	my $pid = fork;
	die "fork: $!\n" unless defined $pid;
	if ($pid == 0) {
		open STDIN, '<', $in or die "$in: $!\n";
		open STDOUT, '>', $out or die "$out: $!\n";
		open STDERR, '>', "$dir/stderr" or die "stderr: $!\n";
		exec { $command[0] } @command or die "$command[0]: $!\n";
	}
	waitpid $pid, 0;
	return {
		status => $? & 127 ? "signal " . ($? & 127) : $? >> 8,
		out => $how{out} ? '' : slurp($out),
		err => slurp("$dir/stderr"),
	};
}

# A group of tests under a heading. (Meson's reading of TAP knows no subtests.)
sub part
{
	my ($name, $tests) = @_;
	print "# $name\n";
	$tests->();
}

# The result of a run with --format json, decoded (it must be valid UTF-8).
sub json_of
{
	return JSON::PP->new->utf8->decode($_[0]{out});
}

# "var grade first-index second-index" of each race of an engine, for easy comparison.
sub race_of
{
	my ($result, $engine) = @_;
	my ($e) = grep { $_->{engine} eq $engine } @{$result->{engines}};
	return [map {
		join ' ', $_->{var}, $_->{grade},
			$_->{first} ? $_->{first}{index} : 'null', $_->{second}{index}
	} @{$e->{races}}];
}

1;
