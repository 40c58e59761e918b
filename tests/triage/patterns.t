#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Builds every program of this folder, runs it, and compares the patterns that the report
# names with what the program states in a line `// pattern: NAME...` or `// pattern: none`.
# For each pattern there is a program that has it, and NAME_near.c that nearly has. A line
# `// evidence: REGEX` states what one of the patterns is named because of.
#
#   DH_TRIAGE_ALL=1             at each level of optimisation; else at -O1
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../cli";
use Deadheat;
use File::Temp 'tempdir';
use JSON::PP ();
use Test::More;

my $dir = tempdir(CLEANUP => 1);
delete @ENV{qw(DEADHEAT_CC DEADHEAT_CXX DEADHEAT_OPTIONS DEADHEAT_HELPER LD_LIBRARY_PATH)};

# The patterns, and the evidence.
sub stated
{
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	my $text = do { local $/; <$in> };
	my ($patterns) = $text =~ m{^// pattern: (.*)$}m or die "$path: states no pattern\n";
	my ($evidence) = $text =~ m{^// evidence: (.*)$}m;
	return (join(' ', sort grep { $_ ne 'none' } split ' ', $patterns), $evidence);
}

my %has;
for my $path (sort glob "$FindBin::Bin/*.c") {
	my ($name) = $path =~ m{([^/]+)\.c$};
	my ($want, $evidence) = stated($path);
	$has{$_}++ for split ' ', $want;
	for my $level ($ENV{DH_TRIAGE_ALL} ? qw(-O0 -O1 -O2) : '-O1') {
		my $r = deadheat('cc', $level, '-o', "$dir/$name", $path);
		is("$r->{status}$r->{err}", '0', "$name compiles with $level");
		unlink "$dir/found.json";
		deadheat('run', '--quiet', '--json', "$dir/found.json", "$dir/$name");
		$r = deadheat('report', '--format', 'json', "$dir/found.json");
		is($r->{status}, 66, "$name $level: has findings");
		my $report = json_of($r);
		my %found = map { $_->{name} => $_->{because} }
			map { @{$_->{patterns}} } @{$report->{causes}};
		is(join(' ', sort keys %found), $want, "$name $level: patterns")
			or diag(map { "$_: $found{$_}\n" } sort keys %found);
		like(join("\n", values %found), qr/^$evidence$/m, "$name $level: why") if $evidence;
	}
}

is(join(' ', sort keys %has),
	'counter double-checked-locking flag-polling lazy-init missing-lock publication '
	. 'same-value use-after-free', 'each pattern has its program');
done_testing();
