#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The plainest race there is, run a thousand times: it is found a thousand times. Nothing
# orders its threads, so one may be over before the other begins, or both write at the
# same instant.
#
#   repeat.t [RUNS]       1000 by default
use strict;
use warnings;
use FindBin;
use File::Temp 'tempdir';
use Test::More tests => 2;

use constant STATUS_RACE => 66;

my $runs = @ARGV ? $ARGV[0] : 1000;
my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());

is(system($deadheat, 'cc', '-O1', '-g', "$FindBin::Bin/two_lines_race.c", '-o', "$dir/race",
	'-pthread'), 0, 'builds');
my %ends;
for (1 .. $runs) {
	system($deadheat, 'run', '--log', "$dir/log", "$dir/race");
	$ends{$? & 127 ? 'signal ' . ($? & 127) : $? >> 8}++;
}
is_deeply(\%ends, {STATUS_RACE, $runs}, "found in $runs of $runs runs");
