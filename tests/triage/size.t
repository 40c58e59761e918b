#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A hundred thousand findings, some two kilobytes each, are merged in less than 5 seconds of
# processor time and 500 megabytes: of a few causes, as many runs give them, and all of them
# different, which is the worst that can come.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../cli";
use Deadheat;
use RaceLines;
use File::Temp 'tempdir';
use JSON::PP ();
use Test::More;

use constant {FINDINGS => 100_000, SECONDS => 5, KILOBYTES => 500 * 1024};

my $dir = tempdir(CLEANUP => 1);

# One line of JSON, in which =A= to =C= are to be replaced.
my ($template) = lines(race(
	first => [['put=A=', '/src/app=C=.c', 12], map { "caller=B=_$_" } 1 .. 6],
	second => [['get=A=', '/src/app=C=.c', 14], map { "caller=B=_$_" } 1 .. 6],
	object => {kind => 'heap', base => '0x7f', size => 24, offset => 8, thread => 1,
		allocated => stack_of('make=A=', 'main')}));

# Numbers below the limits, from a generator of our own: the same in every run.
sub write_findings
{
	my ($path, $causes, $callers) = @_;
	my $n = 1;
	open my $out, '>', $path or die "$path: $!\n";
	print $out lines(run_line());
	for my $i (1 .. FINDINGS) {
		$n = ($n * 1103515245 + 12345) % 2147483648;
		my ($a, $b, $c) = ($causes == FINDINGS ? $i : $n % $causes, ($n >> 8) % $callers,
			$n % 50);
		my $line = $template;
		$line =~ s/=A=/$a/g;
		$line =~ s/=B=/$b/g;
		$line =~ s/=C=/$c/g;
		print $out $line;
	}
	close $out or die "$path: $!\n";
}

# Processor time, and the most memory that it had at once, as the kernel counts them.
sub measure
{
	my (@command) = @_;
	my @before = times;
	my $pid = fork;
	die "fork: $!\n" unless defined $pid;
	if ($pid == 0) {
		open STDOUT, '>', "$dir/report.json" or die "$!\n";
		exec 'sh', '-c', 'ulimit -v ' . KILOBYTES . ' && exec "$@"', 'sh', @command;
		die "$!\n";
	}
	waitpid $pid, 0;
	my @after = times;
	return ($? >> 8, $after[2] + $after[3] - $before[2] - $before[3]);
}

for my $case (['few causes', 300, 40], ['all different', FINDINGS, 1000]) {
	my ($name, $causes, $callers) = @$case;
	write_findings("$dir/found.json", $causes, $callers);
	my ($status, $seconds) = measure($ENV{DEADHEAT}, 'report', '--format', 'json',
		"$dir/found.json");
	is($status, 66, "$name: reported within the memory");
	cmp_ok($seconds, '<', SECONDS, sprintf '%s: %.1f s for %d MB', $name, $seconds,
		(-s "$dir/found.json") >> 20);
	my ($text) = do { local (@ARGV, $/) = "$dir/report.json"; <> };
	is(JSON::PP->new->utf8->decode($text)->{findings}, FINDINGS, "$name: all of them")
		if $causes < FINDINGS;
}
done_testing();
