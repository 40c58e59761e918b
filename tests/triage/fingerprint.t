#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The ids of findings stay the same when a program is built otherwise or its source moves:
# the programs of the folder same, compiled without and with optimisation, with all lines
# shifted, from another folder, by another compiler, run with and without randomised
# addresses.
#
#   DH_TRIAGE_ALL=1             all of these; else without and with optimisation, and moved
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../cli";
use Deadheat;
use File::Path 'make_path';
use File::Temp 'tempdir';
use JSON::PP ();
use Test::More;

my $dir = tempdir(CLEANUP => 1);
delete @ENV{qw(DEADHEAT_CC DEADHEAT_CXX DEADHEAT_OPTIONS DEADHEAT_HELPER LD_LIBRARY_PATH)};

sub slurp { open my $in, '<', $_[0] or die "$_[0]: $!\n"; local $/; return scalar <$in> }

# The source, moved to another folder, below so many empty lines.
sub shifted
{
	my ($path, $lines) = @_;
	my ($name) = $path =~ m{([^/]+)$};
	make_path("$dir/moved/here");
	open my $out, '>', "$dir/moved/here/$name" or die;
	my $text = slurp($path);
	$text =~ s{"\.\./\.\./programs/}{"$FindBin::Bin/../programs/};
	print $out "\n" x $lines, $text;
	close $out;
	return "$dir/moved/here/$name";
}

# Builds, runs, and returns the ids of all variants with their titles.
sub ids
{
	my ($path, $flags, @before) = @_;
	my ($suffix) = $path =~ m{\.(\w+)$};
	my $r = deadheat($suffix eq 'c' ? 'cc' : 'c++', '-pthread', @$flags, '-o', "$dir/app",
		$path);
	return {"does not compile: $r->{err}" => 1} if $r->{status};
	unlink "$dir/found.json";
	if (@before) {
		system(@before, $ENV{DEADHEAT}, 'run', '--quiet', '--json', "$dir/found.json",
			"$dir/app");
	} else {
		deadheat('run', '--quiet', '--json', "$dir/found.json", "$dir/app");
	}
	$r = deadheat('report', '--format', 'json', "$dir/found.json");
	return {map { $_->{id} => $_->{title} } map { @{$_->{variants}} } @{json_of($r)->{causes}}};
}

sub same
{
	my ($got, $want, $name) = @_;
	is_deeply([sort keys %$got], [sort keys %$want], $name) or diag(
		(map { "only before: $want->{$_}\n" } grep { !$got->{$_} } sort keys %$want),
		(map { "only here: $got->{$_}\n" } grep { !$want->{$_} } sort keys %$got));
}

my $fixed = system("setarch -R true >/dev/null 2>&1") == 0;
for my $path (sort glob "$FindBin::Bin/same/*.c*") {
	my ($name) = $path =~ m{([^/]+)$};
	my $want = ids($path, ['-O0']);
	cmp_ok(scalar keys %$want, '>=', 5, "$name: several variants at -O0");
	same(ids($path, ['-O2']), $want, "$name: the same at -O2");
	same(ids(shifted($path, 37), ['-O0']), $want, "$name: the same 37 lines further down");
	next unless $ENV{DH_TRIAGE_ALL};
	same(ids($path, ['-O0']), $want, "$name: the same in another run");
	same(ids($path, ['-O1']), $want, "$name: the same at -O1");
	same(ids(shifted($path, 5), ['-O2', '-DNDEBUG']), $want, "$name: both");
	same(ids($path, ['-O0', '-no-pie']), $want, "$name: the same at fixed addresses");
	SKIP: {
		skip 'no setarch here', 1 unless $fixed;
		same(ids($path, ['-O0'], 'setarch', '-R'), $want, "$name: the same without ASLR");
	}
	SKIP: {
		skip 'no clang here', 2 if system('clang --version >/dev/null 2>&1');
		local @ENV{qw(DEADHEAT_CC DEADHEAT_CXX)} = ('clang', 'clang++');
		same(ids($path, ["-$_"]), $want, "$name: the same by clang at $_") for qw(O0 O2);
	}
}
done_testing();
