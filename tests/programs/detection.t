#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Detection suspended and switched off, by annotation and by option, and stopped after the
# first race on a variable: what is reported, and what counts.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use File::Temp 'tempdir';
use JSON::PP ();
use Programs qw(:DEFAULT build_text);
use Test::More;

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());

# Two threads, one after the other by means that are not seen, write x, then y.
my $program = <<'END';
#include <deadheat.h>
#include "threads.h"
static int x, y;
static invisible_step_t step;
static void work(void)
{
	BEGIN;
	x++;
	x += 2;
	END;
	y++;
}
static void one(void) { work(); invisible_advance(&step); }
static void two(void) { invisible_await(&step, 1); work(); }
int main(void) { run_threads(2, one, two); return 0; }
END

sub build
{
	my ($name, $begin, $end) = @_;
	build_text($deadheat, $dir, $name, $program, BEGIN => $begin, END => $end);
}

# Status, and of each variable: how many findings, how many of them do not count.
sub run
{
	my ($name, @options) = @_;
	unlink "$dir/$name.json";
	my $status = run_command(60, "$dir/$name", {}, $deadheat, 'run', '--json',
		"$dir/$name.json", @options, "$dir/$name");
	my %found = (status => $status, x => [0, 0], y => [0, 0]);
	for my $line (split /\n/, slurp("$dir/$name.json")) {
		my $o = JSON::PP->new->utf8->decode($line);
		next unless ($o->{type} // '') eq 'race';
		$found{$o->{object}{name}}[0]++;
		$found{$o->{object}{name}}[1]++ if $o->{suspended};
	}
	return \%found;
}

build('plain', '(void)0', '(void)0');
for my $engine (qw(djit goldilocks multirace)) {
	my $r = run('plain', '--engine', $engine);
	is($r->{status}, 66, "$engine: status");
	is($r->{x}[0] > 0 && $r->{y}[0] > 0, 1, "$engine: both variables");
	is($r->{x}[1] + $r->{y}[1], 0, "$engine: all count");
	$r = run('plain', '--engine', $engine, qw(--detection suspended));
	is($r->{status}, 0, "$engine suspended: nothing counts");
	is($r->{x}[1] > 0 && $r->{x}[1] == $r->{x}[0], 1, "$engine suspended: told nevertheless");
	$r = run('plain', '--engine', $engine, qw(--detection off));
	is_deeply($r, {status => 0, x => [0, 0], y => [0, 0]}, "$engine off: silence");
}

my %scopes = (thread => ['SUSPEND_THREAD()', 'RESUME_THREAD()'],
	all => ['SUSPEND_ALL()', 'RESUME_ALL()'],
	range => ['SUSPEND(&x, sizeof x)', 'RESUME(&x, sizeof x)']);
for my $scope (sort keys %scopes) {
	my ($begin, $end) = map { "DEADHEAT_$_" } @{$scopes{$scope}};
	build("suspend_$scope", $begin, $end);
	my $r = run("suspend_$scope", qw(--engine multirace));
	is($r->{status}, 66, "suspended, $scope: y counts");
	is($r->{x}[0] > 0 && $r->{x}[1] == $r->{x}[0], 1, "suspended, $scope: x does not");
	is($r->{y}[1], 0, "suspended, $scope: y is not suspended");
	s/SUSPEND/SWITCH_OFF/, s/RESUME/SWITCH_ON/ for $begin, $end;
	build("off_$scope", $begin, $end);
	$r = run("off_$scope", qw(--engine multirace));
	is($r->{x}[0], 0, "off, $scope: x is not looked at");
	is($r->{y}[0] > 0, 1, "off, $scope: y is");
}

my $all = run('plain', qw(--engine djit --filter none))->{x}[0];
my $first = run('plain', qw(--engine djit --filter none --stop-after-race))->{x}[0];
is($first, 1, 'stopped after the first race on x');
cmp_ok($all, '>', $first, 'else there are more');

my $status = run_command(60, "$dir/wrong", {}, $deadheat, 'run', '--stop-after-race', "$dir/plain");
is($status, 2, 'not with fasttrack');
like(slurp("$dir/wrong.err"), qr/stop-after-race/, 'and says so');
done_testing;
