#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Functions of the C library that write the caller's memory (calls/calls.c): each is found
# to race with a read that nothing orders, by its own line, and not with one after it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use File::Temp 'tempdir';
use JSON::PP ();
use Programs qw(build slurp);
use Test::More;

my $deadheat = $ENV{DEADHEAT} || die "\$DEADHEAT does not name the program\n";
my $dir = tempdir(CLEANUP => 1, $ENV{DH_PROGRAMS_DIR} ? (DIR => $ENV{DH_PROGRAMS_DIR}) : ());
delete @ENV{qw(DEADHEAT_OPTIONS DEADHEAT_CC DEADHEAT_CXX)};
build('calls.c', $deadheat, 'cc', '-O1', '-g', '-pthread', "$FindBin::Bin/calls/calls.c", '-o',
	"$dir/calls");

# The exit status, and the functions of the two accesses of each race.
sub run
{
	my ($name, $how) = @_;
	unlink "$dir/json";
	my $status = system("timeout 60 $deadheat run --quiet --json $dir/json -- "
		. "$dir/calls $name $how >$dir/out 2>&1") >> 8;
	my @races = grep { $_->{type} eq 'race' }
		map { JSON::PP->new->utf8->decode($_) } split /\n/, slurp("$dir/json");
	return ($status, map { join ' ', map { $_->{stack}[0]{function} } @{$_}{qw(first second)} }
		@races);
}

my @names = split ' ', `$dir/calls`;
cmp_ok(scalar @names, '>', 10, 'there are some');
for my $name (@names) {
	my ($status, @races) = run($name, 'race');
	is("$status @races", "66 call_$name look", "$name: a race");
	($status, @races) = run($name, 'norace');
	is("$status @races", '0 ', "$name: none where there is order");
}
done_testing();
