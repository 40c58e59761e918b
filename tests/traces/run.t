#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Runs every trace of this folder through `deadheat analyze` and compares the verdicts
# with those that the trace itself states, in comment lines:
#
#   # expect ENGINE[,ENGINE...]: none
#   # expect ENGINE[,ENGINE...]: VAR[@SECOND][:GRADE] ...
#   # drops FILTER: N
#
# SECOND is the index of the later access, GRADE observed or potential. The engines of
# the strong relation have to report the earliest second of each variable, and may
# report more; all others have to report exactly what is stated. Without a SECOND it is
# the variable that counts, with the surest grade reported on it.
# A filter that promises an engine to lose nothing is held to the same verdicts (tree,
# which knows the weak relation only, not to the same grades).
#
#   run.t [TRACE...]      all by default
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../cli";
use Deadheat;
use Test::More;

my %earliest = map { $_ => 1 } qw(djit fasttrack goldilocks);
my %lossless = (
	'tree' => [qw(racetrack-basic patent)],
	'tree-strict' => [qw(djit fasttrack goldilocks)],
	'span' => [qw(djit fasttrack goldilocks)],
);

# What a trace states: {engine}{name} = [entries], {drops}{filter} = count.
sub read_statements
{
	my ($path) = @_;
	my (%engines, %drops);
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		if (/^# expect ([\w,-]+):\s*(.*?)\s*$/) {
			my @entries = map {
				/^([^\@:]+)(?:\@(\d+))?(?::(observed|potential))?$/
					or die "$path:$.: cannot read '$_'\n";
				{var => $1, second => $2, grade => $3}
			} grep { $_ ne 'none' } split ' ', $2;
			$engines{$_} = \@entries for split /,/, $1;
		} elsif (/^# drops ([\w-]+): (\d+)$/) {
			$drops{$1} = $2;
		} elsif (/^# (?:expect|drops)\b/) {
			die "$path:$.: cannot read this statement\n";
		}
	}
	return {engines => \%engines, drops => \%drops};
}

# The reports that an engine has to be judged by: for each variable the earliest one,
# or all of them.
sub relevant
{
	my ($engine, @races) = @_;
	return @races unless $earliest{$engine};
	my %first;
	for (sort { $a->{second}{index} <=> $b->{second}{index} } @races) {
		$first{$_->{var}} ||= $_;
	}
	return values %first;
}

# One line that says what was reported, in the form of the entries.
sub describe
{
	my ($engine, $entries, @races) = @_;
	my %seen;
	for my $race (relevant($engine, @races)) {
		my ($match) = grep {
			$_->{var} eq $race->{var}
				and (!defined $_->{second}
					or $_->{second} == $race->{second}{index})
		} @$entries;
		my $key = $race->{var};
		$key .= "\@$race->{second}{index}" if !$match || defined $match->{second};
		my $graded = $match && defined $match->{grade};
		my $grade = $graded ? ":$race->{grade}" : '';
		# "observed" sorts before "potential": the surest wins.
		$seen{$key} = $grade if !exists $seen{$key} || $grade lt $seen{$key};
	}
	return join ' ', sort map { $_ . $seen{$_} } keys %seen;
}

sub wanted
{
	return join ' ', sort map {
		$_->{var} . (defined $_->{second} ? "\@$_->{second}" : '')
			. (defined $_->{grade} ? ":$_->{grade}" : '')
	} @{$_[0]};
}

# Accesses must be what the contract says they are.
sub sound
{
	my ($race) = @_;
	my $first = $race->{first};
	return $race->{second}{op} =~ /^[rw]$/
		&& (!$first || ($first->{index} < $race->{second}{index}
			&& $first->{thread} ne $race->{second}{thread}));
}

# Runs engines that are expected to agree on whether there is anything at all.
sub run_engines
{
	my ($path, $name, $stated, $filter, @engines) = @_;
	my @options = $filter ? ('-f', $filter) : ();
	my $r = deadheat('analyze', '-e', join(',', @engines), @options, '--format',
		'json', $path);
	my $label = $name . ($filter ? " -f $filter" : '');
	my $any = grep { @{$stated->{engines}{$_}} } @engines;
	is($r->{status}, $any ? 66 : 0, "$label: status") or diag($r->{err});
	my $result = eval { json_of($r) } || {engines => []};
	my %of = map { $_->{engine} => $_ } @{$result->{engines}};
	for my $engine (@engines) {
		my @races = @{($of{$engine} || {races => []})->{races}};
		my $entries = $stated->{engines}{$engine};
		$entries = [map { {%$_, grade => undef} } @$entries]
			if defined $filter && $filter eq 'tree';
		is(describe($engine, $entries, @races), wanted($entries), "$label: $engine");
		ok(!(grep { !sound($_) } @races), "$label: $engine: accesses");
	}
	return $of{$engines[0]};
}

my @paths = @ARGV ? @ARGV : glob("$FindBin::Bin/*.std");
for my $path (@paths) {
	my ($name) = $path =~ m{([^/]+)\.std$};
	my $stated = read_statements($path);
	my @engines = sort keys %{$stated->{engines}};
	for my $group ([grep { @{$stated->{engines}{$_}} } @engines],
		[grep { !@{$stated->{engines}{$_}} } @engines]) {
		run_engines($path, $name, $stated, undef, @$group) if @$group;
	}
	for my $filter (sort keys %lossless) {
		my @kept = grep { $stated->{engines}{$_} } @{$lossless{$filter}};
		my $first = run_engines($path, $name, $stated, $filter, @kept);
		next unless defined $stated->{drops}{$filter};
		is($first->{counters}{filter_dropped}, $stated->{drops}{$filter},
			"$name -f $filter: accesses dropped");
	}
	ok(($name =~ /_race$/) == !!@{$stated->{engines}{fasttrack}}, "$name: its name");
}
done_testing();
