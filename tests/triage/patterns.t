#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Builds every program of this folder, runs it, and compares the patterns that the report
# names with what the program states in a line `// pattern: NAME...` or `// pattern: none`.
# For each pattern there is a program that has it, and NAME_near.c that nearly has.
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

sub stated
{
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		return join ' ', sort grep { $_ ne 'none' } split ' ', $1
			if m{^// pattern: (.*)$};
	}
	die "$path: states no pattern\n";
}

my %has;
for my $path (sort glob "$FindBin::Bin/*.c") {
	my ($name) = $path =~ m{([^/]+)\.c$};
	my $want = stated($path);
	$has{$_}++ for split ' ', $want;
	for my $level (qw(-O0 -O2)) {
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
	}
}

is(join(' ', sort keys %has),
	'counter double-checked-locking flag-polling lazy-init missing-lock publication '
	. 'same-value use-after-free', 'each pattern has its program');
done_testing();
