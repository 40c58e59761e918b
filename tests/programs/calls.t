#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Functions of the C library, by the programs of calls: each is found to race with what
# another thread does in its way, at the right lines, and not with what comes before or after.
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

# The exit status, and the functions of the two accesses of each race.
sub run
{
	my ($program, $name, $how) = @_;
	unlink "$dir/json";
	my $status = system("timeout 60 $deadheat run --quiet --json $dir/json -- "
		. "$dir/$program $name $how >$dir/out 2>&1") >> 8;
	my @races = grep { $_->{type} eq 'race' }
		map { JSON::PP->new->utf8->decode($_) } split /\n/, slurp("$dir/json");
	return ($status, map { join ' ', map { $_->{stack}[0]{function} } @{$_}{qw(first second)} }
		@races);
}

# Who makes the two accesses, where NAME is that of the function.
my %accesses = (
	calls => 'call_NAME look',     # it writes what another reads
	results => 'call_NAME look',   # the same
	texts => 'tell call_NAME',     # it reads what another has written
	statics => 'call_NAME call_NAME', # what it keeps it writes
	streams => 'tell look',        # it comes after what is told before one writes into a pipe
);

for my $program (sort keys %accesses) {
	build("$program.c", $deadheat, 'cc', '-O1', '-g', '-pthread',
		"$FindBin::Bin/calls/$program.c", '-o', "$dir/$program");
	my @names = split ' ', `$dir/$program`;
	cmp_ok(scalar @names, '>', 5, "$program: there are some");
	for my $name (@names) {
		my $accesses = $accesses{$program} =~ s/NAME/$name/gr;
		my ($status, @races) = run($program, $name, 'race');
		is("$status @races", "66 $accesses", "$name: a race");
		($status, @races) = run($program, $name, 'norace');
		is("$status @races", '0 ', "$name: none where there is order");
	}
}
done_testing();
