#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `deadheat engines`: every engine and filter is listed, described, and can be run.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Deadheat;
use Test::More;

my @engines = qw(fasttrack djit lockset multirace eraser racetrack-basic racetrack patent
	goldilocks goldilocks-paper log null count print);
my @filters = qw(tree tree-strict span);

my $names = deadheat('engines', '--names');
is($names->{status}, 0, '--names: status');
is($names->{err}, '', '--names: nothing on standard error');
is($names->{out}, join('', map({ "engine $_\n" } @engines), map { "filter $_\n" } @filters),
	'--names: one to a line');

my $list = deadheat('engines');
is($list->{status}, 0, 'status');
is($list->{err}, '', 'nothing on standard error');
for my $name (@engines, @filters) {
	like($list->{out}, qr/^  \Q$name\E\n      \S.*\n      guarantees: \S.*\n      misses: \S/m,
		"$name: what it is, guarantees, misses");
}

my $trace = trace("T1|w(x)|a.c:1\nT2|w(x)|b.c:2\n");
for my $name (@engines) {
	my $r = deadheat('analyze', '-e', $name, '--format', 'json', $trace);
	like($r->{status}, qr/\A(0|66)\z/, "engine $name runs");
	is(json_of($r)->{engines}[0]{engine}, $name, "engine $name is itself");
}
for my $name (@filters) {
	my $r = deadheat('analyze', '-f', $name, '--format', 'json', $trace);
	is($r->{status}, 66, "filter $name runs");
	is(json_of($r)->{filter}, $name, "filter $name is itself");
}

is(deadheat('analyze', '-e', 'print', $trace)->{out} =~ /^\QT1|w(x)|a.c:1\E$/m, 1,
	'print shows the stream');

my $help = deadheat('engines', '--help');
is($help->{status}, 0, '--help: status');
like($help->{out}, qr/\Ausage: deadheat engines/, '--help: the usage text');
my $bad = deadheat('engines', '--nosuch');
is($bad->{status}, 2, 'an unknown option: status');
is($bad->{out}, '', 'an unknown option: nothing on standard output');
like($bad->{err}, qr/\Adeadheat: .*'--nosuch'.*deadheat engines --help`\n\z/,
	'an unknown option: what to do');

done_testing;
