#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Runs every trace of this folder through `deadheat predict` and compares the pairs of code
# locations with those that the trace itself states, in comment lines:
#
#   # predict MODEL[,MODEL...]: none
#   # predict MODEL[,MODEL...]: LOC-LOC ...
#
# An event without a location is @INDEX. The same is asked of the binary form of the trace
# and with two jobs and small windows that still hold the whole trace.
#
#   traces.t [TRACE...]      all by default
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../cli";
use Deadheat;
use Test::More;

sub read_statements
{
	my ($path) = @_;
	my %models;
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		if (/^# predict ([\w,]+):\s*(.*?)\s*$/) {
			my @pairs = grep { $_ ne 'none' } split ' ', $2;
			$models{$_} = join ' ', sort map { join '-', sort split /-/ } @pairs
				for split /,/, $1;
		} elsif (/^# predict\b/) {
			die "$path:$.: cannot read this statement\n";
		}
	}
	return %models;
}

sub place { return length $_[0]{loc} ? $_[0]{loc} : "\@$_[0]{index}" }

sub pairs
{
	return join ' ', sort map {
		join '-', sort(place($_->{first}), place($_->{second}))
	} @{$_[0]{races}};
}

# What the contract says about a race, as far as it can be seen from outside.
sub sound
{
	my ($race, $model) = @_;
	my ($first, $second, $w) = @$race{qw(first second witness)};
	return 0 if $race->{grade} ne 'predicted' || $first->{index} >= $second->{index}
		|| $first->{thread} eq $second->{thread} || "$first->{op}$second->{op}" eq 'rr';
	return !$w if $model eq 'hb' || $model eq 'cp';
	my %seen;
	return @$w >= 2 && $w->[-2] == $first->{index} && $w->[-1] == $second->{index}
		&& !grep { $seen{$_}++ } @$w;
}

my @paths = @ARGV ? @ARGV : glob("$FindBin::Bin/*.std");
for my $path (@paths) {
	my ($name) = $path =~ m{([^/]+)\.std$};
	my %stated = read_statements($path);
	my $binary = trace('', "$name.dht");
	is(deadheat('print', '-o', $binary, $path)->{status}, 0, "$name: as binary");
	for my $model (sort keys %stated) {
		my @how = ('predict', '-m', $model, '--format', 'json');
		my $r = deadheat(@how, '-j', 1, $path);
		is($r->{status}, $stated{$model} ? 66 : 0, "$name, $model: status")
			or diag($r->{err});
		my $result = json_of($r);
		is(pairs($result), $stated{$model}, "$name, $model");
		is_deeply($result->{unknown}, [], "$name, $model: nothing unknown");
		ok(!(grep { !sound($_, $model) } @{$result->{races}}), "$name, $model: races");
		my $again = json_of(deadheat(@how, '-j', 2, '--window', 40, $binary));
		is_deeply($again->{races}, $result->{races}, "$name, $model: binary, two jobs");
	}
}
done_testing();
